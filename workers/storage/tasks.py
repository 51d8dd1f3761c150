"""Tasks: background work for clients. Over HTTP a task is called a job (docs/http.md).

A task is stored from its creation until a day after its end. RQ only transports its id to a worker. The worker sends
heartbeats, whose replies say whether the task is still active. If no heartbeat arrives in time, the sweeper enqueues
the task again. After ``MAX_RETRIES`` the task fails. Thus every task ends:

  cancelled          the next heartbeat returns False; nothing is written any more
  worker dies        the sweeper enqueues the task again; if it runs twice, the first result counts
  store unreachable  the job fails; the sweeper enqueues the task again when the store is back
  other engines      workers with other engines (engines_hash.py) don't use the stored partial results, but compute and
                     store their own. Thus an upgrade ends no task, and no result mixes two versions

``TASK_TYPES`` maps each kind of task to its queue and job.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any, Final

import orjson
import structlog
from redis import Redis
from redis.client import Pipeline

from engines.core.errors import Refusal
from engines.core.phrase import Phrase
from engines.core.types import Json
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.commands import NOW_SCRIPT, overdue, run_command, run_pipeline, script, text
from workers.storage.errors import DamagedKey, JobBroken, NoSuchJob, StorageUnavailable
from workers.storage.fair_queues import ARENA_QUEUE, FAIR_QUEUE_NAMES, REVIEW_QUEUE, FairQueueJob, FairQueues
from workers.storage.keys import Keys
from workers.storage.queue import JobSpec
from workers.storage.store_time import StoreTime

STATUSES: Final = ("queued", "running", "finished", "failed", "cancelled")
ACTIVE_STATUSES: Final = ("queued", "running")
TTL_SECONDS: Final = 24 * 3600
"""TTL of a task after its last change, in seconds."""

MAX_RETRIES: Final = 3
"""Maximum number of consecutive retries without progress."""

QUEUED_TASK_GRACE_SECONDS: Final = 1.0
"""Seconds within which a worker should take a new task. After them the sweeper checks that the task is queued."""

FAILED_CHECK_DELAY_SECONDS: Final = 60.0
"""Delay of the next check of a task whose check failed."""

RETRIES_EXHAUSTED: Final = Phrase("The workers that had this job died, again and again: it was given up.")
INTERNAL_ERROR: Final = Phrase("Internal error. Details are in the server's log.")


log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TaskType:
    """How tasks of one kind are run: their queue, their job and the times of their heartbeats."""

    queue: str
    job: str
    """Name of the RQ job, whose argument is the task's id."""
    lease: float
    """Seconds without a heartbeat after which the worker counts as dead."""
    heartbeat_interval: float
    """Seconds between two heartbeats. Each heartbeat is a durable write that delays other writes."""


TASK_TYPES: Final[Mapping[str, TaskType]] = {
    "hint": TaskType(queue.INTERACTIVE_QUEUE, queue.HINT_JOB, lease=3.0, heartbeat_interval=0.1),
    "review": TaskType(REVIEW_QUEUE, queue.REVIEW_JOB, lease=15.0, heartbeat_interval=0.5),
    # ARENA_QUEUE has the lowest priority.
    "arena": TaskType(ARENA_QUEUE, queue.ARENA_JOB, lease=15.0, heartbeat_interval=0.5),
}


