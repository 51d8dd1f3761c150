"""Reader threads of the feed. The thread of a partition blocks on the journals of its watched games.

A thread blocks in one XREAD over the journals and over its own wake-up stream. When a game is added, a write to the
wake-up stream interrupts the XREAD:

  t0  the thread blocks on A, B, wake-up     t1  a client subscribes to C after version 7; the stream is written
  t2  XREAD returns                          t3  the thread blocks on A, B, C (from version 7), wake-up
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Condition, Event, RLock, Thread
from typing import Any, Final, Protocol

import structlog
from redis.client import Pipeline

from engines.table.table import Table
from workers.outage_retry import OutageLogger
from workers.storage.commands import run_command, run_pipeline, text
from workers.storage.errors import StorageUnavailable
from workers.storage.journal import replayed, version_of
from workers.storage.store import Store
from workers.storage.versions_for_viewers import Snapshot

BLOCK_MILLISECONDS: Final = 2000
"""Milliseconds for which one XREAD blocks at most: less than the connection's read timeout."""

MAX_CACHED_SNAPSHOTS_PER_GAME: Final = 16
"""Number of snapshots cached for each watched game. A subscriber that is further behind reads from the store."""

MAX_VERSIONS_PER_READ: Final = 32
"""Maximum number of versions of a game that one read returns."""

WAKE_UP_STREAM_TTL_SECONDS: Final = 60
"""TTL of an unused wake-up stream."""

RETRY_SECONDS: Final = 0.25
"""Delay before the next attempt while the store is unreachable."""

log: Final = structlog.get_logger(__name__)


class Waiter(Protocol):
    """A subscriber of a watched game."""

    @staticmethod
    def wake(watchers: Sequence[Any]) -> None:
        """Wake *watchers*, because a new version may be available."""


class WatchedGame:
    """A watched game: its latest snapshots and its subscribers.

    Subscribers read a game without a lock, because subscribers that are woken at once would wait for the lock.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        """The latest table that was read."""
        self.watchers: frozenset[Waiter] = frozenset()
        self.is_over = False
        """True if no further version will be read."""
        self._recent: tuple[Snapshot, ...] = ()

    @property
    def version(self) -> int:
        """Return the latest version that was read."""
        return self.table.version

    def publish(self, snapshots: Sequence[Snapshot]) -> None:
        """Append *snapshots*, which follow the last one, and wake the subscribers."""
        self._recent = (*self._recent, *snapshots)[-MAX_CACHED_SNAPSHOTS_PER_GAME:]
        self.table = snapshots[-1].table
        self._wake_watchers()

    def end(self) -> None:
        """Mark the game as over and wake the subscribers."""
        self.is_over = True
        self._wake_watchers()

    def recent(self, version: int) -> Snapshot | None:
        """Return the snapshot of *version*, or None if it isn't cached."""
        return next((snapshot for snapshot in self._recent if snapshot.version == version), None)

    def _wake_watchers(self) -> None:
        if watchers := list(self.watchers):
            watchers[0].wake(watchers)


class JournalReader:
    """Reads the watched games of one partition in its own thread. The thread starts with the first game."""

    def __init__(self, store: Store, wake_up_key: str, lock: RLock, closing: Event) -> None:
        self.store = store
        self.games: dict[str, WatchedGame] = {}
        self._changed = Condition(lock)
        self._closing = closing
        self._thread: Thread | None = None
        self._wake_up_key = wake_up_key
        self._last_wake_up = "0"
        """The id of the last wake-up entry that was read."""

    def start(self) -> None:
        """Start the thread if needed, or wake it if it waits for a game to watch. The caller must hold the lock."""
        if self._thread is None:
            thread = Thread(target=self._run, name="feed", daemon=True)
            thread.start()
            self._thread = thread
        self._changed.notify_all()

    def interrupt(self) -> None:
        """Interrupt the thread's blocking XREAD. An unreachable store is ignored, because then no XREAD blocks."""

        def fill(pipe: Pipeline) -> None:
            pipe.xadd(self._wake_up_key, {"": ""}, maxlen=1)
            pipe.expire(self._wake_up_key, WAKE_UP_STREAM_TTL_SECONDS)

        with suppress(StorageUnavailable):
            run_pipeline(self.store.redis, fill)

    def end(self) -> None:
        """Mark all watched games as over, and wake the thread, so that it ends."""
        for game in self.games.values():
            game.end()
        self._changed.notify_all()

    def join(self) -> None:
        """Wait until the thread has ended, for at most ``BLOCK_MILLISECONDS``."""
        if self._thread is not None:
            self._thread.join(BLOCK_MILLISECONDS / 1000)

    def _run(self) -> None:
        """Read until the feed is closed. Retry while the store is unreachable."""
        outages = OutageLogger("feed_failed")
        while games := self._watched():
            if not outages.run(partial(self._read, games)):
                self._closing.wait(RETRY_SECONDS)

    def _watched(self) -> list[WatchedGame]:
        """Wait until a game is watched, and return all watched games. Return an empty list if the feed is closed."""

        def readable() -> list[WatchedGame]:
            return [game for game in self.games.values() if not game.is_over]

        with self._changed:
            self._changed.wait_for(lambda: self._closing.is_set() or readable())
            return [] if self._closing.is_set() else readable()

    def _read(self, games: list[WatchedGame]) -> None:
        """Wait for the next changes and publish them. Raises ``StorageUnavailable``."""
        by_stream = {self.store.keys.journal(game.table.id): game for game in games}
        after: dict[Any, Any] = {stream: f"{game.version}-1" for stream, game in by_stream.items()}
        after[self._wake_up_key] = self._last_wake_up
        changes = _by_stream(
            run_command(lambda: self.store.redis.xread(after, count=MAX_VERSIONS_PER_READ, block=BLOCK_MILLISECONDS))
        )
        if wake_ups := changes.pop(self._wake_up_key, None):
            self._last_wake_up = text(wake_ups[-1][0])
        for stream, entries in changes.items():
            _publish(by_stream[stream], entries)


def _publish(game: WatchedGame, entries: list[Any]) -> None:
    """Publish the changes of one game. If they can't be read, end the streams of this game only."""
    try:
        changes = [(version_of(entry), fields) for entry, fields in entries]
        snapshots = [Snapshot.of(change) for change in replayed(game.table, changes)]
    except Exception as error:  # an error of one game must not stop other games
        log.exception("feed_failed", game_id=game.table.id, exc_info=error)
        game.end()
    else:
        game.publish(snapshots)


def _by_stream(reply: Any) -> dict[str, list[Any]]:
    """Return the entries of an XREAD reply by stream, for RESP2 and RESP3."""
    if isinstance(reply, Mapping):
        return {text(name): [entry for batch in batches for entry in batch] for name, batches in reply.items()}
    return {text(name): entries for name, entries in reply or ()}
