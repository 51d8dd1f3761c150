"""Live updates: each subscriber receives every version of a game once, in order, as soon as it is committed.

One thread per partition reads the journals, because on a cluster a read can't span partitions (feed_reader.py). The
thread replays each change on the latest table. The result is a snapshot: the game at the new version, with its events.
The last few snapshots of each game are cached. Subscribers take snapshots at their own pace. No subscriber has a
buffer. A subscriber that is further behind, or that starts at an old version, reads the missing versions from the
store. Therefore a slow subscriber takes no memory and misses no version.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex
from threading import Event, RLock
from typing import Self

from engines.table.table import Table
from workers.feed_reader import MAX_VERSIONS_PER_READ, JournalReader, WatchedGame
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store
from workers.storage.versions_for_viewers import Snapshot
from workers.stream_slots import StreamSlots


class Subscription:
    """The updates of one game for one subscriber, awaited on an event loop. Close a subscription, or use ``with``."""

    def __init__(self, feed: "Feed", game: WatchedGame, version: int, client: str) -> None:
        self.game = game
        self.client = client
        """The client's address."""
        self.version = version
        """The last version that was returned."""
        self.notice = feed.notice
        """The operator's notice that the subscriber was sent last."""
        self._feed = feed
        self.changed = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._backlog: deque[Snapshot] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_over(self) -> bool:
        """Return whether this subscription will receive no further version. The game itself may continue."""
        return self.game.is_over

    def close(self) -> None:
        """Unsubscribe. This may be called more than once."""
        self._feed.unsubscribe(self)

    def refresh_operator_notice(self) -> bool:
        """Return whether the operator's notice has changed since the last call, and update ``notice``."""
        told, self.notice = self.notice, self._feed.notice
        return told != self.notice

    def has_news(self) -> bool:
        """Return whether a newer version is available."""
        return bool(self._backlog) or (not self.is_over and self.game.version > self.version)

    def pop(self) -> Snapshot | None:
        """Return the next version and advance to it, if it is cached or has been read by ``read``. Else return None."""
        snapshot = self._backlog.popleft() if self._backlog else self.game.recent(self.version + 1)
        if snapshot is not None:
            self.version = snapshot.version
        return snapshot

    def read(self) -> None:
        """Read from the store the versions that are no longer cached, for ``pop``.

        Raises ``StorageUnavailable``, also if a version is missing in the store.
        """
        missed = self._feed.store.history.snapshots(self.game.table.id, self.version, MAX_VERSIONS_PER_READ)
        if not missed:
            raise StorageUnavailable
        self._backlog.extend(missed)

    @staticmethod
    def wake(watchers: "Sequence[Subscription]") -> None:
        """Wake *watchers* with one call for each event loop, because every call releases the interpreter lock."""
        for loop in {watcher.loop for watcher in watchers if watcher.loop is not None}:
            events = [watcher.changed for watcher in watchers if watcher.loop is loop]
            try:
                loop.call_soon_threadsafe(_set, events)
            except RuntimeError:
                if not loop.is_closed():
                    raise
                # The loop was closed after *watchers* had been read. No subscriber waits on a closed loop.

    async def next(self, seconds: float) -> Snapshot | None:
        """Wait for the next version, for at most *seconds*, and return it.

        Returns None if none came in time, if the operator's notice has changed, or if the subscription is over. Raises
        ``StorageUnavailable``.
        """
        self.loop, self.changed = asyncio.get_running_loop(), asyncio.Event()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self.is_over or self.has_news() or self.notice != self._feed.notice):
                    await self.changed.wait()
                    self.changed.clear()
        if not self.has_news():
            return None
        snapshot = self.pop()
        if snapshot is None:
            await asyncio.to_thread(self.read)
            snapshot = self.pop()
        return snapshot


class Feed:
    """The live updates of one process, for at most *limit* subscribers."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store = store
        self._slots = StreamSlots(limit)
        self._lock = RLock()
        self._closing = Event()
        self._process = token_hex(8)
        self._readers: dict[int, JournalReader] = {}
        self.notice: str | None = None
        """The operator's notice when it was last read; None if there was none."""

    def announce(self, notice: str | None) -> None:
        """Send the operator's notice to all subscribers, if the notice has changed."""
        with self._lock:
            if notice == self.notice:
                return
            self.notice = notice
            games = [game for reader in self._readers.values() for game in reader.games.values()]
            watchers = [watcher for game in games for watcher in game.watchers]
        if watchers:
            watchers[0].wake(watchers)

    @property
    def watchers(self) -> int:
        """Return the number of occupied stream slots."""
        return len(self._slots)

    def watch(self, table: Table, after: int, client: str) -> Subscription:
        """Subscribe *client*, an address, to the game of *table*, from version *after* + 1 on.

        Raises ``TooManyStreams``.
        """
        with self._lock:
            reader = self._reader(table.id)
            reader.start()  # the start may fail, so the slot is taken only afterwards
            self._slots.acquire(client)
            is_new = table.id not in reader.games
            game = reader.games.setdefault(table.id, WatchedGame(table))
            watcher = Subscription(self, game, after, client)
            game.watchers |= {watcher}
            game.is_over |= self._closing.is_set()
        if is_new:
            reader.interrupt()
        return watcher

    @contextmanager
    def slot(self, client: str) -> Iterator[None]:
        """Occupy a stream slot while the block runs, for long polls without a subscription.

        Raises ``TooManyStreams``.
        """
        with self._lock:
            self._slots.acquire(client)
        try:
            yield
        finally:
            with self._lock:
                self._slots.release(client)

    def unsubscribe(self, watcher: Subscription) -> None:
        """Remove a subscription, unless it has been removed before."""
        game = watcher.game
        with self._lock:
            if watcher not in game.watchers:
                return
            game.watchers -= {watcher}
            self._slots.release(watcher.client)
            games = self._reader(game.table.id).games
            if not game.watchers and games.get(game.table.id) is game:
                del games[game.table.id]

    def close(self) -> None:
        """End all subscriptions, wake the subscribers, and wait for the reader threads to end."""
        with self._lock:
            self._closing.set()
            readers = list(self._readers.values())
            for reader in readers:
                reader.end()
        for reader in readers:
            reader.interrupt()
        for reader in readers:
            reader.join()

    def _reader(self, game_id: str) -> JournalReader:
        partition = self.store.keys.partition(game_id)
        if partition not in self._readers:
            wake_up = self.store.keys.wake_up(partition, self._process)
            self._readers[partition] = JournalReader(self.store, wake_up, self._lock, self._closing)
        return self._readers[partition]


def _set(events: Sequence[asyncio.Event]) -> None:
    for event in events:
        event.set()
