"""How long games are kept: given up, archived, deleted; the clock is set forward."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from engines.table import table_json
from engines.table.record_parser import read_record
from engines.table.replay import verify
from tests.workers.stores import ADEPT, HUMAN, NOVICE, OPEN, Clock, open_table, work_off
from workers import game_commands
from workers.archive import read_lines
from workers.archived_record_format import expand
from workers.background.sweeper import Sweeper
from workers.retention import Retention, RetentionCounts
from workers.settings import Settings
from workers.storage.errors import NoSuchGame
from workers.storage.fair_queues import AI_ONLY_QUEUE
from workers.storage.keys import LEADING_SWEEPER
from workers.storage.store import Store

HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def lifetimes(store: Store, clock: Clock, settings: Settings) -> Retention:
    """Give what looks after games, by the settings that nobody has changed."""
    return Retention(store, settings)


def look_after(store: Store, lifetimes: Retention) -> RetentionCounts:
    """Look after every partition."""
    return sum((lifetimes.enforce(partition) for partition in store.keys.all()), RetentionCounts())


def archived(settings: Settings) -> list[Any]:
    """Return the records in the archive."""
    folder = settings.archive_folder
    assert folder is not None
    return [orjson.loads(expand(line)) for file in sorted(folder.glob("*")) for line in read_lines(file, pytest.fail)]


def play(store: Store, *actions: str) -> str:
    """Open a race and run it."""
    game = open_table(store, HUMAN)
    for action in actions:
        game_commands.play_action(store, game, 0, action)
    return game


def finished(store: Store) -> str:
    """Return a race that was run to its end."""
    game = play(store)
    while store.games.load(game).status == "active":
        game_commands.play_action(store, game, 0, store.games.load(game).legal(0)[0]["text"])
    return game


def keys_of(store: Store, game: str) -> list[bytes]:
    """Return every key that names a game."""
    found: Any = store.redis.keys(f"*{game}*")
    return list(found)


@pytest.mark.parametrize(
    ("seats", "seconds", "status"),
    [
        ([HUMAN, OPEN], 24 * HOUR - 1, "waiting"),  # nobody has joined yet
        ([HUMAN, OPEN], 24 * HOUR, "abandoned"),
        ([HUMAN], 24 * HOUR, "active"),
        ([HUMAN], 30 * DAY - 1, "active"),
        ([HUMAN], 30 * DAY, "abandoned"),
    ],
)
def test_a_game_is_given_up(
    seats: list[Any], seconds: float, status: str, lifetimes: Retention, store: Store, clock: Clock
):
    """When nobody has joined for a day, or nobody has acted for thirty."""
    game = open_table(store, *seats)
    clock.go(seconds)

    done = look_after(store, lifetimes)

    assert store.games.load(game).status == status
    assert done == RetentionCounts(given_up=status == "abandoned")
    events = [event.as_json() for snapshot in store.history.snapshots(game, 0) for event in snapshot.events]
    assert ({"type": "abandoned", "seat": None, "by": "inactivity"} in events) == (status == "abandoned")


def test_whoever_does_something_begins_again(lifetimes: Retention, store: Store, clock: Clock):
    """A join, and a move: the time counts from the last of them."""
    waits, runs = open_table(store, HUMAN, OPEN, OPEN), open_table(store, HUMAN)
    clock.go(23 * HOUR)
    game_commands.change(store, waits, lambda table, now: table.join(1, "Bea", "", now))
    game_commands.play_action(store, runs, 0, "step 1")
    clock.go(23 * HOUR)
    early = look_after(store, lifetimes)
    clock.go(HOUR)

    assert (early, look_after(store, lifetimes)) == (RetentionCounts(), RetentionCounts(given_up=1))
    assert [store.games.load(game).status for game in (waits, runs)] == ["abandoned", "active"]


def test_an_ended_game_is_archived_and_deleted(lifetimes: Retention, store: Store, clock: Clock, settings: Settings):
    """Its record, as everybody could read it; then no key names it any more."""
    game = finished(store)
    record = orjson.loads(orjson.dumps(table_json.record(store.games.load(game), store.history.record(game))))
    clock.go(30 * DAY - 1)
    early = look_after(store, lifetimes)
    clock.go(1)

    assert (early, look_after(store, lifetimes)) == (RetentionCounts(), RetentionCounts(archived=1, deleted=1))
    assert archived(settings) == [record]
    assert verify(read_record(orjson.dumps(record).decode())) == []
    assert keys_of(store, game) == []
    with pytest.raises(NoSuchGame):
        store.games.load(game)


def test_nothing_is_left_of_it(lifetimes: Retention, job_store: Store, clock: Clock):
    """Not in lists, nor in the numbers of games, nor its tokens; another game isn't touched."""
    stays, game = open_table(job_store, HUMAN), open_table(job_store, NOVICE, ADEPT)
    job_store.concurrent_work_limits.admit_game("client", game, 1)
    work_off(job_store, AI_ONLY_QUEUE)
    ended = job_store.games.load(game).status
    clock.go(30 * DAY)
    game_commands.play_action(job_store, stays, 0, "step 1")

    look_after(job_store, lifetimes)

    assert [table.id for table in job_store.games.page(None, None, 100, None)[0]] == [stays]
    assert (
        job_store.redis.hgetall(job_store.keys.status_counts(job_store.keys.partition(game)))[f"race/{ended}".encode()]
        == b"0"
    )
    assert keys_of(job_store, game) == []


