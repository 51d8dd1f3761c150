"""The operator's routes: how the server is, any game closed, and a notice that all tables show."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.http.services import services
from tests.api.games import ANA, BEN, OPEN, Game, new_game
from workers.settings import Settings
from workers.storage.store import Store

TOKEN = "an-operator-s-secret-token"
OPERATOR = {"Authorization": f"Bearer {TOKEN}"}
HELLO = "Back at ten: <b>games</b> go on."


@pytest.fixture
def run(settings: Settings, store: Store) -> Callable[[], Flask]:
    """Give what makes one more web process over the same store."""
    return lambda: create_app(replace(settings, operator_token=TOKEN), store)


@pytest.fixture
def http(run: Callable[[], Flask]) -> FlaskClient:
    """Give a client of a server with an operator."""
    return run().test_client(use_cookies=False)


def test_without_a_token_there_is_no_operator(settings: Settings, store: Store):
    """Nobody is told that there might be one."""
    http = create_app(settings, store).test_client(use_cookies=False)

    for answer in (
        http.get("/v1/operator", headers=OPERATOR),
        http.put("/v1/operator/banner", json={"text": HELLO}, headers=OPERATOR),
        http.put("/v1/operator/banner", json={"text": HELLO}, headers={"Authorization": "Bearer "}),
    ):
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, "no_token"),
        ({"Authorization": "Basic abc"}, 401, "unknown_token"),
        ({"Authorization": "Bearer another"}, 403, "wrong_token"),
    ],
)
def test_who_is_not_the_operator(http: FlaskClient, headers: dict[str, str], status: int, code: str):
    """Is refused before the body is read."""
    for answer in (
        http.get("/v1/operator", headers=headers),
        http.put("/v1/operator/banner", json={"text": 5}, headers=headers),
    ):
        assert (answer.status_code, answer.get_json()["code"]) == (status, code)
        assert_is_private(answer)


def assert_is_private(answer: TestResponse) -> None:
    """Assert that no cache keeps what depends on the bearer."""
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert {"Authorization", "Accept-Language"} <= set(answer.headers["Vary"].split(", "))


def test_how_the_server_is(http: FlaskClient):
    """Games by ruleset and status, private ones too, without anybody's cards."""
    game = new_game(http, ANA, BEN, private=True)
    new_game(http, ANA, OPEN)

    answer = http.get("/v1/operator", headers=OPERATOR)
    assert_is_private(answer)
    assert_is_private(http.put("/v1/operator/banner", json={"text": None}, headers=OPERATOR))
    told = answer.get_json()

    assert told["games"]["regicide"] == {"waiting": 1, "active": 1, "finished": 0, "abandoned": 0}
    assert game.id in [one["id"] for one in told["latest"]]
    assert {*told["latest"][0]} == {"id", "ruleset", "status", "version", "updated", "seats"}
    assert told["banner"] is None
    assert told["store"]["bytes"] > 0


def test_any_game_is_closed(http: FlaskClient):
    """A private one too; others still may not, and an id that isn't there is no game."""
    game = new_game(http, ANA, BEN, private=True)

    refused = http.delete(f"/v1/games/{game.id}", headers={"Authorization": f"Bearer {game.token(0)}"})
    closed = http.delete(f"/v1/games/{game.id}", headers=OPERATOR)

    assert refused.status_code == 403
    assert (closed.status_code, closed.get_json()["status"]) == (200, "abandoned")
    told = game.ask("GET", "/events?after=0", 0).get_json()["events"][-1]
    text = "The operator of the server has ended the game."
    assert told == {"version": 1, "type": "abandoned", "seat": None, "by": "operator", "text": text}
    assert http.delete(f"/v1/games/{game.id}", headers=OPERATOR).get_json()["code"] == "game_over"
    for name in ("0" * 20, "nope"):
        assert http.delete(f"/v1/games/{name}", headers=OPERATOR).get_json()["code"] == "no_such_game"


