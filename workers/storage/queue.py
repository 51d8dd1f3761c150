"""The queue of what people wait for: AIs' turns at their tables, and hints. Where nobody waits, fair_queues.py.

Here is what a job is called and how it is enqueued; background/worker.py has what does it.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from secrets import randbelow
from time import monotonic
from typing import Any, Final, Protocol

import structlog
from redis import Redis
from redis.client import Pipeline
from rq import Queue
from rq.exceptions import DeserializationError, NoSuchJobError
from rq.intermediate_queue import IntermediateQueue
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.utils import get_call_string, now, utcformat

from engines.table.seats import Asked
from engines.table.table import Table
from workers.storage.connection import call, pipelined, script, text
from workers.storage.errors import StorageUnavailable
from workers.storage.fair_queues import ALONE, NAMES, FairQueueJob, FairQueues
from workers.storage.keys import ID

PEOPLE: Final = "ai"
"""What people wait for."""

PREFIX: Final = Queue.redis_queue_namespace_prefix
KEY: Final = f"{PREFIX}{PEOPLE}"
"""List: the ids of the jobs that wait."""

INTERMEDIATE: Final = IntermediateQueue.get_intermediate_queue_key(KEY)
"""List: the ids of the jobs that workers have taken, until they have done them."""

# The names of the jobs. They aren't paths of functions: functions move, and a job that waits must still be found then.

TURN_JOB: Final = "ai_turn"
"""AIs' turns at one version of a game: game, version."""

HINT_JOB: Final = "hint"
"""The task of a hint: its id."""

ARENA_JOB: Final = "arena"
"""The task of an arena: its id."""

REVIEW_JOB: Final = "review"
"""The task of a review: its id."""

REVIEW_DECISION_JOB: Final = "review_decision"
"""One decision of a review: the task's id, the version at which it was made, how many decisions there are."""

ARENA_GAMES_JOB: Final = "arena_games"
"""Some games of an arena: the task's id, their numbers."""

TURN_ID: Final = re.compile(rf"ai-(?P<game>{ID.pattern})-(?P<version>\d+)-\d+(-\d+)?")
"""How the job of a turn is called: by game, version, the seat that it asks first, and how often it was repeated."""

PASSED_FROM: Final = 10**9
"""The number in the id of a job that was passed on is above those of jobs that were repeated."""

JOB_SECONDS: Final = 30
KEPT_SECONDS: Final = 86_400
"""How long the job of a turn is kept: that of a worker that is killed is repeated under another id."""

AWAY_SECONDS: Final = 1.0
"""How long a queue is left alone that couldn't be reached."""

FAILURE_SECONDS: Final = 600

DESCRIPTION_LENGTH: Final = 75
"""So much RQ shows of each argument of a job."""

OWN_FIELDS: Final = frozenset(
    (
        *(b"created_at", b"enqueued_at", b"started_at", b"ended_at", b"last_heartbeat", b"worker_name"),
        *(b"origin", b"status", b"description", b"data", b"timeout", b"result_ttl", b"failure_ttl"),
    )
)
"""What jobs of ours have: no functions to call after them, no addresses to tell of them, no jobs that follow them."""

UNREADABLE: Final = (NoSuchJobError, DeserializationError, ValueError, TypeError, LookupError, AttributeError)
"""What is raised by a job that RQ can't read."""

NOT_KNOWN: Final[Mapping[str, str]] = {}

log: Final = structlog.get_logger(__name__)


class InvalidJob(NoSuchJobError):
    """What is stored there isn't a job that anybody of ours has written."""


