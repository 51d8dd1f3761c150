"""The pool: RQ workers as processes, replaced when they die, and the sweeper as a thread.

Some workers serve people who wait for an AI's turn or a hint. Background workers play games of AIs alone, reviews and
arenas, at a lower CPU priority (niceness). No worker does both, so that background work never delays people.

A worker that dies is replaced at once, and the sweeper retries its turn. If the pool itself is killed, its workers
exit. While the store is unreachable, all wait and retry.
"""

import multiprocessing
import os
import signal
import sys
from contextlib import suppress
from math import inf
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

import structlog
from rq.serializers import JSONSerializer
from rq.worker_pool import WorkerPool

from engines.core.compiled import is_compiled
from workers.background.fair_queue_worker import FairQueueWorker
from workers.background.job_base import process_store
from workers.background.sweeper import Sweeper
from workers.background.worker import WORKER_TTL_SECONDS, AiWorker
from workers.metrics_store import MetricsAggregator
from workers.processes.forkserver import FORKED, STOPS, signals_blocked
from workers.processes.logs import exit_with_threads, set_up_logs
from workers.processes.stop_flag import StopFlag
from workers.retention import Retention
from workers.settings import CannotStart, Settings
from workers.storage import queue
from workers.storage.clients import connect_queue, connect_worker
from workers.storage.connection import CONNECTION_ERRORS, is_transient
from workers.storage.errors import StorageUnavailable
from workers.storage.health_checks import check_stores
from workers.storage.store import Store, open_store

BACKGROUND: Final = "lines"
"""Marks the workers that serve the fair queues."""

RQ_LOG_LEVEL: Final = "WARNING"
CHECK_INTERVAL_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0
"""Time for which workers may finish their jobs after a request to stop; then they are killed."""

RESTART_DELAY_SECONDS: Final = 0.2
"""Delay before dead workers are replaced, because one that always dies at once must not keep the machine busy."""

HEARTBEAT_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 0.25
"""Delay between two attempts to reach the store."""

log: Final = structlog.get_logger(__name__)


class Pool(WorkerPool):
    """A pool whose workers are forked by the fork server, and replaced as soon as they die."""

    def __init__(self, settings: Settings) -> None:
        super().__init__([], connect_queue(settings), num_workers=settings.workers + settings.arena_workers)
        self._settings = settings
        self._served: dict[str, str] = {}
        self._stopping = StopFlag()
        self._grace_until = inf

    def get_worker_process(self, name: str, *_: Any, **__: Any) -> BaseProcess:
        """Return the process of a worker, not started yet: first those for people, then background workers."""
        living = [self._served[other] for other in self.worker_dict]
        served = queue.INTERACTIVE if living.count(queue.INTERACTIVE) < self._settings.workers else BACKGROUND
        self._served[name] = served
        return FORKED.Process(target=work, args=(name, self._settings, served), name=f"worker-{name}", daemon=True)

    def start_worker(self, *args: Any, **kwargs: Any) -> None:
        """Start a worker with signals blocked until it can handle them."""
        with signals_blocked():
            super().start_worker(*args, **kwargs)

    def request_stop(self, signum: Any = None, frame: Any = None) -> None:
        """Let every worker finish its job and exit."""
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's is half typed
        self._grace_until = monotonic() + STOP_SECONDS
        self._stopping.set()

    def start(self, burst: bool = False, logging_level: str = RQ_LOG_LEVEL) -> None:  # noqa: FBT001, FBT002  # RQ's signature
        """Keep the workers alive until SIGINT or SIGTERM."""
        self._burst = burst
        self.log.setLevel(logging_level)
        self.status = self.Status.STARTED
        self._install_signal_handlers()  # type: ignore[no-untyped-call]  # RQ's is half typed
        while not (self._stopping.is_set() and self.all_workers_have_stopped()):
            self.check_workers(respawn=not burst)
            if monotonic() > self._grace_until:
                for worker in self.worker_dict.values():
                    worker.process.kill()  # the sweeper retries its turn
            died = wait([worker.process.sentinel for worker in self.worker_dict.values()], CHECK_INTERVAL_SECONDS)
            if died:
                self._stopping.wait(RESTART_DELAY_SECONDS)

    def handle_dead_worker(self, worker_data: Any) -> None:
        """Remove a dead worker and log it, unless the pool is stopping."""
        super().handle_dead_worker(worker_data)
        del self._served[worker_data.name]
        if not self._stopping.is_set():
            log.warning("worker_died", pid=worker_data.pid, status=worker_data.process.exitcode)


