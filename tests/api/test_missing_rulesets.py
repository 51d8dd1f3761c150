"""A ruleset that was taken away: its games wait for its return, and everything else goes on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from engines import RULESETS
from tests.api.games import ADEPT, ANA, BEN, Game, new_game, plain
from workers.background.sweeper import Sweeper
from workers.retention import Retention
from workers.settings import Settings
from workers.storage.store import Store

ROUTES = [
    ("GET", "", None),
    ("GET", "/actions", None),
    ("POST", "/actions", {"text": "anything"}),
    ("GET", "/events", None),
    ("GET", "/stream", None),
    ("GET", "/views/0", None),
    ("GET", "/positions/0", None),
    ("GET", "/record", None),
    ("GET", "/next", None),
    ("POST", "/signals", {"signal": "can_take_next"}),
    ("POST", "/start", {"level": "adept"}),
    ("POST", "/seats/0/handover", {"level": "adept"}),
    ("POST", "/hints", {}),
    ("POST", "/reviews", {}),
    ("POST", "/next", {}),
    ("DELETE", "", None),
]
GAMES = ["regicide", "gridcannon"]


@contextmanager
def removed(monkeypatch: pytest.MonkeyPatch, store: Store, ruleset: str) -> Iterator[None]:
    """Serve without a ruleset, as a process does that starts after its package was removed."""
    with monkeypatch.context() as patch:
        patch.delitem(RULESETS, ruleset)
        patch.setattr(store.games, "_cache", type(store.games._cache)())
        yield


@pytest.mark.parametrize("ruleset", GAMES)
def test_every_route_answers_that_there_is_no_such_ruleset(
    http: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch, ruleset: str
):
    """Whatever the method, and the stream of whoever reconnects; afterwards the game goes on at its version."""
    game = new_game(http, ANA, BEN, ruleset=ruleset)
    before = game.look(0)

    with removed(monkeypatch, store, ruleset):
        for method, path, body in ROUTES:
            for holder in (0, "host"):
                answer = game.ask(method, path, holder, **({} if body is None else {"json": body}))
                assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_ruleset"), (method, path)

    assert game.look(0) == before


def test_the_routes_are_all_that_there_are(http: FlaskClient):
    """Those below a game in the contract; joining needs no token of it."""
    rules = http.application.url_map.iter_rules()
    below = {
        (method, re.sub(r"<[^>]*>", "0", rule.rule.removeprefix("/v1/games/<game_id>")))
        for rule in rules
        if rule.rule.startswith("/v1/games/<game_id>")
        for method in (rule.methods or set()) & {"GET", "POST", "PUT", "DELETE", "PATCH"}
    }
    tested = {(method, path) for method, path, _ in ROUTES}

    assert {pair for pair in below if pair[1] != "/join"} == tested


def test_the_token_is_checked_first(http: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch):
    """A token that nobody has, one of another game, and none for a private game."""
    game, other = new_game(http, ANA, BEN, ruleset="gridcannon"), new_game(http, ANA, ruleset="regicide")
    private = new_game(http, ANA, BEN, ruleset="gridcannon", private=True)

    with removed(monkeypatch, store, "gridcannon"):
        codes = [
            http.get(f"/v1/games/{at}", headers=headers).get_json()["code"]
            for at, headers in [
                (game.id, {"Authorization": f"Bearer {game.token(0)[:-4]}aaaa"}),
                (game.id, {"Authorization": f"Bearer {other.token(0)}"}),
                (game.id, {}),
                (private.id, {}),
                (private.id, {"Authorization": f"Bearer {other.token(0)}"}),
                (private.id, {"Authorization": f"Bearer {private.token(0)}"}),
            ]
        ]

    assert codes == [
        *("unknown_token", "wrong_token", "no_such_ruleset"),
        *("no_such_game", "no_such_game", "no_such_ruleset"),
    ]


def test_all_else_goes_on(http: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Lists, other games, and bodies that name it; nothing of it is swept, given up or logged as damaged."""
    game = new_game(http, ANA, ADEPT, ruleset="gridcannon")
    other = new_game(http, ANA, ADEPT, ruleset="regicide")
    lifetimes = Retention(store, Settings(data=tmp_path, keep_idle_days=1))

    with removed(monkeypatch, store, "gridcannon"), capture_logs() as lines:
        listed = plain(http.get("/v1/games"))["games"]
        refused = http.post("/v1/games", json={"ruleset": "gridcannon", "seats": [ANA, BEN]})
        Sweeper(store, lifetimes).sweep()
        for partition in store.keys.all():
            lifetimes.enforce(partition)
        assert plain(other.ask("GET", "", 0))["status"] == "active"

    assert [one["id"] for one in listed] == [other.id]
    assert (refused.status_code, refused.get_json()["code"]) == (422, "invalid")
    assert "unreadable_game" not in [line["event"] for line in lines]
    assert game.look(0)["status"] == "active"


def test_ended_games_are_read_again_when_it_is_back(http: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch):
    """Their records too."""
    game = new_game(http, ANA, BEN, ruleset="gridcannon")
    game.ask("DELETE", "", "host")

    with removed(monkeypatch, store, "gridcannon"):
        assert game.ask("GET", "/record").get_json()["code"] == "no_such_ruleset"

    assert Game(http, game.created).ask("GET", "/record").status_code == 200
