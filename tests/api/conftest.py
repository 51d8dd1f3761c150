"""The web application over a real store, asked through Flask's client."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from api import create_app
from tests.api.house import Game, new_game
from tests.api.puzzles import QUIET
from workers.settings import Settings
from workers.store import Store, open_store


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Give the settings of a house over the tests' own server."""
    return Settings(data=tmp_path, redis_url=redis_url)


@pytest.fixture
def store(settings: Settings, database: Redis) -> Iterator[Store]:
    """Give an empty store."""
    store = open_store(settings)
    yield store
    store.redis.close()


@pytest.fixture
def app(settings: Settings, store: Store) -> Flask:
    """Give the web application."""
    return create_app(settings, store)


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    """Give a client that keeps no cookies."""
    return app.test_client(use_cookies=False)


@pytest.fixture
def game(http: FlaskClient) -> Game:
    """Give a game of Ana and Ben at one screen: seat 0 is to play, nobody is in danger."""
    return new_game(http, position=QUIET)
