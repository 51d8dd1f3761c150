"""The layout of a store: the format of its keys, and the number of partitions.

The first process writes the layout into the empty store. Later processes must match it, because with another number of
partitions they would look for games in the wrong place.
"""

from typing import Any, Final

from redis import Redis
from redis.client import Pipeline

from workers.settings import UnusableStore
from workers.storage.commands import run_command, run_pipeline, text
from workers.storage.keys import LAYOUT, Keys, early_tokens

LAYOUT_NUMBER: Final = "2"
"""Number of the key format. Stores of version 0.1.0 have no number."""

READER_LEVEL: Final = 1
"""Reader level of this version. It can read a store if ``reader`` in the store's layout is not above this number."""

NEEDED_READER_LEVEL: Final = 1
"""The reader level that is needed to read everything that this version writes.

A version that stores something that older versions would misread increments this number and ``READER_LEVEL``. Fields
that older versions may ignore need no new number (engines/core/cross_version_fields.py).
"""

KEYS_OF_VERSION_0_1_0: Final = ("{regicide}:standings", "{regicide}:errands", "{regicide}:tokens")
"""Keys of a store of version 0.1.0, which had one partition and wrote no layout."""

VERSION_0_1_0_STORE_MESSAGE: Final = (
    "The store holds games of version 0.1.0, which this version can't read: let that version serve them to their end, "
    "and give this one a store of its own (REGICIDE_DATA or REDIS_URL)."
)
EARLY_STORE_MESSAGE: Final = (
    "The store holds games of a version of before 2026-11-23, from which this one can't go on: let that version serve "
    "them to their end, and give this one a store of its own (REGICIDE_DATA or REDIS_URL)."
)
NEWER_STORE_MESSAGE: Final = (
    "The store holds games that only a newer version can read (it asks for {needed}, and this version has {reader}): "
    "serve it with that one, or name another store by REGICIDE_DATA or REDIS_URL."
)
UNKNOWN_LAYOUT_MESSAGE: Final = (
    "The store has layout {layout}, which this version doesn't know: it was written by another version. Serve it with "
    "that one, or name another store by REGICIDE_DATA or REDIS_URL."
)
OTHER_PARTITIONS_MESSAGE: Final = (
    "The store has {partitions} partitions, and REGICIDE_PARTITIONS asks for {wanted}: the number can't be changed. "
    "Set REGICIDE_PARTITIONS={partitions}, or name another store by REGICIDE_DATA or REDIS_URL."
)


def check_layout(redis: Redis, keys: Keys) -> None:
    """Write the layout if the store is empty. Check that the layout fits this version and the partitions of *keys*.

    Raises ``UnusableStore``, ``StorageUnavailable``.
    """
    if run_command(lambda: redis.exists(*KEYS_OF_VERSION_0_1_0)):
        raise UnusableStore(VERSION_0_1_0_STORE_MESSAGE)
    if not run_command(lambda: redis.hexists(LAYOUT, "reader")):
        _refuse_early(redis)

    def fill(pipe: Pipeline) -> None:
        pipe.hsetnx(LAYOUT, "layout", LAYOUT_NUMBER)
        pipe.hsetnx(LAYOUT, "partitions", str(keys.partitions))
        pipe.hsetnx(LAYOUT, "reader", str(NEEDED_READER_LEVEL))
        pipe.hgetall(LAYOUT)

    stored: Any = run_pipeline(redis, fill)[-1]
    layout = {text(name): text(value) for name, value in stored.items()}
    if layout["layout"] != LAYOUT_NUMBER:
        raise UnusableStore(UNKNOWN_LAYOUT_MESSAGE.format(layout=layout["layout"]))
    if int(layout["reader"]) > READER_LEVEL:
        raise UnusableStore(NEWER_STORE_MESSAGE.format(needed=layout["reader"], reader=READER_LEVEL))
    if int(layout["reader"]) < NEEDED_READER_LEVEL:
        run_command(lambda: redis.hset(LAYOUT, "reader", str(NEEDED_READER_LEVEL)))
    if layout["partitions"] != str(keys.partitions):
        raise UnusableStore(OTHER_PARTITIONS_MESSAGE.format(partitions=layout["partitions"], wanted=keys.partitions))


def _refuse_early(redis: Redis) -> None:
    """Raise ``UnusableStore`` if the store has games without journals, as the first stores of this layout had.

    Such a store is recognised by an index of all tokens in each partition.
    """
    partitions = int(text(run_command(lambda: redis.hget(LAYOUT, "partitions")) or "0"))

    def fill(pipe: Pipeline) -> None:
        for partition in range(partitions):
            pipe.exists(early_tokens(partition))

    if partitions and any(run_pipeline(redis, fill)):
        raise UnusableStore(EARLY_STORE_MESSAGE)
