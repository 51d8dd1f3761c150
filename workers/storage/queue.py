"""The queue of jobs that people wait for: AI turns at their tables, and hints. fair_queues.py has the other queues.

This module has the names of the jobs and enqueues them. background/worker.py maps the names to functions.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from secrets import randbelow
from time import monotonic
from typing import Any, Final

import structlog
from redis import Redis
from redis.client import Pipeline
from rq import Queue
from rq.exceptions import DeserializationError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.utils import get_call_string, now, utcformat

from engines.table.seats import PendingAi
from engines.table.table import Table
from workers.storage.commands import run_command, run_pipeline, script, text
from workers.storage.errors import StorageUnavailable
from workers.storage.fair_queues import AI_ONLY_QUEUE, FAIR_QUEUE_NAMES, FairQueueJob, FairQueues
from workers.storage.keys import ID_PATTERN

INTERACTIVE_QUEUE: Final = "ai"
"""Name of the RQ queue of jobs that people wait for."""

RQ_QUEUE_PREFIX: Final = Queue.redis_queue_namespace_prefix
INTERACTIVE_QUEUE_KEY: Final = f"{RQ_QUEUE_PREFIX}{INTERACTIVE_QUEUE}"
"""List: the ids of the queued jobs."""


# Job names are not paths of functions, so that a queued job can still be run after a function has moved.

TURN_JOB: Final = "ai_turn"
"""Plays the AI turns at one version of a game. Arguments: the game's id, the version."""

HINT_JOB: Final = "hint"
"""Computes a hint as a task. Argument: the task's id."""

ARENA_JOB: Final = "arena"
"""Starts an arena as a task. Argument: the task's id."""

REVIEW_JOB: Final = "review"
"""Starts a review as a task. Argument: the task's id."""

REVIEW_DECISION_JOB: Final = "review_decision"
"""Judges one decision of a review. Arguments: the task's id, the decision's version, the number of decisions."""

ARENA_GAMES_JOB: Final = "arena_games"
"""Plays some games of an arena.

Arguments: the task's id, the numbers of the games, and, if the first game was interrupted, the state of that game.
"""

TURN_JOB_ID_PATTERN: Final = re.compile(rf"ai-(?P<game>{ID_PATTERN.pattern})-(?P<version>\d+)-\d+(-\d+)?")
"""Format of the id of a turn's job: game, version, the first seat to move, and the retry number unless it is 0."""

MIN_PASSED_ON_RETRY: Final = 10**9
"""Lowest retry number, in a job's id, of a turn that was requeued for another worker.

Retries by the sweeper have lower numbers.
"""

TURN_JOB_TIMEOUT_SECONDS: Final = 30
JOB_TTL_SECONDS: Final = 86_400
"""TTL of a job, in seconds, and timeout of the jobs of the fair queues that aren't turns.

The TTL removes the job of a crashed worker, whose turn is retried under another id.
"""

BROKER_RETRY_SECONDS: Final = 1.0
"""Delay after which an unreachable broker is tried again."""

FAILED_JOB_TTL_SECONDS: Final = 600

NO_TIMEOUT: Final = -1
"""RQ's timeout of a job that may run for any time."""

DESCRIPTION_LENGTH: Final = 75
"""Number of characters of each argument that RQ shows in a job's description."""

ALLOWED_JOB_FIELDS: Final = frozenset(
    (
        *(b"created_at", b"enqueued_at", b"started_at", b"ended_at", b"last_heartbeat", b"worker_name"),
        *(b"origin", b"status", b"description", b"data", b"timeout", b"result_ttl", b"failure_ttl"),
    )
)
"""The fields of RQ that our jobs may have. Those for callbacks, webhooks and dependencies are excluded."""

JOB_DECODE_ERRORS: Final = (NoSuchJobError, DeserializationError, ValueError, TypeError, LookupError, AttributeError)
"""Errors of a job that RQ can't decode."""

NO_CREATORS: Final[Mapping[str, str]] = {}

log: Final = structlog.get_logger(__name__)


class InvalidJob(NoSuchJobError):
    """A stored job that was not written by one of our processes."""


