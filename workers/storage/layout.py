"""The layout of a store: how its keys are made, and how many partitions it has.

Whoever comes first to an empty store writes it down. Whoever comes later must do as it says: with another number of
partitions they would look for games where they aren't.
"""

from typing import Any, Final

from redis import Redis
from redis.client import Pipeline

from workers.settings import UnusableStore
from workers.storage.connection import call, pipelined, text
from workers.storage.keys import LAYOUT, Keys, all_tokens

NUMBER: Final = "2"
"""How keys are made; version 0.1.0 of this layout and later ones look for exactly this."""

READER: Final = 1
"""What this version can read: whatever asks for no more (``reader``)."""

NEEDED: Final = 1
"""What a version must be able to read that is to read all that this one writes. A version that stores something that
older ones would misread has both numbers one higher; what they may ignore needs none: engines/core/stored_fields.py."""

BEFORE: Final = ("{regicide}:standings", "{regicide}:errands", "{regicide}:tokens")
"""What version 0.1.0, which had one partition and wrote no layout, leaves where there was a game or a task."""

OLD: Final = (
    "The store holds games of version 0.1.0, which this version can't read: let that version serve them to their end, "
    "and give this one a store of its own (REGICIDE_DATA or REDIS_URL)."
)
EARLY: Final = (
    "The store holds games of a version of before 2026-11-23, from which this one can't go on: let that version serve "
    "them to their end, and give this one a store of its own (REGICIDE_DATA or REDIS_URL)."
)
NEWER: Final = (
    "The store holds games that only a newer version can read (it asks for {needed}, and this version has {reader}): "
    "serve it with that one, or name another store by REGICIDE_DATA or REDIS_URL."
)
OTHER: Final = (
    "The store has layout {layout}, which this version doesn't know: it was written by another version. Serve it with "
    "that one, or name another store by REGICIDE_DATA or REDIS_URL."
)
DIVIDED: Final = (
    "The store has {partitions} partitions, and REGICIDE_PARTITIONS asks for {wanted}: the number can't be changed. "
    "Set REGICIDE_PARTITIONS={partitions}, or name another store by REGICIDE_DATA or REDIS_URL."
)


def check_layout(redis: Redis, keys: Keys) -> None:
    """Write the layout into a store that has none, and hold it against *keys*.

    Raises ``UnusableStore``, ``StorageUnavailable``.
    """
    if call(lambda: redis.exists(*BEFORE)):
        raise UnusableStore(OLD)
    if not call(lambda: redis.hexists(LAYOUT, "reader")):
        _refuse_early(redis)

    def order(pipe: Pipeline) -> None:
        pipe.hsetnx(LAYOUT, "layout", NUMBER)
        pipe.hsetnx(LAYOUT, "partitions", str(keys.partitions))
        pipe.hsetnx(LAYOUT, "reader", str(NEEDED))
        pipe.hgetall(LAYOUT)

    stored: Any = pipelined(redis, order)[-1]
    found = {text(name): text(value) for name, value in stored.items()}
    if found["layout"] != NUMBER:
        raise UnusableStore(OTHER.format(layout=found["layout"]))
    if int(found["reader"]) > READER:
        raise UnusableStore(NEWER.format(needed=found["reader"], reader=READER))
    if int(found["reader"]) < NEEDED:
        call(lambda: redis.hset(LAYOUT, "reader", str(NEEDED)))
    if found["partitions"] != str(keys.partitions):
        raise UnusableStore(DIVIDED.format(partitions=found["partitions"], wanted=keys.partitions))


def _refuse_early(redis: Redis) -> None:
    """Raise ``UnusableStore`` if games are there without journals: the first stores of this layout had none.

    They had an index of all tokens in each partition, which no later one has.
    """
    partitions = int(text(call(lambda: redis.hget(LAYOUT, "partitions")) or "0"))

    def order(pipe: Pipeline) -> None:
        for partition in range(partitions):
            pipe.exists(all_tokens(partition))

    if partitions and any(pipelined(redis, order)):
        raise UnusableStore(EARLY)
