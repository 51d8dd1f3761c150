"""The keys of everything that is stored, but for the queue's, which are RQ's.

Tasks still have the name that they had once, ``errands``: what is stored keeps its key and survives an upgrade.
"""

from hashlib import sha256
from typing import Final

TAG: Final = "{regicide}"

TOKENS: Final = f"{TAG}:tokens"
"""Hash: SHA-256 of a token -> its game."""

DUE: Final = f"{TAG}:due"
"""Sorted set: game -> epoch seconds when the sweeper is to look after it."""

REPEATS: Final = f"{TAG}:repeats"
"""Hash: game -> how often the sweeper has repeated the job of its current version."""

STANDINGS: Final = f"{TAG}:standings"
"""Hash: ``<ruleset>/<status>`` -> how many games have it."""

SUMS: Final = f"{TAG}:sums"
"""Hash: a metric's sample, as JSON -> what all processes have counted (ledger.py)."""

PROCESSES: Final = f"{TAG}:processes"
"""Hash: process -> its kind, its gauges and when it said so, as JSON (ledger.py)."""

SWEEPER: Final = f"{TAG}:sweeper"
"""Which sweeper works; it expires."""

TASKS: Final = f"{TAG}:errands"
"""Sorted set: task -> epoch seconds when the sweeper is to look after it."""

WORKER: Final = f"{TAG}:worker"
"""There while a worker lives; it expires."""


def game(game_id: str) -> str:
    """Hash: ``version``, ``status``, ``table``, the whole table as JSON, and ``opening``, how it was opened."""
    return f"{TAG}:game:{game_id}"


def journal(game_id: str) -> str:
    """Stream, ids ``<version>-1``: ``commit`` (random), ``entry``, and sometimes ``keyframe`` (journal.py)."""
    return f"{TAG}:journal:{game_id}"


def wake_up(process: str) -> str:
    """Stream: an entry interrupts a process's blocking read, so that it reads one game more (feed.py); it expires."""
    return f"{TAG}:wake-up:{process}"


def next_game(game_id: str) -> str:
    """String: the id of the game that the same seats play next."""
    return f"{game(game_id)}:next"


def tokens(game_id: str) -> str:
    """Hash: holder (``0``, ``host``, ``invite``) -> SHA-256 of the token."""
    return f"{game(game_id)}:tokens"


def public(ruleset: str, status: str) -> str:
    """Sorted set, all scores 0: ``<created>_<id>`` of the public games of a ruleset that have this status."""
    return f"{TAG}:games:{ruleset}:{status}"


def answer(scope: str, key: str) -> str:
    """String: the claim on an Idempotency-Key, then its answer (idempotency.py). It doesn't show the key's text."""
    digest = sha256(f"{scope}\n{key}".encode()).hexdigest()
    return f"{TAG}:key:{digest}"


def wake_ups(answer_key: str) -> str:
    """List: an item wakes one who waits for the answer to a key that is claimed (idempotency.py)."""
    return f"{answer_key}:wake-ups"


def task(task_id: str) -> str:
    """Hash: ``kind``, ``owner``, ``asked``, ``status``, ``progress``, ``answer``, ``repeats`` (tasks.py); expires."""
    return f"{TAG}:errand:{task_id}"


def task_parts(task_id: str) -> str:
    """Hash: number of a part of a task -> what came of it, as JSON; expires."""
    return f"{task(task_id)}:parts"


def hint(game_id: str, seat: int) -> str:
    """String: the task of the hint that was last asked for at a seat; expires."""
    return f"{game(game_id)}:hint:{seat}"


def task_token(token_hash: str) -> str:
    """String: the task that was begun with a token of its own; expires."""
    return f"{TAG}:errand-token:{token_hash}"


def opinion(job_id: str) -> str:
    """String: what a second search has counted (second_opinion.py), as JSON; it expires after seconds."""
    return f"{TAG}:opinion:{job_id}"


def budget(name: str, client: str) -> str:
    """String: how much of a budget a client, a token's hash or an address, has taken in this window; it expires."""
    return f"{TAG}:budget:{name}:{client}"
