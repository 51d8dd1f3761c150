"""Fair queues: jobs that no person at a table waits for, dequeued round robin by client.

There is a queue for reviews, one for games in which only AIs play, and one for arenas. In each queue, every client (the
creator of a game or arena, or the one who requested a review) has a list of jobs. One job of the client at the head is
dequeued, and the client goes to the end. Thus a client with a thousand jobs delays another client's job by one job:

  A enqueues a1 ... a9: queue A      B enqueues b1: queue A, B      order of jobs: a1, b1, a2, a3, ...

A job that is interrupted at the end of its time slice goes back to the head of its client's list. Jobs that are lost
with a worker or with the broker are enqueued again by the sweeper.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import orjson
import structlog
from redis import Redis
from redis.client import Pipeline

from workers.storage.commands import run_command, run_pipeline, script, text
from workers.storage.keys import WAKE_LIST, client_queue, fair_queue

REVIEW_QUEUE: Final = "review"
"""Reviews of ended games, one job per decision. A reader waits for the result, but no running game does."""

AI_ONLY_QUEUE: Final = "alone"
"""AI turns in games in which only AIs play, or in which an AI stands in for an absent person."""

ARENA_QUEUE: Final = "arena"
"""Arenas: whole games between AIs."""

FAIR_QUEUE_NAMES: Final = (REVIEW_QUEUE, AI_ONLY_QUEUE, ARENA_QUEUE)
"""The fair queues, the one with the highest priority first."""

LOW_PRIORITY_EVERY: Final = 8
"""In this many calls of ``dequeue`` each queue of lower priority is tried first once, so that it doesn't starve."""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class FairQueueJob:
    """A job in a fair queue."""

    id: str
    name: str
    args: Sequence[Any]

    def dump(self) -> bytes:
        """Encode the job. ``load`` is the inverse."""
        return orjson.dumps([self.id, self.name, self.args])

    @classmethod
    def load(cls, encoded: bytes) -> "FairQueueJob | None":
        """Decode a job. Return None if it is malformed."""
        with suppress(orjson.JSONDecodeError):
            match orjson.loads(encoded):
                case [str(job_id), str(name), list(args)]:
                    return cls(job_id, name, args)
                case _:
                    pass
        return None


class FairQueues:
    """The fair queues on the broker, which must not be a cluster."""

    def __init__(self, broker: Redis) -> None:
        self._broker = broker
        self._enqueue = script(broker, "fair_enqueue.lua")
        self._dequeue = script(broker, "fair_dequeue.lua")
        self._dequeued = 0

    def enqueue(self, name: str, client: str, jobs: Sequence[FairQueueJob], *, first: bool = False) -> None:
        """Append jobs to a client's list, or with *first* insert them at its head. Raises ``StorageUnavailable``."""
        if jobs:
            keys, args = (
                [fair_queue(name), client_queue(name, client), WAKE_LIST],
                [client, "first" if first else "last"],
            )
            run_command(lambda: self._enqueue(keys=keys, args=[*args, *[job.dump() for job in jobs]]))

    def dequeue(self, suspended: str) -> FairQueueJob | None:
        """Dequeue the next job. Return None if no job is queued, or if the Redis key *suspended* exists."""
        self._dequeued += 1
        turn = self._dequeued % LOW_PRIORITY_EVERY
        first = FAIR_QUEUE_NAMES[-1 - turn] if turn < len(FAIR_QUEUE_NAMES) else FAIR_QUEUE_NAMES[0]
        fill = dict.fromkeys(map(fair_queue, (first, *FAIR_QUEUE_NAMES)))
        while (reply := self._dequeue([suspended, *fill], [])) is not None:
            job = FairQueueJob.load(reply)
            if job is not None:
                return job
            log.error("refused_job")
        return None

    def wait(self, seconds: int) -> None:
        """Block until a job may be available, for at most *seconds*."""
        self._broker.blpop([WAKE_LIST], seconds)

    def has_competitors(self, client: str) -> bool:
        """Return whether a job of another client would run next if the arena of *client* yielded.

        Raises ``StorageUnavailable``.
        """

        def fill(pipe: Pipeline) -> None:
            pipe.exists(fair_queue(REVIEW_QUEUE))
            pipe.exists(fair_queue(AI_ONLY_QUEUE))
            pipe.zcard(fair_queue(ARENA_QUEUE))
            pipe.zscore(fair_queue(ARENA_QUEUE), client)

        review, ai_only, clients, score = run_pipeline(self._broker, fill)
        return bool(review or ai_only) or clients > (score is not None)

    def waiting(self, name: str) -> list[str]:
        """Return the ids of the jobs in a queue. Raises ``StorageUnavailable``."""
        clients = self._clients(name)

        def fill(pipe: Pipeline) -> None:
            for client in clients:
                pipe.lrange(client_queue(name, client), 0, -1)

        reply = run_pipeline(self._broker, fill) if clients else []
        jobs = map(FairQueueJob.load, chain.from_iterable(reply))
        return [job.id for job in jobs if job is not None]

    def ahead(self, name: str, client: str, prefix: str) -> int:
        """Return the number of jobs that are dequeued before a client's first job whose id begins with *prefix*.

        Returns 0 if that job is no longer queued. Raises ``StorageUnavailable``.
        """
        clients = self._clients(name)
        own_jobs: Any = run_command(lambda: self._broker.lrange(client_queue(name, client), 0, -1))
        jobs = map(FairQueueJob.load, own_jobs)
        index = next((n for n, job in enumerate(jobs) if job is not None and job.id.startswith(prefix)), None)
        if index is None or client not in clients:
            return 0
        first, others = clients.index(client), [other for other in clients if other != client]

        def fill(pipe: Pipeline) -> None:
            for other in others:
                pipe.llen(client_queue(name, other))

        counts: list[int] = run_pipeline(self._broker, fill) if others else []
        # Before this job each other client has a turn per earlier job of *client*, and one more if it is ahead.
        rounds = [index + (number < first) for number in range(len(others))]
        return index + sum([min(pair) for pair in zip(counts, rounds, strict=True)])

    def lengths(self) -> dict[str, int]:
        """Return the number of jobs in each queue. Raises ``StorageUnavailable``."""
        pairs = [(name, client) for name in FAIR_QUEUE_NAMES for client in self._clients(name)]

        def fill(pipe: Pipeline) -> None:
            for index in pairs:
                pipe.llen(client_queue(*index))

        counted = zip(pairs, run_pipeline(self._broker, fill) if pairs else [], strict=True)
        lengths = dict.fromkeys(FAIR_QUEUE_NAMES, 0)
        for (name, _), count in counted:
            lengths[name] += count
        return lengths

    def _clients(self, name: str) -> list[str]:
        reply: Any = run_command(lambda: self._broker.zrange(fair_queue(name), 0, -1))
        return [text(client) for client in reply]