def test_a_notice_is_in_each_resource(run: Callable[[], Flask], http: FlaskClient):
    """At once in the process that was told, in others when they have read it; gone when it is taken back."""
    other = run()
    game = new_game(http, ANA, BEN)
    assert "notice" not in seen(game)

    told = http.put("/v1/operator/banner", json={"text": HELLO}, headers=OPERATOR)
    assert (told.status_code, told.get_json()) == (200, {"banner": HELLO})
    assert seen(game)["notice"] == HELLO
    assert http.get("/v1/operator", headers=OPERATOR).get_json()["banner"] == HELLO

    services(other).feed.announce(services(other).store.notice.read())
    path = f"/v1/games/{game.id}"
    assert other.test_client().get(path).get_json()["notice"] == HELLO

    http.put("/v1/operator/banner", json={"text": None}, headers=OPERATOR)
    assert "notice" not in seen(game)


def test_a_notice_is_wherever_a_game_is(http: FlaskClient):
    """In the answer of each call that has the game resource."""
    before = {"Idempotency-Key": "k" * 22}
    wishes = {"ruleset": "regicide", "seats": [ANA, OPEN, OPEN]}
    http.post("/v1/games", json=wishes, headers=before)
    http.put("/v1/operator/banner", json={"text": HELLO}, headers=OPERATOR)
    created = http.post("/v1/games", json=wishes, headers=before)  # as it was answered before there was a notice
    game = Game(http, created.get_json())

    answers = [
        created,
        game.ask("POST", "/join", json={"name": "Ben"}),
        game.ask("POST", "/start", "host", json={"level": "novice"}),
        game.ask("POST", "/seats/0/handover", "host", json={"level": "novice"}),
        game.ask("DELETE", "", "host"),
    ]
    alone = new_game(http, ANA)
    alone.ask("DELETE", "", "host")
    answers += [alone.ask("POST", "/next", 0), alone.ask("POST", "/next", 0), alone.ask("GET", "", 0)]

    assert [answer.status_code for answer in answers] == [201, 200, 200, 200, 200, 201, 200, 200]
    assert [answer.get_json().get("notice") for answer in answers] == [HELLO] * 8


def seen(game: Game) -> dict[str, object]:
    """Return the game as seat 0 sees it."""
    return dict(game.look(0))


@pytest.mark.parametrize("text", ["", "x" * 201, "two\nlines", "two\u2028lines", "turned\u202earound", 5, "\x1b[31m"])
def test_a_bad_notice(http: FlaskClient, text: object):
    """Is refused, and the old one stays."""
    http.put("/v1/operator/banner", json={"text": HELLO}, headers=OPERATOR)

    bad = http.put("/v1/operator/banner", json={"text": text}, headers=OPERATOR)

    assert (bad.status_code, bad.get_json()["code"]) == (422, "invalid")
    assert http.get("/v1/operator", headers=OPERATOR).get_json()["banner"] == HELLO


def test_streams_tell_a_notice(http: FlaskClient, run: Callable[[], Flask]):
    """A stream that is open gets it as a message, one that begins has it in its snapshot, one that resumes is told."""
    game = new_game(http, ANA, BEN)
    path, feed = f"/v1/games/{game.id}/stream", services(http.application).feed
    lines = {"Accept": "application/x-ndjson"}

    with http.get(path, headers=lines, buffered=False) as stream:
        told = iter(stream.iter_encoded())
        assert b'"notice"' not in next(told)
        feed.announce(HELLO)
        assert next(told) == b'{"notice":"Back at ten: <b>games</b> go on."}\n'
        feed.announce(None)
        assert next(told) == b'{"notice":null}\n'
    feed.announce(HELLO)
    with http.get(path, headers=lines, buffered=False) as stream:
        assert b'"notice":"Back at ten' in next(iter(stream.iter_encoded()))
    with http.get(path, headers={"Last-Event-ID": "0"}, buffered=False) as stream:
        assert next(iter(stream.iter_encoded())).startswith(b'event: notice\ndata: {"notice":"Back')
