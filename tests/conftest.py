"""A real store for every test: the embedded server, started as users start it."""

from collections.abc import Iterator

import pytest
from redis import Redis

from engines.compiled import is_compiled
from workers.processes.redis_server import RedisServer, find_server


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say whether the engines are compiled, that the long runs are left out, and how to have them."""
    engines = f"engines: {'compiled' if is_compiled() else 'interpreted'}"
    if config.option.markexpr == "not long":
        return [engines, "long runs: left out, since they take minutes; `make long` has them"]
    return [engines, f"tests chosen by -m {config.option.markexpr!r}"]


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the URL of a server that all tests share."""
    with RedisServer(tmp_path_factory.mktemp("store"), find_server()) as server:
        yield server.url


@pytest.fixture
def database(redis_url: str) -> Iterator[Redis]:
    """Give a client of an empty database."""
    with Redis.from_url(redis_url) as client:
        client.flushdb()
        yield client
