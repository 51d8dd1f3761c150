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

from workers.storage.connection import call, pipelined, script, text
from workers.storage.keys import WAKE_LIST, line, line_of

REVIEW: Final = "review"
"""Reviews of ended games, a decision a job: somebody looks forward to them, but no game stands still meanwhile."""

ALONE: Final = "alone"
"""AIs' turns in games in which only AIs play, or where an AI stands in for a person who isn't there, until one acts."""

ARENA: Final = "arena"
"""Arenas: whole games of AIs against AIs."""

NAMES: Final = (REVIEW, ALONE, ARENA)
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

    def written(self) -> bytes:
        """Return it for storage. ``read`` is the inverse."""
        return orjson.dumps([self.id, self.name, self.args])

    @classmethod
    def read(cls, written: bytes) -> "FairQueueJob | None":
        """Read a job as it was written; None if nobody of ours has written it."""
        with suppress(orjson.JSONDecodeError):
            match orjson.loads(written):
                case [str(job_id), str(name), list(args)]:
                    return cls(job_id, name, args)
                case _:
                    pass
        return None


class FairQueues:
    """The lines on the server of the queue, which is no cluster."""

    def __init__(self, broker: Redis) -> None:
        self._broker = broker
        self._join = script(broker, "fair_enqueue.lua")
        self._take = script(broker, "fair_dequeue.lua")
        self._taken = 0

    def join(self, name: str, client: str, jobs: Sequence[FairQueueJob], *, first: bool = False) -> None:
        """Put jobs at the end of a client's list, or with *first* at its head. Raises ``StorageUnavailable``."""
        if jobs:
            keys, args = [line(name), line_of(name, client), WAKE_LIST], [client, "first" if first else "last"]
            call(lambda: self._join(keys=keys, args=[*args, *[job.written() for job in jobs]]))

    def take(self, suspended: str) -> FairQueueJob | None:
        """Take the next job; None if there is none, or the key *suspended* is there."""
        self._taken += 1
        turn = self._taken % LOW_PRIORITY_EVERY
        first = NAMES[-1 - turn] if turn < len(NAMES) else NAMES[0]
        order = dict.fromkeys(map(line, (first, *NAMES)))
        while (found := self._take([suspended, *order], [])) is not None:
            job = FairQueueJob.read(found)
            if job is not None:
                return job
            log.error("refused_job")
        return None

    def wait(self, seconds: int) -> None:
        """Return when a job has come, or somebody else has taken it; after so many *seconds* at the latest."""
        self._broker.blpop([WAKE_LIST], seconds)

    def has_competitors(self, client: str) -> bool:
        """Say whether somebody would get a turn if this *client* of an arena gave way. As ``join`` raises."""

        def order(pipe: Pipeline) -> None:
            pipe.exists(line(REVIEW))
            pipe.exists(line(ALONE))
            pipe.zcard(line(ARENA))
            pipe.zscore(line(ARENA), client)

        review, alone, clients, own = pipelined(self._broker, order)
        return bool(review or alone) or clients > (own is not None)

    def waiting(self, name: str) -> list[str]:
        """Return the ids of the jobs in a line. As ``join`` raises."""
        clients = self._clients(name)

        def order(pipe: Pipeline) -> None:
            for client in clients:
                pipe.lrange(line_of(name, client), 0, -1)

        found = pipelined(self._broker, order) if clients else []
        jobs = map(FairQueueJob.read, chain.from_iterable(found))
        return [job.id for job in jobs if job is not None]

    def ahead(self, name: str, client: str, prefix: str) -> int:
        """Return how many jobs are taken before a client's first one whose id begins with *prefix*, as turns are taken.

        0 if there is none: it has been taken. As ``join`` raises.
        """
        clients = self._clients(name)
        own: Any = call(lambda: self._broker.lrange(line_of(name, client), 0, -1))
        jobs = map(FairQueueJob.read, own)
        place = next((n for n, job in enumerate(jobs) if job is not None and job.id.startswith(prefix)), None)
        if place is None or client not in clients:
            return 0
        first, others = clients.index(client), [other for other in clients if other != client]

        def order(pipe: Pipeline) -> None:
            for other in others:
                pipe.llen(line_of(name, other))

        counts: list[int] = pipelined(self._broker, order) if others else []
        rounds = [place + (number < first) for number in range(len(others))]  # who is before has one turn more
        return place + sum([min(pair) for pair in zip(counts, rounds, strict=True)])

    def lengths(self) -> dict[str, int]:
        """Return how many jobs are in each line. As ``join`` raises."""
        places = [(name, client) for name in NAMES for client in self._clients(name)]

        def order(pipe: Pipeline) -> None:
            for place in places:
                pipe.llen(line_of(*place))

        counted = zip(places, pipelined(self._broker, order) if places else [], strict=True)
        lengths = dict.fromkeys(NAMES, 0)
        for (name, _), count in counted:
            lengths[name] += count
        return lengths

    def _clients(self, name: str) -> list[str]:
        found: Any = call(lambda: self._broker.zrange(line(name), 0, -1))
        return [text(client) for client in found]
