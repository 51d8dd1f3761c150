"""A cache of tables that this process has read or committed, so that they needn't be read and parsed again.

A cached table may be stale. The cache has the id of the commit that wrote the table. A read checks whether that commit
is still the latest, and a commit that is based on the table succeeds only then. Therefore a table is verified before a
client sees it.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from engines.table.table import Table

MAX_CACHED_TABLES: Final = 256
"""Maximum number of cached tables, about 20 KB each. The least recently used tables are evicted."""


@dataclass(frozen=True)
class CachedTable:
    """A cached table, with the known holders of the game's tokens and encoded responses."""

    table: Table
    commit: bytes
    """The random id of the commit that wrote the table."""
    holders: Mapping[str, str]
    """Known holders by the SHA-256 of their tokens in hexadecimal. They don't change while the game exists."""
    rendered: dict[Hashable, bytes] = field(default_factory=dict)
    """Encoded responses by variant. All clients with the same request share them."""


class TableCache:
    """The cached tables of a process, by game."""

    def __init__(self, limit: int = MAX_CACHED_TABLES) -> None:
        self._limit = limit
        self._tables: OrderedDict[str, CachedTable] = OrderedDict()
        self._lock = Lock()

    def get(self, game_id: str) -> CachedTable | None:
        with self._lock:
            cached = self._tables.get(game_id)
            if cached is not None:
                self._tables.move_to_end(game_id)
            return cached

    def put(self, cached: CachedTable) -> None:
        """Replace the cached table of a game. Known holders are kept, and so are responses of the same commit."""
        game_id = cached.table.id
        with self._lock:
            before = self._tables.pop(game_id, None)
            if before is not None:
                rendered = before.rendered if before.commit == cached.commit else cached.rendered
                cached = CachedTable(cached.table, cached.commit, {**before.holders, **cached.holders}, rendered)
            self._tables[game_id] = cached
            while len(self._tables) > self._limit:
                self._tables.popitem(last=False)

    def forget(self, game_id: str) -> None:
        """Remove a game that no longer exists."""
        with self._lock:
            self._tables.pop(game_id, None)
