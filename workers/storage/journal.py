"""Snapshots: a game as it was at one version, and what each viewer may know of that.

A commit stores, by version, the parts of the table that a change may change (``CHANGING``); the rest of the table is
the same at all versions. Both together are the table as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import orjson

from engines import narration, table_json
from engines.errors import Refusal
from engines.phrase import Tongue, english
from engines.table import Table
from engines.types import Json
from workers.storage.errors import Unreadable
from workers.storage.events import StoredEvent

CHANGING: Final = ("version", "status", "updated", "deadline", "seats", "position", "moves", "signals")
"""What a change may change of a table: all that its snapshot repeats of it. The secret seed isn't there."""

ENDED: Final = ("finished", "abandoned")


def snapshot(stored: Json) -> bytes:
    """Write the parts of a stored table that may change."""
    return orjson.dumps({name: stored[name] for name in CHANGING})


def unchanging(table: Table) -> Json:
    """Return the parts of a table that are the same at all its versions, as they are stored."""
    return {name: value for name, value in table_json.dump(table).items() if name not in CHANGING}


def restored(rest: Json, written: bytes) -> Table:
    """Return the table of a snapshot; *rest* is what ``unchanging`` returned of it. Raises ``Unreadable``."""
    return load({**rest, **orjson.loads(written)})


def load(stored: Json) -> Table:
    """Read a stored table. Raises ``Unreadable``."""
    try:
        return table_json.load(stored)
    except Refusal as refusal:
        raise Unreadable(refusal.code) from refusal


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A game at one version, and the events that led to it."""

    table: Table
    events: Sequence[StoredEvent]
    _messages: dict[tuple[int | None, Tongue], bytes] = field(default_factory=dict, init=False)
    _writing: Lock = field(default_factory=Lock, init=False)

    @property
    def version(self) -> int:
        """Which version it is."""
        return self.table.version

    @property
    def is_last(self) -> bool:
        """The game ended at this version."""
        return self.table.status in ENDED

    def message(self, viewer: int | None, speak: Tongue = english) -> bytes:
        """Return as JSON what *viewer*, a seat or None for a spectator, may know of it.

        It is written once for each viewer and language, however many watch as that viewer.
        """
        reader = viewer, speak
        if reader not in self._messages:
            with self._writing:
                if reader not in self._messages:
                    self._messages[reader] = orjson.dumps(self._as_json(viewer, speak))
        return self._messages[reader]

    def _as_json(self, viewer: int | None, speak: Tongue) -> Mapping[str, object]:
        table = self.table
        return {
            "version": table.version,
            "events": [narration.told(table, event.seen_by(viewer), viewer, speak) for event in self.events],
            "view": table.view(viewer),
            "to_act": table.to_act(),
            "may_act": table.may_act(),
            "status": table.status,
        }
