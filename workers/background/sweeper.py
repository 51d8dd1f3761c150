"""The sweeper: enqueues a job again where an AI should have moved by now, a player's time is up, or a task is overdue.

Jobs get lost when a worker is killed, or when nobody lived to enqueue one. The schedule of due games has them
(due_games.py). A repeated job that comes to nothing is repeated more and more rarely, and a job that still waits in a
long queue isn't repeated at all. Repeating can't double a move: jobs are addressed to a version, and the first who
commits has it.

When a queue comes back empty, all that waited in it is overdue at once. So games are looked after in pages, each
in a handful of round trips: read them, write down when to look again, enqueue. If that fails for a page its halves
are tried, and so on down to the game that is the trouble.

A game that can't be read here may be of a newer version, whose workers play it: its job is repeated all the same. While
versions share a store, a sweeper of a newer one works (``RANK``).

When a clock has jumped, or nobody has swept for a while, it looks after every game that waits (workers/clocks.py): an
AI's turn is due at once, and nobody's deadline comes sooner than it would have.

It also looks after the games whose time is up (retention.py), of one partition a sweep.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from secrets import token_hex
from threading import Event
from time import monotonic
from typing import Final

import structlog

from engines.table.seats import Asked
from engines.table.table import Table
from workers.clocks import JUMP_SECONDS, Drift
from workers.metrics import REPEATS
from workers.outages import OutageLogger
from workers.retention import Retention
from workers.storage.due_games import (
    LEAD_SECONDS,
    Lead,
    OverdueGame,
    Reschedule,
    check_later,
    defer,
    nothing_due,
    removed,
    retried,
)
from workers.storage.errors import StorageUnavailable
from workers.storage.fair_queues import AI_ONLY
from workers.storage.queue import ANY_AI, INTERACTIVE, UnreadTable, requeue_overdue, turn_id
from workers.storage.queue import waiting as waiting_in
from workers.storage.store import Store
from workers.storage.tasks import TASK_TYPES

LIMIT: Final = 50_000
"""How many games, and how many tasks, one sweep looks after."""

PAGE: Final = 1000
"""So many games are looked after together, in a handful of round trips. The script takes 15 ms for them."""

PAGE_PER_PARTITION: Final = 32
"""So many of each partition on average, if that is more: a script has the games of one."""

LEADER_CHECK_SECONDS: Final = 0.25
"""How often a sweeper asks whether it is to work."""

RETENTION_SECONDS: Final = 0.2
"""How long one sweep begins with games to archive."""

ARCHIVE_RETRY_SECONDS: Final = 60.0
"""How long nothing is archived after that has failed: the disk may be full."""

RANK: Final = 1
"""Of sweepers of several versions one of the highest rank works: older ones, of rank 0, put off games that they can't
read. One that does better than those before it has a higher one."""

UNSWEPT_SECONDS: Final = 10.0
"""If nobody has swept for so long, nothing was served, or the clock has leapt: people's time stood still."""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Page:
    """Overdue games that are looked after together."""

    games: Sequence[str]
    """Those that have waited longest first."""
    waiting: frozenset[str]
    """The ids of the jobs that were in the queue then."""

    def halves(self) -> list["Page"]:
        """Return it as two, what has waited longest last."""
        half = len(self.games) // 2
        return [replace(self, games=games) for games in (self.games[half:], self.games[:half])]


