"""The pool: RQ workers and the sweeper, as forked processes that are replaced when they die.

Some workers serve people who wait for an AI's turn or a hint. Background workers play games between AIs and compute
reviews and arenas, at a lower CPU priority (niceness). No worker does both, so that background work never delays
people.

A worker that dies is replaced at once, and the sweeper retries the turn that the worker was playing.
"""

import os
import signal
from contextlib import closing, suppress
from math import inf
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, Final

import structlog
from rq.worker_pool import WorkerPool

from engines.core.mypyc_support import is_compiled
from workers.background.process_mains import RQ_LOG_LEVEL, sweep, work
from workers.processes.child_forking import STOP_SIGNALS, Forker, signals_blocked
from workers.processes.stop_flag import StopFlag
from workers.settings import Settings
from workers.storage import queue
from workers.storage.clients import connect_queue
from workers.storage.errors import StorageUnavailable
from workers.storage.startup_checks import check_stores
from workers.storage.store import open_store

FAIR_QUEUES_ARGUMENT: Final = "lines"
"""Value of ``process_mains.work``'s argument *served* for background workers. They serve the fair queues."""

CHECK_INTERVAL_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0
"""Time for which workers may finish their jobs after a request to stop. Then the workers are killed."""

RESTART_DELAY_SECONDS: Final = 0.2
"""Delay before a dead process is replaced, because a process that always dies at once must not use up the CPU."""

log: Final = structlog.get_logger(__name__)


class Pool(WorkerPool):
    """A pool whose workers and sweeper are forked, and replaced as soon as they die."""

    def __init__(self, settings: Settings) -> None:
        super().__init__([], connect_queue(settings), num_workers=settings.workers + settings.arena_workers)
        self._settings = settings
        self._served: dict[str, str] = {}
        self._stopping = StopFlag()
        self._grace_until = inf
        self._forker = Forker()
        self._sweeper = self._new_sweeper()

    def get_worker_process(self, name: str, *_: Any, **__: Any) -> BaseProcess:
        """Return the process of a new worker, not yet started.

        It is a background worker only if enough workers serve people.
        """
        living = [self._served[other] for other in self.worker_dict]
        served = (
            queue.INTERACTIVE_QUEUE
            if living.count(queue.INTERACTIVE_QUEUE) < self._settings.workers
            else FAIR_QUEUES_ARGUMENT
        )
        self._served[name] = served
        return self._forker.process("worker", _exit_orphaned, work, name, self._settings, served)

    def start_worker(self, *args: Any, **kwargs: Any) -> None:
        """Start a worker with signals blocked until it can handle them."""
        with signals_blocked():
            super().start_worker(*args, **kwargs)

    def request_stop(self, signum: Any = None, frame: Any = None) -> None:
        """Request that every worker finishes its job and exits."""
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's method is half typed
        self._grace_until = monotonic() + STOP_SECONDS
        self._stopping.set()

    def start(self, burst: bool = False, logging_level: str = RQ_LOG_LEVEL) -> None:  # noqa: FBT001, FBT002  # RQ's signature
        """Run the processes and replace dead ones until SIGINT or SIGTERM."""
        self._burst = burst
        self.log.setLevel(logging_level)
        self.status = self.Status.STARTED
        self._install_signal_handlers()  # type: ignore[no-untyped-call]  # RQ's method is half typed
        while not (self._stopping.is_set() and self.all_workers_have_stopped()):
            self._check_sweeper()
            self.check_workers(respawn=not burst)
            if monotonic() > self._grace_until:
                for worker in self.worker_dict.values():
                    worker.process.kill()  # the sweeper retries the worker's turn
            if wait(self._sentinels(), CHECK_INTERVAL_SECONDS):
                self._stopping.wait(RESTART_DELAY_SECONDS)
        self._sweeper.terminate()
        self._sweeper.join(STOP_SECONDS)
        self._sweeper.kill()

    def handle_dead_worker(self, worker_data: Any) -> None:
        """Remove a dead worker and log it, unless the pool is stopping."""
        super().handle_dead_worker(worker_data)
        del self._served[worker_data.name]
        if not self._stopping.is_set():
            log.warning("worker_died", pid=worker_data.pid, status=worker_data.process.exitcode)

    def _sentinels(self) -> list[int]:
        """Return the sentinels of the processes. A sentinel becomes ready when its process dies."""
        processes = [worker.process for worker in self.worker_dict.values()]
        if not self._stopping.is_set():
            processes.append(self._sweeper)
        return [process.sentinel for process in processes if process.pid is not None]

    def _new_sweeper(self) -> BaseProcess:
        return self._forker.process("sweeper", _exit_orphaned, sweep, self._settings)

    def _check_sweeper(self) -> None:
        """Start the sweeper if none is running, unless the pool is stopping."""
        if self._sweeper.is_alive() or self._stopping.is_set():
            return
        if self._sweeper.exitcode is not None:
            log.warning("sweeper_died", pid=self._sweeper.pid, status=self._sweeper.exitcode)
            self._sweeper = self._new_sweeper()
        with signals_blocked():
            self._sweeper.start()


def run(settings: Settings) -> None:
    """Run the workers and the sweeper until SIGINT or SIGTERM. Raises ``CannotStart``."""
    for number in STOP_SIGNALS:
        signal.signal(number, _exit)  # this applies until the pool installs its handlers
    check_stores(settings)
    # If the store is unavailable now, each process checks the layout when the store replies.
    with closing(open_store(settings)) as store, suppress(StorageUnavailable):
        store.health.check_layout()
    if settings.archive_folder is None and settings.keep_ended_days:
        log.warning("no_archive", deleted_after_days=settings.keep_ended_days)
    engines = "compiled" if is_compiled() else "interpreted"
    log.info("pool_started", workers=settings.workers, arena_workers=settings.arena_workers, engines=engines)
    Pool(settings).start()
    log.info("pool_ended")


def _exit(*_: object) -> None:
    """End the process on SIGTERM before the pool has started, when there is no work to finish.

    ``SystemExit`` isn't raised, because Python ignores an exception that is raised while a ``__del__`` method runs.
    """
    os._exit(0)


def _exit_orphaned() -> None:
    """Exit at once when the pool has died, even in the middle of a job."""
    os._exit(1)
