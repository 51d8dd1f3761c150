"""The outbox: which games wait for an AI, or for a deadline, and when the sweeper is to look after them.

A commit puts its game in together with the change (``due_at``), so that an AI's turn is owed even if nobody lives to
enqueue the job. Every time is that of the next look: shortly after a job should have been done, later while one works
on it, at the deadline when all that is waited for is a person.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

from redis import Redis
from redis.client import Pipeline

from engines.table import Table
from workers.storage import tables
from workers.storage.connection import call, overdue, pipelined, script, text
from workers.storage.keys import SWEEPER, Keys

GRACE_SECONDS: Final = 1.0
"""How long a fresh job may take to be picked up before the sweeper doubts that it exists."""

LEASE_SECONDS: Final = 1.5
"""How long a job that has begun may be silent: while an AI thinks it lengthens its lease."""

LOOK_SECONDS: Final = 2.0
"""How long a game that was looked after is left alone, unless its job is repeated."""

LONGEST_SECONDS: Final = 60.0
"""A job that has been repeated in vain is repeated ever more rarely, but not less often than this."""

LEAD_SECONDS: Final = 1.5
"""How long a sweeper keeps the others out without a sign of life."""


def due_at(table: Table, now: datetime) -> float | None:
    """Return when the sweeper is to look after *table*, in epoch seconds; None if nobody is waited for by a clock."""
    if table.asked(now):
        return now.timestamp() + GRACE_SECONDS
    return deadline(table)


def deadline(table: Table) -> float | None:
    """Return the deadline of whoever must act, in epoch seconds."""
    return None if table.deadline is None else datetime.fromisoformat(table.deadline).timestamp()


def retry_delay(repeats: int) -> float:
    """Return how long to wait for a job that has been repeated so often: 2 s, 4 s, 8 s, at most a minute."""
    return float(min(LONGEST_SECONDS, 2.0 ** min(repeats, 10)))


@dataclass(frozen=True)
class Owed:
    """A game that is overdue."""

    game_id: str
    table: Table | None
    """None: there is no such game."""
    repeats: int
    """How many jobs of this version were repeated."""


@dataclass(frozen=True)
class Look:
    """When the sweeper is to look after a game again."""

    game_id: str
    version: int | None
    """The version that this is about; None: whatever it is."""
    when: float | None
    """Epoch seconds; None: never again."""
    how: Literal["", "later", "repeat"] = ""
    """``later``: never sooner than it is; ``repeat``: a job is repeated, if the game still is overdue."""


def leased(table: Table, now: datetime) -> Look:
    """Keep the sweeper away while a job works on this version."""
    return Look(table.id, table.version, now.timestamp() + LEASE_SECONDS, "later")


def settled(table: Table) -> Look:
    """Nobody was left to be asked at this version: wait for the deadline, or for nothing."""
    return Look(table.id, table.version, deadline(table))


def postponed(table: Table, now: datetime) -> Look:
    """Look again a little later."""
    return Look(table.id, table.version, now.timestamp() + LOOK_SECONDS, "later")


def repeated(table: Table, now: datetime, repeats: int) -> Look:
    """Count one more repeated job at this version, after so many, and be patient with it."""
    return Look(table.id, table.version, now.timestamp() + retry_delay(repeats + 1), "repeat")


def put_off(game_id: str, now: datetime) -> Look:
    """Leave a game alone for as long as can be, whatever its version."""
    return Look(game_id, None, now.timestamp() + LONGEST_SECONDS)


def forgotten(game_id: str) -> Look:
    """Take out a game that doesn't exist."""
    return Look(game_id, None, None)


class Outbox:
    """The outbox of one storage. Whatever it does about a version leaves a game alone that has moved on."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._keys = keys
        self._due = script(redis, "due.lua")

    def put(self, looks: Sequence[Look], overdue: float = 0.0) -> list[int | None]:
        """Write down when to look after games, those of a partition together.

        Returns for each how many jobs of its version have been repeated; None if it was left alone. A job is repeated
        if its game was to be looked after by *overdue*, in epoch seconds, and nobody has put it off meanwhile.
        """
        by_partition: dict[int, list[int]] = defaultdict(list)
        for place, look in enumerate(looks):
            by_partition[self._keys.partition(look.game_id)].append(place)
        counted: list[int | None] = [None] * len(looks)
        for partition, places in by_partition.items():
            answers = self._put(partition, [looks[place] for place in places], overdue)
            for place, answer in zip(places, answers, strict=True):
                counted[place] = answer
        return counted

    def overdue(self, now: datetime, limit: int) -> list[str]:
        """Return the games to look after, those that have waited longest first."""
        names = [self._keys.due(partition) for partition in self._keys.all()]
        return overdue(self._redis, names, now.timestamp(), limit)

    def count_overdue(self, then: datetime) -> int:
        """Return how many games should have been looked after *then*, and haven't been."""

        def order(pipe: Pipeline) -> None:
            for partition in self._keys.all():
                pipe.zcount(self._keys.due(partition), "-inf", then.timestamp())

        return sum(pipelined(self._redis, order))

    def read(self, game_ids: Sequence[str]) -> list[Owed]:
        """Return games that are overdue, in one round trip. Raises ``Unreadable`` if one of them is."""

        def order(pipe: Pipeline) -> None:
            for game_id in game_ids:
                pipe.hget(self._keys.game(game_id), "table")
                pipe.hget(self._keys.repeats(self._keys.partition(game_id)), game_id)

        found = pipelined(self._redis, order)
        return [
            Owed(game_id, None if stored is None else tables.load(tables.unpack(stored)), int(repeats or 0))
            for game_id, stored, repeats in zip(game_ids, found[::2], found[1::2], strict=True)
        ]

    def leads(self, name: str) -> bool:
        """Become the one sweeper that works, or stay it; another takes over when *name* gives no sign of life."""
        milliseconds = int(LEAD_SECONDS * 1000)
        leader = call(lambda: self._redis.set(SWEEPER, name, nx=True, get=True, px=milliseconds))
        if leader is not None and text(leader) == name:
            call(lambda: self._redis.pexpire(SWEEPER, milliseconds))
        return leader is None or text(leader) == name

    def _put(self, partition: int, looks: Sequence[Look], overdue: float) -> list[int | None]:
        """Write it down for games of one partition."""
        names = [self._keys.due(partition), self._keys.repeats(partition)]
        names += [self._keys.game(look.game_id) for look in looks]
        args: list[Any] = [overdue]
        for look in looks:
            version, when = ("" if value is None else value for value in (look.version, look.when))
            args += [look.game_id, version, when, look.how]
        counted: list[int | None] = call(partial(self._due, keys=names, args=args))
        return counted
