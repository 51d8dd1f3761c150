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

GAMES: Final = 256
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

    def __init__(self, limit: int = GAMES) -> None:
        self._limit = limit
        self._kept: OrderedDict[str, CachedTable] = OrderedDict()
        self._lock = Lock()

    def get(self, game_id: str) -> CachedTable | None:
        """Return what is kept of a game."""
        with self._lock:
            kept = self._kept.get(game_id)
            if kept is not None:
                self._kept.move_to_end(game_id)
            return kept

    def put(self, kept: CachedTable) -> None:
        """Keep a table instead of the one before; of tokens, and of what was rendered, nothing is lost."""
        game_id = kept.table.id
        with self._lock:
            before = self._kept.pop(game_id, None)
            if before is not None:
                rendered = before.rendered if before.commit == kept.commit else kept.rendered
                kept = CachedTable(kept.table, kept.commit, {**before.holders, **kept.holders}, rendered)
            self._kept[game_id] = kept
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)

    def forget(self, game_id: str) -> None:
        """Keep nothing of a game that isn't there any more."""
        with self._lock:
            self._kept.pop(game_id, None)
