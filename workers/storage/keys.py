"""The Redis keys of everything that is stored. RQ defines further keys for the queue.

The keys of a store are divided into partitions. All keys of a game lie in one partition, so that one script can change
them together. The game's id determines the partition. On a cluster a partition is one hash slot (hash tag ``{p07}``).
Each partition has indexes of its own. Keys that belong to no game have no partition.
"""

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

ID_PATTERN: Final = re.compile(r"[0-9a-f]{20}")
"""Format of the id of a game or of a task."""

NEW_GAME_SCOPE: Final = "games"
"""Scope prefix of the Idempotency-Key of a new game. Other scopes begin with a game's id."""

PREFIX: Final = "regicide:"

LAYOUT: Final = f"{PREFIX}layout"
"""Hash: ``layout``, ``partitions`` and ``reader`` (layout.py)."""

NOTICE: Final = f"{PREFIX}notice"
"""String: the operator's notice."""

METRIC_SUMS: Final = f"{PREFIX}sums"
"""Hash: name and labels of a metric, as JSON -> its value, summed over all processes (metrics_store.py)."""

METRIC_PROCESSES: Final = f"{PREFIX}processes"
"""Hash: process -> its kind, gauges and last heartbeat, as JSON (metrics_store.py)."""

LEADING_SWEEPER: Final = f"{PREFIX}sweeper"
"""String: the name of the leading sweeper; it expires."""

LAST_SWEEP: Final = f"{{{LEADING_SWEEPER}}}:swept"
"""String: the time of the last sweep by two clocks, the store's and that of the sweeper's machine (lead.lua)."""

WORKER_HEARTBEAT: Final = f"{PREFIX}worker"
"""String: present while a worker lives; it expires."""

PROBE: Final = f"{PREFIX}probe"
"""String: written by readiness checks to test whether the store accepts writes; it expires."""

UNREADABLE_GAMES: Final = f"{PREFIX}unreadable"
"""Sorted set: game that a process can't read -> epoch seconds of the last attempt (unreadable_games.py)."""

WAKE_LIST: Final = f"{PREFIX}bell"
"""List: an item wakes a worker that waits for a job in a fair queue."""


def fair_queue(name: str) -> str:
    """Sorted set: client with jobs in this fair queue -> its position (fair_queues.py)."""
    return f"{PREFIX}line:{name}"


def client_queue(name: str, client: str) -> str:
    """List: the jobs of a client in a fair queue, as JSON."""
    return f"{fair_queue(name)}:{client}"


def concurrent_work(kind: str, client: str) -> str:
    """Sorted set: running work of a client -> epoch seconds of its admission (concurrent_work_limits); it expires."""
    return f"{PREFIX}under-way:{kind}:{client}"


def budget(name: str, client: str) -> str:
    """String: number of requests by a game's or task's tokens, or by an address, in this window; it expires."""
    return f"{PREFIX}budget:{name}:{client}"


def unreadable_turn_requeues(game_id: str, version: int) -> str:
    """String: number of requeues of a version's turn by workers that can't read the game; it expires."""
    return f"{PREFIX}passed:{game_id}:{version}"


def wake_ups(answer_key: str) -> str:
    """List: an item wakes a request that waits for the response of a claimed key (idempotency.py)."""
    return f"{answer_key}:wake-ups"


def partition_of(key: str) -> int:
    """Return the partition of a key: the number in its hash tag."""
    return int(key[2 : key.index("}")])


def early_tokens(partition: int) -> str:
    """Hash of early stores: SHA-256 of a token -> its game (layout.py)."""
    return f"{_tag(partition)}:tokens"


