"""The feed: each version once, in order, whoever watches and whenever they begin."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import enumerate as living
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.waiting import AGES, comes_true
from tests.workers.stores import HUMAN, PARTITIONS, at_once, open_table
from workers import game_commands
from workers.asyncio_greenlets import wait_for
from workers.feed import Feed, Subscription
from workers.feed_reader import MAX_CACHED_SNAPSHOTS_PER_GAME, MAX_VERSIONS_PER_READ, _by_stream
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.errors import StorageUnavailable, TooManyStreams
from workers.storage.store import Store, open_store

HOME, AWAY = "192.0.2.1", "198.51.100.7"


@pytest.fixture
def feed(store: Store) -> Iterator[Feed]:
    """Give a feed for five watchers."""
    opened = Feed(store, limit=5)
    yield opened
    opened.close()


def race(store: Store, partition: int = 3) -> str:
    """Open a race that takes long."""
    return open_table(store, HUMAN, options={"goal": 10_000}, game_id=store.keys.new_id(partition))


def steps(store: Store, game: str, count: int) -> None:
    """Let so many versions come about."""
    for _ in range(count):
        game_commands.play_action(store, game, 0, "step 1")


def watch(feed: Feed, game: str, after: int | None = None, client: str = HOME) -> Subscription:
    """Watch from now on, or from the version past *after* on."""
    table = feed.store.games.load(game)
    return feed.watch(table, table.version if after is None else after, client)


def versions(watch: Subscription, count: int) -> list[int]:
    """Return the next versions."""
    return [snapshot.version for _ in range(count) if (snapshot := wait_for(watch.next(AGES))) is not None]


def readers() -> int:
    """Return how many threads read for feeds now."""
    return sum(thread.name == "feed" for thread in living())


def test_everybody_gets_each_version_once(store: Store, feed: Feed):
    """Whenever they begin, while many move at once."""
    game = race(store)
    early = [watch(feed, game), watch(feed, game)]
    at_once(4, lambda _: steps(store, game, 5))
    late, from_the_first = watch(feed, game), watch(feed, game, after=-1)
    steps(store, game, 2)

    assert [versions(each, 22) for each in early] == [list(range(1, 23))] * 2
    assert versions(late, 2) == [21, 22]
    assert versions(from_the_first, 23) == list(range(23))
    assert wait_for(late.next(0.0)) is None


def test_who_falls_behind_reads_what_is_missing(store: Store, feed: Feed):
    """However much that is: no news wait in memory for anybody."""
    game, count = race(store), 2 * MAX_VERSIONS_PER_READ + MAX_CACHED_SNAPSHOTS_PER_GAME + 3
    slow, quick = watch(feed, game), watch(feed, game)
    steps(store, game, count)

    assert versions(quick, count) == list(range(1, count + 1))
    assert len(slow.game._recent) == MAX_CACHED_SNAPSHOTS_PER_GAME
    assert versions(slow, count) == list(range(1, count + 1))
    assert wait_for(slow.next(0.0)) is None


def test_a_message_is_what_the_viewer_may_know(store: Store, feed: Feed):
    """The deal names each seat's own card to it alone."""
    snapshot = wait_for(watch(feed, race(store), after=-1).next(AGES))

    assert snapshot is not None
    assert b'"card":' in snapshot.message(0)
    assert b'"card":' not in snapshot.message(None)
    assert snapshot.message(0) is snapshot.message(0), "written once"


@pytest.mark.parametrize(("partitions", "threads"), [((3, 3, 3, 3, 3), 1), ((0, 1, 15, 1, 0), 3)])
def test_one_thread_reads_for_all_of_a_partition(store: Store, feed: Feed, partitions: tuple[int, ...], threads: int):
    """Of many games, each of which is watched as soon as somebody does."""
    before = readers()
    games = [race(store, partition) for partition in partitions]
    watchers = [watch(feed, game) for game in games]
    for game in games:
        steps(store, game, 1)

    assert [versions(each, 1) for each in watchers] == [[1]] * 5
    assert readers() == before + threads


@pytest.mark.parametrize(("places", "share"), [(64, 32), (400, 40)])
def test_one_address_has_a_share_of_the_places(store: Store, places: int, share: int):
    """Whoever takes all that they get from one address leaves places for everybody else."""
    feed, game = Feed(store, places), race(store)
    with ExitStack() as taken:
        for number in range(share):
            taken.enter_context(feed.slot(HOME) if number % 2 else watch(feed, game))

        with pytest.raises(TooManyStreams):
            watch(feed, game)
        with pytest.raises(TooManyStreams), feed.slot(HOME):
            pass
        with watch(feed, game, client=AWAY):
            assert feed.watchers == share + 1
    assert feed.watchers == 0
    watch(feed, game).close()
    feed.close()


def test_there_is_a_limit(store: Store, feed: Feed):
    """A place is given back once, however often it is closed."""
    game = race(store)
    taken = [watch(feed, game) for _ in range(5)]
    with pytest.raises(TooManyStreams) as refusal:
        watch(feed, game)
    assert feed.watchers == 5
    assert refusal.value.retry_after == 5

    for _ in range(2):
        taken[0].close()

    assert feed.watchers == 4
    with watch(feed, game):
        assert feed.watchers == 5
    assert feed.watchers == 4


