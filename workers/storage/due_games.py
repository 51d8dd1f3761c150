"""The outbox: which games wait for an AI, or for a deadline, and when the sweeper is to look after them.

A commit puts its game in together with the change (``due_at``), so that an AI's turn is owed even if nobody lives to
enqueue the job. Every time is that of the next look, by the store's own clock (workers/clocks.py): shortly after a job
should have been done, later while one works on it, at the deadline when all that is waited for is a person.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Literal

from redis import Redis
from redis.client import Pipeline

from engines.table.table import Table
from workers.storage import table_codec
from workers.storage.connection import NOW, call, overdue, pipelined, script, text
from workers.storage.errors import Unreadable
from workers.storage.keys import SWEEPER, SWEPT, Keys
from workers.storage.store_time import StoreTime

GRACE_SECONDS: Final = 1.0
"""How long a fresh job may take to be picked up before the sweeper doubts that it exists."""

LEASE_SECONDS: Final = 1.0
"""How long a job that has begun may be silent: while an AI thinks it lengthens its lease."""

LOOK_SECONDS: Final = 2.0
"""How long a game that was looked after is left alone, unless its job is repeated."""

LONGEST_SECONDS: Final = 60.0
"""A job that has been repeated in vain is repeated ever more rarely, but not less often than this."""

LEAD_SECONDS: Final = 1.0
"""How long a sweeper keeps the others out without a sign of life."""


def due_in(table: Table, now: datetime) -> float | None:
    """Return in how many seconds the sweeper is to look after *table*; None if nobody is waited for by a clock."""
    return GRACE_SECONDS if table.asked(now) else left(table, now)


def left(table: Table, now: datetime) -> float | None:
    """Return how many seconds whoever must act has left; None if they have no deadline."""
    return None if table.deadline is None else (datetime.fromisoformat(table.deadline) - now).total_seconds()


def retry_delay(repeats: int) -> float:
    """Return how long to wait for a job that has been repeated so often: 2 s, 4 s, 8 s, at most a minute."""
    return float(min(LONGEST_SECONDS, 2.0 ** min(repeats, 10)))


@dataclass(frozen=True)
class OverdueGame:
    """A game that is overdue."""

    game_id: str
    table: Table | None
    """None: there is no such game, or it can't be read."""
    repeats: int
    """How many jobs of this version were repeated."""
    version: int | None = None
    """None: there is no such game."""
    allowance: timedelta = timedelta(0)
    """By so much later than the table says is its deadline: the clock has leapt (workers/clocks.py)."""

    @property
    def is_unreadable(self) -> bool:
        """The game is there, and not for us: somebody of another version may read it."""
        return self.table is None and self.version is not None


@dataclass(frozen=True)
class Reschedule:
    """When the sweeper is to look after a game again."""

    game_id: str
    version: int | None
    """The version that this is about; None: whatever it is."""
    after: float | None
    """Seconds from now; None: never again."""
    how: Literal["", "later", "repeat"] = ""
    """``later``: never sooner than it is; ``repeat``: a job is repeated, if the game still is overdue."""
    allowance: timedelta | None = None
    """If it has become another one (``OverdueGame``)."""


def leased(table: Table) -> Reschedule:
    """Keep the sweeper away while a job works on this version."""
    return Reschedule(table.id, table.version, LEASE_SECONDS, "later")


def settled(table: Table, now: datetime) -> Reschedule:
    """Nobody was left to be asked at this version: wait for the deadline, or for nothing."""
    return Reschedule(table.id, table.version, left(table, now))


def postponed(game_id: str, version: int) -> Reschedule:
    """Look again a little later."""
    return Reschedule(game_id, version, LOOK_SECONDS, "later")


def repeated(game_id: str, version: int, repeats: int) -> Reschedule:
    """Count one more repeated job at this version, after so many, and be patient with it."""
    return Reschedule(game_id, version, retry_delay(repeats + 1), "repeat")


def put_off(game_id: str) -> Reschedule:
    """Leave a game alone for as long as can be, whatever its version."""
    return Reschedule(game_id, None, LONGEST_SECONDS)


def forgotten(game_id: str) -> Reschedule:
    """Take out a game that doesn't exist."""
    return Reschedule(game_id, None, None)


@dataclass(frozen=True)
class Lead:
    """What the sweeper that works is told: the time of the store, and when one has worked last."""

    now: float
    """Epoch seconds, by the store's clock."""
    swept: float | None
    """By the same clock; None: never."""
    swept_there: float | None
    """By the clock of the machine on which that was."""


