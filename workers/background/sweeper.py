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
from workers.storage.damaged_lists import set_aside_damaged
from workers.storage.due_games import (
    LEAD_SECONDS,
    Lead,
    OverdueGame,
    Reschedule,
    forgotten,
    postponed,
    put_off,
    repeated,
    settled,
)
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.fair_queues import ALONE
from workers.storage.queue import ANYBODY, PEOPLE, Unread, requeue_overdue, turn_id
from workers.storage.queue import waiting as waiting_in
from workers.storage.store import Store
from workers.storage.tasks import KINDS

LIMIT: Final = 50_000
"""How many games, and how many tasks, one sweep looks after."""

PAGE: Final = 1000
"""So many games are looked after together, in a handful of round trips. The script takes 15 ms for them."""

OF_A_PARTITION: Final = 32
"""So many of each partition on average, if that is more: a script has the games of one."""

ASK_SECONDS: Final = 0.25
"""How often a sweeper asks whether it is to work."""

LIFETIMES_SECONDS: Final = 0.2
"""How long one sweep begins with games to archive."""

FAILED_SECONDS: Final = 60.0
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

    def __init__(self, store: Store, lifetimes: Retention | None = None) -> None:
        self.name = f"{RANK}-{token_hex(8)}"
        self._store = store
        self._lifetimes = lifetimes
        self._partition = 0
        self._patient_until = 0.0
        self._leads_until = 0.0
        self._store_drift = Drift()
        self._drift = Drift()

    def run(self, seconds: float, stop: Event) -> None:
        """Sweep every so many *seconds* until *stop*, whether or not the storage is there all the time.

        Whoever doesn't work asks more often: the one that does may have died.
        """
        attempts = OutageLogger("sweep_failed")
        while not stop.wait(seconds if self._leads_until else min(seconds, ASK_SECONDS)):
            attempts.make(self.sweep)

    def sweep(self) -> int:
        """Look after what is overdue, and return how many jobs that took. Raises ``StorageUnavailable``."""
        self._leads_until = 0.0
        if not self._leads():
            return 0
        try:
            repeated = self._sweep_tasks() + self._sweep_games()
        except DamagedKey:
            for partition in self._store.keys.all():
                set_aside_damaged(self._store.redis, self._store.keys, partition)
            raise
        self._look_after_lifetimes()
        return repeated

    def _leads(self) -> bool:
        """Stay the sweeper that works, and ask whether it is that, every now and then."""
        if monotonic() >= self._leads_until:
            lead = self._store.outbox.leads(self.name, self._store.now())
            if lead is None:
                return False
            self._leads_until = monotonic() + LEAD_SECONDS / 4
            self._look_at_clocks(lead)
        return True

    def _look_at_clocks(self, lead: Lead) -> None:
        """Look after every game if a clock has jumped since the last look, or nobody has looked for a while."""
        steady, now = self._store.games.steady(), self._store.now().timestamp()
        there, here = self._store_drift.jump(lead.now, steady), self._drift.jump(now, steady)
        is_jump = bool(there or here)  # else nobody has swept, as while no server runs: that says nothing of a clock
        if lead.swept is not None and lead.swept_there is not None:
            unswept = lead.now - lead.swept
            if not -JUMP_SECONDS < unswept < UNSWEPT_SECONDS:
                there = there or unswept
                here = here or now - lead.swept_there
                is_jump = is_jump or unswept < 0
        if there or here:
            if is_jump:
                log.warning("clock_jumped", store=round(there, 3), here=round(here, 3))
            else:
                log.info("sweeping_again", after=round(there, 3))
            self._store.tasks.shorten_leases()
            for partition in self._store.keys.all():
                games = self._store.outbox.all(partition)
                for first in range(0, len(games), PAGE):
                    self._look_again(games[first : first + PAGE], timedelta(seconds=max(0.0, here)))

    def _look_again(self, games: Sequence[str], leapt: timedelta) -> None:
        """Say anew when to look after games, after a clock has *leapt* so far."""
        now = self._store.now()
        try:
            self._store.outbox.put([_look_anew(owed, now, leapt) for owed in self._store.outbox.read(games)])
        except StorageUnavailable:
            raise
        except Exception as error:  # whatever it was, it is one game's trouble alone
            half = len(games) // 2
            if not half:
                log.exception("sweep_failed", game_id=games[0], exc_info=error)
                self._leave_alone(games[0])
            for some in (games[:half], games[half:]) if half else ():
                self._look_again(some, leapt)

    def _sweep_games(self) -> int:
        """Look after the games that wait for an AI, or whose deadline has passed."""
        overdue = self._store.outbox.overdue(LIMIT)
        if not overdue:
            return 0
        waiting = frozenset(job for name in (PEOPLE, ALONE) for job in waiting_in(self._store.broker, name))
        repeated = 0
        # Each page goes before all that waits: so the last is the one whose games have waited longest.
        size = max(PAGE, OF_A_PARTITION * self._store.keys.partitions)
        for first in reversed(range(0, len(overdue), size)):
            if not self._leads():
                break
            repeated += self._try(Page(overdue[first : first + size], waiting))
        return repeated

    def _look_after_lifetimes(self) -> None:
        """Look after the games of one partition whose time is up; of another one the next time."""
        if self._lifetimes is None or monotonic() < self._patient_until:
            return
        partition, self._partition = self._partition, (self._partition + 1) % self._store.keys.partitions
        try:
            self._lifetimes.look_after(partition, LIFETIMES_SECONDS)
        except StorageUnavailable:
            raise
        except Exception as error:  # whatever it was, AIs' turns go on
            log.exception("archive_failed", partition=partition, exc_info=error)
            self._patient_until = monotonic() + FAILED_SECONDS

    def _sweep_tasks(self) -> int:
        """Look after the tasks that nobody seems to work on."""
        tasks = self._store.tasks
        overdue = tasks.overdue(LIMIT)
        if not overdue:
            return 0
        waiting = {kind.queue: waiting_in(tasks.broker, kind.queue) for kind in KINDS.values()}
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
            log.exception("sweep_failed", game_id=page.games[0], exc_info=error)
            self._leave_alone(page.games[0])
            return 0

    def _leave_alone(self, game_id: str) -> None:
        """Put off a game that can't be looked after, and let ``/readyz`` say so."""
        self._store.unreadable.note(game_id)
        self._store.outbox.put([put_off(game_id)])

    def _requeue_missing(self, page: Page) -> int:
        """Repeat the jobs of the games that lack theirs, and return how many that were."""
        outbox, now = self._store.outbox, self._store.now()
        found = [(owed, _asked(owed, now)) for owed in outbox.read(page.games)]
        looks = [_look(owed, asked, page.waiting, now) for owed, asked in found]
        late = [
            (owed.table or Unread(owed.game_id, owed.version or 0), asked[0], repeat)
            for (owed, asked), look, repeat in zip(found, looks, outbox.put(looks), strict=True)
            if look.how == "repeat" and repeat is not None
        ]
        for table, asked, repeat in late:
            log.info("repeated", game_id=table.id, version=table.version, seat=asked.seat, repeat=repeat)
        for owed, _ in found:
            if owed.is_unreadable:
                log.error("unreadable_game", game_id=owed.game_id, version=owed.version)
                self._store.unreadable.note(owed.game_id)
        REPEATS.inc(len(late))
        unwatched = [
            owed.game_id for owed, asked in found if owed.table is not None and _is_unattended(owed.table, asked)
        ]
        creators = self._store.active_quota.creators(unwatched)
        requeue_overdue(self._store.broker, late, creators)
        return len(late)

    def _try_task(self, task_id: str, waiting: Mapping[str, list[str]]) -> bool:
        """Look after a task; one that can't be looked after is put off, and doesn't keep the others waiting."""
        tasks = self._store.tasks
        try:
            is_repeated = tasks.look_after(task_id, waiting)
        except StorageUnavailable:
            raise
        except Exception as error:  # whatever it was, it is this one's trouble alone
            log.exception("sweep_failed", job_id=task_id, exc_info=error)
            tasks.put_off(task_id)
            return False
        if is_repeated:
            log.info("task_repeated", job_id=task_id)
        return is_repeated


