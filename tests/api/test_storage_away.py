"""A storage that goes away and comes back, while the web server stays."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.app import create_app
from tests.api.games import ANA, Game, new_game, plain
from tests.api.puzzles import QUIET
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.store import open_store


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """Give a server of this test's own."""
    with RedisServer(tmp_path / "store", find_server()) as server:
        yield server


@pytest.fixture
def http(server: RedisServer, tmp_path: Path) -> Iterator[FlaskClient]:
    """Give a client of an application over that store."""
    settings = Settings(data=tmp_path, redis_url=server.url)
    store = open_store(settings)
    yield create_app(settings, store).test_client()
    store.close()


def test_away_and_back(server: RedisServer, http: FlaskClient):
    """Everything that needs it is refused for now; then everything is as it was."""
    game = new_game(http, position=QUIET)
    before = game.look(0)
    server.stop()

    answers = [
        *(game.ask("GET", path, 0) for path in ("", "/actions", "/events", "/record")),
        *(game.act(0, "play 5S"), game.act(0, "play 5S", idempotency_key="k")),
        *(game.ask("POST", "/actions?dry_run=true", 0, json={"text": "play 5S"}), game.ask("DELETE", "", "host")),
        *(http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA]}), http.get("/v1/games")),
        http.get("/readyz"),
    ]
    for answer in answers:
        assert (answer.status_code, answer.get_json()["code"]) == (503, "storage_unavailable")
        assert answer.content_type == "application/problem+json"
        assert answer.headers["Retry-After"] == "1"
        assert answer.get_json()["detail"].endswith(".")
    assert plain(http.get("/healthz")) == {"status": "ok"}

    server.start()

    assert game.look(0) == before
    assert plain(game.act(0, "play 5S", idempotency_key="k"))["version"] == 1


def test_a_restart_between_two_moves(server: RedisServer, http: FlaskClient):
    """A connection that the server has forgotten is replaced unseen; nothing is lost."""
    game: Game = new_game(http, position=QUIET)
    plain(game.act(0, "play 5S", idempotency_key="k"))
    server.stop()
    server.start()

    assert plain(game.act(0, "play 5S", idempotency_key="k"))["version"] == 1
    assert plain(game.act(0, "discard 9C"))["version"] == 2
