"""Commitments over HTTP: the seed is promised first, and serves one game."""

from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from tests.api.games import ANA, OPEN, Game, new_game, plain
from tests.api.puzzles import QUIET, Json
from tests.api.test_refusals import refused
from workers.storage.store import Store

SEED = "a word that nobody foresees"


def promised(http: FlaskClient) -> Json:
    """Have a seed promised."""
    answer = http.post("/v1/commitments")
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "private, no-store"
    return dict(answer.get_json())


def ask(http: FlaskClient, commitment: object, key: str | None = None, **wishes: object) -> Json:
    """Set up a game with a commitment; return the answer."""
    headers = {} if key is None else {"Idempotency-Key": key}
    body = {"ruleset": "regicide", "seats": [ANA], "client_seed": SEED, "commitment": commitment, **wishes}
    return dict(http.post("/v1/games", json=body, headers=headers).get_json())


def test_a_game_is_dealt_by_the_seed_that_was_promised(http: FlaskClient):
    """The player sent their own seed when they knew the promise, and the record keeps it."""
    first = promised(http)

    game = Game(http, ask(http, first["id"]))
    game.ask("DELETE", "", "host")
    record = plain(game.ask("GET", "/record", "host"))

    assert game.created["commitment"] == first["commitment"] == record["commitment"]
    assert sha256(bytes.fromhex(record["seed"])).hexdigest() == first["commitment"]
    assert record["client_seeds"] == [SEED]


@pytest.mark.parametrize("how", ["used", "expired", "unknown"])
def test_a_commitment_that_is_gone(http: FlaskClient, store: Store, how: str):
    """Used, expired or made up, it is refused, and no game is there that wasn't."""
    one = promised(http)["id"]
    if how == "used":
        ask(http, one)
    if how == "expired":
        store.redis.delete(store.keys.commitment(one))
    games = store.games.count()
    body = {"ruleset": "regicide", "seats": [ANA], "commitment": "0" * 20 if how == "unknown" else one}

    refused(http.post("/v1/games", json=body), "commitment_gone", "POST /v1/commitments")

    assert store.games.count() == games


@pytest.mark.parametrize("commitment", ["", "x", 5, "0" * 21, "0" * 20 + "\n", {"id": "0" * 20}])
def test_what_is_no_commitment_at_all(http: FlaskClient, commitment: object):
    """It is told apart, before a seed is looked for."""
    assert list(ask(http, commitment)["errors"]) == ["commitment"]


def test_a_repeated_request_gets_its_game_again(http: FlaskClient):
    """And its tokens; the commitment is used once, for all that."""
    one, key = promised(http)["id"], "a-key-of-many-random-characters"

    first, again = ask(http, one, key), ask(http, one, key)

    assert first == again
    assert ask(http, one, f"{key}-of-another")["code"] == "commitment_gone"


def test_the_same_key_with_another_commitment_is_another_request(http: FlaskClient):
    """As with any other field of the body; the other commitment can be used still."""
    one, other, key = promised(http)["id"], promised(http)["id"], "a-key-of-many-random-characters"
    ask(http, one, key)

    assert ask(http, other, key)["code"] == "key_reused"
    assert "tokens" in ask(http, other)


def test_a_refused_game_uses_no_commitment_up(http: FlaskClient):
    """Whatever it is refused for."""
    one = promised(http)["id"]
    bad: list[Json] = [
        {"position": {**QUIET, "tavern": ["ZZ"]}},
        {"options": {"x": 1}},
        {"seats": [OPEN]},
        {"turn_seconds": 0},
    ]

    codes = [ask(http, one, **wishes)["code"] for wishes in bad]

    assert codes == ["bad_card", "bad_options", "invalid", "invalid"]
    assert "tokens" in ask(http, one)


def test_nobody_is_shown_the_seed(http: FlaskClient, store: Store):
    """Until the game has ended: neither the promise nor the game has it."""
    first = promised(http)
    kept: object = store.redis.hget(store.keys.commitment(first["id"]), "seed")
    assert isinstance(kept, bytes)

    game = new_game(http, ANA, OPEN, commitment=first["id"])

    for said in (first, game.created, plain(http.get("/v1/games")), plain(game.ask("GET", "", 0))):
        assert kept.hex() not in str(said)
