"""A store over a real server, and a ruleset that only tests know."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from engines import RULESETS
from tests.rulesets import Race
from tests.workers.stores import PARTITIONS, Clock, tell_time
from workers.background import job_base
from workers.settings import Settings
from workers.storage.store import Store, open_store


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Give settings that lead to the tests' own server."""
    return Settings(data=tmp_path, redis_url=redis_url, partitions=PARTITIONS)


@pytest.fixture
def store(settings: Settings, database: Redis, race: Race) -> Iterator[Store]:
    """Give an empty store in which races can be run."""
    opened = open_store(settings)
    yield opened
    opened.close()


@pytest.fixture
def clock(store: Store) -> Clock:
    """Stop the store's clock; only the test sets it."""
    clock = Clock()
    tell_time(store, clock)
    return clock


@pytest.fixture
def race(monkeypatch: pytest.MonkeyPatch) -> Race:
    """Enter races in the catalogue."""
    ruleset = Race()
    monkeypatch.setitem(RULESETS, Race.name, ruleset)
    return ruleset


@pytest.fixture
def job_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Let jobs that run in this process use the test's store, with its clock."""
    monkeypatch.setattr(job_base, "process_store", lambda: store)
    return store
