"""Reading for the feed: one thread for each partition waits for the changes of all its games that are watched.

That is one blocking XREAD over their journals, and over a wake-up stream of the thread's own: to add a game that nobody
watched before, the blocking read has to be interrupted.

    t0  the thread blocks on A, B, wake-up   t1  somebody watches C after version 7: C is added, the stream written to
    t2  the read returns                     t3  the thread blocks on A, B, C from version 7 on, wake-up
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Condition, Event, RLock, Thread
from typing import Any, Final, Protocol

import structlog
from redis.client import Pipeline

from engines.table.table import Table
from workers.outages import OutageLogger
from workers.storage.connection import run_command, run_pipeline, text
from workers.storage.errors import StorageUnavailable
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


class Waiter(Protocol):
    """Whoever waits for news of a watched game."""

    @staticmethod
    def wake(watchers: Sequence[Any]) -> None:
        """Wake *watchers*: there may be something new."""


class WatchedGame:
    """One watched game: its last few snapshots, and its watchers.

    A watcher reads without a lock: with one, of many that are woken at once each would wait for the others.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        """The game as far as it has been read."""
        self.watchers: frozenset[Waiter] = frozenset()
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
        if watchers := list(self.watchers):
            watchers[0].wake(watchers)


class JournalReader:
    """What reads the watched games of one partition, in a thread of its own, which starts with the first of them."""

    def __init__(self, store: Store, wake_up: str, lock: RLock, closing: Event) -> None:
        self.store = store
        self.games: dict[str, WatchedGame] = {}
        self._changed = Condition(lock)
        self._closing = closing
        self._thread: Thread | None = None
        self._wake_up = wake_up
        self._last_wake_up = "0"
        """The last entry of the wake-up stream that was read."""

    def start(self) -> None:
        """Read from now on the games that there are, if there was none before."""
        if self._thread is None:
            thread = Thread(target=self._run, name="feed", daemon=True)
            thread.start()
            self._thread = thread
        self._changed.notify_all()

    def interrupt(self) -> None:
        """End the thread's blocking read; without a storage nothing blocks, and the thread looks by itself."""

        def fill(pipe: Pipeline) -> None:
            pipe.xadd(self._wake_up, {"": ""}, maxlen=1)
            pipe.expire(self._wake_up, WAKE_UP_SECONDS)

        with suppress(StorageUnavailable):
            run_pipeline(self.store.redis, fill)

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
        outages = OutageLogger("feed_failed")
        while games := self._watched():
            if not outages.run(partial(self._read, games)):
                self._closing.wait(RETRY_SECONDS)

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
        after[self._wake_up] = self._last_wake_up
        changes = _by_stream(run_command(lambda: self.store.redis.xread(after, count=PAGE, block=BLOCK_MILLISECONDS)))
        if wake_ups := changes.pop(self._wake_up, None):
            self._last_wake_up = text(wake_ups[-1][0])
        for stream, entries in changes.items():
            _publish(by_stream[stream], entries)


def _publish(game: WatchedGame, entries: list[Any]) -> None:
    """Publish what was read of one game; one that can't be read ends, and the others go on."""
    try:
        changes = [(version_of(entry), fields) for entry, fields in entries]
        snapshots = [Snapshot.of(change) for change in replayed(game.table, changes)]
    except Exception as error:  # whatever it was, it is this game's trouble alone
        log.exception("feed_failed", game_id=game.table.id, exc_info=error)
        game.end()
    else:
        game.publish(snapshots)


def _by_stream(reply: Any) -> dict[str, list[Any]]:
    """Return the entries of an XREAD by stream, in either version of the protocol."""
    if isinstance(reply, Mapping):
        return {text(name): [entry for batch in batches for entry in batch] for name, batches in reply.items()}
    return {text(name): entries for name, entries in reply or ()}
