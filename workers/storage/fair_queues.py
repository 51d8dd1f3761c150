"""Lines: where jobs wait that no person waits for at a table, and clients take turns.

There is one for reviews, one for games of AIs alone, and one for arenas. In each, every client (whoever made the game
or the arena, or asked for the review) has a list of jobs. Who is at the head of the line gets one done, and goes to its
end. So whoever brings a thousand jobs delays another who brings one by a single job:

    A brings a1 ... a9: line A       B brings b1: line A, B       done are a1, b1, a2, a3, ...

A job that isn't done when its slice is over goes back to the head of its client's list. Jobs that are lost, with a
worker or with the queue's server, are repeated by the sweeper, as everything that is owed.
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

from workers.storage.connection import run_command, run_pipeline, script, text
from workers.storage.keys import WAKE_LIST, client_queue, fair_queue

REVIEW: Final = "review"
"""Reviews of ended games, a decision a job: somebody looks forward to them, but no game stands still meanwhile."""

AI_ONLY: Final = "alone"
"""AIs' turns in games in which only AIs play, or where an AI stands in for a person who isn't there, until one acts."""

ARENA: Final = "arena"
"""Arenas: whole games of AIs against AIs."""

NAMES: Final = (REVIEW, AI_ONLY, ARENA)
"""In the order in which they are worked on."""

LOW_PRIORITY_EVERY: Final = 8
"""Of so many jobs a worker takes one from each later line first: they give way, and don't stand still."""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class FairQueueJob:
    """A job that waits in a line."""

    id: str
    name: str
    args: Sequence[Any]

    def dump(self) -> bytes:
        """Return it for storage. ``read`` is the inverse."""
        return orjson.dumps([self.id, self.name, self.args])

    @classmethod
    def load(cls, encoded: bytes) -> "FairQueueJob | None":
        """Read a job as it was written; None if nobody of ours has written it."""
        with suppress(orjson.JSONDecodeError):
            match orjson.loads(encoded):
                case [str(job_id), str(name), list(args)]:
                    return cls(job_id, name, args)
                case _:
                    pass
        return None


class FairQueues:
    """The lines on the server of the queue, which is no cluster."""

    def __init__(self, broker: Redis) -> None:
        self._broker = broker
        self._enqueue = script(broker, "fair_enqueue.lua")
        self._dequeue = script(broker, "fair_dequeue.lua")
        self._dequeued = 0

    def enqueue(self, name: str, client: str, jobs: Sequence[FairQueueJob], *, first: bool = False) -> None:
        """Put jobs at the end of a client's list, or with *first* at its head. Raises ``StorageUnavailable``."""
        if jobs:
            keys, args = (
                [fair_queue(name), client_queue(name, client), WAKE_LIST],
                [client, "first" if first else "last"],
            )
            run_command(lambda: self._enqueue(keys=keys, args=[*args, *[job.dump() for job in jobs]]))

    def dequeue(self, suspended: str) -> FairQueueJob | None:
        """Take the next job; None if there is none, or the key *suspended* is there."""
        self._dequeued += 1
        turn = self._dequeued % LOW_PRIORITY_EVERY
        first = NAMES[-1 - turn] if turn < len(NAMES) else NAMES[0]
        fill = dict.fromkeys(map(fair_queue, (first, *NAMES)))
        while (reply := self._dequeue([suspended, *fill], [])) is not None:
            job = FairQueueJob.load(reply)
            if job is not None:
                return job
            log.error("refused_job")
        return None

    def wait(self, seconds: int) -> None:
        """Return when a job has come, or somebody else has taken it; after so many *seconds* at the latest."""
        self._broker.blpop([WAKE_LIST], seconds)

    def has_competitors(self, client: str) -> bool:
        """Say whether somebody would get a turn if this *client* of an arena gave way. As ``join`` raises."""

        def fill(pipe: Pipeline) -> None:
            pipe.exists(fair_queue(REVIEW))
            pipe.exists(fair_queue(AI_ONLY))
            pipe.zcard(fair_queue(ARENA))
            pipe.zscore(fair_queue(ARENA), client)

        review, ai_only, clients, score = run_pipeline(self._broker, fill)
        return bool(review or ai_only) or clients > (score is not None)

    def waiting(self, name: str) -> list[str]:
        """Return the ids of the jobs in a line. As ``join`` raises."""
        clients = self._clients(name)

        def fill(pipe: Pipeline) -> None:
            for client in clients:
                pipe.lrange(client_queue(name, client), 0, -1)

        reply = run_pipeline(self._broker, fill) if clients else []
        jobs = map(FairQueueJob.load, chain.from_iterable(reply))
        return [job.id for job in jobs if job is not None]

    def ahead(self, name: str, client: str, prefix: str) -> int:
        """Return how many jobs are taken before a client's first one whose id begins with *prefix*, as turns are taken.

        0 if there is none: it has been taken. As ``join`` raises.
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
        rounds = [index + (number < first) for number in range(len(others))]  # who is before has one turn more
        return index + sum([min(pair) for pair in zip(counts, rounds, strict=True)])

    def lengths(self) -> dict[str, int]:
        """Return how many jobs are in each line. As ``join`` raises."""
        pairs = [(name, client) for name in NAMES for client in self._clients(name)]

        def fill(pipe: Pipeline) -> None:
            for index in pairs:
                pipe.llen(client_queue(*index))

        counted = zip(pairs, run_pipeline(self._broker, fill) if pairs else [], strict=True)
        lengths = dict.fromkeys(NAMES, 0)
        for (name, _), count in counted:
            lengths[name] += count
        return lengths

    def _clients(self, name: str) -> list[str]:
        reply: Any = run_command(lambda: self._broker.zrange(fair_queue(name), 0, -1))
        return [text(client) for client in reply]
