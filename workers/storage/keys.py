"""The keys of everything that is stored, but for the queue's, which are RQ's.

A store has partitions. All keys of a game lie in one of them, which can be read off its id: so one script may change
them together, on a cluster too, where a partition is one hash slot (its hash tag is ``{p07}``). A partition also has
lists of its own of what lies in it. What belongs to no game is a key by itself.
"""

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

MAX_PARTITIONS: Final = 1024
"""So many partitions may a store have."""

ID: Final = re.compile(r"[0-9a-f]{20}")
"""How the id of a game or of a task is written."""

GAMES: Final = "games"
"""How the scope of an Idempotency-Key for a new game begins; any other begins with the id of a game."""

PREFIX: Final = "regicide:"

LAYOUT: Final = f"{PREFIX}layout"
"""Hash: ``layout``, its number, and ``partitions``, how many there are (layout.py)."""

SUMS: Final = f"{PREFIX}sums"
"""Hash: a metric's sample, as JSON -> what all processes have counted (metrics_store.py)."""

PROCESSES: Final = f"{PREFIX}processes"
"""Hash: process -> its kind, its gauges and when it said so, as JSON (metrics_store.py)."""

SWEEPER: Final = f"{PREFIX}sweeper"
"""Which sweeper works; it expires."""

SWEPT: Final = f"{{{SWEEPER}}}:swept"
"""String: when one has worked last, by the store's clock and by its machine's (lead.lua)."""

WORKER: Final = f"{PREFIX}worker"
"""There while a worker lives; it expires."""

PROBE: Final = f"{PREFIX}probe"
"""What is written to see whether the store takes writes; it expires."""

UNREADABLE: Final = f"{PREFIX}unreadable"
"""Sorted set: game that somebody can't read -> epoch seconds when that was seen last (unreadable.py)."""

WAKE_LIST: Final = f"{PREFIX}bell"
"""List: an item wakes a worker that waits for a job in a line."""


def fair_queue(name: str) -> str:
    """Sorted set: client whose jobs wait in this line -> its place there (fair_queues.py)."""
    return f"{PREFIX}line:{name}"


def client_queue(name: str, client: str) -> str:
    """List: the jobs of a client in a line, as JSON."""
    return f"{fair_queue(name)}:{client}"


def active_quota(kind: str, client: str) -> str:
    """Sorted set: what is under way for a client -> epoch seconds since when (active_quota.py); it expires."""
    return f"{PREFIX}under-way:{kind}:{client}"


def budget(name: str, client: str) -> str:
    """String: how much of a budget a client, a game, a task or an address, has taken in this window; it expires."""
    return f"{PREFIX}budget:{name}:{client}"


def passed(game_id: str, version: int) -> str:
    """String: how often the turn at a version was passed on by workers that can't read the game; it expires."""
    return f"{PREFIX}passed:{game_id}:{version}"


def wake_ups(answer_key: str) -> str:
    """List: an item wakes one who waits for the answer to a key that is claimed (idempotency.py)."""
    return f"{answer_key}:wake-ups"


def partition_of(key: str) -> int:
    """Return the partition in which a key lies: the number in its hash tag."""
    return int(key[2 : key.index("}")])


def all_tokens(partition: int) -> str:
    """Hash that early stores have: SHA-256 of a token -> its game (layout.py)."""
    return f"{_tag(partition)}:tokens"


