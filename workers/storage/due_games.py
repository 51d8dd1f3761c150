"""The schedule of the sweeper's checks: games that wait for an AI or for a deadline.

A commit enters its game into the schedule together with the change (``due_in``), so that an AI's turn is due even if
the process dies before it enqueues the job. The scheduled time is that of the next check, by the store's clock
(workers/clock_jumps.py): shortly after a job should have run, later while a job is running, at the deadline if only a
person is to move.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Literal

from redis import Redis
from redis.client import Pipeline

from engines.table.table import Table
from workers.storage import table_codec
from workers.storage.commands import NOW_SCRIPT, overdue, run_command, run_pipeline, script, text
from workers.storage.errors import RulesetMissing, Unreadable
from workers.storage.keys import LAST_SWEEP, LEADING_SWEEPER, Keys
from workers.storage.store_time import StoreTime

QUEUED_JOB_GRACE_SECONDS: Final = 1.0
"""Seconds within which a worker should take a new job. Afterwards the sweeper checks whether the job exists."""

LEASE_SECONDS: Final = 1.0
"""Seconds for which a running job postpones its game's check. The lease is renewed while an AI searches."""

CHECK_INTERVAL_SECONDS: Final = 2.0
"""Seconds from a check to the next one if the game's job is still queued."""

MAX_RETRY_INTERVAL_SECONDS: Final = 60.0
"""Maximum number of seconds between retries of a job."""

LEAD_TTL_SECONDS: Final = 1.0
"""Seconds for which a sweeper leads after it has taken or renewed the lead."""


def due_in(table: Table, now: datetime) -> float | None:
    """Return the seconds until the first check of *table*, or None without an AI to move and without a deadline."""
    return QUEUED_JOB_GRACE_SECONDS if table.pending_ais(now) else seconds_left(table, now)


def seconds_left(table: Table, now: datetime) -> float | None:
    """Return the seconds until the deadline, or None if there is none."""
    return None if table.deadline is None else (datetime.fromisoformat(table.deadline) - now).total_seconds()


def retry_delay(retries: int) -> float:
    """Return the seconds from retry *retries* to the next: 2, 4, 8 ..., at most ``MAX_RETRY_INTERVAL_SECONDS``."""
    return float(min(MAX_RETRY_INTERVAL_SECONDS, 2.0 ** min(retries, 10)))


DEADLINE_EXTENSION_FIELD: Final = "allowance"
"""Field of a game's hash with the extension of its deadline (``due.lua``). Stored games have this name."""


@dataclass(frozen=True)
class OverdueGame:
    """A game whose check is due."""

    game_id: str
    table: Table | None
    """The latest table, or None if the game doesn't exist or can't be read."""
    retries: int
    """Number of times that the job of this version was enqueued again."""
    version: int | None = None
    """The latest version, or None if the game doesn't exist."""
    deadline_extension: timedelta = timedelta(0)
    """Time by which the table's deadline is extended after a clock jump (workers/clock_jumps.py)."""
    ruleset_missing: bool = False
    """True if the game's ruleset isn't installed here."""

    @property
    def is_unreadable(self) -> bool:
        """Return whether the game exists but this process can't read it. Another release's process may be able to."""
        return self.table is None and self.version is not None and not self.ruleset_missing


@dataclass(frozen=True)
class Reschedule:
    """An entry of the schedule: when a game is checked next."""

    game_id: str
    version: int | None
    """The version that the entry applies to. None means any version."""
    after: float | None
    """Seconds from now until the check, or None to remove the game from the schedule."""
    mode: Literal["", "later", "repeat"] = ""
    """When the entry is applied to a game that is at ``version`` and in the schedule. "": always. ``repeat``: only if
    the check is due; a retry is then counted. ``later``: only if the entry postpones the check, or if the scheduled
    check is more than ``MAX_RETRY_INTERVAL_SECONDS`` away.
    """
    deadline_extension: timedelta | None = None
    """The new extension of the deadline, or None to keep the present one."""


def leased(table: Table) -> Reschedule:
    """Return the entry that postpones the check by a lease, because a job is playing this version."""
    return Reschedule(table.id, table.version, LEASE_SECONDS, "later")


def nothing_due(table: Table, now: datetime) -> Reschedule:
    """Return the entry for a version without an AI to move: a check at the deadline, or none without a deadline."""
    return Reschedule(table.id, table.version, seconds_left(table, now))


def extended(table: Table, now: datetime, extension: timedelta) -> Reschedule:
    """Return the entry that keeps the extension of the deadline for a new version within the same turn."""
    return replace(nothing_due(table, now - extension), deadline_extension=extension)


def check_later(game_id: str, version: int) -> Reschedule:
    """Return the entry for a check after ``CHECK_INTERVAL_SECONDS``, because the job is still queued."""
    return Reschedule(game_id, version, CHECK_INTERVAL_SECONDS, "later")


def retried(game_id: str, version: int, retries: int) -> Reschedule:
    """Return the entry that counts one more retry of this version's job. The check follows after ``retry_delay``."""
    return Reschedule(game_id, version, retry_delay(retries + 1), "repeat")


def defer(game_id: str) -> Reschedule:
    """Return the entry that postpones the check by ``MAX_RETRY_INTERVAL_SECONDS``, whatever the game's version."""
    return Reschedule(game_id, None, MAX_RETRY_INTERVAL_SECONDS)


def removed(game_id: str) -> Reschedule:
    """Return the entry that removes a game, which no longer exists, from the schedule."""
    return Reschedule(game_id, None, None)