def run(settings: Settings) -> None:
    """Run the workers and the sweeper until SIGINT or SIGTERM. Raises ``CannotStart``."""
    for number in STOPS:
        signal.signal(number, _exit)  # until the pool installs its handlers
    check_stores(settings)
    store = open_store(settings)
    with suppress(StorageUnavailable):  # each worker retries the check
        store.health.check_layout()
    pool, stop = Pool(settings), Event()
    sweeping = Sweeper(store, Retention(store, settings))
    sweeper = Thread(target=sweeping.run, args=(settings.sweep_seconds, stop), name="sweeper", daemon=True)
    sweeper.start()
    Thread(target=MetricsAggregator(store, "pool").run, args=(stop,), name="ledger", daemon=True).start()
    if settings.archive_folder is None and settings.keep_ended_days:
        log.warning("no_archive", deleted_after_days=settings.keep_ended_days)
    engines = "compiled" if is_compiled() else "interpreted"
    log.info("pool_started", workers=settings.workers, arena_workers=settings.arena_workers, engines=engines)
    try:
        pool.start()
    finally:
        stop.set()
        sweeper.join(CHECK_INTERVAL_SECONDS)
    log.info("pool_ended")


def work(name: str, settings: Settings, served: str) -> None:
    """Main function of a worker process: wait for the store, then run jobs until told to stop."""
    _set_up_process(settings, served)
    store, working = open_store(settings), Event()
    metrics = MetricsAggregator(store, "worker")
    Thread(target=_heartbeat, args=(store, metrics, working), name="heartbeat", daemon=True).start()
    try:
        _wait_for_storage(store)
        worker = _worker(name, settings, served)
        process_store().turns.serves_people = served == queue.INTERACTIVE
        if served == queue.INTERACTIVE:
            store.health.record_worker_heartbeat()
            working.set()
        worker.work(logging_level=RQ_LOG_LEVEL)
    except CannotStart as reason:
        log.critical("cannot_start", reason=str(reason))
        sys.exit(reason.status)
    except Exception as error:
        if not isinstance(error, (*CONNECTION_ERRORS, StorageUnavailable)) and not is_transient(error):
            log.exception("worker_failed")
            sys.exit(1)
        log.warning("worker_lost_storage")  # the pool starts another one, which waits
    finally:
        metrics.try_flush()


def _set_up_process(settings: Settings, served: str) -> None:
    """Set up priority, signals, logs and the end of a worker process."""
    if served != queue.INTERACTIVE:
        os.nice(settings.arena_niceness)
    for number in STOPS:
        signal.signal(number, _exit)  # until RQ installs its handlers
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    set_up_logs(settings.log_level)
    exit_with_threads()
    Thread(target=_exit_with_pool, name="pool", daemon=True).start()


def _worker(name: str, settings: Settings, served: str) -> AiWorker:
    """Return the RQ worker, with a connection of its own, because RQ changes its timeout."""
    broker = connect_worker(settings)
    kind = AiWorker if served == queue.INTERACTIVE else FairQueueWorker
    return kind(
        [queue.queue_of(broker, served)],
        name=name,
        connection=broker,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL_SECONDS,
    )


def _exit_with_pool() -> None:
    """Exit when the pool has died, whatever the worker is doing."""
    pool = multiprocessing.parent_process()
    if pool is not None:
        wait([pool.sentinel])
        os._exit(1)


def _heartbeat(store: Store, metrics: MetricsAggregator, working: Event) -> None:
    """Flush metrics, and record heartbeats while serving people, whether or not the store is reachable."""
    pause = Event()
    while not pause.wait(HEARTBEAT_SECONDS):
        if working.is_set():
            _try_heartbeat(store)
        metrics.try_flush()


def _try_heartbeat(store: Store) -> None:
    try:
        store.health.record_worker_heartbeat()
    except StorageUnavailable:
        return
    except Exception:
        log.exception("heartbeat_failed")


def _wait_for_storage(store: Store) -> None:
    """Wait until the store is reachable. Raises ``CannotStart`` if it doesn't fit the settings."""
    pause = Event()
    while True:
        try:
            return store.health.check_layout()
        except StorageUnavailable:
            pause.wait(RETRY_SECONDS)


def _exit(*_: object) -> None:
    """Exit at once: no work has begun. An exception could get lost in a destructor."""
    os._exit(0)