class Outbox:
    """The outbox of one storage. Whatever it does about a version leaves a game alone that has moved on."""

    def __init__(self, redis: Redis, keys: Keys, time: StoreTime) -> None:
        self._redis = redis
        self._keys = keys
        self.time = time
        self._due = script(redis, "due.lua", NOW)
        self._lead = script(redis, "lead.lua", NOW)

    def put(self, looks: Sequence[Reschedule]) -> list[int | None]:
        """Write down when to look after games, those of a partition together.

        Returns for each how many jobs of its version have been repeated; None if it was left alone. A job is repeated
        if its game still is overdue: nobody has put it off meanwhile.
        """
        by_partition: dict[int, list[int]] = defaultdict(list)
        for place, look in enumerate(looks):
            by_partition[self._keys.partition(look.game_id)].append(place)
        counted: list[int | None] = [None] * len(looks)
        for partition, places in by_partition.items():
            answers = self._put(partition, [looks[place] for place in places])
            for place, answer in zip(places, answers, strict=True):
                counted[place] = answer
        return counted

    def overdue(self, limit: int) -> list[str]:
        """Return the games to look after, those that have waited longest first."""
        names = [self._keys.due(partition) for partition in self._keys.all()]
        return overdue(self._redis, names, self.time(), limit)

    def all(self, partition: int) -> list[str]:
        """Return every game of a partition that waits for an AI, or for a deadline."""
        found: Any = call(lambda: self._redis.zrange(self._keys.due(partition), 0, -1))
        return [text(game_id) for game_id in found]

    def count_overdue(self, late: timedelta = timedelta(0)) -> int:
        """Return how many games should have been looked after so long ago, and haven't been."""
        then = self.time() - late.total_seconds()

        def order(pipe: Pipeline) -> None:
            for partition in self._keys.all():
                pipe.zcount(self._keys.due(partition), "-inf", then)

        return sum(pipelined(self._redis, order))

    def read(self, game_ids: Sequence[str]) -> list[OverdueGame]:
        """Return games that are overdue, in one round trip."""

        def order(pipe: Pipeline) -> None:
            for game_id in game_ids:
                pipe.hmget(self._keys.game(game_id), "table", "version", "allowance")
                pipe.hget(self._keys.repeats(self._keys.partition(game_id)), game_id)

        found = pipelined(self._redis, order)
        return [
            _owed(game_id, stored, int(repeats or 0))
            for game_id, stored, repeats in zip(game_ids, found[::2], found[1::2], strict=True)
        ]

    def allowance(self, table: Table) -> timedelta:
        """Return by how much later than it says the deadline of a table is (``OverdueGame``)."""
        return _allowance(call(lambda: self._redis.hget(self._keys.game(table.id), "allowance")), table.version)

    def leads(self, name: str, now: datetime) -> Lead | None:
        """Become the one sweeper that works, or stay it; None if another one is.

        It takes over when the other gives no sign of life for ``LEAD_SECONDS``, whatever the clocks do meanwhile; at
        once if the other's name begins with a lower rank.
        """
        args = [self.time.argument(), name, int(LEAD_SECONDS * 1000), now.timestamp()]
        found = call(lambda: self._lead(keys=[SWEEPER, SWEPT], args=args))
        if found is None:
            return None
        moment, swept, there = found
        return Lead(float(moment), *[None if one is None else float(one) for one in (swept, there)])

    def _put(self, partition: int, looks: Sequence[Reschedule]) -> list[int | None]:
        """Write it down for games of one partition."""
        names = [self._keys.due(partition), self._keys.repeats(partition)]
        names += [self._keys.game(look.game_id) for look in looks]
        args: list[Any] = [self.time.argument(), LONGEST_SECONDS]
        for look in looks:
            allowance = None if look.allowance is None else look.allowance.total_seconds()
            version, after, more = ("" if value is None else value for value in (look.version, look.after, allowance))
            args += [look.game_id, version, after, look.how, more]
        counted: list[int | None] = call(partial(self._due, keys=names, args=args))
        return counted


def _owed(game_id: str, stored: Sequence[Any], repeats: int) -> OverdueGame:
    """Read what is owed at a game; its table is None if that can't be read."""
    packed, version, allowance = stored
    if packed is None:
        return OverdueGame(game_id, None, repeats)
    number = int(version)
    try:
        table = table_codec.load(table_codec.unpack(packed))
    except Unreadable:
        return OverdueGame(game_id, None, repeats, number)
    return OverdueGame(game_id, table, repeats, number, _allowance(allowance, table.version))


def _allowance(stored: Any, version: int) -> timedelta:
    """Read how much more time a version of a game has; what is stored may be of an older one."""
    of_version, _, seconds = text(stored or b"").partition(":")
    return timedelta(seconds=float(seconds)) if of_version == str(version) else timedelta(0)