def _is_unattended(table: Table, asked: Sequence[Asked]) -> bool:
    """Only AIs play, or an AI stands in for a person who let their time pass: they don't seem to be there."""
    return table.only_ais or any(table.seats[one.seat].kind == "human" for one in asked)


def _asked(owed: OverdueGame, now: datetime) -> Sequence[Asked]:
    """Return the AIs to ask at a game; at one that can't be read here, whoever it is."""
    if owed.table is None:
        return [ANYBODY] if owed.is_unreadable else []
    return owed.table.asked(now - owed.allowance)


def _look(owed: OverdueGame, asked: Sequence[Asked], waiting: frozenset[str], now: datetime) -> Reschedule:
    """Return when to look after a game again, and whether its job is repeated, if that is what it lacks."""
    if owed.version is None:
        return forgotten(owed.game_id)
    if owed.table is not None and not asked:
        return settled(owed.table, now - owed.allowance)
    table = owed.table or Unread(owed.game_id, owed.version)
    if any(turn_id(table, asked[0], repeat) in waiting for repeat in range(owed.repeats + 1)):
        return postponed(table.id, table.version)
    return repeated(table.id, table.version, owed.repeats)


def _look_anew(owed: OverdueGame, now: datetime, leapt: timedelta) -> Reschedule:
    """Return when to look after a game after a clock has *leapt* so far: at once, if an AI is to be asked.

    Who had a deadline has at least as much time as before, and at most as much as a turn has.
    """
    table = owed.table
    if table is None or table.deadline is None or table.turn_seconds is None:
        return Reschedule(owed.game_id, owed.version, 0.0)
    deadline, turn = datetime.fromisoformat(table.deadline), timedelta(seconds=table.turn_seconds)
    spent = min(max(now - owed.allowance - leapt - (deadline - turn), timedelta(0)), turn)
    allowance = now + turn - spent - deadline
    after = 0.0 if table.asked(now - allowance) else (turn - spent).total_seconds()
    return Reschedule(table.id, table.version, after, allowance=allowance)
