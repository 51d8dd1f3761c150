"""Second opinions: an idle worker runs a second search for an AI's turn, while another worker runs the first.

    t0  an AI of a level that shares its search begins to think: a job goes to the end of the queue, behind all turns
    t1  an idle worker takes it at once; if none is idle, it stays there
    t2  the first worker has done its half of the search. If the job still waits, the worker takes it back and does the
        other half too; if another has taken it, the first goes on searching until the answer comes
    t3  the answer is there, and is added; or the first has done everything itself, and the job isn't wanted any more

So an AI that thinks alone has two processes, and AIs that think at the same time have one each, without counting
processors. Nothing of the view is written into the job: whoever does it reads the game. What it counted is kept for
seconds. The job is wanted while RQ's hash of it is there, and while nothing else waits: it gives way to every other.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass
from secrets import token_hex
from time import monotonic, perf_counter
from typing import Final

import orjson
import structlog
from redis.client import Pipeline
from rq.job import Job

from engines.ai.decision import second_opinion
from engines.ai.parallel_search import Helper
from engines.ai.search import Counts
from engines.core.types import Json
from engines.table.seats import Asked
from engines.table.table import Table
from workers.background import jobs
from workers.background.watch import Watch
from workers.engines_hash import ENGINES_HASH
from workers.storage import keys, queue
from workers.storage.connection import call, pipelined, text
from workers.storage.errors import NoSuchGame, StorageUnavailable
from workers.storage.store import Store

PREFIX: Final = "opinion-"
"""How the ids of these jobs begin."""

LOOK_SECONDS: Final = 0.004
"""How often the first looks for the answer, once it is due; a look takes 0.1 ms."""

MARGIN_SECONDS: Final = 0.03
"""So long before the first's time is up the answer must be on its way."""

KEPT_SECONDS: Final = 5
"""How long an answer is kept that nobody fetches."""

LOOKED_AT: Final = 64
"""So many jobs at the head of the queue are looked at for one of another kind: no more workers ask at the same time."""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Question:
    """What a second opinion is asked about: an AI's turn at one version of a game."""

    job_id: str
    game_id: str
    version: int
    seat: int
    level: str
    until: float
    """Epoch seconds; after that the AI has decided."""
    engines: str
    """``ENGINES_HASH`` of the worker that asks."""


class SecondOpinion(Helper):
    """What the worker of an AI's turn knows of the second search. ``close`` it when the AI has decided."""

    def __init__(self, store: Store, table: Table, asked: Asked) -> None:
        self._store, self._table, self._asked = store, table, asked
        self._job: queue.NewJob | None = None
        self._due = False
        self._next = self._end = 0.0

    def ask(self, seconds: float) -> None:
        """Put the job into the queue."""
        self._end = monotonic() + seconds
        until, job_id = self._store.now().timestamp() + seconds - MARGIN_SECONDS, f"{PREFIX}{token_hex(8)}"
        table, asked = self._table, self._asked
        question = Question(job_id, table.id, table.version, asked.seat, asked.level, until, ENGINES_HASH)
        job = queue.opinion_job(job_id, asdict(question))

        def order(pipe: Pipeline) -> None:
            pipe.hset(job.key, items=job.fields())
            pipe.expire(job.key, queue.JOB_SECONDS)
            pipe.rpush(queue.KEY, job.id)

        with suppress(StorageUnavailable):  # without a queue it thinks alone
            pipelined(self._store.broker, order)
            self._job = job

    def answer(self) -> Counts | None:
        """Take the job back, at first, if it still waits; else look for the answer: now and then, and at the end."""
        if self._job is None or monotonic() < min(self._next, self._end):
            return None
        try:
            return self._answer(self._job)
        except StorageUnavailable:
            self._job = None
            return None

    def _answer(self, job: queue.NewJob) -> Counts | None:
        broker = self._store.broker
        if not self._due and call(lambda: broker.lrem(queue.KEY, 0, job.id)):
            self.close()
            return None
        self._due, self._next = True, monotonic() + LOOK_SECONDS
        return self._look(job)

    def _look(self, job: queue.NewJob) -> Counts | None:
        """Return the answer if it is there; when whoever took the job has given way there is nothing to look for."""

        # In this order: an answer is left before its job goes.
        def order(pipe: Pipeline) -> None:
            pipe.exists(job.key)
            pipe.getdel(keys.opinion(job.id))

        is_there, found = pipelined(self._store.broker, order)
        self._job = job if is_there and found is None else None
        return None if found is None else [(visits, total, won) for visits, total, won in orjson.loads(found)]

    def close(self) -> None:
        """Say that no answer is wanted any more, if none has come."""
        job, self._job = self._job, None
        if job is None:
            return

        # A worker may take the job while we take it back, and RQ leaves an id where it is if there is no job to it:
        #   t0  the worker moves the id     t1  we find none that waits     t2  we delete the job
        #   t3  the worker finds no job, and takes the next
        def order(pipe: Pipeline) -> None:
            pipe.lrem(queue.KEY, 0, job.id)
            pipe.lrem(queue.INTERMEDIATE, 0, job.id)
            pipe.delete(job.key, keys.opinion(job.id))

        with suppress(StorageUnavailable):  # all of it expires
            pipelined(self._store.broker, order)


def give_opinion(asked: Json) -> None:
    """Give a second opinion on an AI's turn (``Question``): the RQ job."""
    began, about = perf_counter(), {"job": asked.get("job_id")}
    try:
        question = Question(**asked)  # of another version it may have other fields
        about |= {"game_id": question.game_id, "version": question.version, "seat": question.seat}
        given = give(jobs.process_store(), question)
    except Exception as error:  # whatever it was, the AI decides without it
        log.exception("second_opinion_failed", **about, exc_info=error)
        raise jobs.JobFailed(type(error).__name__) from None
    log.info("second_opinion", **about, given=given, ms=jobs.milliseconds_since(began))


def give(store: Store, question: Question) -> bool:
    """Run the second search and store what it counted; say whether that was wanted to the end."""
    seconds = question.until - store.now().timestamp()
    if seconds <= 0 or question.engines != ENGINES_HASH or not is_wanted(store, question):
        return False
    try:
        table = store.load(question.game_id)
    except NoSuchGame:
        return False
    observation = table.observation(question.seat)
    if table.version != question.version or observation is None:
        return False
    watch = Watch(lambda: is_wanted(store, question))
    counts = second_opinion(question.level, observation, seconds=seconds, should_stop=watch)
    return not watch.stopped and _keep_answer(store, question, counts)


def is_wanted(store: Store, question: Question) -> bool:
    """The AI that asks still thinks about its turn, and no turn and no hint waits for this worker."""

    def order(pipe: Pipeline) -> None:
        pipe.exists(Job.key_for(question.job_id))
        pipe.lrange(queue.KEY, 0, LOOKED_AT - 1)

    asked, waiting = pipelined(store.broker, order)
    is_wanted = bool(asked) and all(text(job).startswith(PREFIX) for job in waiting)
    return is_wanted and store.is_at(question.game_id, question.version)


def _keep_answer(store: Store, question: Question, counts: Counts) -> bool:
    """Store the answer where the worker that asked looks for it."""
    name, answer = keys.opinion(question.job_id), orjson.dumps(counts)
    return bool(call(lambda: store.broker.set(name, answer, ex=KEPT_SECONDS)))
