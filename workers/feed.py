"""Live updates: everybody who watches a game gets each of its versions once, in order, as soon as it is committed.

One thread reads, or one for each partition, since on a cluster a read can't span partitions (feed_reader.py). What it
reads is done once more to the game as it was; that gives snapshots, of which each game keeps the last few. Watchers
take them from there, each at their own pace. There is no buffer for each watcher: whoever is further behind, or begins
with an old version, reads what is missing from the storage. So a slow reader costs no memory, and nobody misses a
version.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex
from threading import Event, RLock
from typing import Self

from engines.table.table import Table
from workers.feed_reader import PAGE, Reader, WatchedGame
from workers.storage.errors import StorageUnavailable
from workers.storage.snapshots import Snapshot
from workers.storage.store import Store
from workers.stream_slots import StreamSlots


class Subscription:
    """Waits on an event loop for the next version of a game, from one version on. Close it, or use a ``with``."""

    def __init__(self, feed: "Feed", game: WatchedGame, version: int, client: str) -> None:
        self.game = game
        self.client = client
        """The address from which is watched."""
        self.version = version
        """The last one that was returned."""
        self._feed = feed
        self.news = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._backlog: deque[Snapshot] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_over(self) -> bool:
        """No version will follow here, although the game may go on."""
        return self.game.is_over

    def close(self) -> None:
        """Stop watching; harmless when that was done before."""
        self._feed.leave(self)

    def has_news(self) -> bool:
        """There is a version past the last one that was returned."""
        return bool(self._backlog) or (not self.is_over and self.game.version > self.version)

    def take(self) -> Snapshot | None:
        """Return the next version, if it is one of the last few, or has been read (``read``)."""
        snapshot = self._backlog.popleft() if self._backlog else self.game.recent(self.version + 1)
        if snapshot is not None:
            self.version = snapshot.version
        return snapshot

    def read(self) -> None:
        """Read versions that are too old to be kept here. Raises ``StorageUnavailable``, also if they aren't stored."""
        missed = self._feed.store.history.snapshots(self.game.table.id, self.version, PAGE)
        if not missed:
            raise StorageUnavailable
        self._backlog.extend(missed)

    @staticmethod
    def wake(watchers: "Sequence[Subscription]") -> None:
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
        self.loop, self.news = asyncio.get_running_loop(), asyncio.Event()
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


class Feed:
    """The live updates of one process, for at most *limit* watchers."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store = store
        self._places = StreamSlots(limit)
        self._lock = RLock()
        self._closing = Event()
        self._process = token_hex(8)
        self._readers: dict[int, Reader] = {}

    @property
    def watchers(self) -> int:
        """How many there are now."""
        return len(self._places)

    def watch(self, table: Table, after: int, client: str) -> Subscription:
        """Watch the game that *table* is of, from the version past *after* on, for a client's address.

        Raises ``TooManyStreams``.
        """
        with self._lock:
            reader = self._reader(table.id)
            reader.start()  # what may fail comes before the place is taken
            self._places.take(client)
            is_new = table.id not in reader.games
            game = reader.games.setdefault(table.id, WatchedGame(table))
            watcher = Subscription(self, game, after, client)
            game.watchers |= {watcher}
            game.is_over |= self._closing.is_set()
        if is_new:
            reader.interrupt()
        return watcher

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """Take the place of a watcher while the block runs: for who waits for something else. As ``watch`` raises."""
        with self._lock:
            self._places.take(client)
        try:
            yield
        finally:
            with self._lock:
                self._places.release(client)

    def leave(self, watcher: Subscription) -> None:
        """Remove a watcher, if it is still there."""
        game = watcher.game
        with self._lock:
            if watcher not in game.watchers:
                return
            game.watchers -= {watcher}
            self._places.release(watcher.client)
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

    def _reader(self, game_id: str) -> Reader:
        """Return what reads the partition of a game."""
        partition = self.store.keys.partition(game_id)
        if partition not in self._readers:
            wake_up = self.store.keys.wake_up(partition, self._process)
            self._readers[partition] = Reader(self.store, wake_up, self._lock, self._closing)
        return self._readers[partition]


def _set(news: Sequence[asyncio.Event]) -> None:
    for event in news:
        event.set()
