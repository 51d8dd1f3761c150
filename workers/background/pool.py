"""The pool: a number of RQ workers as processes, replaced when they die, and the sweeper as a thread.

Some workers serve people who wait for an AI's turn or a hint. Others play what nobody waits for, games of AIs alone and
arenas, with what time of the processors those leave them: the operating system sees to it, by their niceness. No worker
does both, so that however much there is of the one, nobody waits longer for the other.

A worker that dies is replaced at once, whatever it was doing; its turn comes back by the sweeper. When the pool itself
is killed, its workers notice and end. While the storage is away, everybody waits and tries again.
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

OTHERS: Final = "lines"
"""What a worker serves that doesn't serve people."""

QUIET: Final = "WARNING"
LOOK_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0
"""How long workers may take to end when they are told to."""

PAUSE_SECONDS: Final = 0.2
"""Before dead workers are replaced: a worker that always dies at once must not keep the machine busy."""

HEARTBEAT_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 0.25
"""Between two looks whether the storage is back."""

log: Final = structlog.get_logger(__name__)


class Pool(WorkerPool):
    """A pool whose workers are forked by the forkserver instead of by itself, and replaced as soon as they die."""

    def __init__(self, settings: Settings) -> None:
        super().__init__([], connect_queue(settings), num_workers=settings.workers + settings.arena_workers)
        self._settings = settings
        self._served: dict[str, str] = {}
        self._stopping = StopFlag()
        self._patient_until = inf

    def get_worker_process(self, name: str, *_: Any, **__: Any) -> BaseProcess:
        """Return the process of a worker, not started yet: first those for people, then the others."""
        living = [self._served[other] for other in self.worker_dict]
        served = queue.PEOPLE if living.count(queue.PEOPLE) < self._settings.workers else OTHERS
        self._served[name] = served
        return FORKED.Process(target=work, args=(name, self._settings, served), name=f"worker-{name}", daemon=True)

    def start_worker(self, *args: Any, **kwargs: Any) -> None:
        """Start a worker to which Ctrl-C comes only when it is ready for it."""
        with signals_blocked():
            super().start_worker(*args, **kwargs)

    def request_stop(self, signum: Any = None, frame: Any = None) -> None:
        """Let every worker finish its job and end."""
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's is half typed
        self._patient_until = monotonic() + STOP_SECONDS
        self._stopping.set()

    def start(self, burst: bool = False, logging_level: str = QUIET) -> None:  # noqa: FBT001, FBT002  RQ's signature
        """Keep the workers alive until SIGINT or SIGTERM."""
        self._burst = burst
        self.log.setLevel(logging_level)
        self.status = self.Status.STARTED
        self._install_signal_handlers()  # type: ignore[no-untyped-call]  # RQ's is half typed
        while not (self._stopping.is_set() and self.all_workers_have_stopped()):
            self.check_workers(respawn=not burst)
            if monotonic() > self._patient_until:
                for worker in self.worker_dict.values():
                    worker.process.kill()  # its turn comes back by the sweeper, like any that was cut short
            died = wait([worker.process.sentinel for worker in self.worker_dict.values()], LOOK_SECONDS)
            if died:
                self._stopping.wait(PAUSE_SECONDS)

    def handle_dead_worker(self, worker_data: Any) -> None:
        """Forget it, and say so unless it was asked to end."""
        super().handle_dead_worker(worker_data)
        del self._served[worker_data.name]
        if not self._stopping.is_set():
            log.warning("worker_died", pid=worker_data.pid, status=worker_data.process.exitcode)


def run(settings: Settings) -> None:
    """Run the workers and the sweeper until SIGINT or SIGTERM. Raises ``CannotStart``."""
    for number in STOPS:
        signal.signal(number, _exit)  # until the pool takes over
    check_stores(settings)
    store = open_store(settings)
    with suppress(StorageUnavailable):  # it may come later: each worker asks again
        store.health.check_layout()
    pool, stop = Pool(settings), Event()
    sweeping = Sweeper(store, Retention(store, settings))
    sweeper = Thread(target=sweeping.run, args=(settings.sweep_seconds, stop), name="sweeper", daemon=True)
    sweeper.start()
    Thread(target=MetricsAggregator(store, "pool").run, args=(stop,), name="ledger", daemon=True).start()
    if settings.archive_folder is None and settings.keep_ended_days:
        log.warning("no_archive", deleted_after_days=settings.keep_ended_days)
    log.info(
        "pool_started",
        workers=settings.workers,
        arena_workers=settings.arena_workers,
        engines="compiled" if is_compiled() else "interpreted",
    )
    try:
        pool.start()
    finally:
        stop.set()
        sweeper.join(LOOK_SECONDS)
    log.info("pool_ended")


def work(name: str, settings: Settings, served: str) -> None:
    """Work in a process of the pool: wait for the storage, then for jobs for people or others, until told to end."""
    for_people = served == queue.PEOPLE
    if not for_people:
        os.nice(settings.arena_niceness)
    for number in STOPS:
        signal.signal(number, _exit)  # until RQ takes over
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    set_up_logs(settings.log_level)
    exit_with_threads()
    Thread(target=_exit_with_pool, name="pool", daemon=True).start()
    store, working = open_store(settings), Event()
    ledger = MetricsAggregator(store, "worker")
    Thread(target=_heartbeat, args=(store, ledger, working), name="heartbeat", daemon=True).start()
    try:
        _wait_for_storage(store)
        worker = _worker(name, settings, served)
        process_store().turns.for_people = for_people
        if for_people:
            store.health.record_worker_heartbeat()
            working.set()
        worker.work(logging_level=QUIET)
    except (*CONNECTION_ERRORS, StorageUnavailable):
        log.warning("worker_lost_storage")  # the pool starts another, which waits
    except CannotStart as reason:
        log.critical("cannot_start", reason=str(reason))
        sys.exit(reason.status)
    except Exception as error:
        if is_transient(error):
            log.warning("worker_lost_storage")
            return
        log.exception("worker_failed")
        sys.exit(1)
    finally:
        ledger.try_post()


def _worker(name: str, settings: Settings, served: str) -> AiWorker:
    """Return the RQ worker. RQ lengthens its connection's timeout, so that it gets one of its own."""
    broker = connect_worker(settings)
    kind = AiWorker if served == queue.PEOPLE else FairQueueWorker
    return kind(
        [queue.queue_of(broker, served)],
        name=name,
        connection=broker,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL_SECONDS,
    )


def _exit_with_pool() -> None:
    """End the process when the pool has died, whatever else it is doing."""
    pool = multiprocessing.parent_process()
    if pool is not None:
        wait([pool.sentinel])
        os._exit(1)


def _heartbeat(store: Store, ledger: MetricsAggregator, working: Event) -> None:
    """Post metrics, and give signs of life while working for people, whatever the storage answers."""
    pause = Event()
    while not pause.wait(HEARTBEAT_SECONDS):
        if working.is_set():
            _give_sign_of_life(store)
        ledger.try_post()


def _give_sign_of_life(store: Store) -> None:
    try:
        store.health.record_worker_heartbeat()
    except StorageUnavailable:
        return
    except Exception:
        log.exception("heartbeat_failed")


def _wait_for_storage(store: Store) -> None:
    """Return when the storage is there. Raises ``CannotStart`` if it is none for these settings."""
    pause = Event()
    while True:
        try:
            return store.health.check_layout()
        except StorageUnavailable:
            pause.wait(RETRY_SECONDS)


def _exit(*_: object) -> None:
    """End this process: it has begun nothing yet. An exception might be lost, as one is that a destructor raises."""
    os._exit(0)