class Sweeper:
    """One sweeper; of several over the same storage only one works at a time."""

    def __init__(self, store: Store, retention: Retention | None = None) -> None:
        self.name = f"{RANK}-{token_hex(8)}"
        self._store = store
        self._retention = retention
        self._partition = 0
        self._archive_retry_at = 0.0
        self._leads_until = 0.0
        self._store_drift = Drift()
        self._drift = Drift()

    def run(self, seconds: float, stop: Event) -> None:
        """Sweep every so many *seconds* until *stop*, whether or not the storage is there all the time.

        Whoever doesn't work asks more often: the one that does may have died.
        """
        outages = OutageLogger("sweep_failed")
        while not stop.wait(seconds if self._leads_until else min(seconds, LEADER_CHECK_SECONDS)):
            outages.run(self.sweep)

    def sweep(self) -> int:
        """Look after what is overdue, and return how many jobs that took. Raises ``StorageUnavailable``."""
        self._leads_until = 0.0
        if not self._is_leader():
            return 0
        repeated = self._sweep_tasks() + self._sweep_games()
        self._enforce_retention()
        return repeated

    def _is_leader(self) -> bool:
        """Stay the sweeper that works, and ask whether it is that, every now and then."""
        if monotonic() >= self._leads_until:
            lead = self._store.due_games.try_lead(self.name, self._store.now())
            if lead is None:
                return False
            self._leads_until = monotonic() + LEAD_SECONDS / 4
            self._check_clocks(lead)
        return True

    def _check_clocks(self, lead: Lead) -> None:
        """Look after every game if a clock has jumped since the last look, of whichever sweeper that was."""
        steady, now = self._store.games.steady(), self._store.now().timestamp()
        store_jump, local_jump = self._store_drift.jump(lead.now, steady), self._drift.jump(now, steady)
        if lead.swept is not None and lead.swept_there is not None:
            unswept = lead.now - lead.swept
            if not -JUMP_SECONDS < unswept < UNSWEPT_SECONDS:
                store_jump = store_jump or unswept
                local_jump = local_jump or now - lead.swept_there
        if store_jump or local_jump:
            log.warning("clock_jumped", store=round(store_jump, 3), local_jump=round(local_jump, 3))
            self._store.tasks.shorten_leases()
            for partition in self._store.keys.all():
                games = self._store.due_games.all(partition)
                for first in range(0, len(games), PAGE):
                    self._reschedule_after_jump(games[first : first + PAGE], timedelta(seconds=max(0.0, local_jump)))

    def _reschedule_after_jump(self, games: Sequence[str], jump: timedelta) -> None:
        """Say anew when to look after games, after a clock has *leapt* so far."""
        now = self._store.now()
        self._store.due_games.put([_after_jump(game, now, jump) for game in self._store.due_games.read(games)])

    def _sweep_games(self) -> int:
        """Look after the games that wait for an AI, or whose deadline has passed."""
        overdue = self._store.due_games.overdue(LIMIT)
        if not overdue:
            return 0
        waiting = frozenset(job for name in (INTERACTIVE, AI_ONLY) for job in waiting_in(self._store.broker, name))
        repeated = 0
        # Each page goes before all that waits: so the last is the one whose games have waited longest.
        size = max(PAGE, PAGE_PER_PARTITION * self._store.keys.partitions)
        for first in reversed(range(0, len(overdue), size)):
            if not self._is_leader():
                break
            repeated += self._try(Page(overdue[first : first + size], waiting))
        return repeated

    def _enforce_retention(self) -> None:
        """Look after the games of one partition whose time is up; of another one the next time."""
        if self._retention is None or monotonic() < self._archive_retry_at:
            return
        partition, self._partition = self._partition, (self._partition + 1) % self._store.keys.partitions
        try:
            self._retention.enforce(partition, RETENTION_SECONDS)
        except StorageUnavailable:
            raise
        except Exception as error:  # whatever it was, AIs' turns go on
            log.exception("archive_failed", partition=partition, exc_info=error)
            self._archive_retry_at = monotonic() + ARCHIVE_RETRY_SECONDS

    def _sweep_tasks(self) -> int:
        """Look after the tasks that nobody seems to work on."""
        tasks = self._store.tasks
        overdue = tasks.overdue(LIMIT)
        if not overdue:
            return 0
        waiting = {kind.queue: waiting_in(tasks.broker, kind.queue) for kind in TASK_TYPES.values()}
        return sum(self._try_task(task, waiting) for task in overdue)

    def _try(self, page: Page) -> int:
        """Look after a page; a game that can't be looked after is put off, and doesn't keep the others waiting."""
        try:
            return self._requeue_missing(page)
        except StorageUnavailable:
            raise
        except Exception as error:  # whatever it was, it is one game's trouble alone
            if len(page.games) > 1:
                return sum(self._try(half) for half in page.halves())
            (game_id,) = page.games
            log.exception("sweep_failed", game_id=game_id, exc_info=error)
            self._store.due_games.put([defer(game_id)])
            return 0

    def _requeue_missing(self, page: Page) -> int:
        """Repeat the jobs of the games that lack theirs, and return how many that were."""
        outbox, now = self._store.due_games, self._store.now()
        games = [(game, _pending_ais(game, now)) for game in outbox.read(page.games)]
        reschedules = [_reschedule(game, pending_ais, page.waiting, now) for game, pending_ais in games]
        late = [
            (game.table or UnreadTable(game.game_id, game.version or 0), pending_ais[0], retry)
            for (game, pending_ais), reschedule, retry in zip(games, reschedules, outbox.put(reschedules), strict=True)
            if reschedule.mode == "repeat" and retry is not None
        ]
        for table, pending_ai, retry in late:
            log.info("repeated", game_id=table.id, version=table.version, seat=pending_ai.seat, repeat=retry)
        for game, _ in games:
            if game.is_unreadable:
                log.error("unreadable_game", game_id=game.game_id, version=game.version)
                self._store.unreadable.note(game.game_id)
        REPEATS.inc(len(late))
        unattended = [
            game.game_id
            for game, pending_ais in games
            if game.table is not None and _is_unattended(game.table, pending_ais)
        ]
        creators = self._store.active_quota.creators(unattended)
        requeue_overdue(self._store.broker, late, creators)
        return len(late)

    def _try_task(self, task_id: str, waiting: Mapping[str, list[str]]) -> bool:
        """Look after a task; one that can't be looked after is put off, and doesn't keep the others waiting."""
        tasks = self._store.tasks
        try:
            is_repeated = tasks.requeue_if_lost(task_id, waiting)
        except StorageUnavailable:
            raise
        except Exception as error:  # whatever it was, it is this one's trouble alone
            log.exception("sweep_failed", job_id=task_id, exc_info=error)
            tasks.defer(task_id)
            return False
        if is_repeated:
            log.info("task_repeated", job_id=task_id)
        return is_repeated


