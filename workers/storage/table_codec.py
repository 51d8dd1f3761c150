"""A table as it is stored: JSON, compressed as zlib does it, which takes half of the memory, and 6 µs a commit."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import orjson
from isal import isal_zlib

from engines.core.errors import Refusal
from engines.core.types import Json
from engines.table import table_json
from engines.table.table import Table
from workers.storage.errors import Damaged

COMPRESSION_LEVEL: Final = 1
"""The level of compression: more takes longer, and saves nothing."""


def pack(data: Json) -> bytes:
    """Write a table, or parts of one."""
    return isal_zlib.compress(orjson.dumps(data), COMPRESSION_LEVEL)


def unpack(packed: bytes) -> Json:
    """Return what was packed. The inverse of ``pack``. Raises ``Damaged``."""
    with damaged_if((ValueError, zlib.error)):
        data: Json = orjson.loads(zlib.decompress(packed))
    return data


def load(data: Json) -> Table:
    """Read a table. Raises ``Damaged``."""
    with damaged_if((Refusal, ValueError, TypeError, LookupError, AttributeError)):
        return table_json.load(data)


@contextmanager
def damaged_if(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Raise ``Damaged`` in place of *errors*: what is read has another form than what is written."""
    try:
        yield
    except errors as error:
        raise Damaged from error
