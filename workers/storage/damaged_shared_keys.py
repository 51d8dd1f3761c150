"""Repair of damaged keys that all processes, or all games of a partition, share: the keys start empty again.

These keys hold indexes and counters that follow from the games, so no game needs to stop. A damaged key is logged and
renamed to ``<key>:damaged``, or deleted if it has no hash tag. The schedule of due games is rebuilt at once.
"""

from itertools import product
from typing import Any, Final

import structlog
from redis import Redis
from redis.client import Pipeline

from engines import RULESETS
from engines.table.table import STATUSES
from workers.storage import keys as names
from workers.storage.commands import run_command, run_pipeline, text
from workers.storage.keys import Keys

SHARED_KEY_TYPES: Final = {
    names.UNREADABLE_GAMES: "zset",
    names.METRIC_SUMS: "hash",
    names.METRIC_PROCESSES: "hash",
    names.WAKE_LIST: "list",
    names.LEADING_SWEEPER: "string",
    names.LAST_SWEEP: "string",
    names.WORKER_HEARTBEAT: "string",
}
"""Keys that belong to no partition, each with its type."""

log: Final = structlog.get_logger(__name__)


def set_aside_damaged(redis: Redis, keys: Keys, partition: int) -> int:
    """Rename or delete the damaged keys that the games of *partition* or all processes share. Return their number.

    A damaged schedule of due games is rebuilt. Raises ``StorageUnavailable``.
    """
    expected = {**SHARED_KEY_TYPES, **_partition_key_types(keys, partition)}

    def order(pipe: Pipeline) -> None:
        for key in expected:
            pipe.type(key)

    types = [text(found) for found in run_pipeline(redis, order)]
    damaged = [key for (key, type_), found in zip(expected.items(), types, strict=True) if found not in ("none", type_)]
    for key in damaged:
        log.error("damaged_key_set_aside", key=key, renamed=f"{key}:damaged")
        _rename(redis, key)
    if keys.due(partition) in damaged:
        _fill_due(redis, keys, partition)
    return len(damaged)


def _partition_key_types(keys: Keys, partition: int) -> dict[str, str]:
    """Return the keys that the games of a partition share, each with its type."""
    return {
        keys.due(partition): "zset",
        keys.retries(partition): "hash",
        keys.status_counts(partition): "hash",
        keys.tasks(partition): "zset",
        **{keys.idle(partition, status): "zset" for status in STATUSES},
        **{keys.public(partition, ruleset, status): "zset" for ruleset, status in product(RULESETS, STATUSES)},
    }


def _rename(redis: Redis, key: str) -> None:
    """Rename a damaged key to keep its value. Delete a key without hash tag: its new name could be in another slot."""
    if "{" in key:
        run_command(lambda: redis.rename(key, f"{key}:damaged"))
    else:
        run_command(lambda: redis.delete(key))


def _fill_due(redis: Redis, keys: Keys, partition: int) -> None:
    """Schedule an immediate check of every running game. After it the sweeper computes the next check."""
    found: Any = run_command(lambda: redis.zrange(keys.idle(partition, "active"), 0, -1))
    if found:
        run_command(lambda: redis.zadd(keys.due(partition), dict.fromkeys(found, 0), nx=True))