class JsonJob(Job):
    """A job as whoever can write to the store may have written it: it is JSON, and names no function.

    RQ would import any function that a job names, as its own or to be called after it, and read what is pickled.
    """

    def __init__(self, id: str | None = None, connection: Redis | None = None, serializer: object = None) -> None:  # noqa: A002, ARG002  RQ's signature
        try:
            super().__init__(id, connection, serializer=JSONSerializer)
        except ValueError as error:
            raise InvalidJob(id) from error

    @property
    def func(self) -> Callable[..., object]:
        """None: only a worker knows what is done."""
        raise LookupError(self.func_name)

    def restore(self, raw_data: Mapping[Any, Any]) -> None:
        """Read what jobs of ours have, and nothing else. Raises ``InvalidJob``."""
        try:
            super().restore({name: value for name, value in raw_data.items() if name in OWN_FIELDS})
            _ = self.func_name  # reads what is to be done
        except UNREADABLE as error:
            raise InvalidJob(self.id) from error


def ai_queue(redis: Redis) -> Queue:
    """Return the queue of what people wait for."""
    return queue_of(redis, PEOPLE)


def queue_of(redis: Redis, name: str) -> Queue:
    """Return a queue of RQ's; its jobs are JSON. A worker serves one: RQ moves a job safely from one queue alone."""
    return Queue(name, connection=redis, job_class=JsonJob, serializer=JSONSerializer)


class Owing(Protocol):
    """A game at which AIs owe a turn: a ``Table``, or one that can't be read here (``Unread``)."""

    @property
    def id(self) -> str:
        """Of the game."""

    @property
    def version(self) -> int:
        """At which the turn is owed."""

    @property
    def group(self) -> str:
        """With whom it takes turns."""


@dataclass(frozen=True)
class Unread:
    """A game that can't be read here; others may."""

    id: str
    version: int
    group: str = ""


ANYBODY: Final = Asked(0, "")
"""Who is asked first at a game that can't be read here isn't known."""


def turn_id(table: Owing, asked: Asked, repeat: int = 0) -> str:
    """Return the id of the job that asks the AIs of this version; *repeat* counts the sweeper's."""
    first = f"ai-{table.id}-{table.version}-{asked.seat}"
    return f"{first}-{repeat}" if repeat else first


@dataclass(frozen=True)
class JobSpec:
    """A job that isn't in the queue yet. RQ's own objects take three times as long to be made and written."""

    id: str
    name: str
    args: Sequence[Any]
    group: str = ""
    """With whom it takes turns; nobody else knows of those that are of none."""

    @property
    def key(self) -> str:
        """The key of the hash that is the job."""
        return Job.key_for(self.id)

    def fields(self) -> list[str | bytes | int]:
        """Return the fields of that hash, each with its value, as RQ reads them; what would be empty is left out."""
        at = utcformat(now())
        written: dict[str, str | bytes | int] = {
            "created_at": at,
            "enqueued_at": at,
            "origin": PEOPLE,
            "status": JobStatus.QUEUED.value,
            "description": get_call_string(self.name, self.args, {}, max_length=DESCRIPTION_LENGTH) or "",
            "data": json.dumps([self.name, None, self.args, {}]).encode(),
            "timeout": JOB_SECONDS,
            "result_ttl": 0,
            "failure_ttl": FAILURE_SECONDS,
            **({"group": self.group} if self.group else {}),
        }
        return [word for field in written.items() for word in field]


def turn_of(job_id: str) -> tuple[str, int] | None:
    """Return the game and the version whose AIs a job asks, by its id (``turn_id``); None if it is another job."""
    found = TURN_ID.fullmatch(job_id)
    return None if found is None else (found["game"], int(found["version"]))


def turn_job(table: Owing, asked: Asked, repeat: int = 0) -> JobSpec:
    """Return the job that asks the AIs of this version."""
    return JobSpec(turn_id(table, asked, repeat), TURN_JOB, [table.id, table.version], table.group)


def lined(table: Owing, asked: Asked, repeat: int = 0) -> FairQueueJob:
    """Return the same job for a line."""
    return FairQueueJob(turn_id(table, asked, repeat), TURN_JOB, [table.id, table.version])


