"""The queue is transport: on a server of its own, which may go, or lose everything, without a turn being lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from structlog.testing import capture_logs

from tests.workers.stores import HUMAN, NOVICE, Clock, assert_sound, due, open_table, tell_time, work_off
from workers import game_commands
from workers.background import hints, job_base
from workers.background.sweeper import Sweeper
from workers.metrics_store import MetricsAggregator
from workers.processes.redis_server import RedisServer, find_server
from workers.storage import queue
from workers.storage.errors import StorageUnavailable
from workers.storage.keys import LEADING_SWEEPER
from workers.storage.queue import BROKER_RETRY_SECONDS, INTERACTIVE_QUEUE, TurnQueue, queue_of
from workers.storage.store import Store

LONG = {"goal": 99}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """Give a server for the queue, which the test may stop and start."""
    with RedisServer(tmp_path / "broker", find_server()) as server:
        yield server


@pytest.fixture
def divided(server: RedisServer, store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Give the store, its queue on that server; jobs in this process use it."""
    with Redis.from_url(server.url) as broker:
        opened = Store(store.redis, store.keys, clock, broker=broker)
        tell_time(opened, clock)
        monkeypatch.setattr(job_base, "process_store", lambda: opened)
        yield opened


def sweep(store: Store, clock: Clock, seconds: float = 2.0) -> int:
    """Let some time pass, and look after what is overdue."""
    clock.go(seconds)
    store.redis.delete(LEADING_SWEEPER)
    return Sweeper(store).sweep()


def test_jobs_and_games_are_on_servers_of_their_own(divided: Store):
    """Nothing of the queue is where games are, and the other way round."""
    game = open_table(divided, NOVICE, HUMAN, options=LONG)
    hints.request_hint(divided, open_table(divided, HUMAN, HUMAN), 0, 0, "novice", "owner")

    assert [key for key in divided.redis.scan_iter() if key.startswith(b"rq:")] == []
    assert [key for key in divided.broker.scan_iter() if not key.startswith(b"rq:")] == []
    assert queue_of(divided.broker, INTERACTIVE_QUEUE).job_ids[0] == f"ai-{game}-0-0"
    work_off(divided)
    assert divided.games.load(game).moves == 1


def test_a_queue_that_is_away_fails_no_move(divided: Store, server: RedisServer, clock: Clock):
    """The AI's turn is owed; when the queue is back the sweeper enqueues it, and the AI plays."""
    game = open_table(divided, HUMAN, NOVICE, options=LONG)
    server.stop()

    answer = game_commands.play_action(divided, game, 0, "step 1")
    owed = due(divided, game)
    with pytest.raises(StorageUnavailable):
        sweep(divided, clock)
    server.start()
    repeated = sweep(divided, clock)
    work_off(divided)

    assert (answer["version"], owed, repeated) == (1, 1.0, 1)
    assert divided.games.load(game).moves == 2
    assert_sound(divided, game)


def test_a_queue_that_has_lost_everything(divided: Store, clock: Clock):
    """Flushed, or replaced by an empty one: whatever was owed is enqueued again, hints too."""
    game = open_table(divided, NOVICE, HUMAN, options=LONG)
    task = hints.request_hint(divided, open_table(divided, HUMAN, HUMAN), 0, 0, "novice", "owner")
    divided.broker.flushall()

    repeated = sweep(divided, clock, 4.0)
    work_off(divided)

    assert repeated == 2
    assert divided.games.load(game).moves == 1
    assert divided.tasks.load(task.id).status == "finished"


def test_a_hint_is_asked_for_while_the_queue_is_away(divided: Store, server: RedisServer, clock: Clock):
    """It is written down, and thought about later."""
    game = open_table(divided, HUMAN, HUMAN)
    server.stop()
    task = hints.request_hint(divided, game, 0, 0, "novice", "owner")
    server.start()

    assert task.status == "queued"
    assert sweep(divided, clock) == 1
    work_off(divided)
    assert divided.tasks.load(task.id).status == "finished"


def test_a_queue_that_is_away_is_left_alone_for_a_moment(divided: Store, server: RedisServer):
    """Whoever moves then doesn't wait for it, and the log says it once."""
    seconds = [0.0]
    turns_owed = TurnQueue(divided.broker, lambda: seconds[0])
    table = divided.games.load(open_table(divided, NOVICE, HUMAN, options=LONG))
    (asked,) = table.pending_ais(divided.now())
    queue_of(divided.broker, INTERACTIVE_QUEUE).empty()
    server.stop()

    with capture_logs() as lines:
        turns_owed.try_enqueue(table, asked)
        server.start()
        turns_owed.try_enqueue(table, asked)
        left_alone = queue_of(divided.broker, INTERACTIVE_QUEUE).job_ids
        seconds[0] = BROKER_RETRY_SECONDS
        turns_owed.try_enqueue(table, asked)

    assert [line["event"] for line in lines] == ["queue_away"]
    assert left_alone == []
    assert queue_of(divided.broker, INTERACTIVE_QUEUE).job_ids == [queue.turn_id(table, asked)]


def test_metrics_are_shown_without_the_queue(divided: Store, server: RedisServer):
    """But for its depth, which nobody knows then."""
    open_table(divided, HUMAN)
    server.stop()

    shown = MetricsAggregator(divided, "web").render().decode()

    assert "regicide_games{" in shown
    assert "regicide_queue_depth{" not in shown
