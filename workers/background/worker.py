"""The worker: takes jobs from one queue and runs them by their names in ``JOBS``."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from inspect import signature
from typing import Any, Final

import structlog
from redis import Redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker
from rq.exceptions import NoSuchJobError, StopRequested
from rq.job import Job
from rq.suspension import WORKERS_SUSPENDED
from rq.timeouts import JobTimeoutException
from rq.utils import now
from rq.worker import WorkerStatus

from workers.background import ai_turns, arena, hints, reviews
from workers.background.job_base import LoggedJobError
from workers.background.stop_check import SHUTTING_DOWN
from workers.storage import queue as names
from workers.storage.commands import Script, script, text

WORKER_TTL_SECONDS: Final = 30
"""TTL of an idle worker's registration at RQ in seconds. In this time the worker contacts the broker twice."""

HEARTBEAT_INTERVAL: Final = timedelta(seconds=WORKER_TTL_SECONDS / 2)
"""Interval of heartbeats to RQ."""

JOBS: Final[Mapping[str, Callable[..., object]]] = {
    names.TURN_JOB: ai_turns.take_ai_turn,
    names.HINT_JOB: hints.run_hint,
    names.REVIEW_JOB: reviews.enqueue_parts,
    names.REVIEW_DECISION_JOB: reviews.judge_one,
    names.ARENA_JOB: arena.enqueue_parts,
    names.ARENA_GAMES_JOB: arena.play_some,
}
"""The functions of all jobs by name."""

UNRECORDED_JOB_FUNCTIONS: Final = (ai_turns.take_ai_turn,)
"""Functions whose jobs run without RQ's records (``AiWorker``)."""


log: Final = structlog.get_logger(__name__)


def is_registered(job: Job) -> bool:
    """Return whether a job's name is in ``JOBS``, and that function takes the job's number of arguments."""
    try:
        signature(JOBS[job.func_name or ""]).bind(*job.args)
    except (KeyError, TypeError):
        return False
    return True


class RegisteredJob(names.JsonJob):
    """A job whose function is looked up in ``JOBS``, so that nothing else can run."""

    @property
    def func(self) -> Callable[..., object]:
        """Return the function of the job. Raises ``KeyError`` for an unknown name."""
        return JOBS[self.func_name or ""]


class DequeuedJob(RegisteredJob):
    """A dequeued job. A turn's arguments are parsed from the job's id, so that the job's hash need not be read."""

    @classmethod
    def fetch(cls, id: str, connection: Any = None, serializer: Any = None) -> Job:  # noqa: A002  # RQ's signature
        """Return a registered job. Raises ``NoSuchJobError`` for any other job, which is deleted and logged."""
        try:
            job = super().fetch(id, connection, serializer)
        except names.InvalidJob:
            _refuse(id, connection, None)
            raise
        if names.turn_of(id) is None and not is_registered(job):
            _refuse(id, connection, job.func_name)
            raise NoSuchJobError(id)
        return job

    def refresh(self) -> None:
        """Read the job from the broker, or a turn from its id. Raises ``NoSuchJobError``."""
        turn = names.turn_of(self.id)
        if turn is None:
            super().refresh()  # type: ignore[no-untyped-call]  # RQ's method has no types
            return
        self.func_name, self.args, self.timeout, self.description = (
            names.TURN_JOB,
            turn,
            names.TURN_JOB_TIMEOUT_SECONDS,
            self.id,
        )


def _refuse(job_id: str, connection: Redis, named: str | None) -> None:
    """Delete and log a job that isn't registered. *named* is the name in the job, or None if it can't be read."""
    log.error("refused_job", job_id=job_id, named=named)
    connection.delete(Job.key_for(job_id))


class AiWorker(SimpleWorker):
    """A worker that runs jobs in its own process, and reconnects soon after the broker is back.

    RQ's records of a job are a dozen durable writes, which would delay the game. An AI turn needs no record, because
    the schedule has the game, the result is in the game, and a lost job is retried. A finished AI turn is deleted
    together with the dequeuing of the next job (dequeue.lua), because each durable write delays everybody.
    """

    job_class = DequeuedJob
    max_connection_wait_time = 1.0
    _done: Job | None = None
    """The finished AI turn whose job has not been deleted yet, or None."""

    def request_stop(self, signum: Any, frame: Any) -> None:
        """Exit after the current job. Jobs of arenas and reviews stop early, and an idle worker exits at once.

        Raises ``SystemExit`` where the signal interrupts an idle worker. RQ's own exception is a subclass of
        ``Exception``, which an interrupted logger or retry might swallow.
        """
        SHUTTING_DOWN.set()
        try:
            super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's method is half typed
        except StopRequested:
            self._stop_requested = True  # stops the worker even if a running destructor swallows the exception
            raise SystemExit(0) from None

    def subscribe(self) -> None:
        """Skip RQ's remote commands, which need a second connection and a thread."""

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job. RQ keeps records of all jobs except AI turns."""
        if JOBS.get(job.func_name or "") not in UNRECORDED_JOB_FUNCTIONS:
            super().execute_job(job, queue)
            return
        self.set_state(WorkerStatus.BUSY)  # a signal raises an exception only in an idle worker
        with suppress(LoggedJobError, JobTimeoutException), self.death_penalty_class(job.timeout, JobTimeoutException):
            job.func(*job.args)
        self._done = job

    def check_for_suspension(self, burst: bool) -> None:  # noqa: FBT001  # RQ's signature
        """Wait while workers are suspended (``rq suspend``). After an AI turn dequeue.lua checks this instead."""
        if self._done is None:
            super().check_for_suspension(burst)

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Dequeue the next job. If none is queued, wait for one as RQ does."""
        if self._done is not None:
            done, self._done = self._done, None
            taken = self._take(done.id)
            if taken is not None:
                return taken, self.queues[0]
            # From here on a signal raises an exception. An earlier signal has set ``_stop_requested``.
            self.set_state(WorkerStatus.IDLE)
            if self._stop_requested:
                raise StopRequested
            super().check_for_suspension(burst=timeout is None)
        return super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)

    def _take(self, done: str) -> Job | None:
        """Delete the finished job *done* and dequeue the next job. Return None if there is no next job."""
        queue = self.queues[0]
        keys = [queue.key, queue.intermediate_queue_key, WORKERS_SUSPENDED]
        job_id = self._script(keys, [done, Job.redis_job_namespace_prefix])
        if job_id is None:
            return None
        try:
            job = self.job_class.fetch(text(job_id), self.connection)
        except NoSuchJobError:  # the job was deleted
            return self._take(text(job_id))
        job.redis_server_version = self.get_redis_server_version()  # type: ignore[no-untyped-call]  # RQ's method has no types
        return job

    @cached_property
    def _script(self) -> Script:
        return script(self.connection, "dequeue.lua")

    def teardown(self) -> None:
        """Delete the last finished job and exit."""
        if self._done is not None:
            with self.connection.pipeline() as pipe:
                pipe.delete(self._done.key)
                pipe.lrem(self.queues[0].intermediate_queue_key, 1, self._done.id)
                pipe.execute()
        super().teardown()  # type: ignore[no-untyped-call]  # RQ's method has no types

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Send RQ's heartbeat at intervals only, instead of several for each job."""
        if timeout is not None or self.last_heartbeat is None or now() - self.last_heartbeat > HEARTBEAT_INTERVAL:
            super().heartbeat(timeout, pipeline)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:  # noqa: ARG002  # RQ's signature
        """Keep the state in this process only. RQ would write the state to the broker with each job."""
        self._state = state