@dataclass(frozen=True)
class Keys:
    """The keys of a store with a number of partitions."""

    partitions: int = 1

    def all(self) -> range:
        """Return the numbers of all partitions."""
        return range(self.partitions)

    def partition(self, owner: str) -> int:
        """Return the partition to which *owner* belongs: the id of a game or task, or a hash in hexadecimal."""
        return int(owner[:8], 16) % self.partitions

    def new_id(self, partition: int | None = None) -> str:
        """Return a random id of a game or task, in *partition* or in any."""
        made = secrets.token_hex(10)
        if partition is None:
            return made
        row = secrets.randbelow(2**32 // self.partitions)
        return f"{row * self.partitions + partition:08x}{made[8:]}"

    # Keys of a partition

    def due(self, partition: int) -> str:
        """Sorted set: game -> epoch seconds of the sweeper's next check."""
        return f"{_tag(partition)}:due"

    def retries(self, partition: int) -> str:
        """Hash: game -> number of retries of the job of its current version."""
        return f"{_tag(partition)}:repeats"

    def status_counts(self, partition: int) -> str:
        """Hash: ``<ruleset>/<status>`` -> number of games in the partition."""
        return f"{_tag(partition)}:standings"

    def public(self, partition: int, ruleset: str, status: str) -> str:
        """Sorted set, all scores 0: ``<created>_<id>`` of the public games of a ruleset with this status."""
        return f"{_tag(partition)}:public:{ruleset}:{status}"

    def idle(self, partition: int, status: str) -> str:
        """Sorted set: game with this status -> epoch seconds of its last change (idle_games.py)."""
        return f"{_tag(partition)}:idle:{status}"

    def tasks(self, partition: int) -> str:
        """Sorted set: task -> epoch seconds of the sweeper's next check."""
        return f"{_tag(partition)}:tasks"

    def wake_up(self, partition: int, process: str) -> str:
        """Stream: an entry interrupts a process's blocking read, so that the next covers added games; it expires."""
        return f"{_tag(partition)}:wake-up:{process}"

    # Keys of a game

    def game(self, game_id: str) -> str:
        """Hash: ``version``, ``status``, ``table`` (table_codec.py), ``commit`` (id of the last one), ``opening``."""
        return f"{self._tag(game_id)}:game:{game_id}"

    def journal(self, game_id: str) -> str:
        """Stream, ids ``<version>-1`` from 1 on: ``commit`` (random), ``entry``, perhaps ``keyframe`` (journal.py)."""
        return f"{self._tag(game_id)}:journal:{game_id}"

    def next_game(self, game_id: str) -> str:
        """String: the id of the rematch."""
        return f"{self.game(game_id)}:next"

    def creator(self, game_id: str) -> str:
        """String: creator of a game that continues without a person (concurrent_work_limits.py); it expires."""
        return f"{self.game(game_id)}:creator"

    def tokens(self, game_id: str) -> str:
        """Hash: holder (``0``, ``host``, ``invite``) -> SHA-256 of the token."""
        return f"{self.game(game_id)}:tokens"

    def hint(self, game_id: str, seat: int) -> str:
        """String: the id of the task of a seat's latest hint; it expires."""
        return f"{self.game(game_id)}:hint:{seat}"

    def review(self, game_id: str, seat: int, owner: str) -> str:
        """String: the id of the task of the latest review of a seat for the token with this SHA-256; it expires."""
        return f"{self.game(game_id)}:review:{seat}:{owner}"

    @staticmethod
    def equal_tasks(slot: str, owner: str, parameters: bytes) -> str:
        """String beside the key *slot*: the id of the latest task of this owner with these parameters; it expires."""
        return f"{slot}:{sha256(owner.encode() + parameters).hexdigest()[:16]}"

    def answer(self, scope: str, key: str) -> str:
        """String: the claim on an Idempotency-Key, then its response (idempotency.py). The key's text is hashed.

        The string lies in the game's partition. For a new game the hash determines the partition.
        """
        digest, owner = sha256(f"{scope}\n{key}".encode()).hexdigest(), scope.partition("/")[0]
        return f"{self._tag(digest if owner == NEW_GAME_SCOPE else owner)}:answer:{digest}"

    # The key of a commitment, whose game doesn't exist yet

    def commitment(self, commitment_id: str) -> str:
        """Hash: ``seed`` and its ``taker`` (commitments.py); it expires."""
        return f"{self._tag(commitment_id)}:commitment:{commitment_id}"

    # Keys of a task

    def task(self, task_id: str) -> str:
        """Hash: fields of a task (tasks.py), its parameters as ``asked``, its retries as ``repeats``; it expires."""
        return f"{self._tag(task_id)}:task:{task_id}"

    def task_parts(self, task_id: str, engines: str) -> str:
        """Hash: number of a part of a task -> the result that these engines computed, as JSON; it expires."""
        return f"{self.task(task_id)}:parts:{engines[:16]}"

    def _tag(self, owner: str) -> str:
        return _tag(self.partition(owner))


def _tag(partition: int) -> str:
    """Return the hash tag of a partition. It determines the slot."""
    return f"{{p{partition:02}}}"
