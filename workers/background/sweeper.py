"""The sweeper: enqueues a job again where an AI should have moved by now, a player's time is up, or a task is overdue.

Jobs get lost when a worker is killed, or when nobody lived to enqueue one. The outbox knows (outbox.py). A repeated job
that comes to nothing is repeated more and more rarely, and a job that still waits in a long queue isn't repeated at
all. Repeating can't double a move: jobs are addressed to a version, and the first who commits has it.

It also looks after the games whose time is up (lifetimes.py), of one partition a sweep.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from secrets import token_hex
from threading import Event
from time import monotonic
from typing import Final

import structlog

from engines.seats import Asked
from engines.table import Table
from workers.attempts import Attempts
from workers.lifetimes import Lifetimes
from workers.metrics import REPEATS
from workers.storage.errors import NoSuchGame, StorageUnavailable
from workers.storage.queue import PEOPLE, enqueue_turn, turn_id
from workers.storage.queue import waiting as waiting_in
from workers.storage.store import Store
from workers.storage.tasks import KINDS

LIMIT: Final = 200
"""How many games one sweep looks after."""

LIFETIMES_SECONDS: Final = 0.2
"""How long one sweep begins with games to archive."""

FAILED_SECONDS: Final = 60.0
"""How long nothing is archived after that has failed: the disk may be full."""

log: Final = structlog.get_logger(__name__)


class Sweeper:
    """One sweeper; of several over the same storage only one works at a time."""

    def __init__(self, store: Store, lifetimes: Lifetimes | None = None) -> None:
        self.name = token_hex(8)
        self._store = store
        self._lifetimes = lifetimes
        self._partition = 0
        self._patient_until = 0.0

    def run(self, seconds: float, stop: Event) -> None:
        """Sweep every so many *seconds* until *stop*, whether or not the storage is there all the time."""
        attempts = Attempts("sweep_failed")
        while not stop.wait(seconds):
            attempts.make(self.sweep)

    def sweep(self) -> int:
        """Look after what is overdue, and return how many jobs that took. Raises ``StorageUnavailable``."""
        outbox = self._store.outbox
        if not outbox.leads(self.name):
            return 0
        overdue = outbox.overdue(self._store.now(), LIMIT)
        waiting = set(waiting_in(self._store.broker, PEOPLE)) if overdue else set()
        repeated = sum(self._try(game_id, waiting) for game_id in overdue) + self._sweep_tasks()
        self._look_after_lifetimes()
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

    def _try(self, game_id: str, waiting: set[str]) -> bool:
        outbox, now = self._store.outbox, self._store.now
        return _alone(
            lambda: self._look_after(game_id, waiting), lambda: outbox.put_off(game_id, now()), game_id=game_id
        )

    def _try_task(self, task_id: str, waiting: Mapping[str, list[str]]) -> bool:
        tasks = self._store.tasks
        is_repeated = _alone(lambda: tasks.look_after(task_id, waiting), lambda: tasks.put_off(task_id), job_id=task_id)
        if is_repeated:
            log.info("task_repeated", job_id=task_id)
        return is_repeated

    def _look_after(self, game_id: str, waiting: set[str]) -> bool:
        """Repeat the job of a game if that is what it lacks; say whether it was."""
        store, now = self._store, self._store.now()
        try:
            table = store.load(game_id)
        except NoSuchGame:
            store.outbox.forget(game_id)
            return False
        asked = table.asked(now)
        if not asked:
            store.outbox.settle(table)
            return False
        jobs = {turn_id(table, asked[0], repeat) for repeat in range(store.outbox.repeats(table) + 1)}
        if jobs & waiting:
            store.outbox.postpone(table, now)
            return False
        return self._repeat(table, asked[0], now)

    def _repeat(self, table: Table, asked: Asked, now: datetime) -> bool:
        repeat = self._store.outbox.repeat(table, now)
        if repeat is None:
            return False
        REPEATS.inc()
        log.info("repeated", game_id=table.id, version=table.version, seat=asked.seat, repeat=repeat)
        return enqueue_turn(self._store.broker, table, asked, repeat)


def _alone(look_after: Callable[[], bool], put_off: Callable[[], None], **about: str) -> bool:
    """Look after something; what can't be looked after is put off, and doesn't keep the others waiting."""
    try:
        return look_after()
    except StorageUnavailable:
        raise
    except Exception as error:  # whatever it was, it is this one's trouble alone
        log.exception("sweep_failed", **about, exc_info=error)
        put_off()
        return False