def test_a_game_that_nobody_watches_is_forgotten(store: Store, feed: Feed):
    """And remembered when somebody comes again, without a gap."""
    game = race(store)
    watch(feed, game).close()
    assert not any(reader.games for reader in feed._readers.values())
    steps(store, game, 3)

    with watch(feed, game, after=1) as again:
        assert versions(again, 2) == [2, 3]


def test_close_lets_everybody_go(store: Store):
    """At once, and whoever comes later too."""
    feed, game = Feed(store, limit=5), race(store)
    waiting = watch(feed, game)

    outcomes = at_once(2, lambda number: wait_for(waiting.next(AGES)) if number else feed.close())

    assert outcomes == [None, None]
    assert waiting.is_over
    with watch(feed, game) as late:
        assert wait_for(late.next(AGES)) is None
        assert late.is_over


def test_on_an_event_loop(store: Store, feed: Feed):
    """The same, without a thread for each."""
    game = race(store)

    async def listen() -> list[list[int]]:
        table = store.games.load(game)
        with ExitStack() as open_watches:
            watchers = [open_watches.enter_context(feed.watch(table, after, HOME)) for after in (-1, 0, 0)]
            assert await watchers[2].next(0.01) is None
            moving = asyncio.create_task(
                asyncio.to_thread(steps, store, game, MAX_CACHED_SNAPSHOTS_PER_GAME + MAX_VERSIONS_PER_READ + 1)
            )
            seen = [[await each.next(AGES) for _ in range(MAX_CACHED_SNAPSHOTS_PER_GAME)] for each in watchers]
            await moving
            seen += [[await each.next(AGES) for _ in range(MAX_VERSIONS_PER_READ)] for each in watchers]
            feed.close()
            assert await watchers[0].next(AGES) is None
        return [[snapshot.version for snapshot in snapshots if snapshot] for snapshots in seen]

    seen = asyncio.run(listen())

    count = MAX_CACHED_SNAPSHOTS_PER_GAME + MAX_VERSIONS_PER_READ
    assert [*seen[0], *seen[3]] == list(range(count))
    assert [*seen[1], *seen[4]] == [*seen[2], *seen[5]] == list(range(1, count + 1))


def test_a_loop_that_was_closed_keeps_nobody_waiting(store: Store, feed: Feed):
    """Whoever waited there may have left a snapshot ago; the others are woken."""
    game, closed = race(store), asyncio.new_event_loop()
    closed.close()

    async def listen() -> list[int]:
        table = store.games.load(game)
        gone, here = feed.watch(table, 0, HOME), feed.watch(table, 0, HOME)
        here.loop = asyncio.get_running_loop()
        for order in ([gone, here], [here, gone]):
            gone.loop, here.changed = closed, asyncio.Event()
            Subscription.wake(order)
            async with asyncio.timeout(AGES):
                await here.changed.wait()
        steps(store, game, 2)
        snapshots = [await here.next(AGES) for _ in range(2)]
        return [snapshot.version for snapshot in snapshots if snapshot]

    with capture_logs() as lines:
        assert asyncio.run(listen()) == [1, 2]

    assert [line for line in lines if line["event"] == "feed_failed"] == []


def test_a_game_that_cannot_be_read_ends_alone(store: Store, feed: Feed):
    """The others go on, and the log has what happened."""
    broken, sound = race(store), race(store)
    watchers = [watch(feed, broken), watch(feed, sound)]
    with capture_logs() as lines:
        store.redis.xadd(store.keys.journal(broken), {"commit": "?", "entry": "?"}, id="1-1")
        assert wait_for(watchers[0].next(AGES)) is None
        steps(store, sound, 1)
        assert versions(watchers[1], 1) == [1]

    assert watchers[0].is_over
    assert [line["game_id"] for line in lines if line["event"] == "feed_failed"] == [broken]


def test_it_outlives_an_outage(tmp_path: Path, race: Any):
    """It says so once when it begins and once when it ends; nothing is missed, and nobody is let go."""
    with RedisServer(tmp_path, find_server()) as server, capture_logs() as lines:
        store = open_store(Settings(data=tmp_path, redis_url=server.url, partitions=PARTITIONS))
        feed, game = Feed(store, limit=5), open_table(store, HUMAN, options={"goal": 10_000})
        waiting, behind = watch(feed, game), watch(feed, game, after=-1)
        server.stop()
        assert comes_true(lambda: [line["event"] for line in lines if "storage" in line["event"]] == ["storage_away"])
        assert wait_for(waiting.next(0.0)) is None
        with pytest.raises(StorageUnavailable):
            wait_for(behind.next(0.0))
        server.start()
        game_commands.play_action(store, game, 0, "step 1")

        assert versions(waiting, 1) == [1]
        assert versions(behind, 2) == [0, 1]
        assert comes_true(
            lambda: [line["event"] for line in lines if "storage" in line["event"]] == ["storage_away", "storage_back"]
        )
        feed.close()
        store.close()


@pytest.mark.parametrize(
    "found",
    [
        [[b"a", [(b"1-1", {b"x": b"1"}), (b"2-1", {b"x": b"2"})]]],
        {b"a": [[(b"1-1", {b"x": b"1"}), (b"2-1", {b"x": b"2"})]]},
    ],
)
def test_either_version_of_the_protocol_is_understood(found):
    """RESP2 has lists, RESP3 a map."""
    assert _by_stream(found) == {"a": [(b"1-1", {b"x": b"1"}), (b"2-1", {b"x": b"2"})]}
    assert _by_stream(None) == _by_stream([]) == _by_stream({}) == {}