@dataclass(frozen=True)
class Keys:
    """The keys of a store of so many partitions."""

    partitions: int = 1

    def all(self) -> range:
        """Return the numbers of the partitions."""
        return range(self.partitions)

    def partition(self, owner: str) -> int:
        """Return the partition of a game or task, by its id, or of a hash, by its hex."""
        return int(owner[:8], 16) % self.partitions

    def new_id(self, partition: int | None = None) -> str:
        """Make a random id of a game or task: in *partition*, or in any."""
        made = secrets.token_hex(10)
        if partition is None:
            return made
        row = secrets.randbelow(2**32 // self.partitions)
        return f"{row * self.partitions + partition:08x}{made[8:]}"

    # Of a partition

    def due(self, partition: int) -> str:
        """Sorted set: game -> epoch seconds when the sweeper is to look after it."""
        return f"{_tag(partition)}:due"

    def retries(self, partition: int) -> str:
        """Hash: game -> how often the sweeper has repeated the job of its current version."""
        return f"{_tag(partition)}:repeats"

    def status_counts(self, partition: int) -> str:
        """Hash: ``<ruleset>/<status>`` -> how many games of the partition have it."""
        return f"{_tag(partition)}:standings"

    def public(self, partition: int, ruleset: str, status: str) -> str:
        """Sorted set, all scores 0: ``<created>_<id>`` of the public games of a ruleset that have this status."""
        return f"{_tag(partition)}:public:{ruleset}:{status}"

    def idle(self, partition: int, status: str) -> str:
        """Sorted set: game of this status -> epoch seconds since when nothing has happened in it (idle.py)."""
        return f"{_tag(partition)}:idle:{status}"

    def tasks(self, partition: int) -> str:
        """Sorted set: task -> epoch seconds when the sweeper is to look after it."""
        return f"{_tag(partition)}:tasks"

    def wake_up(self, partition: int, process: str) -> str:
        """Stream: an entry interrupts a process's blocking read, so that it reads one game more; it expires."""
        return f"{_tag(partition)}:wake-up:{process}"

    # Of a game

    def game(self, game_id: str) -> str:
        """Hash: ``version``, ``status``, ``table`` (table_codec.py), ``commit``, which made them, and ``opening``."""
        return f"{self._tag(game_id)}:game:{game_id}"

    def journal(self, game_id: str) -> str:
        """Stream, ids ``<version>-1`` from 1 on: ``commit`` (random), ``entry``, at times ``keyframe`` (journal.py)."""
        return f"{self._tag(game_id)}:journal:{game_id}"

    def next_game(self, game_id: str) -> str:
        """String: the id of the game that the same seats play next."""
        return f"{self.game(game_id)}:next"

    def creator(self, game_id: str) -> str:
        """String: for whom a game goes on without a person (active_quota.py); it expires."""
        return f"{self.game(game_id)}:creator"

    def tokens(self, game_id: str) -> str:
        """Hash: holder (``0``, ``host``, ``invite``) -> SHA-256 of the token."""
        return f"{self.game(game_id)}:tokens"

    def hint(self, game_id: str, seat: int) -> str:
        """String: the task of the hint that was last asked for at a seat; expires."""
        return f"{self.game(game_id)}:hint:{seat}"

    def review(self, game_id: str, seat: int, owner: str) -> str:
        """String: the task of the review of a seat that a token asked for last, by the token's SHA-256; expires."""
        return f"{self.game(game_id)}:review:{seat}:{owner}"

    def answer(self, scope: str, key: str) -> str:
        """String: the claim on an Idempotency-Key, then its answer (idempotency.py). It doesn't show the key's text.

        It lies in the partition of its game; for a new one, its own hash says in which that is to be made.
        """
        digest, owner = sha256(f"{scope}\n{key}".encode()).hexdigest(), scope.partition("/")[0]
        return f"{self._tag(digest if owner == GAMES else owner)}:answer:{digest}"

    # Of a game that isn't there yet

    def commitment(self, commitment_id: str) -> str:
        """Hash: ``seed``, which waits for its game, and ``taker``, who has it (commitments.py); it expires."""
        return f"{self._tag(commitment_id)}:commitment:{commitment_id}"

    # Of a task

    def task(self, task_id: str) -> str:
        """Hash: ``kind``, ``owner``, ``asked``, ``status``, ``progress``, ``answer``, ``repeats``; expires."""
        return f"{self._tag(task_id)}:task:{task_id}"

    def task_parts(self, task_id: str, engines: str) -> str:
        """Hash: number of a part of a task -> what came of it by these engines, as JSON; expires."""
        return f"{self.task(task_id)}:parts:{engines[:16]}"

    def _tag(self, owner: str) -> str:
        return _tag(self.partition(owner))


def _tag(partition: int) -> str:
    """Return the hash tag of a partition: it alone decides on the slot."""
    return f"{{p{partition:02}}}"
