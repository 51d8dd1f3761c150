"""A real store for every test: the embedded server, started as users start it."""

from collections.abc import Iterator

import pytest
from redis import Redis

from workers.embedded import EmbeddedServer, find_server


def pytest_report_header(config: pytest.Config) -> str:
    """Say that the long runs are left out, and how to have them."""
    if config.option.markexpr == "not long":
        return "long runs: left out, since they take minutes; `make long` has them"
    return f"tests chosen by -m {config.option.markexpr!r}"


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the URL of a server that all tests share."""
    with EmbeddedServer(tmp_path_factory.mktemp("store"), find_server()) as server:
        yield server.url


@pytest.fixture
def database(redis_url: str) -> Iterator[Redis]:
    """Give a client of an empty database."""
    with Redis.from_url(redis_url) as client:
        client.flushdb()
        yield client
