"""Live updates: everybody who watches a game gets each of its versions once, in order, as soon as it is committed.

One thread reads for the whole process, or one for each partition: a blocking XREAD over the journals of all its games
that are watched (on a cluster a read can't span partitions). What it reads is done once more to the game as it was;
that gives snapshots, of which each game keeps the last few. Watchers take them from there, each at their own pace.
There is no buffer for each watcher: whoever is further behind, or begins with an old version, reads what is missing
from the storage. So a slow reader costs no memory, and nobody misses a version.

To add a game that nobody watched before, the blocking read has to be interrupted. For that each thread has a wake-up
stream of its own, which is read together with the games:

    t0  the thread blocks on A, B, wake-up   t1  somebody watches C after version 7: C is added, the stream written to
    t2  the read returns                     t3  the thread blocks on A, B, C from version 7 on, wake-up
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from secrets import token_hex
from threading import Condition, Event, RLock, Thread
from time import monotonic
from typing import Any, Final, Self, TypeVar

import structlog
from redis.client import Pipeline

from engines.table import Table
from workers.metrics import STREAMS
from workers.storage.connection import call, pipelined, text
from workers.storage.errors import StorageUnavailable, TooManyStreams
from workers.storage.journal import replayed, version_of
from workers.storage.snapshots import Snapshot
from workers.storage.store import Store

BLOCK_MILLISECONDS: Final = 2000
"""Shorter than the connection's own patience, which would take silence for a server that is away."""

RECENT: Final = 16
"""So many snapshots each watched game keeps; a watcher that is further behind reads from the storage."""

PAGE: Final = 32
"""So many versions of a game are read at a time."""

WAKE_UP_SECONDS: Final = 60
"""How long a wake-up stream is kept that nobody writes to."""

RETRY_SECONDS: Final = 0.25
"""Between two looks whether the storage is back."""

log: Final = structlog.get_logger(__name__)


class WatchedGame:
    """One watched game: its last few snapshots, and its watchers.

    A watcher reads without a lock: with one, of many that are woken at once each would wait for the others.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        """The game as far as it has been read."""
        self.watchers: frozenset[Watcher] = frozenset()
        self.is_over = False
        """Nothing more will be read of it here."""
        self._recent: tuple[Snapshot, ...] = ()

    @property
    def version(self) -> int:
        """Up to here it has been read."""
        return self.table.version

    def publish(self, snapshots: Sequence[Snapshot]) -> None:
        """Add *snapshots*, which follow those before, and wake the watchers."""
        self._recent = (*self._recent, *snapshots)[-RECENT:]
        self.table = snapshots[-1].table
        self._wake()

    def end(self) -> None:
        """Let nobody wait any longer."""
        self.is_over = True
        self._wake()

    def recent(self, version: int) -> Snapshot | None:
        """Return the snapshot of *version* if it is one of the last few."""
        return next((snapshot for snapshot in self._recent if snapshot.version == version), None)

    def _wake(self) -> None:
        watchers = self.watchers
        for kind in {type(watcher) for watcher in watchers}:
            kind.wake([watcher for watcher in watchers if type(watcher) is kind])


class Watcher(ABC):
    """Waits for the next version of a game, from one version on. Close it, or use a ``with``."""

    def __init__(self, feed: "Feed", game: WatchedGame, version: int) -> None:
        self.game = game
        self.version = version
        """The last one that was returned."""
        self._feed = feed
        self._ahead: deque[Snapshot] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_over(self) -> bool:
        """No version will follow here, although the game may go on."""
        return self.game.is_over

    @staticmethod
    @abstractmethod
    def wake(watchers: Sequence[Any]) -> None:
        """Wake *watchers*, all of this class: there may be something new."""

    def close(self) -> None:
        """Stop watching; harmless when that was done before."""
        self._feed.leave(self)

    def has_news(self) -> bool:
        """There is a version past the last one that was returned."""
        return bool(self._ahead) or (not self.is_over and self.game.version > self.version)

    def take(self) -> Snapshot | None:
        """Return the next version, if it is one of the last few, or has been read (``read``)."""
        snapshot = self._ahead.popleft() if self._ahead else self.game.recent(self.version + 1)
        if snapshot is not None:
            self.version = snapshot.version
        return snapshot

    def read(self) -> None:
        """Read versions that are too old to be kept here. Raises ``StorageUnavailable``, also if they aren't stored."""
        missed = self._feed.store.snapshots_after(self.game.table.id, self.version, PAGE)
        if not missed:
            raise StorageUnavailable
        self._ahead.extend(missed)


