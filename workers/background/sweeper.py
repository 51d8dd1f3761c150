"""The sweeper: enqueues jobs again for overdue AI turns, passed deadlines and overdue tasks.

A job is lost if its worker is killed, or if a process dies before it enqueues the job. The sweeper finds such a game in
the schedule of checks (due_games.py). A job that keeps failing is retried at growing intervals, and a job that is still
queued is not retried. A retry can't make a move twice, because a job belongs to one version of its game, and only the
first commit against a version succeeds.

If a queue is lost, all its games are overdue at once. Therefore games are handled in pages, each in a few round trips:
read the games, schedule their next checks, enqueue. If a page fails, its two halves are tried separately, down to the
single game that fails.

A game that this process can't read may have been written by a newer version, so its job is retried too. Of several
sweepers only the one that leads works. While several versions share a store, a sweeper of the newest version leads
(``SWEEPER_RANK``).

After a clock jump, or if no sweeper has run for a while, all scheduled games are rescheduled (workers/clock_jumps.py).
AI turns become due at once, and no deadline becomes earlier.

The sweeper also enforces retention (retention.py), in one partition per sweep.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from secrets import token_hex
from threading import Event
from time import monotonic
from typing import Final

import structlog

from engines.table.seats import PendingAi
from engines.table.table import Table
from workers.clock_jumps import MIN_JUMP_SECONDS, Drift
from workers.metrics import AI_TURNS_REPEATED
from workers.outage_retry import OutageLogger
from workers.retention import Retention
from workers.storage.damaged_shared_keys import set_aside_damaged
from workers.storage.due_games import (
    LEAD_TTL_SECONDS,
    OverdueGame,
    Reschedule,
    SweepTimes,
    check_later,
    defer,
    nothing_due,
    removed,
    retried,
)
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.fair_queues import AI_ONLY_QUEUE
from workers.storage.queue import ANY_AI, INTERACTIVE_QUEUE, UnreadableTable, requeue_overdue, turn_id
from workers.storage.queue import waiting as waiting_in
from workers.storage.store import Store
from workers.storage.tasks import TASK_TYPES

MAX_OVERDUE_PER_SWEEP: Final = 50_000
"""Maximum number of games, and of tasks, in one sweep."""

PAGE_SIZE: Final = 1000
"""Number of games that are handled together, in a few round trips. due.lua takes 15 ms for a page."""

MIN_PAGE_GAMES_PER_PARTITION: Final = 32
"""Minimum size of a page, in games per partition.

due.lua runs once for each partition of a page. Without a minimum, a store with many partitions would need many runs
for few games.
"""

TAKE_LEAD_INTERVAL_SECONDS: Final = 0.25
"""Interval at which a sweeper that doesn't lead tries to take the lead."""

MAX_ARCHIVING_SECONDS: Final = 0.2
"""Time within one sweep after which no further games are archived."""

ARCHIVE_RETRY_SECONDS: Final = 60.0
"""Delay before archiving is tried again after a failure, such as a full disk."""

SWEEPER_RANK: Final = 1
"""Rank of this version's sweeper. Among sweepers of several versions, one of the highest rank leads.

Sweepers of rank 0 postpone games that they can't read. A version whose sweeper handles more cases gets a higher rank.
"""

MIN_SWEEP_OUTAGE_SECONDS: Final = 10.0
"""Minimum number of seconds without a sweep after which games are rescheduled as after a clock jump.

Deadlines are extended by the whole time without a sweep.
"""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Page:
    """Overdue games that are handled together, in a few round trips."""

    games: Sequence[str]
    """Ids of the games, longest overdue first."""
    waiting: frozenset[str]
    """The ids of the jobs that were queued when the sweep began."""

    def halves(self) -> list["Page"]:
        """Return the two halves of the page in reverse order: the half with the longest overdue games comes last.

        Each half is put at the head of the queue, so that the half that is handled last is first in the queue.
        """
        half = len(self.games) // 2
        return [replace(self, games=games) for games in (self.games[half:], self.games[:half])]