class JsonJob(Job):
    """An RQ job that is stored as JSON and names no function.

    RQ itself would import any function that a job or its callback names, and would unpickle the job's data. Then
    anybody with access to the store could run code in a worker.
    """

    def __init__(self, id: str | None = None, connection: Redis | None = None, serializer: object = None) -> None:  # noqa: A002, ARG002  # RQ's signature
        try:
            super().__init__(id, connection, serializer=JSONSerializer)
        except ValueError as error:
            raise InvalidJob(id) from error

    @property
    def func(self) -> Callable[..., object]:
        """Raise ``LookupError``, because only a worker maps names to functions."""
        raise LookupError(self.func_name)

    def restore(self, raw_data: Mapping[Any, Any]) -> None:
        """Read the fields that our jobs may have and ignore all other fields. Raises ``InvalidJob``."""
        try:
            super().restore({name: value for name, value in raw_data.items() if name in ALLOWED_JOB_FIELDS})
            _ = self.func_name  # this decodes the job, to detect errors
        except JOB_DECODE_ERRORS as error:
            raise InvalidJob(self.id) from error


def queue_of(redis: Redis, name: str) -> Queue:
    """Return an RQ queue with JSON jobs. A worker must serve only one queue, because otherwise RQ could lose jobs."""
    return Queue(name, connection=redis, job_class=JsonJob, serializer=JSONSerializer)


@dataclass(frozen=True)
class UnreadableTable:
    """A game that this process can't read. Another process may be able to read it."""

    id: str
    version: int
    group: str = ""


TurnTable = Table | UnreadableTable
"""The table of a game in which an AI is to move."""

ANY_AI: Final = PendingAi(0, "")
"""Placeholder for the unknown AI of an ``UnreadableTable``."""


def turn_id(table: TurnTable, pending_ai: PendingAi, repeat: int = 0) -> str:
    """Return the id of the job that plays the AI turns at the table's version. *repeat* is the retry number."""
    base_id = f"ai-{table.id}-{table.version}-{pending_ai.seat}"
    return f"{base_id}-{repeat}" if repeat else base_id


@dataclass(frozen=True)
class JobSpec:
    """A job to be enqueued. Creating and saving an RQ ``Job`` instead would take three times as long."""

    id: str
    name: str
    args: Sequence[Any]
    group: str = ""
    """Fairness group of the game's creator or the hint's client, "" for none. Groups take turns (enqueue.lua)."""
    timeout: int = TURN_JOB_TIMEOUT_SECONDS

    @property
    def key(self) -> str:
        """Return the key of the job's hash."""
        return Job.key_for(self.id)

    def fields(self) -> list[str | bytes | int]:
        """Return names and values of the fields of the job's hash, in RQ's format. Empty fields are left out."""
        at = utcformat(now())
        fields_by_name: dict[str, str | bytes | int] = {
            "created_at": at,
            "enqueued_at": at,
            "origin": INTERACTIVE_QUEUE,
            "status": JobStatus.QUEUED.value,
            "description": get_call_string(self.name, self.args, {}, max_length=DESCRIPTION_LENGTH) or "",
            "data": json.dumps([self.name, None, self.args, {}]).encode(),
            "timeout": self.timeout,
            "result_ttl": 0,
            "failure_ttl": FAILED_JOB_TTL_SECONDS,
            **({"group": self.group} if self.group else {}),
        }
        return [word for field in fields_by_name.items() for word in field]


def turn_of(job_id: str) -> tuple[str, int] | None:
    """Return game and version from the id of a turn's job (``turn_id``), or None for the id of another job."""
    match = TURN_JOB_ID_PATTERN.fullmatch(job_id)
    return None if match is None else (match["game"], int(match["version"]))


def turn_job(table: TurnTable, pending_ai: PendingAi, repeat: int = 0) -> JobSpec:
    """Return the job that plays the AI turns at the table's version."""
    return JobSpec(turn_id(table, pending_ai, repeat), TURN_JOB, [table.id, table.version], table.group)


def fair_queue_job(table: TurnTable, pending_ai: PendingAi, repeat: int = 0) -> FairQueueJob:
    """Return the job that plays the AI turns at the table's version, as a job for a fair queue."""
    return FairQueueJob(turn_id(table, pending_ai, repeat), TURN_JOB, [table.id, table.version])


class InteractiveQueue:
    """Enqueues single jobs in the queue ``INTERACTIVE_QUEUE``, ordered round robin by their groups (enqueue.lua)."""

    def __init__(self, broker: Redis) -> None:
        self._enqueue = script(broker, "enqueue.lua")

    def enqueue(self, job: JobSpec) -> None:
        """Enqueue a job: a turn before all hints but the first. Raises ``StorageUnavailable``."""
        head = [job.id, JOB_TTL_SECONDS, job.group, Job.redis_job_namespace_prefix]
        run_command(lambda: self._enqueue(keys=[INTERACTIVE_QUEUE_KEY, job.key], args=[*head, *job.fields()]))


