"""Readiness: what is wrong is listed, each thing by its code, the worst first."""

import shutil
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clusters import Node, alone
from tests.workers.stores import HUMAN, Clock, due_with, open_table
from workers import readiness
from workers.processes.redis_server import RedisServer, find_server
from workers.readiness import MAX_WAITING_TURNS, REASON_CODES_WORST_FIRST
from workers.settings import Settings
from workers.storage import queue
from workers.storage.store import Store, open_store

Usage = namedtuple("Usage", "total used free")  # noqa: PYI024  as shutil has it


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """Give a server of the test's own."""
    with alone(tmp_path / "node") as node:
        yield node


def wrong(store: Store, settings: Settings) -> list[str]:
    """Return the codes of what is wrong."""
    return [reason.code for reason in readiness.reasons(store, settings)]


def test_nothing_is_wrong(store: Store, settings: Settings) -> None:
    """A store that takes writes, and a worker."""
    store.health.record_worker_heartbeat()

    assert wrong(store, settings) == []


def test_no_worker(store: Store, settings: Settings) -> None:
    """Nobody has given a sign of life."""
    assert wrong(store, settings) == ["no_worker"]


def test_a_store_that_takes_no_writes(node: Node, settings: Settings) -> None:
    """It can be read, and yet isn't ready."""
    there = replace(settings, redis_url=f"redis://127.0.0.1:{node.port}")
    opened = open_store(there)
    opened.health.record_worker_heartbeat()
    assert wrong(opened, there) == []

    node.ask("CONFIG", "SET", "min-replicas-to-write", "1")

    assert wrong(opened, there) == ["storage_unavailable"]
    opened.close()


def test_a_store_that_may_lose_games(node: Node, settings: Settings) -> None:
    """It is told how."""
    there = replace(settings, redis_url=f"redis://127.0.0.1:{node.port}")
    opened = open_store(there)
    opened.health.record_worker_heartbeat()
    node.ask("CONFIG", "SET", "appendonly", "no")
    node.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")

    assert wrong(opened, there) == ["not_durable", "evicting"]
    assert "allkeys-lru" in str(readiness.reasons(opened, there)[1].phrase)
    opened.close()


def test_the_queue_is_away(node: Node, settings: Settings, tmp_path: Path) -> None:
    """People play on."""
    there = replace(settings, redis_url=f"redis://127.0.0.1:{node.port}", queue_url=f"unix://{tmp_path}/nothing")
    opened = open_store(there)
    opened.health.record_worker_heartbeat()

    assert wrong(opened, there) == ["queue_unavailable"]
    opened.close()


def test_the_disk_of_our_own_store(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at if the store is one that we have started, and told below 5 %, store or none."""
    own = Settings(data=tmp_path)
    with RedisServer(tmp_path / "store", find_server()) as server:
        there = replace(own, redis_url=server.url)
        opened = open_store(there)
        opened.health.record_worker_heartbeat()
        assert wrong(opened, there) == []
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000, 951, 49))
        assert wrong(opened, there) == ["disk_nearly_full"]
        assert "4.9 %" in str(readiness.reasons(opened, there)[0].phrase)
        assert wrong(opened, replace(there, data=settings.data / "elsewhere")) == []
    assert wrong(opened, there) == ["storage_unavailable", "disk_nearly_full"]
    opened.close()


def test_ais_are_behind(store: Store, settings: Settings, clock: Clock) -> None:
    """By turns that are late, and by those that wait for a worker."""
    store.health.record_worker_heartbeat()
    game = open_table(store, HUMAN)
    late = MAX_WAITING_TURNS // 2
    store.redis.zadd(due_with(store, game), {f"{number:020}": clock().timestamp() for number in range(late)})
    clock.go(6)
    assert wrong(store, settings) == []

    store.broker.rpush(
        f"{queue.RQ_QUEUE_PREFIX}{queue.INTERACTIVE_QUEUE}", *[f"ai-{number}" for number in range(late + 1)]
    )

    assert wrong(store, settings) == ["behind"]
    assert f"by {2 * late + 1} turns" in str(readiness.reasons(store, settings)[0].phrase)


def test_every_code_is_told_of() -> None:
    """The page for who runs a server has them."""
    page = Path("docs/operating.md").read_text("utf-8")

    assert [code for code in REASON_CODES_WORST_FIRST if f"`{code}`" not in page] == []