class Sweeper:
    """A sweeper. Of several sweepers of one store only one leads and works."""

    def __init__(self, store: Store, retention: Retention | None = None) -> None:
        self.name = f"{SWEEPER_RANK}-{token_hex(8)}"
        self._store = store
        self._retention = retention
        self._partition = 0
        self._archive_retry_at = 0.0
        self._leads_until = 0.0
        self._store_drift = Drift()
        self._drift = Drift()

    def run(self, seconds: float, stop: Event) -> None:
        """Sweep every *seconds* until *stop* is set, and retry while the store is unreachable.

        A sweeper that doesn't lead tries at least every ``TAKE_LEAD_INTERVAL_SECONDS`` to take the lead, because the
        leading one may have died.
        """
        outages = OutageLogger("sweep_failed")
        while not stop.wait(seconds if self._leads_until else min(seconds, TAKE_LEAD_INTERVAL_SECONDS)):
            outages.run(self.sweep)

    def sweep(self) -> int:
        """Handle everything that is overdue, if this sweeper leads. Return the number of jobs that were enqueued again.

        Raises ``StorageUnavailable``, ``DamagedKey``.
        """
        self._leads_until = 0.0
        if not self._is_leader():
            return 0
        try:
            repeated = self._sweep_tasks() + self._sweep_games()
        except DamagedKey:
            for partition in self._store.keys.all():
                set_aside_damaged(self._store.redis, self._store.keys, partition)
            raise
        self._enforce_retention()
        return repeated

    def _is_leader(self) -> bool:
        """Return whether this sweeper leads. At intervals the lead is taken or renewed, and the clocks are checked."""
        if monotonic() >= self._leads_until:
            lead = self._store.due_games.try_lead(self.name, self._store.now())
            if lead is None:
                return False
            self._leads_until = monotonic() + LEAD_TTL_SECONDS / 4
            self._check_clocks(lead)
        return True

    def _check_clocks(self, lead: SweepTimes) -> None:
        """Reschedule every game if a clock has jumped since the last check, or if no sweeper ran for a while."""
        steady, now = self._store.games.steady(), self._store.now().timestamp()
        store_jump, local_jump = self._store_drift.jump(lead.now, steady), self._drift.jump(now, steady)
        is_jump = bool(store_jump or local_jump)  # an outage of all sweepers is handled like a jump but isn't one
        if lead.swept is not None and lead.swept_there is not None:
            unswept = lead.now - lead.swept
            if not -MIN_JUMP_SECONDS < unswept < MIN_SWEEP_OUTAGE_SECONDS:
                store_jump = store_jump or unswept
                local_jump = local_jump or now - lead.swept_there
                is_jump = is_jump or unswept < 0
        if store_jump or local_jump:
            if is_jump:
                log.warning("clock_jumped", store=round(store_jump, 3), local_jump=round(local_jump, 3))
            else:
                log.info("sweeping_again", after=round(store_jump, 3))
            self._store.tasks.shorten_leases()
            for partition in self._store.keys.all():
                games = self._store.due_games.all(partition)
                for first in range(0, len(games), PAGE_SIZE):
                    self._reschedule_after_jump(
                        games[first : first + PAGE_SIZE], timedelta(seconds=max(0.0, local_jump))
                    )

    def _reschedule_after_jump(self, games: Sequence[str], jump: timedelta) -> None:
        """Reschedule games after a clock has jumped by *jump*."""
        now = self._store.now()
        try:
            self._store.due_games.put([_after_jump(game, now, jump) for game in self._store.due_games.read(games)])
        except StorageUnavailable:
            raise
        except Exception as error:  # one unreadable game must not stop other games
            half = len(games) // 2
            if not half:
                log.exception("sweep_failed", game_id=games[0], exc_info=error)
                self._leave_alone(games[0])
            for some in (games[:half], games[half:]) if half else ():
                self._reschedule_after_jump(some, jump)

    def _sweep_games(self) -> int:
        """Handle games with an overdue AI turn or a passed deadline. Return the number of jobs enqueued again."""
        overdue = self._store.due_games.overdue(MAX_OVERDUE_PER_SWEEP)
        if not overdue:
            return 0
        waiting = frozenset(
            job for name in (INTERACTIVE_QUEUE, AI_ONLY_QUEUE) for job in waiting_in(self._store.broker, name)
        )
        repeated = 0
        # Each page goes to the head of the queue, so the page with the longest overdue games is handled last.
        size = max(PAGE_SIZE, MIN_PAGE_GAMES_PER_PARTITION * self._store.keys.partitions)
        for first in reversed(range(0, len(overdue), size)):
            if not self._is_leader():
                break
            repeated += self._try(Page(overdue[first : first + size], waiting))
        return repeated

    def _enforce_retention(self) -> None:
        """Enforce retention in one partition. Each call takes the next partition."""
        if self._retention is None or monotonic() < self._archive_retry_at:
            return
        partition, self._partition = self._partition, (self._partition + 1) % self._store.keys.partitions
        try:
            self._retention.enforce(partition, MAX_ARCHIVING_SECONDS)
        except StorageUnavailable:
            raise
        except Exception as error:  # a failure must not stop AI turns
            log.exception("archive_failed", partition=partition, exc_info=error)
            self._archive_retry_at = monotonic() + ARCHIVE_RETRY_SECONDS

    def _sweep_tasks(self) -> int:
        """Handle the tasks whose heartbeat is missing. Return the number of tasks enqueued again."""
        tasks = self._store.tasks
        overdue = tasks.overdue(MAX_OVERDUE_PER_SWEEP)
        if not overdue:
            return 0
        waiting = {kind.queue: waiting_in(tasks.broker, kind.queue) for kind in TASK_TYPES.values()}
        return sum(self._try_task(task, waiting) for task in overdue)

    def _try(self, page: Page) -> int:
        """Handle a page. Return the number of jobs enqueued again.

        A game that fails is postponed, so that the other games are still handled.
        """
        try:
            return self._requeue_missing(page)
        except StorageUnavailable:
            raise
        except Exception as error:  # an error of one game must not stop other games
            if len(page.games) > 1:
                return sum(self._try(half) for half in page.halves())
            log.exception("sweep_failed", game_id=page.games[0], exc_info=error)
            self._leave_alone(page.games[0])
            return 0

    def _leave_alone(self, game_id: str) -> None:
        """Postpone a game that can't be handled, and report it in ``/readyz``."""
        self._store.unreadable.note(game_id)
        self._store.due_games.put([defer(game_id)])

    def _requeue_missing(self, page: Page) -> int:
        """Enqueue the missing jobs of a page and return their number."""
        schedule, now = self._store.due_games, self._store.now()
        games = [(game, _pending_ais(game, now)) for game in schedule.read(page.games)]
        reschedules = [_reschedule(game, pending_ais, page.waiting, now) for game, pending_ais in games]
        retries = schedule.put(reschedules)
        late = [
            (game.table or UnreadableTable(game.game_id, game.version or 0), ais[0], retry)
            for (game, ais), reschedule, retry in zip(games, reschedules, retries, strict=True)
            if reschedule.mode == "repeat" and retry is not None
        ]
        for table, pending_ai, retry in late:
            log.info("repeated", game_id=table.id, version=table.version, seat=pending_ai.seat, repeat=retry)
        for game, _ in games:
            if game.is_unreadable:
                log.error("unreadable_game", game_id=game.game_id, version=game.version)
                self._store.unreadable.note(game.game_id)
        AI_TURNS_REPEATED.inc(len(late))
        unattended = [game.game_id for game, ais in games if game.table and _is_unattended(game.table, ais)]
        creators = self._store.concurrent_work_limits.creators(unattended)
        requeue_overdue(self._store.broker, late, creators)
        return len(late)

    def _try_task(self, task_id: str, waiting: Mapping[str, list[str]]) -> bool:
        """Enqueue a task again if its job is lost. Return whether it was enqueued. If that fails, postpone the task."""
        tasks = self._store.tasks
        try:
            is_repeated = tasks.requeue_if_lost(task_id, waiting)
        except StorageUnavailable:
            raise
        except Exception as error:  # an error of one task must not stop other tasks
            log.exception("sweep_failed", job_id=task_id, exc_info=error)
            tasks.defer(task_id)
            return False
        if is_repeated:
            log.info("task_repeated", job_id=task_id)
        return is_repeated


