"""Tasks: what clients have done for them in the background; over HTTP a task is called a job (docs/http.md).

A task lives in Redis, from its creation until a day after its end; RQ only brings it to a worker. Whoever works on
it gives signs of life (``beat``), which say at once whether it is still wanted. If none comes for a while the sweeper
enqueues the task again, and after ``TRIES`` in vain it fails. So a task always ends:

    cancelled        the next sign of life says that it isn't wanted; nothing is written any more
    its worker dies  the sweeper repeats it; what ran twice ends once, as whoever is first says
    storage away     the job fails; the sweeper repeats it when the storage is back
    other engines    whose AIs decide otherwise keep parts of their own, and what is missing of theirs is done again: so
                     an upgrade ends no task, and no result is of two versions

A kind of task is a line in ``KINDS``: in which queue it waits, and which job does it.
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
from rq import Queue

from engines.core.errors import Refusal
from engines.core.phrase import Phrase
from engines.core.types import Json
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.connection import NOW, call, overdue, pipelined, script, text
from workers.storage.errors import DamagedKey, JobBroken, NoSuchJob, StorageUnavailable
from workers.storage.fair_queues import ARENA, NAMES, REVIEW, FairQueueJob, FairQueues
from workers.storage.keys import Keys
from workers.storage.store_time import StoreTime

STATUSES: Final = ("queued", "running", "finished", "failed", "cancelled")
ACTIVE_STATUSES: Final = ("queued", "running")
KEPT_SECONDS: Final = 24 * 3600
"""How long a task is kept after its last change."""

TRIES: Final = 3
"""So often in a row a task is repeated that doesn't get on, before it fails."""

GRACE_SECONDS: Final = 1.0
"""How long a fresh task may take to be picked up before the sweeper doubts that it is queued."""

PUT_OFF_SECONDS: Final = 60.0
"""How long a task is left alone that can't be looked after."""

GIVEN_UP: Final = Phrase("The workers that had this job died, again and again: it was given up.")
BROKEN: Final = Phrase("Internal error. Details are in the server's log.")


log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Kind:
    """How tasks of a kind are done."""

    queue: str
    job: str
    """The name of the job that does it, given an id."""
    lease: float
    """Seconds without a sign of life after which its worker counts as dead."""
    beat: float
    """Seconds from one sign of life to the next: each is a durable write, for which others have to wait."""


KINDS: Final[Mapping[str, Kind]] = {
    "hint": Kind(queue.PEOPLE, queue.HINT_JOB, lease=3.0, beat=0.1),
    "review": Kind(REVIEW, queue.REVIEW_JOB, lease=15.0, beat=0.5),
    "arena": Kind(ARENA, queue.ARENA_JOB, lease=15.0, beat=0.5),  # its workers get what others leave
}


