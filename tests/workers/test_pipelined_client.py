"""The client of an event loop: one connection for all greenlets, what becomes of it, and what stays beside it."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from redis import Redis

from tests.event_loop import LOOP, answered, guarded
from tests.waiting import AGES
from tests.workers.lossy import LossyLine
from tests.workers.stores import HUMAN, open_table
from workers import game_commands
from workers.asyncio_greenlets import GreenletTask, to_thread
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

T = TypeVar("T")


@pytest.fixture(autouse=True)
def unblocked() -> Iterator[None]:
    """Let nothing here block the event loop."""
    with guarded():
        yield


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """Give a server of the test's own."""
    with RedisServer(tmp_path, find_server()) as started:
        yield started


@pytest.fixture
def own_store(server: RedisServer, tmp_path: Path, race: Any) -> Iterator[Store]:
    """Give its store."""
    store = open_store(Settings(data=tmp_path, redis_url=server.url))
    yield store
    answered(store.close)


def all_at_once(asks: list[Callable[[], T]]) -> list[T | BaseException]:
    """Return what each returned or raised, called in greenlets that began in one turn of the loop."""

    async def gathered() -> list[T | BaseException]:
        return await asyncio.gather(*[GreenletTask(ask).result() for ask in asks], return_exceptions=True)

    return asyncio.run_coroutine_threadsafe(gathered(), LOOP).result(AGES)


def connections(redis: Redis) -> int:
    """Return how many clients the server has, besides who asks."""
    return len(redis.client_list()) - 1


def test_greenlets_share_one_connection(own_store: Store, server: RedisServer):
    """However many ask at once, single commands and pipelines; each gets its own answers, in its own order."""
    redis = own_store.redis

    def of_number(number: int) -> Callable[[], list[Any]]:
        def ask() -> list[Any]:
            redis.set(f"n{number}", number)
            pipe = redis.pipeline(transaction=False)
            pipe.get(f"n{number}")
            pipe.hgetall("nothing")
            pipe.incrby(f"n{number}", 100)
            return [redis.get(f"n{number}"), *pipe.execute(raise_on_error=False)]

        return ask

    found = all_at_once([of_number(number) for number in range(50)])

    assert found == [[b"%d" % n, b"%d" % n, {}, 100 + n] for n in range(50)]
    with Redis.from_url(server.url) as onlooker:
        assert connections(onlooker) == 1


def test_an_error_is_its_own_askers(own_store: Store):
    """A command that the server refuses raises as redis-py's client would; those beside it aren't disturbed."""
    redis = own_store.redis
    answered(lambda: redis.set("text", "a"))

    wrong, right = all_at_once([lambda: redis.lpush("text", "b"), lambda: redis.get("text")])

    assert (type(wrong).__name__, right) == ("ResponseError", b"a")
    assert "WRONGTYPE" in str(wrong)


def test_what_blocks_on_the_server_holds_up_nobody(own_store: Store):
    """It waits on a connection of its own; who pushes on the shared one wakes it."""
    redis = own_store.redis

    popped, pushed = all_at_once([lambda: redis.blpop(["list"], 20), lambda: redis.lpush("list", "a")])

    assert (popped, pushed) == ((b"list", b"a"), 1)


def test_a_lost_connection_fails_or_repeats_each_command(own_store: Store, server: RedisServer):
    """Those in flight are asked once more on a new one; with no server there is a refusal, and then answers again."""
    game = answered(lambda: open_table(own_store, HUMAN, options={"goal": 99}))
    with Redis.from_url(server.url) as onlooker:
        onlooker.client_kill_filter(_type="normal", skipme=True)
    assert answered(lambda: own_store.games.load(game)).version == 0

    server.stop()
    refused = all_at_once([lambda: own_store.games.load(game)] * 5)
    server.start()

    assert [type(one) for one in refused] == [StorageUnavailable] * 5
    assert answered(lambda: own_store.games.load(game)).version == 0


def test_a_commit_whose_answer_is_lost_is_done_once(server: RedisServer, tmp_path: Path, race: Any):
    """It is repeated by its own id, as from a thread."""
    with LossyLine(server.url, tmp_path).open() as line:
        store = open_store(Settings(data=tmp_path, redis_url=line.url))
        game = answered(lambda: open_table(store, HUMAN, options={"goal": 99}))
        answered(lambda: game_commands.play_action(store, game, 0, "step 1"))
        line.lose.set()

        taken = answered(lambda: game_commands.play_action(store, game, 0, "step 1"))

        assert (taken["version"], answered(lambda: store.games.load(game)).version, line.lose.is_set()) == (2, 2, False)
        answered(store.close)


def test_a_silent_server_is_given_up(own_store: Store, server: RedisServer, monkeypatch: pytest.MonkeyPatch):
    """After as long as a blocking client would wait; all who ask meanwhile hear it, and it is asked anew."""
    assert server.pid is not None
    monkeypatch.setattr(own_store.redis.shared_connection, "_timeout", 0.3)  # type: ignore[attr-defined]
    answered(own_store.health.ping)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        refused = all_at_once([own_store.health.ping] * 3)
    finally:
        os.kill(server.pid, signal.SIGCONT)

    assert [type(one) for one in refused] == [StorageUnavailable] * 3
    assert answered(own_store.games.count) == 0


def test_threads_and_greenlets_ask_one_store(own_store: Store):
    """In a thread its commands block, as ever."""
    game = open_table(own_store, HUMAN, options={"goal": 99})

    versions = all_at_once(
        [lambda: own_store.games.load(game).version, lambda: to_thread(lambda: own_store.games.load(game).version)]
    )

    assert versions == [0, 0] == [own_store.games.load(game).version] * 2


def test_a_primary_that_became_a_replica_is_left(own_store: Store, server: RedisServer):
    """Its first refusal of a write closes the connection: who connects anew is sent to the primary by Sentinels."""
    answered(own_store.health.ping)
    first = own_store.redis.shared_connection._connection  # type: ignore[attr-defined]
    with Redis.from_url(server.url) as onlooker:
        onlooker.replicaof("127.0.0.1", 9)
        with pytest.raises(StorageUnavailable):
            answered(own_store.health.record_worker_heartbeat)
        onlooker.replicaof("NO", "ONE")

    answered(own_store.health.record_worker_heartbeat)

    assert not first.is_open
