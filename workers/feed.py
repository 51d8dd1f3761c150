"""The feed: everybody who watches a game hears of each of its versions once, in order, as soon as it is committed.

One thread reads for the whole process: a blocking XREAD over the changes of all games that are watched. What it reads
becomes moments, of which each game keeps the last few; those who watch take them from there, each at their own pace.
Nothing waits for them in a buffer of their own: whoever is further behind, or begins with an old version, reads what is
missing from the storage. So a slow reader costs no memory, and nobody misses a version.

Whoever watches a game that nobody watched before rings a bell, a stream of this process's own that is read together
with the games, so that the thread asks again for one game more:

    t0  the thread blocks on A, B and the bell   t1  somebody watches C after version 7: C is noted, the bell rung
    t2  the bell wakes the thread                t3  it blocks on A, B, C from version 7 on, and the bell
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from secrets import token_hex
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, Final, Self, TypeVar

import structlog
from redis.client import Pipeline

from engines.table import Table
from workers.metrics import STREAMS
from workers.storage import events, keys
from workers.storage.connection import call, pipelined, text
from workers.storage.errors import StorageUnavailable, TooManyStreams
from workers.storage.journal import Snapshot, as_it_was, lasting
from workers.storage.store import Store

BLOCK_MILLISECONDS: Final = 2000
"""Shorter than the connection's own patience, which would take silence for a server that is away."""

RECENT: Final = 16
"""So many moments each watched game keeps; who is further behind reads from the storage."""

PAGE: Final = 32
"""So many versions of a game are read at a time."""

BELL_SECONDS: Final = 60
"""How long a bell is kept that nobody rings."""

RETRY_SECONDS: Final = 0.25
"""Between two looks whether the storage is back."""

log: Final = structlog.get_logger(__name__)