@dataclass(frozen=True)
class Task:
    """A stored task: a hint, a review or an arena, with its state when it was read."""

    id: str
    kind: str
    owner: str
    """SHA-256 of the token that may read the task, in hexadecimal."""
    parameters: Json
    """What is to be computed, such as game and level. The fields depend on the kind of task."""
    status: str = "queued"
    progress: float = 0.0
    """Progress, from 0 to 1."""
    answer: Json | None = None
    """The result of a finished task. For a failed task the refusal, with ``code`` and the stored ``phrase``."""
    retries: int = 0
    """Number of retries since the last progress."""
    group: str = ""
    """Fairness group of the client that asked for a hint, "" for none. Reviews and arenas have ``client`` instead."""

    @property
    def client(self) -> str:
        """Return the hash of the client for which the task runs, or an empty text if the client is unknown."""
        return str(self.parameters.get("client", ""))

    def job_id(self, part: str = "") -> str:
        """Return the id of the RQ job for the task, or for a *part* of the task. Each retry has ids of its own."""
        return f"task-{self.id}-{self.retries}{part}"

    def as_json(self) -> Json:
        """Return the job resource of the HTTP interface. Its ``problem`` has the fields of the refusal."""
        return {
            "id": self.id,
            "kind": self.kind,
            "status": self.status,
            "progress": self.progress,
            "result": self.answer if self.status == "finished" else None,
            "problem": self.answer if self.status == "failed" else None,
        }


