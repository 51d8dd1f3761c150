"""Tables that a process keeps: a game that was just read, or committed here, needn't be read and parsed again.

What is kept may be old. It is known by the id of the commit that made it: a read asks whether the game still is at that
commit, and a change that is based on it is committed only if it is. So a kept table is a guess, which is confirmed
before anybody is told of it.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from engines.table.table import Table

MAX_CACHED_TABLES: Final = 256
"""So many are kept, those that were used last: some 20 KB each."""


@dataclass(frozen=True)
class CachedTable:
    """A table, and what is kept beside it."""

    table: Table
    commit: bytes
    """The random id of the commit that made it."""
    holders: Mapping[str, str]
    """Who holds a token, by its SHA-256 in hex: as many as are known. A token stays its holder's as long as the game
    is there."""
    rendered: dict[Hashable, bytes] = field(default_factory=dict)
    """What is told of it, by what and to whom: rendered once for all who ask."""


class TableCache:
    """The tables that a process keeps, by game."""

    def __init__(self, limit: int = MAX_CACHED_TABLES) -> None:
        self._limit = limit
        self._tables: OrderedDict[str, CachedTable] = OrderedDict()
        self._lock = Lock()

    def get(self, game_id: str) -> CachedTable | None:
        """Return what is kept of a game."""
        with self._lock:
            cached = self._tables.get(game_id)
            if cached is not None:
                self._tables.move_to_end(game_id)
            return cached

    def put(self, cached: CachedTable) -> None:
        """Keep a table instead of the one before; of tokens, and of what was rendered, nothing is lost."""
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
        """Keep nothing of a game that isn't there any more."""
        with self._lock:
            self._tables.pop(game_id, None)