def _is_unattended(table: Table, pending_ais: Sequence[PendingAi]) -> bool:
    """Return whether no person waits: only AIs play, or an AI stands in for a person who missed the deadline."""
    return table.only_ais or any(table.seats[one.seat].kind == "human" for one in pending_ais)


def _pending_ais(game: OverdueGame, now: datetime) -> Sequence[PendingAi]:
    """Return the AIs to move: ``ANY_AI`` for an unreadable game, none for a deleted game."""
    if game.table is None:
        return [ANY_AI] if game.is_unreadable else []
    return game.table.pending_ais(now - game.deadline_extension)


def _reschedule(
    game: OverdueGame, pending_ais: Sequence[PendingAi], waiting: frozenset[str], now: datetime
) -> Reschedule:
    """Return a game's next check. The check's mode is ``repeat`` if the job is missing and is enqueued again."""
    if game.version is None:
        return removed(game.game_id)
    if game.ruleset_missing:
        return defer(game.game_id)
    if game.table is not None and not pending_ais:
        return nothing_due(game.table, now - game.deadline_extension)
    table = game.table or UnreadableTable(game.game_id, game.version)
    if any(turn_id(table, pending_ais[0], repeat) in waiting for repeat in range(game.retries + 1)):
        return check_later(table.id, table.version)
    return retried(table.id, table.version, game.retries)


def _after_jump(game: OverdueGame, now: datetime, jump: timedelta) -> Reschedule:
    """Return a game's next check after a clock has jumped by *jump*. If an AI is to move, the check is due at once.

    A person with a deadline has at least as much time left as before, and at most the time of a whole turn.
    """
    table = game.table
    if table is None or table.deadline is None or table.turn_seconds is None:
        return Reschedule(game.game_id, game.version, 0.0)
    deadline, turn = datetime.fromisoformat(table.deadline), timedelta(seconds=table.turn_seconds)
    spent = min(max(now - game.deadline_extension - jump - (deadline - turn), timedelta(0)), turn)
    deadline_extension = now + turn - spent - deadline
    after = 0.0 if table.pending_ais(now - deadline_extension) else (turn - spent).total_seconds()
    return Reschedule(table.id, table.version, after, deadline_extension=deadline_extension)
