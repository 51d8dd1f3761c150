"""What processes count is summed, shown by any of them, and outlives them."""

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.parser import text_string_to_metric_families

from tests.workers.stores import HUMAN, NOVICE, OPEN, PARTITIONS, Clock, open_table
from workers import game_commands
from workers.background.sweeper import Sweeper
from workers.metrics_store import PROCESS_TTL_SECONDS, MetricsAggregator
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.due_games import check_later
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Process:
    """What a process counts with, and its ledger."""

    def __init__(self, store: Store, kind: str = "worker") -> None:
        registry = CollectorRegistry()
        self.moves = Counter("moves", "Made.", ["by"], registry=registry)
        self.seconds = Histogram("seconds", "Taken.", buckets=(0.1, 1.0, 10.0), registry=registry)
        self.streams = Gauge("streams", "Open.", registry=registry)
        self.ledger = MetricsAggregator(store, kind, registry)

    def shown(self) -> Samples:
        """Return what it shows, as Prometheus reads it."""
        families = text_string_to_metric_families(self.ledger.render().decode())
        return {
            (one.name, tuple(sorted(one.labels.items()))): one.value for family in families for one in family.samples
        }


def without_bytes(shown: Samples) -> Samples:
    """Leave out the memory of the store, which changes from one moment to the next."""
    assert shown["regicide_store_bytes", ()] > 100_000
    return {sample: value for sample, value in shown.items() if sample[0] != "regicide_store_bytes"}


def test_what_processes_count_is_summed(store: Store):
    """Each adds what is new since it posted last, however often it posts."""
    first, second = Process(store), Process(store, "web")
    for process, moves in ((first, 3), (second, 4)):
        process.moves.labels("ai").inc(moves)
        process.ledger.flush()
        process.ledger.flush()
    first.moves.labels("ai").inc(2)
    first.moves.labels("person").inc()

    assert without_bytes(first.shown()) == without_bytes(second.shown())
    assert first.shown()["moves_total", (("by", "ai"),)] == 9
    assert first.shown()["moves_total", (("by", "person"),)] == 1


def test_a_histogram_keeps_its_buckets_in_order(store: Store):
    """All of them, the empty ones too."""
    process, other = Process(store), Process(store)
    for taken in (0.5, 0.5, 20.0):
        process.seconds.observe(taken)
    other.seconds.observe(5.0)
    other.ledger.flush()

    shown = process.shown()

    buckets = [(labels[0][1], value) for (name, labels), value in shown.items() if name == "seconds_bucket"]
    assert buckets == [("0.1", 0), ("1.0", 2), ("10.0", 3), ("+Inf", 4)]
    assert (shown["seconds_count", ()], shown["seconds_sum", ()]) == (4, 26)


def test_sums_outlive_their_processes_and_gauges_do_not(store: Store, clock: Clock):
    """A counter that fell would count anew in Prometheus; what a dead process had open is closed."""
    living, dead = Process(store), Process(store)
    for process in (living, dead):
        process.moves.labels("ai").inc(5)
        process.streams.set(2)
        process.ledger.flush()
    before = living.shown()
    clock.go(PROCESS_TTL_SECONDS + 0.1)

    after = living.shown()

    assert (before["streams", ()], after["streams", ()]) == (4, 2)
    processes = ("regicide_processes", (("kind", "worker"),))
    assert (before[processes], after[processes]) == (2, 1)
    assert before["moves_total", (("by", "ai"),)] == after["moves_total", (("by", "ai"),)] == 10


def test_what_cannot_be_posted_is_posted_later(tmp_path: Path):
    """Nothing is lost while the storage is away."""
    with RedisServer(tmp_path / "store", find_server()) as server:
        store = open_store(Settings(data=tmp_path, redis_url=server.url, partitions=PARTITIONS))
        process = Process(store)
        process.moves.labels("ai").inc(2)
        process.ledger.flush()
        server.stop()
        process.moves.labels("ai").inc(3)
        process.ledger.try_flush()
        with pytest.raises(StorageUnavailable):
            process.ledger.render()
        server.start()

        assert process.shown()["moves_total", (("by", "ai"),)] == 5
        store.close()


def test_what_an_older_version_counted_is_left_out(store: Store):
    """Its sums may still be there."""
    older = CollectorRegistry()
    Counter("forgotten", "Of old.", registry=older).inc()
    MetricsAggregator(store, "web", older).flush()

    assert not [name for name, _ in Process(store).shown() if "forgotten" in name]


def test_games_are_counted_by_status(store: Store):
    """Private ones too: each change of status moves the game over."""
    open_table(store, HUMAN)
    ended = open_table(store, HUMAN, options={"goal": 1})
    left = open_table(store, OPEN, private=True)
    game_commands.play_action(store, ended, 0, "step 1")
    game_commands.change(store, left, lambda table, now: table.abandon(now))

    shown = Process(store).shown()

    games = {labels: value for (name, labels), value in shown.items() if name == "regicide_games" and value}
    assert games == {(("ruleset", "race"), ("status", status)): 1.0 for status in ("active", "finished", "abandoned")}


def test_what_waits_is_seen(store: Store, clock: Clock):
    """Jobs in the queue, and games that are overdue."""
    open_table(store, NOVICE, HUMAN)
    open_table(store, NOVICE, HUMAN)
    store.due_games.put([check_later(open_table(store, NOVICE, HUMAN), 0)])
    clock.go(1.5)

    shown = Process(store).shown()
    Sweeper(store).sweep()
    later = Process(store).shown()

    depths = [shown["regicide_queue_depth", (("queue", name),)] for name in ("ai", "arena")]
    assert (depths, shown["regicide_games_overdue", ()]) == ([3, 0], 2)
    assert later["regicide_games_overdue", ()] == 0
