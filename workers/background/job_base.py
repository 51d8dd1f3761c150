"""What all jobs share: the store of their process, the logging of their results, and the handling of failures.

A job is a function of plain arguments. A job may run twice, too late, or only in part. A job that does not finish is
run again.
"""

import os
from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Final

import structlog

from engines.core.errors import Refusal
from workers import metrics
from workers.settings import Settings
from workers.storage.errors import JobBroken, StorageUnavailable
from workers.storage.store import Store, open_store
from workers.storage.tasks import INTERNAL_ERROR, Task

log: Final = structlog.get_logger(__name__)


class LoggedJobError(Exception):
    """Raised after an error was logged. RQ stores and logs the message, so the message quotes no data."""


@cache
def process_store() -> Store:
    """Return the store of this worker process."""
    return open_store(Settings.from_environment(os.environ))


def milliseconds_since(began: float) -> float:
    """Return the milliseconds since *began*, a time of ``perf_counter``."""
    return round((perf_counter() - began) * 1000, 1)


def run_task(task_id: str, work: Callable[[Store, Task], None]) -> None:
    """Run *work* on a task if the task is active. A refusal or an error ends the task as failed.

    If the store is unreachable, the sweeper retries the task later.
    """
    began, store = perf_counter(), process_store()
    try:
        task = store.tasks.load(task_id)
        if not store.tasks.heartbeat(task):
            return
        _run_and_record(store, task, work)
    except Exception as error:
        log.exception("task_failed", job_id=task_id, exc_info=error)
        raise LoggedJobError(type(error).__name__) from None
    metrics.JOB_SECONDS.labels(task.kind).observe(perf_counter() - began)
    log.info("task", job_id=task_id, kind=task.kind, ms=milliseconds_since(began))


def _run_and_record(store: Store, task: Task, work: Callable[[Store, Task], None]) -> None:
    try:
        work(store, task)
    except StorageUnavailable:
        raise
    except Refusal as refusal:
        store.tasks.fail(task, refusal)
    except Exception:
        store.tasks.fail(task, JobBroken(INTERNAL_ERROR))
        raise