class TurnQueue:
    """Enqueues AI turns that are due now.

    A turn that can't be enqueued isn't lost, because the sweeper enqueues it (due_games.py). Therefore a move does not
    wait for an unreachable broker, which is not tried again for ``BROKER_RETRY_SECONDS``.
    """

    def __init__(
        self, broker: Redis, clock: Callable[[], float] = monotonic, creator_of: Callable[[str], str] = lambda _: ""
    ) -> None:
        self._clock = clock
        self._creator_of = creator_of
        self._broker = broker
        self._fair_queues = FairQueues(broker)
        self.serves_people = True
        """True if people may wait for the turns that this process enqueues. It is False in background workers."""
        self._interactive_queue = InteractiveQueue(broker)
        self._broker_retry_at = 0.0

    def try_enqueue(self, table: Table, pending_ai: PendingAi) -> None:
        """Enqueue the job that plays the AI turns at the table's version, if the broker is reachable.

        A turn for which no person waits goes to the fair queue ``AI_ONLY_QUEUE``. In the queue ``INTERACTIVE_QUEUE`` a
        turn is put before all hints but the first, and turns are ordered round robin by the games' groups
        (enqueue.lua).
        """
        if self._clock() < self._broker_retry_at:
            return
        try:
            if table.only_ais or not self.serves_people:
                self._fair_queues.enqueue(
                    AI_ONLY_QUEUE, self._creator_of(table.id), [fair_queue_job(table, pending_ai)]
                )
                return
            self._interactive_queue.enqueue(turn_job(table, pending_ai))
        except StorageUnavailable:
            self._broker_retry_at = self._clock() + BROKER_RETRY_SECONDS
            log.warning("queue_away", game_id=table.id, version=table.version)

    def requeue_for_other_worker(self, game_id: str, version: int) -> None:
        """Requeue a turn that this process can't play, under a new id.

        The turn goes to the head of the queue ``INTERACTIVE_QUEUE`` or, from a background worker, to the end of its
        creator's list in the fair queue ``AI_ONLY_QUEUE``.
        """
        late = [(UnreadableTable(game_id, version), ANY_AI, MIN_PASSED_ON_RETRY + randbelow(10**9))]
        creators = NO_CREATORS if self.serves_people else {game_id: self._creator_of(game_id)}
        with suppress(StorageUnavailable):  # the sweeper enqueues the turn later
            requeue_overdue(self._broker, late, creators)


def depth(broker: Redis) -> int:
    """Return the number of jobs in the queue ``INTERACTIVE_QUEUE``. Raises ``StorageUnavailable``."""
    return int(run_command(lambda: broker.llen(INTERACTIVE_QUEUE_KEY)))


def waiting(broker: Redis, name: str) -> list[str]:
    """Return the ids of the jobs in a queue, fair or not. Raises ``StorageUnavailable``."""
    if name in FAIR_QUEUE_NAMES:
        return FairQueues(broker).waiting(name)
    found: Any = run_command(lambda: broker.lrange(queue_of(broker, name).key, 0, -1))
    return [text(job_id) for job_id in found]


def requeue_overdue(
    broker: Redis, late: Sequence[tuple[TurnTable, PendingAi, int]], creators: Mapping[str, str] = NO_CREATORS
) -> None:
    """Enqueue the jobs of overdue turns at the head of the queue, in their order, in one round trip.

    Each item of *late* is a game, its first AI to move, and the retry number, which makes the job's id unique.
    The jobs of games in *creators* go to the end of their creator's list in the fair queue ``AI_ONLY_QUEUE`` instead.
    Raises ``StorageUnavailable``.
    """
    by_creator: dict[str, list[FairQueueJob]] = defaultdict(list)
    for turn in late:
        if turn[0].id in creators:
            by_creator[creators[turn[0].id]].append(fair_queue_job(*turn))
    for creator, fair_jobs in by_creator.items():
        FairQueues(broker).enqueue(AI_ONLY_QUEUE, creator, fair_jobs)
    jobs = [turn_job(*turn) for turn in late if turn[0].id not in creators]
    if not jobs:
        return

    # Each job is written before its id is queued, because RQ drops the id of a missing job.
    def fill(pipe: Pipeline) -> None:
        for job in jobs:
            pipe.hset(job.key, items=job.fields())
            pipe.expire(job.key, JOB_TTL_SECONDS)
        pipe.sadd(Queue.redis_queues_keys, INTERACTIVE_QUEUE_KEY)
        pipe.lpush(INTERACTIVE_QUEUE_KEY, *[job.id for job in reversed(jobs)])

    run_pipeline(broker, fill)
