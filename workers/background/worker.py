"""The worker: takes jobs from one queue and runs them, each by its name in ``JOBS``."""

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
from workers.background.job_base import JobFailed
from workers.background.stop_check import SHUTTING_DOWN
from workers.storage import queue as names
from workers.storage.connection import Script, script, text

WORKER_TTL_SECONDS: Final = 30
"""An idle worker talks to the storage twice as often as this, and notices within it when a connection is dead."""

HEARTBEAT: Final = timedelta(seconds=WORKER_TTL_SECONDS / 2)
"""How often a worker tells RQ that it lives."""

JOBS: Final[Mapping[str, Callable[..., object]]] = {
    names.TURN_JOB: ai_turns.take_ai_turn,
    names.HINT_JOB: hints.run_hint,
    names.REVIEW_JOB: reviews.enqueue_parts,
    names.REVIEW_DECISION_JOB: reviews.judge_one,
    names.ARENA_JOB: arena.enqueue_parts,
    names.ARENA_GAMES_JOB: arena.play_some,
}
"""Every job that a worker runs, by its name."""

WITHOUT_RECORDS: Final = (ai_turns.take_ai_turn,)
"""Jobs of which RQ's own records aren't needed (``AiWorker``)."""


log: Final = structlog.get_logger(__name__)


def is_registered(job: Job) -> bool:
    """Return whether a job is one of those that there are, with as many arguments as it takes."""
    try:
        signature(JOBS[job.func_name or ""]).bind(*job.args)
    except (KeyError, TypeError):
        return False
    return True


class RegisteredJob(names.JsonJob):
    """A job whose function is looked up in ``JOBS``: of others none is run."""

    @property
    def func(self) -> Callable[..., object]:
        """The function of this job. Raises ``KeyError`` if there is no job of this name."""
        return JOBS[self.func_name or ""]


class DequeuedJob(RegisteredJob):
    """A job that a worker has taken. What a turn's asks for stands in its id: its hash, which RQ shows, isn't read."""

    @classmethod
    def fetch(cls, id: str, connection: Any = None, serializer: Any = None) -> Job:  # noqa: A002  RQ's signature
        """Return a job of ours. Raises ``NoSuchJobError``; of any other job nothing is left but a line in the log."""
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
        """Learn what is asked for. Raises ``NoSuchJobError``."""
        turn = names.turn_of(self.id)
        if turn is None:
            super().refresh()  # type: ignore[no-untyped-call]  # RQ's
            return
        self.func_name, self.args, self.timeout, self.description = names.TURN_JOB, turn, names.JOB_SECONDS, self.id


def _refuse(job_id: str, connection: Redis, named: str | None) -> None:
    """Remove a job that is none of ours; *named*: what it would have called."""
    log.error("refused_job", job_id=job_id, named=named)
    connection.delete(Job.key_for(job_id))


class AiWorker(SimpleWorker):
    """A worker that runs its jobs in its own process, and comes back soon after the storage does.

    RQ keeps records of a job: a dozen durable writes, for which the table would have to wait. An AI's turn needs none
    of them: it is owed by the outbox, what came of it stands in its game, and a job that was lost is repeated. When
    such a job is done it is forgotten together with the taking of the next one (dequeue.lua): each write is durable,
    and everybody waits for it.
    """

    job_class = DequeuedJob
    max_connection_wait_time = 1.0
    _done: Job | None = None
    """The job that was done, and isn't forgotten yet."""

    def request_stop(self, signum: Any, frame: Any) -> None:
        """Finish what it does for people and end; an arena's game takes too long, and is played again.

        An idle worker ends at once, wherever the signal finds it. Raises ``SystemExit``: what RQ would raise is an
        error, which a logger or a retry that it breaks off would take for one of its own.
        """
        SHUTTING_DOWN.set()
        try:
            super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ's is half typed
        except StopRequested:
            self._stop_requested = True  # the exception is lost if a destructor is interrupted: then this counts
            raise SystemExit(0) from None

    def subscribe(self) -> None:
        """Take no commands over the storage: it needs no second connection, and no thread."""

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job: an AI's turn without RQ's records, any other with them."""
        if JOBS.get(job.func_name or "") not in WITHOUT_RECORDS:
            super().execute_job(job, queue)
            return
        self.set_state(WorkerStatus.BUSY)  # to an idle worker a signal is an exception, wherever it is
        with suppress(JobFailed, JobTimeoutException), self.death_penalty_class(job.timeout, JobTimeoutException):
            job.func(*job.args)
        self._done = job

    def check_for_suspension(self, burst: bool) -> None:  # noqa: FBT001  RQ's signature
        """Wait while workers are suspended (``rq suspend``). After a job dequeue.lua asks first."""
        if self._done is None:
            super().check_for_suspension(burst)

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Take the next job; if none waits, wait for one as RQ does."""
        if self._done is not None:
            done, self._done = self._done, None
            taken = self._take(done.id)
            if taken is not None:
                return taken, self.queues[0]
            self.set_state(WorkerStatus.IDLE)  # from here on a signal is an exception; it may have come before
            if self._stop_requested:
                raise StopRequested
            super().check_for_suspension(burst=timeout is None)
        return super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)

    def _take(self, done: str) -> Job | None:
        """Forget the job that was done, by its id, and take the next one, if one waits."""
        queue = self.queues[0]
        keys = [queue.key, queue.intermediate_queue_key, WORKERS_SUSPENDED]
        job_id = self._script(keys, [done, Job.redis_job_namespace_prefix])
        if job_id is None:
            return None
        try:
            job = self.job_class.fetch(text(job_id), self.connection)
        except NoSuchJobError:  # it isn't wanted any more
            return self._take(text(job_id))
        job.redis_server_version = self.get_redis_server_version()  # type: ignore[no-untyped-call]  # RQ's
        return job

    @cached_property
    def _script(self) -> Script:
        return script(self.connection, "dequeue.lua")

    def teardown(self) -> None:
        """Forget the job that was done last, and end."""
        if self._done is not None:
            with self.connection.pipeline() as pipe:
                pipe.delete(self._done.key)
                pipe.lrem(self.queues[0].intermediate_queue_key, 1, self._done.id)
                pipe.execute()
        super().teardown()  # type: ignore[no-untyped-call]  # RQ's

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Tell RQ that the worker lives: now and then, not several times a job."""
        if timeout is not None or self.last_heartbeat is None or now() - self.last_heartbeat > HEARTBEAT:
            super().heartbeat(timeout, pipeline)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:  # noqa: ARG002  RQ's signature
        """Don't write down with every job that the worker is busy, and then that it isn't."""
        self._state = state
