"""The background worker: takes jobs that no person waits for from the fair queues (fair_queues.py).

Workers that serve people take no jobs from the fair queues, and background workers take jobs only from the fair queues.
Therefore a long background search delays no person and need not be interrupted. A background worker has a low CPU
priority.
"""

from contextlib import suppress
from functools import cached_property
from threading import Event

import structlog
from redis.exceptions import ConnectionError  # noqa: A004  # this is redis-py's class, not Python's
from rq import Queue
from rq.exceptions import StopRequested
from rq.job import Job
from rq.suspension import WORKERS_SUSPENDED
from rq.timeouts import JobTimeoutException
from rq.worker import WorkerStatus

from workers.background.job_base import LoggedJobError
from workers.background.worker import AiWorker, DequeuedJob, is_registered
from workers.storage.fair_queues import FairQueueJob, FairQueues
from workers.storage.queue import JOB_TTL_SECONDS, TURN_JOB, TURN_JOB_TIMEOUT_SECONDS

log = structlog.get_logger(__name__)


class FairQueueWorker(AiWorker):
    """A worker for the fair queues. RQ keeps no records of its jobs, because the sweeper retries lost jobs."""

    @cached_property
    def fair_queues(self) -> FairQueues:
        """The fair queues on the worker's broker."""
        return FairQueues(self.connection)

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Dequeue the next job. Unless *timeout* is None, wait for a job if none is queued."""
        while True:
            try:
                self.set_state(WorkerStatus.BUSY)  # an idle worker's signal handler raises, which would lose the job
                job = self.fair_queues.dequeue(WORKERS_SUSPENDED)
                if job is not None:
                    return self._rq_job(job), self.queues[0]
                self.set_state(WorkerStatus.IDLE)
                if self._stop_requested:
                    raise StopRequested
                if timeout is None or max_idle_time is not None:
                    return None
                self.check_for_suspension(burst=False)
                self.heartbeat()
                self.fair_queues.wait(timeout)
            except ConnectionError:
                log.warning("queue_away")
                self.set_state(WorkerStatus.IDLE)
                Event().wait(self.max_connection_wait_time)

    def execute_job(self, job: Job, queue: Queue) -> None:  # noqa: ARG002  # RQ's signature
        """Run a job if its name and its number of arguments are those of a registered job."""
        if not is_registered(job):
            log.error("unknown_job", job_id=job.id)
            return
        self.set_state(WorkerStatus.BUSY)
        with suppress(LoggedJobError, JobTimeoutException), self.death_penalty_class(job.timeout, JobTimeoutException):
            job.func(*job.args)

    def _rq_job(self, job: FairQueueJob) -> DequeuedJob:
        taken = DequeuedJob(job.id, connection=self.connection, serializer=self.serializer)
        taken.func_name, taken.args, taken.description = job.name, tuple(job.args), job.id
        taken.timeout = TURN_JOB_TIMEOUT_SECONDS if job.name == TURN_JOB else JOB_TTL_SECONDS
        return taken
