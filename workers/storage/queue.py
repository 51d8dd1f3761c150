"""The queue of AI turns and hints, how a turn gets there only once, and the queue of arenas."""

from typing import Final

from redis import Redis
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.intermediate_queue import IntermediateQueue
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from engines.seats import Asked
from engines.table import Table
from engines.types import Json
from workers.storage.connection import call

NAME: Final = "ai"
PREFIX: Final = Queue.redis_queue_namespace_prefix
KEY: Final = f"{PREFIX}{NAME}"
"""List: the ids of the jobs that wait."""

INTERMEDIATE: Final = IntermediateQueue.get_intermediate_queue_key(KEY)
"""List: the ids of the jobs that workers have taken, until they have done them."""

ARENA: Final = "arena"
"""Whole games of AIs against AIs, for workers that give way to those who serve people (pool.py)."""

JOB: Final = "workers.background.ai_turns.take_ai_turn"
"""By its name, so that whoever enqueues needn't import what it takes to think."""

OPINION: Final = "workers.background.ai_turns.think_beside"
"""What one worker does for another's turn (beside.py)."""

UNBOOKED: Final = (JOB, OPINION)
"""Jobs of which nobody needs RQ's books."""

JOB_SECONDS: Final = 30
FAILURE_SECONDS: Final = 600


def ai_queue(redis: Redis) -> Queue:
    """Return the queue of what people wait for; its jobs are JSON."""
    return queue_of(redis, NAME)


def queue_of(redis: Redis, name: str) -> Queue:
    """Return one of the queues; each worker serves one, since RQ moves a job safely from one queue alone."""
    return Queue(name, connection=redis, serializer=JSONSerializer)


def turn_id(table: Table, asked: Asked, repeat: int = 0) -> str:
    """Return the id of the job that asks the AIs of this version; *repeat* counts the sweeper's."""
    first = f"ai-{table.id}-{table.version}-{asked.seat}"
    return f"{first}-{repeat}" if repeat else first


def turn_job(redis: Redis, table: Table, asked: Asked, repeat: int = 0) -> Job:
    """Return the job that asks the AIs of this version, not enqueued yet."""
    return _job(redis, JOB, turn_id(table, asked, repeat), table.id, table.version)


def opinion_job(redis: Redis, job_id: str, question: Json) -> Job:
    """Return the job that gives a second opinion, not enqueued yet."""
    return _job(redis, OPINION, job_id, question)


def _job(redis: Redis, name: str, job_id: str, *args: object) -> Job:
    return ai_queue(redis).create_job(
        name,
        args=args,
        job_id=job_id,
        timeout=JOB_SECONDS,
        result_ttl=0,
        failure_ttl=FAILURE_SECONDS,
        status=JobStatus.QUEUED,
    )


def written(job: Job) -> list[str | bytes | int]:
    """Return the fields and values of the hash that is the job, as RQ writes it."""
    return [word for field, value in job.to_dict().items() if value is not None for word in (field, value)]


def enqueue_turn(redis: Redis, table: Table, asked: Asked, repeat: int = 0) -> bool:
    """Enqueue the job, before all others since it is late, and say whether that was new.

    Raises ``StorageUnavailable``.
    """
    try:
        call(lambda: ai_queue(redis).enqueue_job(turn_job(redis, table, asked, repeat), unique=True, at_front=True))
    except DuplicateJobError:
        return False
    return True