class Tasks:
    """The tasks of one store."""

    def __init__(self, redis: Redis, broker: Redis, keys: Keys, time: StoreTime) -> None:
        self.redis = redis
        self.broker = broker
        self.keys = keys
        self.time = time
        self._create = script(redis, "create_task.lua", NOW_SCRIPT)
        self._interactive_queue = queue.InteractiveQueue(broker)
        self._change = script(redis, "update_task.lua", NOW_SCRIPT)

    # For clients

    def create(self, task: Task, slot: str | None = None) -> Task:
        """Create a task, enqueue it and return it. At most one of the tasks with the same *slot* is active.

        *slot* is a key in the task's partition; its value is the id of the latest task. If there is a task with the
        same slot, owner and parameters that is active or finished, it is returned and none is created. Any other
        active task of the slot is cancelled.
        """
        existing_id = self._create_or_find(task, slot)
        if existing_id != task.id:
            return self.load(existing_id)
        with suppress(StorageUnavailable):  # the sweeper enqueues the task later
            self.enqueue(task)
        return task

    def _create_or_find(self, task: Task, slot: str | None) -> str:
        """Create a task and return its id. If the slot has an equal task, return that task's id instead."""
        names, parameters = [self.keys.task(task.id), self._tasks_with(task.id)], orjson.dumps(task.parameters)
        args: list[Any] = [self.time.argument(), task.id, TTL_SECONDS, QUEUED_TASK_GRACE_SECONDS, task.kind, task.owner]
        args += [parameters, task.group]
        if slot is None:
            return text(run_command(lambda: self._create(keys=names, args=args)))
        slots = [slot, self.keys.equal_tasks(slot, task.owner, parameters)]
        existing_id = None
        while existing_id is None:  # the script returns None if a concurrent request has changed a slot
            read: Any = run_command(partial(self.redis.mget, slots))
            latest, equal = (text(found or b"") for found in read)
            in_slots = [slots[0], self.keys.task(latest or task.id), slots[1], self.keys.task(equal or task.id)]
            existing_id = run_command(partial(self._create, keys=[*names, *in_slots], args=[*args, latest, equal]))
        return text(existing_id)

    def load(self, task_id: str) -> Task:
        """Return the task. Raises ``NoSuchJob``, ``DamagedKey``."""
        reply: Any = run_command(lambda: self.redis.hgetall(self.keys.task(task_id)))
        if not reply:
            raise NoSuchJob
        try:
            return _decode_task(task_id, {text(name): value for name, value in reply.items()})
        except (LookupError, TypeError, ValueError) as error:
            log.exception("unreadable_job", job_id=task_id, exc_info=error)
            raise DamagedKey from error

    def ahead(self, task: Task) -> int | None:
        """Return the number of jobs that run before the task's job.

        Returns None if the task isn't queued, or if the broker is unreachable.
        """
        if task.status != "queued":
            return None
        name, prefix = TASK_TYPES[task.kind].queue, f"task-{task.id}-"
        with suppress(StorageUnavailable):  # the broker is unreachable
            if name in FAIR_QUEUE_NAMES:
                return FairQueues(self.broker).ahead(name, task.client, prefix)
            waiting = queue.waiting(self.broker, name)
            return next((number for number, job_id in enumerate(waiting) if job_id.startswith(prefix)), 0)
        return None

    def cancel(self, task_id: str) -> None:
        """Cancel a task that has not ended. The next ``heartbeat`` of its worker returns False."""
        self._end(task_id, "cancelled")

    # For workers

    def heartbeat(self, task: Task, progress: float = 0.0, *, resets_retries: bool = False) -> bool:
        """Record a heartbeat and return whether the task is active.

        *resets_retries* sets the number of retries to 0.
        """
        fields = ["progress", round(progress, 4)]
        return self._update_and_renew_lease(task, "running", "fresh" if resets_retries else "", *fields) is not None

    def is_active(self, task: Task) -> bool:
        """Return whether the task has not ended. This is a cheap read for frequent checks."""
        status = run_command(lambda: self.redis.hget(self.keys.task(task.id), "status"))
        return status is not None and text(status) in ACTIVE_STATUSES

    def store_part(self, task: Task, number: int, part: Json) -> int:
        """Store the result of part *number* unless it is stored already. Return the number of stored parts."""
        name = self.keys.task_parts(task.id, ENGINES_HASH)

        def fill(pipe: Pipeline) -> None:
            pipe.hsetnx(name, str(number), orjson.dumps(part))
            pipe.expire(name, TTL_SECONDS)
            pipe.hlen(name)

        return int(run_pipeline(self.redis, fill)[-1])

    def parts(self, task: Task) -> dict[int, Json]:
        """Return the results of the finished parts by number."""
        reply: Any = run_command(lambda: self.redis.hgetall(self.keys.task_parts(task.id, ENGINES_HASH)))
        return {int(number): orjson.loads(part) for number, part in reply.items()}

    def finish(self, task: Task, result: Json) -> None:
        """End the task with a result."""
        self._end(task.id, "finished", "progress", 1, "answer", orjson.dumps(result))

    def fail(self, task: Task, refusal: Refusal) -> None:
        """End the task with a refusal."""
        facts = {**refusal.as_json(), "phrase": refusal.phrase.as_json()}
        self._end(task.id, "failed", "answer", orjson.dumps(facts))

    # For the sweeper

    def enqueue(self, task: Task) -> None:
        """Enqueue the job of a task. Jobs of different clients take turns. Raises ``StorageUnavailable``."""
        kind, job_id = TASK_TYPES[task.kind], task.job_id()
        if kind.queue in FAIR_QUEUE_NAMES:
            FairQueues(self.broker).enqueue(kind.queue, task.client, [FairQueueJob(job_id, kind.job, [task.id])])
        else:
            self._interactive_queue.enqueue(JobSpec(job_id, kind.job, [task.id], task.group, queue.NO_TIMEOUT))

    def overdue(self, limit: int) -> list[str]:
        """Return the tasks whose lease has expired, longest overdue first."""
        names = [self.keys.tasks(partition) for partition in self.keys.all()]
        return overdue(self.redis, names, self.time(), limit)

    def shorten_leases(self) -> None:
        """Cut leases to their maximum length. This is called after the store's clock has jumped."""
        latest = self.time() + max(kind.lease for kind in TASK_TYPES.values())
        for tasks in map(self.keys.tasks, self.keys.all()):
            found: Any = run_command(partial(self.redis.zrange, tasks, f"({latest}", "+inf", byscore=True))
            if found:
                run_command(partial(self.redis.zadd, tasks, dict.fromkeys(found, latest), xx=True, lt=True))

    def defer(self, task_id: str) -> None:
        """Postpone the next check of a task by ``FAILED_CHECK_DELAY_SECONDS``."""
        check_in = self.time() + FAILED_CHECK_DELAY_SECONDS
        run_command(lambda: self.redis.zadd(self._tasks_with(task_id), {task_id: check_in}, xx=True))

    def requeue_if_lost(self, task_id: str, waiting: Mapping[str, list[str]]) -> bool:
        """Enqueue an overdue task again, unless its job is still queued. Return whether it was enqueued.

        After ``MAX_RETRIES`` retries the task fails instead. *waiting* has the ids of the queued jobs by queue.
        """
        try:
            task = self.load(task_id)
        except NoSuchJob:
            run_command(lambda: self.redis.zrem(self._tasks_with(task_id), task_id))
            return False
        if any(job_id.startswith(f"task-{task.id}-") for job_id in waiting[TASK_TYPES[task.kind].queue]):
            self._update_and_renew_lease(task, "")
            return False
        if task.retries >= MAX_RETRIES:
            self.fail(task, JobBroken(RETRIES_EXHAUSTED))
            return False
        retries = self._update_and_renew_lease(task, "", "repeat")
        if retries is None:
            return False
        self.enqueue(replace(task, retries=retries))
        return True

    def _tasks_with(self, task_id: str) -> str:
        """Return the key of the sorted set that has the task's next check."""
        return self.keys.tasks(self.keys.partition(task_id))

    def _end(self, task_id: str, status: str, *fields: Any) -> None:
        self._update(task_id, status, "", "", *fields)

    def _update_and_renew_lease(self, task: Task, status: str, retry_mode: str = "", *fields: Any) -> int | None:
        """Update a task and schedule its next check at the end of its lease.

        Returns the number of retries, or None if the task has ended.
        """
        return self._update(task.id, status, TASK_TYPES[task.kind].lease, retry_mode, *fields)

    def _update(self, task_id: str, status: str, check_in: float | str, retry_mode: str, *fields: Any) -> int | None:
        answer = run_command(
            lambda: self._change(
                keys=[self.keys.task(task_id), self._tasks_with(task_id)],
                args=[self.time.argument(), task_id, status, check_in, TTL_SECONDS, retry_mode, *fields],
            )
        )
        return None if answer is None else int(answer)