class ThreadWatcher(Watcher):
    """A watcher that waits in a thread."""

    def __init__(self, feed: "Feed", game: WatchedGame, version: int) -> None:
        super().__init__(feed, game, version)
        self.wakes: SimpleQueue[None] = SimpleQueue()

    @staticmethod
    def wake(watchers: "Sequence[ThreadWatcher]") -> None:
        for watcher in watchers:
            if watcher.wakes.empty():
                watcher.wakes.put(None)

    def next(self, seconds: float) -> Snapshot | None:
        """Return the next version as soon as there is one; None if there is none within *seconds*.

        Raises ``StorageUnavailable`` if it is an old one and can't be read.
        """
        until = monotonic() + seconds
        while not (self.is_over or self.has_news()) and (left := until - monotonic()) > 0:
            with suppress(Empty):
                self.wakes.get(timeout=left)
        if not self.has_news():
            return None
        snapshot = self.take()
        if snapshot is None:
            self.read()
            snapshot = self.take()
        return snapshot


class AsyncWatcher(Watcher):
    """A watcher that waits on an event loop, with a thousand others."""

    def __init__(self, feed: "Feed", game: WatchedGame, version: int) -> None:
        super().__init__(feed, game, version)
        self.news = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    @staticmethod
    def wake(watchers: "Sequence[AsyncWatcher]") -> None:
        """Wake them: with one call for all who wait on a loop, since each call lets go of the interpreter."""
        for loop in {watcher.loop for watcher in watchers if watcher.loop is not None}:
            news = [watcher.news for watcher in watchers if watcher.loop is loop]
            try:
                loop.call_soon_threadsafe(_set, news)
            except RuntimeError:
                if not loop.is_closed():
                    raise
                # Nobody waits there any more: they have left since we asked who is there.

    async def next(self, seconds: float) -> Snapshot | None:
        """Return the next version as soon as there is one; None if there is none within *seconds*.

        Raises ``StorageUnavailable`` if it is an old one and can't be read.
        """
        self.loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self.is_over or self.has_news()):
                    await self.news.wait()
                    self.news.clear()
        if not self.has_news():
            return None
        snapshot = self.take()
        if snapshot is None:
            await asyncio.to_thread(self.read)
            snapshot = self.take()
        return snapshot


W = TypeVar("W", bound=Watcher)


class Feed:
    """The live updates of one process, for at most *limit* watchers."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store = store
        self._limit = limit
        self._watchers = 0
        self._lock = RLock()
        self._closing = Event()
        self._process = token_hex(8)
        self._readers: dict[int, Reader] = {}

    @property
    def watchers(self) -> int:
        """How many there are now."""
        return self._watchers

    def watch(self, table: Table, after: int, kind: type[W]) -> W:
        """Watch the game that *table* is of, from the version past *after* on. Raises ``TooManyStreams``."""
        with self._lock:
            if self._watchers >= self._limit:
                raise TooManyStreams
            reader = self._reader(table.id)
            is_new = table.id not in reader.games
            game = reader.games.setdefault(table.id, WatchedGame(table))
            watcher = kind(self, game, after)
            game.watchers |= {watcher}
            game.is_over |= self._closing.is_set()
            self._watchers += 1
            STREAMS.inc()
            reader.start()
        if is_new:
            reader.interrupt()
        return watcher

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take the place of a watcher while the block runs: for who waits for something else. As ``watch`` raises."""
        with self._lock:
            if self._watchers >= self._limit:
                raise TooManyStreams
            self._watchers += 1
            STREAMS.inc()
        try:
            yield
        finally:
            with self._lock:
                self._watchers -= 1
                STREAMS.dec()

    def leave(self, watcher: Watcher) -> None:
        """Remove a watcher, if it is still there."""
        game = watcher.game
        with self._lock:
            if watcher not in game.watchers:
                return
            game.watchers -= {watcher}
            self._watchers -= 1
            STREAMS.dec()
            games = self._reader(game.table.id).games
            if not game.watchers and games.get(game.table.id) is game:
                del games[game.table.id]

    def close(self) -> None:
        """End every watcher's wait at once; return when nothing is read any more."""
        with self._lock:
            self._closing.set()
            readers = list(self._readers.values())
            for reader in readers:
                reader.end()
        for reader in readers:
            reader.interrupt()
        for reader in readers:
            reader.join()

    def _reader(self, game_id: str) -> "Reader":
        """Return what reads the partition of a game."""
        partition = self.store.keys.partition(game_id)
        if partition not in self._readers:
            wake_up = self.store.keys.wake_up(partition, self._process)
            self._readers[partition] = Reader(self.store, wake_up, self._lock, self._closing)
        return self._readers[partition]


