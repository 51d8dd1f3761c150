"""An installed game whose code fails at one table: other tables are listed, and the host can end this one."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from engines.table import narration, table_json
from engines.table.table import Table
from tests.api.games import Game, new_game, plain
from workers import event_sentences
from workers.storage.errors import Damaged
from workers.storage.store import Store


def raising(*_: object) -> dict[str, Any]:
    """Fail, as a view does that raises."""
    raise RuntimeError("the top card is QH")


FAULTS: list[Callable[[dict[str, Any]], dict[str, Any]]] = [raising, lambda shown: {**shown, "view": {"cards": {1}}}]


@pytest.fixture(params=FAULTS, ids=["raises", "no JSON"])
def broken(game: Game, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Game:
    """Give a game whose position can't be shown."""
    show = table_json.resource

    def shown(table: Table, viewer: int | None) -> dict[str, Any]:
        whole = show(table, viewer)
        is_faulty = table.id == game.id and table.position is not None
        return request.param(whole) if is_faulty else whole

    monkeypatch.setattr(table_json, "resource", shown)
    return game


@pytest.mark.parametrize("query", ["", "?status=active", "?ruleset=regicide"])
def test_a_list_leaves_it_out(http: FlaskClient, broken: Game, query: str):
    """The others are listed, and the log names the game."""
    other = new_game(http)

    with capture_logs() as lines:
        listed = plain(http.get(f"/v1/games{query}"))["games"]

    assert [one["id"] for one in listed] == [other.id]
    [line] = [line for line in lines if line["event"] == "game_not_shown"]
    assert (line["game_id"], line["ruleset"]) == (broken.id, "regicide")


def test_the_host_ends_it(http: FlaskClient, broken: Game):
    """The response has no view; it is the state of a game that can't be shown."""
    with capture_logs() as lines:
        ended = plain(broken.ask("DELETE", "", "host"))

    assert (ended["status"], ended["view"], ended["outcome"]) == ("abandoned", None, None)
    assert [line["game_id"] for line in lines if line["event"] == "game_not_shown"] == [broken.id]
    assert broken.ask("DELETE", "", "host").get_json()["code"] == "game_over"
    assert plain(http.get("/v1/games?status=active"))["games"] == []


def test_the_log_names_the_game_of_an_internal_error(broken: Game):
    """Both lines do: the one with the error, and that of the request."""
    with capture_logs() as lines:
        assert broken.ask("GET", "", 0).status_code == 500

    named = {line["event"]: line.get("game_id") for line in lines}
    assert named["internal_error"] == named["request"] == broken.id


def test_a_game_that_cannot_be_loaded(http: FlaskClient, store: Store, game: Game, monkeypatch: pytest.MonkeyPatch):
    """Whatever its ``load`` raises, it is unreadable, lists leave it out, and the log names it."""
    other, load = new_game(http), table_json.load

    def faulty(stored: dict[str, Any]) -> Table:
        if stored["id"] == game.id:
            raise RuntimeError
        return load(stored)

    monkeypatch.setattr(table_json, "load", faulty)
    monkeypatch.setattr(store.games, "_cache", type(store.games._cache)())

    with capture_logs() as lines:
        listed = plain(http.get("/v1/games"))["games"]
        answer = game.ask("DELETE", "", "host")

    assert [one["id"] for one in listed] == [other.id]
    assert (answer.status_code, answer.get_json()["code"]) == (500, Damaged.code)
    assert [line["game_id"] for line in lines if line["event"] == "request" and line["status"] == 500] == [game.id]


def test_a_sentence_that_cannot_be_written(game: Game, monkeypatch: pytest.MonkeyPatch):
    """A move that was made is answered as such, the events are shown with plain sentences, and the log says it once."""
    monkeypatch.setattr(event_sentences, "_logged_faults", set())
    monkeypatch.setattr(narration, "text", raising)

    with capture_logs() as lines:
        made = plain(game.act(0, game.ask("GET", "/actions", 0).get_json()["actions"][0]["text"]))
        told = game.events(0)

    types = {event["type"] for event in told}
    assert made["version"] == 1
    assert {event["type"] for event in made["events"]} <= types
    assert all(event["text"] for event in told)
    faults = [line for line in lines if line["event"] == "clause_failed"]
    assert sorted(line["event_type"] for line in faults) == sorted(types)
    assert {(line["game_id"], line["ruleset"]) for line in faults} == {(game.id, "regicide")}
