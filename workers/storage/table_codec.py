"""The stored form of a table: JSON compressed by zlib, which halves the memory and takes 6 µs per commit."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import orjson
from isal import isal_zlib

from engines import RULESETS
from engines.core.types import Json
from engines.table import table_json
from engines.table.table import Table
from workers.storage.errors import Damaged, RulesetMissing

COMPRESSION_LEVEL: Final = 1
"""Compression level. Higher levels take longer and save nothing."""


def pack(data: Json) -> bytes:
    """Encode a table, or some of its fields."""
    return isal_zlib.compress(orjson.dumps(data), COMPRESSION_LEVEL)


def unpack(packed: bytes) -> Json:
    """Decode the result of ``pack``. Raises ``Damaged``."""
    with damaged_if((ValueError, zlib.error)):
        data: Json = orjson.loads(zlib.decompress(packed))
    return data


def load(data: Json) -> Table:
    """Build a table from its fields. Raises ``Damaged``, ``RulesetMissing``."""
    name = data.get("ruleset_name")
    if isinstance(name, str) and name not in RULESETS:
        raise RulesetMissing(name, private=bool(data.get("private")))
    with damaged_if((Exception,)):  # the border to an installed game: its ``load`` can raise anything
        return table_json.load(data)


@contextmanager
def damaged_if(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Context manager that converts *errors* into ``Damaged``."""
    try:
        yield
    except errors as error:
        raise Damaged from error