class Reader:
    """What reads the watched games of one partition, in a thread of its own, which starts with the first of them."""

    def __init__(self, store: Store, wake_up: str, lock: RLock, closing: Event) -> None:
        self.store = store
        self.games: dict[str, WatchedGame] = {}
        self._changed = Condition(lock)
        self._closing = closing
        self._thread: Thread | None = None
        self._wake_up = wake_up
        self._woken = "0"
        """The last entry of the wake-up stream that was read."""

    def start(self) -> None:
        """Read from now on the games that there are, if there was none before."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="feed", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def interrupt(self) -> None:
        """End the thread's blocking read; without a storage nothing blocks, and the thread looks by itself."""

        def order(pipe: Pipeline) -> None:
            pipe.xadd(self._wake_up, {"": ""}, maxlen=1)
            pipe.expire(self._wake_up, WAKE_UP_SECONDS)

        with suppress(StorageUnavailable):
            pipelined(self.store.redis, order)

    def end(self) -> None:
        """Let nobody wait any longer."""
        for game in self.games.values():
            game.end()
        self._changed.notify_all()

    def join(self) -> None:
        """Return when nothing is read any more."""
        if self._thread is not None:
            self._thread.join(BLOCK_MILLISECONDS / 1000)

    def _run(self) -> None:
        """Read until the feed is closed, whether or not the storage is there all the time."""
        away = False
        while games := self._watched():
            try:
                self._read(games)
            except StorageUnavailable:
                if not away:
                    log.warning("storage_away")
                away = True
                self._closing.wait(RETRY_SECONDS)
            except Exception:
                log.exception("feed_failed")
                self._closing.wait(RETRY_SECONDS)
            else:
                if away:
                    log.warning("storage_back")
                away = False

    def _watched(self) -> list[WatchedGame]:
        """Wait until any game is watched, and return all that are; none when the feed is closed."""

        def readable() -> list[WatchedGame]:
            return [game for game in self.games.values() if not game.is_over]

        with self._changed:
            self._changed.wait_for(lambda: self._closing.is_set() or readable())
            return [] if self._closing.is_set() else readable()

    def _read(self, games: list[WatchedGame]) -> None:
        """Wait for the next changes and publish them. Raises ``StorageUnavailable``."""
        by_stream = {self.store.keys.journal(game.table.id): game for game in games}
        after: dict[Any, Any] = {stream: f"{game.version}-1" for stream, game in by_stream.items()}
        after[self._wake_up] = self._woken
        changes = _by_stream(call(lambda: self.store.redis.xread(after, count=PAGE, block=BLOCK_MILLISECONDS)))
        if wake_ups := changes.pop(self._wake_up, None):
            self._woken = text(wake_ups[-1][0])
        for stream, entries in changes.items():
            _publish(by_stream[stream], entries)


def _set(news: Sequence[asyncio.Event]) -> None:
    for event in news:
        event.set()


def _publish(game: WatchedGame, entries: list[Any]) -> None:
    """Publish what was read of one game; one that can't be read ends, and the others go on."""
    try:
        news = [(version_of(entry), fields) for entry, fields in entries]
        snapshots = [Snapshot(change.table, change.events) for change in replayed(game.table, news)]
    except Exception as error:  # whatever it was, it is this game's trouble alone
        log.exception("feed_failed", game_id=game.table.id, exc_info=error)
        game.end()
    else:
        game.publish(snapshots)


def _by_stream(found: Any) -> dict[str, list[Any]]:
    """Return the entries of an XREAD by stream, in either version of the protocol."""
    if isinstance(found, Mapping):
        return {text(name): [entry for batch in batches for entry in batch] for name, batches in found.items()}
    return {text(name): entries for name, entries in found or ()}