@dataclass(frozen=True)
class SweepTimes:
    """What the leading sweeper gets when it takes or renews the lead: the time now and that of the last sweep."""

    now: float
    """Epoch seconds by the store's clock."""
    swept: float | None
    """Time of the last sweep by the store's clock, or None if there was none."""
    swept_there: float | None
    """Time of the last sweep by the clock of the machine that ran it."""


class DueGames:
    """The schedule of one store. An entry for a version has no effect on a game that has changed since."""

    def __init__(self, redis: Redis, keys: Keys, time: StoreTime) -> None:
        self._redis = redis
        self._keys = keys
        self.time = time
        self._due = script(redis, "due.lua", NOW_SCRIPT)
        self._lead = script(redis, "lead.lua", NOW_SCRIPT)

    def put(self, reschedules: Sequence[Reschedule]) -> list[int | None]:
        """Schedule checks, with one script for each partition.

        Returns for each entry the number of retries of its version's job, or None if the entry had no effect. A retry
        is counted only if the check is still due, so that concurrent sweepers don't count the same retry twice.
        """
        by_partition: dict[int, list[int]] = defaultdict(list)
        for index, reschedule in enumerate(reschedules):
            by_partition[self._keys.partition(reschedule.game_id)].append(index)
        retry_counts: list[int | None] = [None] * len(reschedules)
        for partition, indexes in by_partition.items():
            answers = self._put(partition, [reschedules[index] for index in indexes])
            for index, answer in zip(indexes, answers, strict=True):
                retry_counts[index] = answer
        return retry_counts

    def overdue(self, limit: int) -> list[str]:
        """Return at most *limit* games whose check is due, longest overdue first."""
        names = [self._keys.due(partition) for partition in self._keys.all()]
        return overdue(self._redis, names, self.time(), limit)

    def all(self, partition: int) -> list[str]:
        """Return all scheduled games of a partition."""
        found: Any = run_command(lambda: self._redis.zrange(self._keys.due(partition), 0, -1))
        return [text(game_id) for game_id in found]

    def count_overdue(self, late: timedelta = timedelta(0)) -> int:
        """Return the number of games whose check is overdue by more than *late*."""
        then = self.time() - late.total_seconds()

        def fill(pipe: Pipeline) -> None:
            for partition in self._keys.all():
                pipe.zcount(self._keys.due(partition), "-inf", then)

        return sum(run_pipeline(self._redis, fill))

    def read(self, game_ids: Sequence[str]) -> list[OverdueGame]:
        """Return the due games *game_ids*, in this order, read in one round trip."""

        def fill(pipe: Pipeline) -> None:
            for game_id in game_ids:
                pipe.hmget(self._keys.game(game_id), "table", "version", DEADLINE_EXTENSION_FIELD)
                pipe.hget(self._keys.retries(self._keys.partition(game_id)), game_id)

        rows = run_pipeline(self._redis, fill)
        return [
            _overdue_game(game_id, stored, int(retries or 0))
            for game_id, stored, retries in zip(game_ids, rows[::2], rows[1::2], strict=True)
        ]

    def deadline_extension(self, table: Table) -> timedelta:
        """Return the time by which the deadline of *table* is extended because of clock jumps, or zero."""
        return _read_deadline_extension(
            run_command(lambda: self._redis.hget(self._keys.game(table.id), DEADLINE_EXTENSION_FIELD)), table.version
        )

    def try_lead(self, name: str, now: datetime) -> SweepTimes | None:
        """Become the leading sweeper, or renew the lead. Return None if another sweeper leads.

        The lead of another sweeper ends ``LEAD_TTL_SECONDS`` after its last renewal, whatever the clocks show. If the
        rank in that sweeper's name is lower than the rank in *name*, its lead ends at once.
        """
        args = [self.time.argument(), name, int(LEAD_TTL_SECONDS * 1000), now.timestamp()]
        found = run_command(lambda: self._lead(keys=[LEADING_SWEEPER, LAST_SWEEP], args=args))
        if found is None:
            return None
        moment, swept, there = found
        return SweepTimes(float(moment), *[None if one is None else float(one) for one in (swept, there)])

    def _put(self, partition: int, reschedules: Sequence[Reschedule]) -> list[int | None]:
        """Schedule checks of games of one partition."""
        names = [self._keys.due(partition), self._keys.retries(partition)]
        names += [self._keys.game(reschedule.game_id) for reschedule in reschedules]
        args: list[Any] = [self.time.argument(), MAX_RETRY_INTERVAL_SECONDS]
        for reschedule in reschedules:
            extension = reschedule.deadline_extension
            seconds = None if extension is None else extension.total_seconds()
            values = [reschedule.game_id, reschedule.version, reschedule.after, reschedule.mode, seconds]
            args += ["" if value is None else value for value in values]
        retry_counts: list[int | None] = run_command(partial(self._due, keys=names, args=args))
        return retry_counts


def _overdue_game(game_id: str, stored: Sequence[Any], retries: int) -> OverdueGame:
    """Decode a due game. Its table is None if the stored table can't be read."""
    packed, version, deadline_extension = stored
    if packed is None:
        return OverdueGame(game_id, None, retries)
    number = int(version)
    try:
        table = table_codec.load(table_codec.unpack(packed))
    except Unreadable as error:
        return OverdueGame(game_id, None, retries, number, ruleset_missing=isinstance(error, RulesetMissing))
    return OverdueGame(game_id, table, retries, number, _read_deadline_extension(deadline_extension, table.version))


def _read_deadline_extension(stored: Any, version: int) -> timedelta:
    """Decode the extension of a deadline. Return zero if the extension belongs to another version."""
    of_version, _, seconds = text(stored or b"").partition(":")
    return timedelta(seconds=float(seconds)) if of_version == str(version) else timedelta(0)