@dataclass(frozen=True)
class Task:
    """A task as it stands."""

    id: str
    kind: str
    owner: str
    """SHA-256 hex of the token that may look at it."""
    asked: Json
    """What is to be done; only the kind knows."""
    status: str = "queued"
    progress: float = 0.0
    """From 0 to 1."""
    answer: Json | None = None
    """The result if it finished; if it failed, the refusal with its ``code`` and, as it is kept, its ``phrase``."""
    repeats: int = 0
    """How often it was enqueued again since it last got on."""

    @property
    def client(self) -> str:
        """For whom it is done, if that was said."""
        return str(self.asked.get("client", ""))

    def job_id(self, part: str = "") -> str:
        """Return the id of the RQ job that does it, or a *part* of it, this time."""
        return f"task-{self.id}-{self.repeats}{part}"

    def as_json(self) -> Json:
        """Return the job resource; the problem is as a refusal says it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "status": self.status,
            "progress": self.progress,
            "result": self.answer if self.status == "finished" else None,
            "problem": self.answer if self.status == "failed" else None,
        }


class Tasks:
    """The tasks of one storage."""

    def __init__(self, redis: Redis, broker: Redis, keys: Keys, time: StoreTime) -> None:
        self.redis = redis
        self.broker = broker
        self.keys = keys
        self.time = time
        self._begin = script(redis, "create_task.lua", NOW)
        self._change = script(redis, "update_task.lua", NOW)

    # For clients

    def begin(self, task: Task, slot: str | None = None) -> Task:
        """Write a task down and enqueue it. *slot*, a key of its partition: in each one is under way at a time.

        Who asks again for the same gets the task that is under way, or done; another one in the slot is cancelled.
        """
        there = self._begun(task, slot)
        if there != task.id:
            return self.load(there)
        with suppress(StorageUnavailable):  # it is written down: the sweeper enqueues it
            self.enqueue(task)
        return task

    def _begun(self, task: Task, slot: str | None) -> str:
        """Write a task down, and return the id of the one that is under way, or done."""
        names = [self.keys.task(task.id), self._tasks_with(task.id)]
        args: list[Any] = [self.time.argument(), task.id, KEPT_SECONDS, GRACE_SECONDS, task.kind, task.owner]
        args.append(orjson.dumps(task.asked))
        if slot is None:
            return text(call(lambda: self._begin(keys=names, args=args)))
        there = None
        while there is None:  # somebody was quicker, who asked for the same seat
            before = text(call(lambda: self.redis.get(slot)) or b"")
            in_slot = [slot, self.keys.task(before or task.id)]
            there = call(partial(self._begin, keys=[*names, *in_slot], args=[*args, before]))
        return text(there)

    def load(self, task_id: str) -> Task:
        """Return the task as it is now. Raises ``NoSuchJob``, ``DamagedKey``."""
        found: Any = call(lambda: self.redis.hgetall(self.keys.task(task_id)))
        if not found:
            raise NoSuchJob
        try:
            return _read(task_id, {text(name): value for name, value in found.items()})
        except (LookupError, TypeError, ValueError) as error:
            log.exception("unreadable_job", job_id=task_id, exc_info=error)
            raise DamagedKey from error

    def ahead(self, task: Task) -> int | None:
        """Return how many jobs are done before it is begun; None once it runs, and while nobody can tell."""
        if task.status != "queued":
            return None
        name, prefix = KINDS[task.kind].queue, f"task-{task.id}-"
        with suppress(StorageUnavailable):  # the queue is away, and the task isn't lost
            if name in NAMES:
                return FairQueues(self.broker).ahead(name, task.client, prefix)
            waiting = queue.waiting(self.broker, name)
            return next((number for number, job_id in enumerate(waiting) if job_id.startswith(prefix)), 0)
        return None

    def cancel(self, task_id: str) -> None:
        """End it, unless it has ended: its worker learns of it at its next heartbeat."""
        self._end(task_id, "cancelled")

    # For workers

    def beat(self, task: Task, progress: float = 0.0, *, resets_tries: bool = False) -> bool:
        """Give a sign of life; say whether the task is still wanted. *resets_tries*: earlier ones no longer count."""
        fields = ["progress", round(progress, 4)]
        return self._put(task, "running", "fresh" if resets_tries else "", *fields) is not None

    def is_wanted(self, task: Task) -> bool:
        """It hasn't ended: cheap, for those who ask again and again."""
        status = call(lambda: self.redis.hget(self.keys.task(task.id), "status"))
        return status is not None and text(status) in ACTIVE_STATUSES

    def keep(self, task: Task, number: int, part: Json) -> int:
        """Store the result of part *number*, unless it is stored already; return how many parts are."""
        name = self.keys.task_parts(task.id, ENGINES_HASH)

        def order(pipe: Pipeline) -> None:
            pipe.hsetnx(name, str(number), orjson.dumps(part))
            pipe.expire(name, KEPT_SECONDS)
            pipe.hlen(name)

        return int(pipelined(self.redis, order)[-1])

    def parts(self, task: Task) -> dict[int, Json]:
        """Return the result of each part that is done, by number."""
        found: Any = call(lambda: self.redis.hgetall(self.keys.task_parts(task.id, ENGINES_HASH)))
        return {int(number): orjson.loads(part) for number, part in found.items()}

    def finish(self, task: Task, result: Json) -> None:
        """End it with a result."""
        self._end(task.id, "finished", "progress", 1, "answer", orjson.dumps(result))

    def fail(self, task: Task, refusal: Refusal) -> None:
        """End it with what went wrong."""
        facts = {**refusal.as_json(), "phrase": refusal.phrase.as_json()}
        self._end(task.id, "failed", "answer", orjson.dumps(facts))

    # For the sweeper

    def enqueue(self, task: Task) -> None:
        """Give it to a worker."""
        kind = KINDS[task.kind]
        job = FairQueueJob(task.job_id(), kind.job, [task.id])
        if kind.queue in NAMES:
            FairQueues(self.broker).join(kind.queue, task.client, [job])
        else:
            options: dict[str, Any] = {"timeout": -1, "result_ttl": 0, "failure_ttl": queue.FAILURE_SECONDS}
            told = Queue.prepare_data(job.name, args=[task.id], job_id=job.id, **options)
            call(lambda: queue.queue_of(self.broker, kind.queue).enqueue_many([told]))

    def overdue(self, limit: int) -> list[str]:
        """Return the tasks that gave no sign of life in time, those that have waited longest first."""
        names = [self.keys.tasks(partition) for partition in self.keys.all()]
        return overdue(self.redis, names, self.time(), limit)

    def shorten_leases(self) -> None:
        """Let none last longer than any may, if the store's clock has jumped since it began."""
        latest = self.time() + max(kind.lease for kind in KINDS.values())
        for tasks in map(self.keys.tasks, self.keys.all()):
            found: Any = call(partial(self.redis.zrange, tasks, f"({latest}", "+inf", byscore=True))
            if found:
                call(partial(self.redis.zadd, tasks, dict.fromkeys(found, latest), xx=True, lt=True))

    def put_off(self, task_id: str) -> None:
        """Leave a task alone for a while, whatever it is."""
        look = self.time() + PUT_OFF_SECONDS
        call(lambda: self.redis.zadd(self._tasks_with(task_id), {task_id: look}, xx=True))

    def look_after(self, task_id: str, waiting: Mapping[str, list[str]]) -> bool:
        """Enqueue an overdue task again, unless it is in a queue still; say whether that was done.

        *waiting* has the ids of the jobs in each queue.
        """
        try:
            task = self.load(task_id)
        except NoSuchJob:
            call(lambda: self.redis.zrem(self._tasks_with(task_id), task_id))
            return False
        if any(job_id.startswith(f"task-{task.id}-") for job_id in waiting[KINDS[task.kind].queue]):
            self._put(task, "")
            return False
        if task.repeats >= TRIES:
            self.fail(task, JobBroken(GIVEN_UP))
            return False
        repeats = self._put(task, "", "repeat")
        if repeats is None:
            return False
        self.enqueue(replace(task, repeats=repeats))
        return True

    def _tasks_with(self, task_id: str) -> str:
        """Return the sorted set of the tasks to look after among which this one is."""
        return self.keys.tasks(self.keys.partition(task_id))

    def _end(self, task_id: str, status: str, *fields: Any) -> None:
        self._change_it(task_id, status, "", "", *fields)

    def _put(self, task: Task, status: str, tries: str = "", *fields: Any) -> int | None:
        """Change it, and look again when its lease has run out."""
        return self._change_it(task.id, status, KINDS[task.kind].lease, tries, *fields)

    def _change_it(self, task_id: str, status: str, look: float | str, tries: str, *fields: Any) -> int | None:
        """Do what update_task.lua promises."""
        answer = call(
            lambda: self._change(
                keys=[self.keys.task(task_id), self._tasks_with(task_id)],
                args=[self.time.argument(), task_id, status, look, KEPT_SECONDS, tries, *fields],
            )
        )
        return None if answer is None else int(answer)


