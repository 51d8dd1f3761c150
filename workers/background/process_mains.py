"""The processes of a pool: the workers, which run jobs, and the sweeper.

While the store is unreachable, all of them wait and retry. If the pool is killed, they exit.
"""

import os
import signal
import sys
from threading import Event, Thread
from typing import Final

import structlog
from rq.serializers import JSONSerializer

from workers.background.fair_queue_worker import FairQueueWorker
from workers.background.job_base import process_store
from workers.background.sweeper import Sweeper
from workers.background.worker import WORKER_TTL_SECONDS, AiWorker
from workers.metrics_store import MetricsAggregator
from workers.processes.child_forking import STOP_SIGNALS, unblock_signals
from workers.processes.logs import exit_with_threads, set_up_logs
from workers.processes.stop_flag import StopFlag
from workers.retention import Retention
from workers.settings import CannotStart, Settings
from workers.storage import queue
from workers.storage.clients import connect_worker
from workers.storage.commands import CONNECTION_ERRORS, is_server_state_error
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

RQ_LOG_LEVEL: Final = "WARNING"
HEARTBEAT_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 0.25
"""Delay between two attempts to reach the store."""

SWEEPER_STOP_SECONDS: Final = 1.0
"""Time for which a sweep may continue after a request to stop. Another sweeper repeats an interrupted sweep."""

log: Final = structlog.get_logger(__name__)


def sweep(settings: Settings) -> None:
    """Main function of the sweeper's process: sweep until SIGINT or SIGTERM."""
    stopping, stop = StopFlag(), Event()
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: stopping.set())
    _set_up_process(settings)
    store = open_store(settings)
    sweeping = Sweeper(store, Retention(store, settings))
    sweeper = Thread(target=sweeping.run, args=(settings.sweep_seconds, stop), name="sweeper", daemon=True)
    sweeper.start()
    Thread(target=MetricsAggregator(store, "pool").run, args=(stop,), name="ledger", daemon=True).start()
    stopping.wait()
    stop.set()
    sweeper.join(SWEEPER_STOP_SECONDS)


def work(name: str, settings: Settings, served: str) -> None:
    """Main function of a worker's process: wait for the store, then run jobs of the queue *served* until a signal."""
    if served != queue.INTERACTIVE_QUEUE:
        os.nice(settings.arena_niceness)
    for number in STOP_SIGNALS:
        signal.signal(number, _exit)  # this applies until RQ installs its handlers
    _set_up_process(settings)
    store, working = open_store(settings), Event()
    metrics = MetricsAggregator(store, "worker")
    Thread(target=_heartbeat, args=(store, metrics, working), name="heartbeat", daemon=True).start()
    try:
        _wait_for_storage(store)
        worker = _worker(name, settings, served)
        process_store().turns.serves_people = served == queue.INTERACTIVE_QUEUE
        if served == queue.INTERACTIVE_QUEUE:
            store.health.record_worker_heartbeat()
            working.set()
        worker.work(logging_level=RQ_LOG_LEVEL)
    except CannotStart as reason:
        log.critical("cannot_start", reason=str(reason))
        sys.exit(reason.status)
    except Exception as error:
        if not isinstance(error, (*CONNECTION_ERRORS, StorageUnavailable)) and not is_server_state_error(error):
            log.exception("worker_failed")
            sys.exit(1)
        log.warning("worker_lost_storage")  # the pool starts another worker, and that one waits for the store
    finally:
        metrics.try_flush()


def _set_up_process(settings: Settings) -> None:
    """Unblock signals, set up the logs, and let the process end if one of its threads fails."""
    unblock_signals()
    set_up_logs(settings.log_level)
    exit_with_threads()


def _worker(name: str, settings: Settings, served: str) -> AiWorker:
    """Return the RQ worker. It has its own connection to the broker, because RQ changes the connection's timeout."""
    broker = connect_worker(settings)
    kind = AiWorker if served == queue.INTERACTIVE_QUEUE else FairQueueWorker
    return kind(
        [queue.queue_of(broker, served)],
        name=name,
        connection=broker,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL_SECONDS,
    )


def _heartbeat(store: Store, metrics: MetricsAggregator, working: Event) -> None:
    """Flush metrics at intervals for ever. While *working* is set, also record that a worker is alive.

    Only workers of the interactive queue, which has the turns of people's games, set *working*.
    """
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
    """Wait until the store replies. Raises ``CannotStart`` if its layout doesn't match the settings."""
    pause = Event()
    while True:
        try:
            return store.health.check_layout()
        except StorageUnavailable:
            pause.wait(RETRY_SECONDS)


def _exit(*_: object) -> None:
    """End the process at once, because no work has begun.

    ``SystemExit`` isn't raised, because Python ignores an exception that is raised while a ``__del__`` method runs.
    """
    os._exit(0)