def test_of_a_game_that_never_began_the_record_is_true(
    lifetimes: Retention, store: Store, clock: Clock, settings: Settings
):
    """Nobody came; it is given up, archived, deleted."""
    open_table(store, HUMAN, OPEN)
    clock.go(24 * HOUR)
    look_after(store, lifetimes)
    clock.go(30 * DAY)

    assert look_after(store, lifetimes) == RetentionCounts(archived=1, deleted=1)
    assert [verify(read_record(orjson.dumps(record).decode())) for record in archived(settings)] == [[]]


@pytest.mark.parametrize("seats", [[HUMAN, OPEN], [HUMAN], [NOVICE]])
def test_zero_keeps_for_ever(seats: list[Any], store: Store, clock: Clock, settings: Settings):
    """Whatever its status."""
    for_ever = replace(settings, keep_waiting_hours=0, keep_idle_days=0, keep_ended_days=0)
    game = open_table(store, *seats)
    work_off(store)
    clock.go(10_000 * DAY)

    assert look_after(store, Retention(store, for_ever)) == RetentionCounts()
    assert store.games.load(game).id == game


def test_without_an_archive_games_are_deleted_all_the_same(store: Store, clock: Clock, settings: Settings):
    """Somebody has said so, by REGICIDE_ARCHIVE=none."""
    finished(store)
    clock.go(30 * DAY)

    assert look_after(store, Retention(store, replace(settings, archive=None))) == RetentionCounts(deleted=1)
    assert not (settings.data / "archive").exists()


def test_what_can_not_be_archived_is_not_deleted(store: Store, clock: Clock, settings: Settings, tmp_path: Path):
    """The archive's folder can't be written."""
    game = finished(store)
    clock.go(30 * DAY)
    (tmp_path / "file").touch()

    with pytest.raises(OSError, match=r"file"):
        look_after(store, Retention(store, replace(settings, archive=tmp_path / "file" / "archive")))

    assert store.games.load(game).id == game


def test_a_past_that_can_not_be_read_is_kept(lifetimes: Retention, store: Store, clock: Clock, settings: Settings):
    """Other rules have been played by since; the games beside it go on."""
    broken, whole = finished(store), finished(store)
    journal = store.keys.journal(broken)
    store.redis.xadd(journal, {"commit": "", "entry": '["abandon",0]'}, id=f"{store.games.load(broken).version + 1}-1")
    clock.go(30 * DAY)

    assert look_after(store, lifetimes) == RetentionCounts(archived=1, deleted=1, unreadable=1)
    assert look_after(store, lifetimes) == RetentionCounts()
    assert store.games.load(broken).id == broken
    assert [record["id"] for record in archived(settings)] == [whole]


def test_a_game_that_changes_meanwhile_is_left_alone(store: Store, clock: Clock):
    """Deleted is what still is as it was archived."""
    game = play(store, "step 1")
    table = store.games.load(game)
    game_commands.play_action(store, game, 0, "step 1")

    assert not store.idle.delete(table)
    assert store.games.load(game).version == table.version + 1


def test_the_sweeper_does_it_partition_by_partition(store: Store, clock: Clock, settings: Settings):
    """One a sweep, so that no sweep takes long."""
    game = finished(store)
    clock.go(30 * DAY)
    sweeper = Sweeper(store, Retention(store, settings))
    store.redis.delete(LEADING_SWEEPER)

    for _ in store.keys.all():
        sweeper.sweep()

    assert keys_of(store, game) == []
    assert len(archived(settings)) == 1


def test_an_archive_that_can_not_be_written_holds_nobody_up(
    job_store: Store, clock: Clock, settings: Settings, tmp_path: Path
):
    """AIs' turns are repeated all the same, and nothing is deleted."""
    ended, waits = finished(job_store), open_table(job_store, NOVICE, HUMAN)
    job_store.redis.delete("rq:queue:ai")
    clock.go(30 * DAY)
    (tmp_path / "file").touch()
    full = replace(settings, archive=tmp_path / "file" / "archive")
    sweeper = Sweeper(job_store, Retention(job_store, full))
    job_store.redis.delete(LEADING_SWEEPER)

    repeated = sum(sweeper.sweep() for _ in job_store.keys.all())

    assert repeated > 0
    assert job_store.games.load(ended).id == ended
    assert job_store.games.load(waits).id == waits