def _is_unattended(table: Table, pending_ais: Sequence[Asked]) -> bool:
    """Only AIs play, or an AI stands in for a person who let their time pass: they don't seem to be there."""
    return table.only_ais or any(table.seats[one.seat].kind == "human" for one in pending_ais)


def _pending_ais(game: OverdueGame, now: datetime) -> Sequence[Asked]:
    """Return the AIs to ask at a game; at one that can't be read here, whoever it is."""
    if game.table is None:
        return [ANY_AI] if game.is_unreadable else []
    return game.table.asked(now - game.allowance)


def _reschedule(game: OverdueGame, pending_ais: Sequence[Asked], waiting: frozenset[str], now: datetime) -> Reschedule:
    """Return when to look after a game again, and whether its job is repeated, if that is what it lacks."""
    if game.version is None:
        return removed(game.game_id)
    if game.table is not None and not pending_ais:
        return nothing_due(game.table, now - game.allowance)
    table = game.table or UnreadTable(game.game_id, game.version)
    if any(turn_id(table, pending_ais[0], repeat) in waiting for repeat in range(game.retries + 1)):
        return check_later(table.id, table.version)
    return retried(table.id, table.version, game.retries)


def _after_jump(game: OverdueGame, now: datetime, jump: timedelta) -> Reschedule:
    """Return when to look after a game after a clock has *leapt* so far: at once, if an AI is to be asked.

    Who had a deadline has at least as much time as before, and at most as much as a turn has.
    """
    table = game.table
    if table is None or table.deadline is None or table.turn_seconds is None:
        return Reschedule(game.game_id, game.version, 0.0)
    deadline, turn = datetime.fromisoformat(table.deadline), timedelta(seconds=table.turn_seconds)
    spent = min(max(now - game.allowance - jump - (deadline - turn), timedelta(0)), turn)
    allowance = now + turn - spent - deadline
    after = 0.0 if table.asked(now - allowance) else (turn - spent).total_seconds()
    return Reschedule(table.id, table.version, after, allowance=allowance)
