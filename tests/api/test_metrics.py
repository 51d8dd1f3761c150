"""``/metrics``: what the server and its workers have done, for Prometheus, and nothing about whom or what with."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from api.http.services import services
from engines.core.cards import BY_NAME
from tests.api.games import ADEPT, ANA, BEN, Game, new_game
from workers.background import ai_turns
from workers.storage.store import Store

Scrape = Callable[..., float]


@pytest.fixture
def count(http: FlaskClient) -> Scrape:
    """Give what reads a sample as it has grown since the test began."""

    def read() -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        families = text_string_to_metric_families(http.get("/metrics").text)
        return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}

    before = read()

    def grown(name: str, **labels: str) -> float:
        sample = (f"regicide_{name}", frozenset(labels.items()))
        return read().get(sample, 0.0) - before.get(sample, 0.0)

    return grown


def test_it_is_prometheus_text(http: FlaskClient):
    """In the format that every version of Prometheus reads; each family has its help."""
    answer = http.get("/metrics")

    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert "# HELP regicide_http_requests_total Requests answered." in answer.text


def test_requests_are_counted(http: FlaskClient, game: Game, count: Scrape):
    """By route, method and status, with their time; refusals too."""
    game.look(0)
    game.look(1)
    game.act(0, "play 2C")
    game.act(0, "nonsense")
    http.get("/nowhere/at/all")
    http.open("/healthz", method="BREW")

    one, act = "/v1/games/<game_id>", "/v1/games/<game_id>/actions"
    assert count("http_requests_total", route=one, method="GET", status="200") == 2
    assert count("http_request_seconds_count", route=one, method="GET") == 2
    assert count("http_requests_total", route=act, method="POST", status="400") == 1
    assert count("http_requests_total", route="none", method="GET", status="404") == 1
    assert count("http_requests_total", route="none", method="other", status="405") == 1


def test_moves_and_ais_are_counted(http: FlaskClient, store: Store, count: Scrape):
    """Who moved, and how long the AI thought and let the table wait."""
    game, moves = new_game(http, ANA, ADEPT), 6
    for version in range(moves):
        if game.look(0)["to_act"] == [0]:
            game.act(0, game.ask("GET", "/actions", 0).get_json()["actions"][0]["text"])
        else:
            ai_turns.play(store, game.id, version)

    people, ais = (count("moves_total", ruleset="regicide", by=by) for by in ("person", "ai"))
    assert (people + ais, people > 0, ais > 0) == (moves, True, True)
    of_ai = {"ruleset": "regicide", "level": "adept"}
    assert count("ai_thinking_seconds_count", **of_ai) == count("ai_answering_seconds_count", **of_ai) == ais


def test_who_stands_in_has_let_nobody_wait(http: FlaskClient, store: Store, count: Scrape):
    """The time of the player who didn't move isn't the AI's."""
    game = new_game(http, ANA, BEN, turn_seconds=10)
    table = store.games.load(game.id)
    late = Store(store.redis, store.keys, lambda: datetime.fromisoformat(table.deadline or "") + timedelta(seconds=1))

    outcome = ai_turns.play(late, game.id, 0).outcome

    of_ai = {"ruleset": "regicide", "level": "adept"}
    assert outcome == "played"
    assert (count("ai_thinking_seconds_count", **of_ai), count("ai_answering_seconds_count", **of_ai)) == (1, 0)


def test_those_who_watch_are_counted(app: Flask, store: Store, game: Game, count: Scrape):
    """While they do."""
    feed = services(app).feed
    with feed.watch(store.games.load(game.id), 0, "a"), feed.watch(store.games.load(game.id), 0, "b"):
        watching = count("streams")

    assert (watching, count("streams")) == (2, 0)


def test_no_label_tells_a_secret(http: FlaskClient, game: Game):
    """No game, no token, no card, nothing that a client has made up."""
    game.act(0, "play 2C", idempotency_key="my-own-key")
    game.ask("GET", "/my-own-path", 0)
    http.open("/v1/games/AH", method="MINE", headers={"X-Request-Id": "my-own-id", "Authorization": "Bearer AH"})

    text = http.get("/metrics").text

    secrets = {game.id, *(game.token(holder) for holder in (0, 1, "host"))}
    assert not [secret for secret in secrets if secret in text]
    assert not set(re.findall(r"[A-Za-z0-9]+", text)) & {*BY_NAME, "my", "own", "MINE"}
