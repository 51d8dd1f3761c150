"""The web application over a real store, asked through Flask's client."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from api.app import create_app
from api.http import rate_limits
from api.http.overload import EventLoopLag
from api.http.services import services
from tests.api.contract import ContractClient
from tests.api.games import Game, new_game
from tests.api.http_lines import LIMITS, Line, Served, serving
from tests.api.puzzles import QUIET
from tests.event_loop import guarded
from workers.settings import Settings
from workers.storage.store import Store, open_store


@pytest.fixture(scope="session", autouse=True)
def unblocked() -> Iterator[None]:
    """Let no request block the event loop."""
    with guarded():
        yield


@pytest.fixture(scope="session")
def settings(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Give the settings of an application over the tests' own server."""
    return Settings(data=tmp_path_factory.mktemp("data"), redis_url=redis_url)


@pytest.fixture(scope="session")
def opened(settings: Settings) -> Iterator[Store]:
    """Give the store, which all tests share."""
    store = open_store(settings)
    yield store
    store.redis.close()


@pytest.fixture
def store(opened: Store, database: Redis) -> Store:
    """Give the store, empty."""
    return opened


@pytest.fixture(scope="session")
def app(settings: Settings, opened: Store) -> Iterator[Flask]:
    """Give the web application, which all tests share.

    Its clock for overload stands still: one request comes at a time here, and a machine that stops for two seconds is
    not what these tests are about. ``test_overload.py`` has its own.
    """
    application = create_app(settings, opened)
    application.test_client_class = ContractClient
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_limits, "EVENT_LOOP_LAG", EventLoopLag(lambda: 0.0))
        yield application
    services(application).feed.close()


@pytest.fixture
def http(app: Flask, store: Store) -> FlaskClient:
    """Give a client that keeps no cookies, of an application without games."""
    return app.test_client(use_cookies=False)


@pytest.fixture
def game(http: FlaskClient) -> Game:
    """Give a game of Ana and Ben at one screen: seat 0 is to play, nobody is in danger."""
    return new_game(http, position=QUIET)


@pytest.fixture(scope="module")
def patient() -> Iterator[Served]:
    """Give a web server with an application of its own, in whose tests nothing takes too long."""
    with serving(LIMITS) as served:
        yield served


@pytest.fixture
def line(patient: Served) -> Iterator[Line]:
    """Give a connection to it."""
    with closing(patient.connect()) as line:
        yield line
