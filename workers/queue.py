"""The one queue of AI turns, and how a turn gets there only once."""

from typing import Final

from redis import Redis
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.serializers import JSONSerializer

from engines.seats import Asked
from engines.table import Table
from workers.connection import reach

NAME: Final = "ai"
JOB: Final = "workers.jobs.take_ai_turn"
"""By its name, so that whoever enqueues needn't import what it takes to think."""

JOB_SECONDS: Final = 30
RESULT_SECONDS: Final = 60
FAILURE_SECONDS: Final = 600


def ai_queue(redis: Redis) -> Queue:
    """Return the queue; its jobs are JSON."""
    return Queue(NAME, connection=redis, serializer=JSONSerializer)


def job_id(table: Table, asked: Asked, repeat: int = 0) -> str:
    """Return the id of the job that asks the AIs of this version; *repeat* counts the sweeper's."""
    first = f"ai-{table.id}-{table.version}-{asked.seat}"
    return f"{first}-{repeat}" if repeat else first


def enqueue_turn(redis: Redis, table: Table, asked: Asked, repeat: int = 0) -> bool:
    """Enqueue the job, and say whether that was new. Raises ``StorageUnavailable``."""
    try:
        reach(
            lambda: ai_queue(redis).enqueue(
                JOB,
                table.id,
                table.version,
                job_id=job_id(table, asked, repeat),
                unique=True,
                job_timeout=JOB_SECONDS,
                result_ttl=RESULT_SECONDS,
                failure_ttl=FAILURE_SECONDS,
            )
        )
    except DuplicateJobError:
        return False
    return True