class Channel:
    """One watched game: its last few moments, and who watches.

    Whoever watches reads without a lock: with one, of many who are woken at once each would wait for the others.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.kept = lasting(table)
        self.version = table.version
        """Up to here it has been read."""
        self.watches: frozenset[Watcher] = frozenset()
        self.is_over = False
        """Nothing will be heard here any more."""
        self._recent: tuple[Snapshot, ...] = ()

    def tell(self, moments: Sequence[Snapshot]) -> None:
        """Keep *moments*, which follow those before, and wake those who watch."""
        self._recent = (*self._recent, *moments)[-RECENT:]
        self.version = moments[-1].version
        self._wake()

    def end(self) -> None:
        """Let nobody wait any longer."""
        self.is_over = True
        self._wake()

    def recall(self, version: int) -> Snapshot | None:
        """Return the moment of *version* if it is one of the last few."""
        return next((moment for moment in self._recent if moment.version == version), None)

    def _wake(self) -> None:
        watches = self.watches
        for kind in {type(watch) for watch in watches}:
            kind.wake([watch for watch in watches if type(watch) is kind])


class Watcher(ABC):
    """Somebody who watches a game from one version on. Close it, or use it in a ``with``: it takes up a place."""

    def __init__(self, feed: "Feed", channel: Channel, version: int) -> None:
        self.channel = channel
        self.version = version
        """The last one that was heard of."""
        self._feed = feed
        self._ahead: deque[Snapshot] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_over(self) -> bool:
        """Nothing will be heard any more, although the game may go on."""
        return self.channel.is_over

    @staticmethod
    @abstractmethod
    def wake(watches: Sequence[Any]) -> None:
        """Let *watches*, all of this kind, look up: there may be something new."""

    def close(self) -> None:
        """Give the place back; once, however often it is asked."""
        self._feed.leave(self)

    def has_news(self) -> bool:
        """There is a version past the last one that was heard of."""
        return bool(self._ahead) or (not self.is_over and self.channel.version > self.version)

    def take(self) -> Snapshot | None:
        """Return the next version, if it is one of the last few, or has been read (``read``)."""
        moment = self._ahead.popleft() if self._ahead else self.channel.recall(self.version + 1)
        if moment is not None:
            self.version = moment.version
        return moment

    def read(self) -> None:
        """Read what has been forgotten here. Raises ``StorageUnavailable``, also if it has been forgotten there."""
        missed = self._feed.store.moments_after(self.channel.table, self.version, PAGE)
        if not missed:
            raise StorageUnavailable
        self._ahead.extend(missed)


class PatientWatcher(Watcher):
    """Somebody who waits in a thread."""

    def __init__(self, feed: "Feed", channel: Channel, version: int) -> None:
        super().__init__(feed, channel, version)
        self.wakes: SimpleQueue[None] = SimpleQueue()

    @staticmethod
    def wake(watches: "Sequence[PatientWatcher]") -> None:
        for watch in watches:
            if watch.wakes.empty():
                watch.wakes.put(None)

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
        moment = self.take()
        if moment is None:
            self.read()
            moment = self.take()
        return moment


class LiveWatcher(Watcher):
    """Somebody who waits on an event loop, beside a thousand others."""

    def __init__(self, feed: "Feed", channel: Channel, version: int) -> None:
        super().__init__(feed, channel, version)
        self.news = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    @staticmethod
    def wake(watches: "Sequence[LiveWatcher]") -> None:
        """Each call to a loop lets go of the interpreter, so there is one for all who wait on it."""
        for loop in {watch.loop for watch in watches if watch.loop is not None}:
            news = [watch.news for watch in watches if watch.loop is loop]
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
        moment = self.take()
        if moment is None:
            await asyncio.to_thread(self.read)
            moment = self.take()
        return moment


W = TypeVar("W", bound=Watcher)


class Feed:
    """The feed of one process, with *places* for so many who watch; its thread starts with the first of them."""

    def __init__(self, store: Store, places: int) -> None:
        self.store = store
        self._places = places
        self._watches = 0
        self._channels: dict[str, Channel] = {}
        self._changed = Condition()
        self._closing = Event()
        self._thread: Thread | None = None
        self._bell = keys.bell(token_hex(8))
        self._rung = "0"
        """The last ring that was heard."""

    @property
    def watches(self) -> int:
        """How many watch now."""
        return self._watches

    def watch(self, table: Table, after: int, kind: type[W]) -> W:
        """Watch the game that *table* is of, from the version past *after* on. Raises ``TooManyStreams``."""
        with self._changed:
            if self._watches >= self._places:
                raise TooManyStreams
            is_new = table.id not in self._channels
            channel = Channel(table) if is_new else self._channels[table.id]
            watch = kind(self, channel, after)
            channel.watches |= {watch}
            channel.is_over |= self._closing.is_set()
            self._channels[table.id] = channel
            self._watches += 1
            STREAMS.inc()
            self._start()
            self._changed.notify_all()
        if is_new:
            self._ring()
        return watch

    def leave(self, watch: Watcher) -> None:
        """Give back the place of somebody who watched, if it is still theirs."""
        channel = watch.channel
        with self._changed:
            if watch not in channel.watches:
                return
            channel.watches -= {watch}
            self._watches -= 1
            STREAMS.dec()
            if not channel.watches and self._channels.get(channel.table.id) is channel:
                del self._channels[channel.table.id]

    def close(self) -> None:
        """Let everybody go at once; return when nothing is read any more."""
        with self._changed:
            self._closing.set()
            for channel in self._channels.values():
                channel.end()
            self._changed.notify_all()
        if self._thread is not None:
            self._ring()
            self._thread.join(BLOCK_MILLISECONDS / 1000)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="feed", daemon=True)
            self._thread.start()

    def _ring(self) -> None:
        """Wake the thread; without a storage it has nothing to wait for, and looks by itself."""

        def order(pipe: Pipeline) -> None:
            pipe.xadd(self._bell, {"": ""}, maxlen=1)
            pipe.expire(self._bell, BELL_SECONDS)

        with suppress(StorageUnavailable):
            pipelined(self.store.redis, order)

    # The thread

    def _run(self) -> None:
        """Read until the feed is closed, whether or not the storage is there all the time."""
        away = False
        while channels := self._watched():
            try:
                self._read(channels)
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

    def _watched(self) -> list[Channel]:
        """Return what is to be read as soon as anything is; nothing when the feed is closed."""

        def readable() -> list[Channel]:
            return [channel for channel in self._channels.values() if not channel.is_over]

        with self._changed:
            self._changed.wait_for(lambda: self._closing.is_set() or readable())
            return [] if self._closing.is_set() else readable()

    def _read(self, channels: list[Channel]) -> None:
        """Wait for the next changes and tell them. Raises ``StorageUnavailable``."""
        by_name = {keys.changes(channel.table.id): channel for channel in channels}
        after: dict[Any, Any] = {name: f"{channel.version}-1" for name, channel in by_name.items()}
        after[self._bell] = self._rung
        changes = _by_stream(call(lambda: self.store.redis.xread(after, count=PAGE, block=BLOCK_MILLISECONDS)))
        if rung := changes.pop(self._bell, None):
            self._rung = text(rung[-1][0])
        if not changes:
            return

        def order(pipe: Pipeline) -> None:
            for name, entries in changes.items():
                pipe.hmget(keys.snapshots(by_name[name].table.id), [_version(entry) for entry, _ in entries])

        for (name, entries), snapshots in zip(changes.items(), pipelined(self.store.redis, order), strict=True):
            _tell(by_name[name], entries, snapshots)


def _set(events: Sequence[asyncio.Event]) -> None:
    for event in events:
        event.set()


def _tell(channel: Channel, entries: list[Any], snapshots: list[bytes]) -> None:
    """Make moments of what was read of one game; a game that can't be read ends here alone."""
    try:
        moments = [
            Snapshot(as_it_was(channel.kept, snapshot), events.load(fields[b"events"]))
            for (_, fields), snapshot in zip(entries, snapshots, strict=True)
        ]
    except Exception as error:  # whatever it was, it is this game's trouble alone
        log.exception("feed_failed", game_id=channel.table.id, exc_info=error)
        channel.end()
    else:
        channel.tell(moments)


def _by_stream(found: Any) -> dict[str, list[Any]]:
    """Return the entries of an XREAD by stream, in either version of the protocol."""
    if isinstance(found, Mapping):
        return {text(name): [entry for batch in batches for entry in batch] for name, batches in found.items()}
    return {text(name): entries for name, entries in found or ()}


def _version(entry: bytes | str) -> str:
    return text(entry).partition("-")[0]
