"""What all jobs have in common: the storage of their process, their line in the log, and how they fail.

A job is a function of plain arguments, and safe to run twice, too late, or only half: whatever it does not finish is
done again by another.
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
from workers.storage.tasks import BROKEN, Task

log: Final = structlog.get_logger(__name__)


class JobFailed(Exception):
    """Something went wrong; the log has what. RQ keeps and logs an exception's message, so this one quotes nothing."""


@cache
def process_store() -> Store:
    """Return the storage of this worker process."""
    return open_store(Settings.from_environment(os.environ))


def milliseconds_since(began: float) -> float:
    """Return the milliseconds since *began*, by ``perf_counter``."""
    return round((perf_counter() - began) * 1000, 1)


def run_task(task_id: str, work: Callable[[Store, Task], None]) -> None:
    """Do a task that is still wanted; one that is refused or goes wrong has failed, and says why.

    If the storage is away the sweeper tries again.
    """
    began, store = perf_counter(), process_store()
    try:
        task = store.tasks.load(task_id)
        if not store.tasks.heartbeat(task):
            return
        _run_and_record(store, task, work)
    except Exception as error:
        log.exception("task_failed", job_id=task_id, exc_info=error)
        raise JobFailed(type(error).__name__) from None
    metrics.JOBS.labels(task.kind).observe(perf_counter() - began)
    log.info("task", job_id=task_id, kind=task.kind, ms=milliseconds_since(began))


def _run_and_record(store: Store, task: Task, work: Callable[[Store, Task], None]) -> None:
    """Work on a task, and write down why it failed if it did."""
    try:
        work(store, task)
    except StorageUnavailable:
        raise
    except Refusal as refusal:
        store.tasks.fail(task, refusal)
    except Exception:
        store.tasks.fail(task, JobBroken(BROKEN))
        raise
