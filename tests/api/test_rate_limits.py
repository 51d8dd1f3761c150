"""Rate limits over HTTP: who is counted, for what, and which headers say so."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from tests.api.games import ANA, BEN, Game, new_game, plain
from tests.api.puzzles import QUIET
from workers.settings import Settings
from workers.storage.store import Store

Limited = Callable[..., FlaskClient]


@pytest.fixture
def limited(settings: Settings, store: Store) -> Limited:
    """Give a maker of servers with limits."""
    return lambda **limits: create_app(replace(settings, **limits), store).test_client(use_cookies=False)


def standing(response: TestResponse) -> tuple[str, int, int]:
    """Return which budget was spent, of how many, and how many are left."""
    policy = re.fullmatch(r'"(\w+)";q=(\d+);w=60', response.headers["RateLimit-Policy"])
    left = re.fullmatch(r'"(\w+)";r=(\d+);t=([1-9]|[1-5]\d|60)', response.headers["RateLimit"])
    assert policy
    assert left
    assert policy[1] == left[1]
    return policy[1], int(policy[2]), int(left[2])


def test_every_answer_says_how_many_are_left(limited: Limited):
    """In the headers of the IETF's draft, on refusals too."""
    http = limited(rate_requests=100, rate_create=10)
    created = http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA, BEN], "position": QUIET})
    game = Game(http, created.get_json())

    assert standing(created) == ("create", 10, 9)
    assert standing(game.ask("GET", "", 0)) == ("requests", 100, 99)
    assert standing(game.act(0, "dance")) == ("requests", 100, 98)
    assert standing(game.ask("GET", "", 1)) == ("requests", 100, 97)  # it is the same game's
    assert standing(game.ask("GET", "", None)) == ("requests", 100, 99)
    assert standing(game.ask("GET", headers={"If-None-Match": '"0"'})) == ("requests", 100, 98)


def test_each_token_of_a_game_has_a_reserve(limited: Limited):
    """Who uses up the game's limit locks nobody else out: the first requests of each token are allowed."""
    http = limited(rate_requests=80)
    game = new_game(http, position=QUIET)
    for _ in range(80):
        assert game.ask("GET", "", 1).status_code == 200

    assert game.ask("GET", "", 1).get_json()["code"] == "rate_limited"
    assert standing(game.ask("GET", "", 0)) == ("requests", 10, 9)
    assert standing(game.act(0, "play 5S")) == ("requests", 10, 8)
    assert standing(game.ask("GET", "", "host")) == ("requests", 10, 9)
    assert game.ask("GET", "", 1).get_json()["code"] == "rate_limited"


def test_games_that_follow_count_as_created(limited: Limited):
    """Nobody gets more games by asking for the next one than by creating them."""
    http = limited(rate_create=2, rate_requests=1000)
    game = new_game(http, ANA)
    plain(game.ask("DELETE", "", "host"))

    assert standing(game.ask("POST", "/next", 0)) == ("create", 2, 0)
    assert game.ask("POST", "/next", 0).get_json()["code"] == "rate_limited"


def test_too_many(limited: Limited):
    """429 with everything that is needed to go on; nothing has happened."""
    http = limited(rate_requests=3)
    game = new_game(http, position=QUIET)
    for _ in range(3):
        game.look(0)

    refused = game.act(0, "play 5S")

    problem = refused.get_json()
    assert (refused.status_code, problem["code"]) == (429, "rate_limited")
    assert refused.content_type == "application/problem+json"
    assert 1 <= problem["retry_after"] <= 60
    assert refused.headers["Retry-After"] == str(problem["retry_after"])
    assert standing(refused) == ("requests", 3, 0)
    assert game.look(None)["version"] == 0


def test_creation_is_dearer(limited: Limited):
    """It has a budget of its own, and the others' don't help."""
    http = limited(rate_create=2, rate_requests=1000)
    game = new_game(http)
    new_game(http)

    def create(**headers: str) -> int:
        body = {"ruleset": "regicide", "seats": [ANA]}
        return http.post("/v1/games", json=body, headers=headers).status_code

    assert create() == 429
    assert create(Authorization=f"Bearer {game.token(0)}") == 429  # or each game would buy others
    assert create(Authorization="Bearer invented") == 429
    assert game.look(0)["version"] == 0


def test_invented_tokens(limited: Limited):
    """A token that nobody knows is no new client."""
    http = limited(rate_requests=5)
    game = new_game(http)

    codes = [game.ask("GET", headers={"Authorization": f"Bearer rs_{n}"}).get_json()["code"] for n in range(7)]

    assert codes == ["unknown_token"] * 5 + ["rate_limited"] * 2
    assert game.ask("GET").status_code == 429  # the address has paid for them
    assert game.look(0)["version"] == 0  # those with a token haven't


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),  # one client has all addresses of its network
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),  # IPv4 as a listener on :: sees it
        ("::ffff:192.0.2.1", "192.0.2.1", True),
    ],
)
def test_addresses(limited: Limited, first: str, second: str, *, same: bool):
    """Whoever has no token pays by address, of IPv6 by network."""
    http = limited(rate_requests=1)

    codes = [
        http.get("/v1/games", environ_overrides={"REMOTE_ADDR": address}).status_code
        for address in (first, second, first)
    ]

    assert codes == [200, 429 if same else 200, 429]


def test_what_is_free(limited: Limited):
    """Whoever looks after the server is always told how it is."""
    http = limited(rate_requests=1)

    for path in ("/healthz", "/readyz"):
        answers = [http.get(path) for _ in range(3)]
        assert 429 not in [answer.status_code for answer in answers]
        assert "RateLimit" not in answers[0].headers


@pytest.mark.parametrize(
    "path",
    [
        *("/openapi.yaml", "/problems/invalid", "/v1/rulesets", "/v1/rulesets/regicide/rules", "/metrics", "/"),
        *("/play", "/docs", "/docs/contract", "/static/play/play.css", "/v1/nothing", "/nothing"),
    ],
)
def test_no_path_is_there_to_be_flooded(limited: Limited, path: str):
    """Pages, files, numbers, rules, and what isn't there: all are counted by address, a token pays for none."""
    http = limited(rate_requests=2)
    game = new_game(http, position=QUIET)
    bearer = {"Authorization": f"Bearer {game.token(0)}"}

    codes = [http.get(path, headers=bearer).status_code for _ in range(3)]

    assert codes[0] == codes[1] != codes[2] == 429
    assert http.options(path).status_code == 429
    assert game.look(0)["version"] == 0  # games go on
    assert http.get(path, environ_overrides={"REMOTE_ADDR": "192.0.2.9"}).status_code == codes[0]


def test_no_limits(limited: Limited):
    """0 is any number, and no header is sent."""
    http = limited(rate_create=0, rate_requests=0)
    game = new_game(http)

    assert "RateLimit" not in game.ask("GET", "", 0).headers
    assert [game.ask("GET", "", 0).status_code for _ in range(20)] == [200] * 20


def test_limits_that_nobody_meets(http: FlaskClient):
    """By default they are there, and far from what people and bots do."""
    answer = http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA]})
    game: dict[str, Any] = plain(answer)

    assert standing(answer)[1] >= 300
    assert standing(http.get(f"/v1/games/{game['id']}"))[1] >= 6000
