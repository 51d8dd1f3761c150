"""The layout of a store: how its keys are made, and how many partitions it has.

Whoever comes first to an empty store writes it down. Whoever comes later must do as it says: with another number of
partitions they would look for games where they aren't.
"""

from typing import Any, Final

from redis import Redis
from redis.client import Pipeline

from workers.settings import UnusableStore
from workers.storage.connection import call, pipelined, text
from workers.storage.keys import LAYOUT, Keys

NUMBER: Final = "2"

BEFORE: Final = ("{regicide}:standings", "{regicide}:errands", "{regicide}:tokens")
"""What version 0.1.0, which had one partition and wrote no layout, leaves where there was a game or a task."""

OLD: Final = (
    "The store holds games of version 0.1.0, which this version can't read: let that version serve them to their end, "
    "and give this one a store of its own (REGICIDE_DATA or REDIS_URL)."
)
OTHER: Final = (
    "The store has layout {layout}, which this version doesn't know: it was written by another version. Serve it with "
    "that one, or name another store by REGICIDE_DATA or REDIS_URL."
)
DIVIDED: Final = (
    "The store has {partitions} partitions, and REGICIDE_PARTITIONS asks for {wanted}: the number can't be changed. "
    "Set REGICIDE_PARTITIONS={partitions}, or name another store by REGICIDE_DATA or REDIS_URL."
)


def settle(redis: Redis, keys: Keys) -> None:
    """Write the layout into a store that has none, and hold it against *keys*.

    Raises ``UnusableStore``, ``StorageUnavailable``.
    """
    if call(lambda: redis.exists(*BEFORE)):
        raise UnusableStore(OLD)

    def order(pipe: Pipeline) -> None:
        pipe.hsetnx(LAYOUT, "layout", NUMBER)
        pipe.hsetnx(LAYOUT, "partitions", str(keys.partitions))
        pipe.hgetall(LAYOUT)

    stored: Any = pipelined(redis, order)[-1]
    found = {text(name): text(value) for name, value in stored.items()}
    if found["layout"] != NUMBER:
        raise UnusableStore(OTHER.format(layout=found["layout"]))
    if found["partitions"] != str(keys.partitions):
        raise UnusableStore(DIVIDED.format(partitions=found["partitions"], wanted=keys.partitions))