def _read(task_id: str, stored: Mapping[str, bytes]) -> Task:
    """Return the task that a hash holds. Raises ``LookupError``, ``TypeError``, ``ValueError`` if it is none."""
    kind, status, asked = text(stored["kind"]), text(stored["status"]), orjson.loads(stored["asked"])
    answer = orjson.loads(stored.get("answer", b"null"))
    if kind not in KINDS or status not in STATUSES or not isinstance(asked, dict):
        raise ValueError(kind, status)
    progress, repeats = float(stored["progress"]), int(stored.get("repeats", 0))
    return Task(task_id, kind, text(stored["owner"]), asked, status, progress, answer, repeats)


class Heartbeat:
    """Tells a worker whether its task is still wanted, and now and then tells the storage that the worker lives.

    Its worker calls it all the time; most calls only read.
    """

    def __init__(self, tasks: Tasks, task: Task) -> None:
        self._tasks, self._task = tasks, task
        self._progress, self._resets_tries = 0.0, False
        self._next = monotonic() + KINDS[task.kind].beat

    def __call__(self, progress: float = 0.0, *, resets_tries: bool = False) -> bool:
        """Say whether it is wanted; the *progress* is written down with the next sign of life."""
        self._progress, self._resets_tries = max(self._progress, progress), self._resets_tries or resets_tries
        return self._tasks.is_wanted(self._task) if monotonic() < self._next else self.send()

    def send(self) -> bool:
        """Give a sign of life: write down the progress, and say whether the task is wanted."""
        self._next = monotonic() + KINDS[self._task.kind].beat
        resets_tries, self._resets_tries = self._resets_tries, False
        return self._tasks.beat(self._task, self._progress, resets_tries=resets_tries)
