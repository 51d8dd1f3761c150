"""The outbox: which games wait for an AI, or for a deadline, and when the sweeper is to look after them.

A commit puts its game in together with the change (``due_at``), so that an AI's turn is owed even if nobody lives to
enqueue the job. Every time is that of the next look: shortly after a job should have been done, later while one works
on it, at the deadline when all that is waited for is a person.
"""

from datetime import datetime
from typing import Final

from redis import Redis

from engines.table import Table
from workers.storage.connection import call, overdue, script, text
from workers.storage.keys import SWEEPER, Keys

GRACE_SECONDS: Final = 1.0
"""How long a fresh job may take to be picked up before the sweeper doubts that it exists."""

LEASE_SECONDS: Final = 3.0
"""How long a job that has begun may take."""

LOOK_SECONDS: Final = 2.0
"""How long a game that was looked after is left alone, unless its job is repeated."""

LONGEST_SECONDS: Final = 60.0
"""A job that has been repeated in vain is repeated ever more rarely, but not less often than this."""

LEAD_SECONDS: Final = 2.0
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


class Outbox:
    """The outbox of one storage. Whatever it does about a version leaves a game alone that has moved on."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._keys = keys
        self._due = script(redis, "due.lua")

    def lease(self, table: Table, now: datetime) -> None:
        """Keep the sweeper away while a job works on this version."""
        self._put(table, now.timestamp() + LEASE_SECONDS, "later")

    def settle(self, table: Table) -> None:
        """Nobody was left to be asked at this version: wait for the deadline, or for nothing."""
        self._put(table, deadline(table))

    def postpone(self, table: Table, now: datetime) -> None:
        """Look again a little later."""
        self._put(table, now.timestamp() + LOOK_SECONDS)

    def repeat(self, table: Table, now: datetime) -> int | None:
        """Count one more repeated job at this version and be patient with it; None if the game has moved on."""
        so_far = self.repeats(table)
        return self._put(table, now.timestamp() + retry_delay(so_far + 1), "repeat")

    def repeats(self, table: Table) -> int:
        """Return how many jobs of its current version were repeated."""
        name = self._keys.repeats(self._keys.partition(table.id))
        return int(text(call(lambda: self._redis.hget(name, table.id)) or b"0"))

    def overdue(self, now: datetime, limit: int) -> list[str]:
        """Return the games to look after, those that have waited longest first."""
        names = [self._keys.due(partition) for partition in self._keys.all()]
        return overdue(self._redis, names, now.timestamp(), limit)

    def put_off(self, game_id: str, now: datetime) -> None:
        """Leave a game alone for as long as can be, whatever its version."""
        name = self._keys.due(self._keys.partition(game_id))
        call(lambda: self._redis.zadd(name, {game_id: now.timestamp() + LONGEST_SECONDS}, xx=True))

    def forget(self, game_id: str) -> None:
        """Take out a game that doesn't exist."""
        call(lambda: self._redis.zrem(self._keys.due(self._keys.partition(game_id)), game_id))

    def leads(self, name: str) -> bool:
        """Become the one sweeper that works, or stay it; another takes over when *name* gives no sign of life."""
        milliseconds = int(LEAD_SECONDS * 1000)
        leader = call(lambda: self._redis.set(SWEEPER, name, nx=True, get=True, px=milliseconds))
        if leader is not None and text(leader) == name:
            call(lambda: self._redis.pexpire(SWEEPER, milliseconds))
        return leader is None or text(leader) == name

    def _put(self, table: Table, when: float | None, how: str = "") -> int | None:
        partition = self._keys.partition(table.id)
        names = [self._keys.game(table.id), self._keys.due(partition), self._keys.repeats(partition)]
        args: list[str | float] = [table.id, table.version, "" if when is None else when, how]
        answer = call(lambda: self._due(keys=names, args=args))
        return None if answer is None else int(answer)