def _decode_task(task_id: str, stored: Mapping[str, bytes]) -> Task:
    """Return the task of a stored hash. Raises ``LookupError``, ``TypeError``, ``ValueError`` for any other hash."""
    kind, status, parameters = text(stored["kind"]), text(stored["status"]), orjson.loads(stored["asked"])
    answer = orjson.loads(stored.get("answer", b"null"))
    if kind not in TASK_TYPES or status not in STATUSES or not isinstance(parameters, dict):
        raise ValueError(kind, status)
    progress, repeats = float(stored["progress"]), int(stored.get("repeats", 0))
    group = text(stored.get("group", b""))  # tasks of older versions have none
    return Task(task_id, kind, text(stored["owner"]), parameters, status, progress, answer, repeats, group)


class Heartbeat:
    """The heartbeat of a worker: checks whether its task is active, and stores the progress at intervals.

    A worker calls the object often while it works. Most calls only read the task's status.
    """

    def __init__(self, tasks: Tasks, task: Task) -> None:
        self._tasks, self._task = tasks, task
        self._progress, self._resets_retries = 0.0, False
        self._next = monotonic() + TASK_TYPES[task.kind].heartbeat_interval

    def __call__(self, progress: float = 0.0, *, resets_retries: bool = False) -> bool:
        """Return whether the task is active. *progress* is stored with the next heartbeat."""
        self._progress, self._resets_retries = max(self._progress, progress), self._resets_retries or resets_retries
        return self._tasks.is_active(self._task) if monotonic() < self._next else self.send()

    def send(self) -> bool:
        """Store the progress and return whether the task is active."""
        self._next = monotonic() + TASK_TYPES[self._task.kind].heartbeat_interval
        resets_retries, self._resets_retries = self._resets_retries, False
        return self._tasks.heartbeat(self._task, self._progress, resets_retries=resets_retries)