class TurnQueue:
    """The queue, for turns that are owed as of now.

    What can't be enqueued isn't lost: the outbox has it, and the sweeper enqueues it (due_games.py). So whoever moves
    doesn't wait for a queue that is away: it is left alone for a moment.
    """

    def __init__(
        self, broker: Redis, clock: Callable[[], float] = monotonic, creator_of: Callable[[str], str] = lambda _: ""
    ) -> None:
        self._clock = clock
        self._creator_of = creator_of
        self._broker = broker
        self._lines = FairQueues(broker)
        self.for_people = True
        """A person waits for the turns that this process enqueues, if one plays at all: else all go into the line."""
        self._enqueue = script(broker, "enqueue.lua")
        self._away_until = 0.0

    def try_enqueue(self, table: Table, asked: Asked) -> None:
        """Enqueue the job that asks the AIs of this version, if the queue is there.

        Where a person waits it comes before all hints but the oldest, and groups take turns; elsewhere into its line.
        """
        if self._clock() < self._away_until:
            return
        try:
            if table.only_ais or not self.for_people:
                self._lines.join(ALONE, self._creator_of(table.id), [lined(table, asked)])
                return
            job = turn_job(table, asked)
            about = [job.id, KEPT_SECONDS, job.group, Job.redis_job_namespace_prefix]
            call(lambda: self._enqueue(keys=[KEY, job.key], args=[*about, *job.fields()]))
        except StorageUnavailable:
            self._away_until = self._clock() + AWAY_SECONDS
            log.warning("queue_away", game_id=table.id, version=table.version)

    def pass_on(self, game_id: str, version: int) -> None:
        """Put the job of a turn that this process can't play at the head again, under a new id."""
        late = [(Unread(game_id, version), ANYBODY, PASSED_FROM + randbelow(10**9))]
        creators = NOT_KNOWN if self.for_people else {game_id: self._creator_of(game_id)}
        with suppress(StorageUnavailable):  # the outbox has it
            requeue_overdue(self._broker, late, creators)


def depth(broker: Redis) -> int:
    """Return how many jobs wait. Raises ``StorageUnavailable``."""
    return int(call(lambda: broker.llen(KEY)))


def waiting(broker: Redis, name: str) -> list[str]:
    """Return the ids of the jobs that wait in a queue, or in a line. Raises ``StorageUnavailable``."""
    if name in NAMES:
        return FairQueues(broker).waiting(name)
    found: Any = call(lambda: broker.lrange(queue_of(broker, name).key, 0, -1))
    return [text(job_id) for job_id in found]


def requeue_overdue(
    broker: Redis, late: Sequence[tuple[Owing, Asked, int]], creators: Mapping[str, str] = NOT_KNOWN
) -> None:
    """Enqueue the jobs of turns that are late, before all others, the first of them first, in one round trip.

    Each is a version of a game, whom it asks first, and how often that has been repeated now, by which the job is the
    only one of its name. Where nobody waits it goes into the line instead, at its end: those are the games of which it
    is said who made them. Raises ``StorageUnavailable``.
    """
    by_creator: dict[str, list[FairQueueJob]] = defaultdict(list)
    for turn in late:
        if turn[0].id in creators:
            by_creator[creators[turn[0].id]].append(lined(*turn))
    for creator, owed in by_creator.items():
        FairQueues(broker).join(ALONE, creator, owed)
    jobs = [turn_job(*turn) for turn in late if turn[0].id not in creators]
    if not jobs:
        return

    # A job is there before its id: RQ would pass over the id of a job that isn't there.
    def order(pipe: Pipeline) -> None:
        for job in jobs:
            pipe.hset(job.key, items=job.fields())
            pipe.expire(job.key, KEPT_SECONDS)
        pipe.sadd(Queue.redis_queues_keys, KEY)
        pipe.lpush(KEY, *[job.id for job in reversed(jobs)])

    pipelined(broker, order)
