"""A game at one version: read back from what each commit left, told to each viewer as they may know it.

A commit keeps, by version, what a change may change of the table (``CHANGING``); the rest of the table is the same at
all versions. Both together are the table as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import orjson

from engines import table_json
from engines.errors import Refusal
from engines.table import Table
from engines.types import Json
from workers.storage.errors import Unreadable
from workers.storage.events import StoredEvent

CHANGING: Final = ("version", "status", "updated", "deadline", "seats", "position", "moves", "signals")
"""What a change may change of a table: all that its snapshot repeats of it. The secret seed isn't there."""

ENDED: Final = ("finished", "abandoned")


def snapshot(stored: Json) -> bytes:
    """Write what of a stored table may change."""
    return orjson.dumps({name: stored[name] for name in CHANGING})


def lasting(table: Table) -> Json:
    """Return what of a table is the same at all its versions, as it is stored."""
    return {name: value for name, value in table_json.dump(table).items() if name not in CHANGING}


def as_it_was(kept: Json, written: bytes) -> Table:
    """Return the table of a snapshot; *kept* is what ``lasting`` returned of it. Raises ``Unreadable``."""
    return load({**kept, **orjson.loads(written)})


def load(stored: Json) -> Table:
    """Read a stored table. Raises ``Unreadable``."""
    try:
        return table_json.load(stored)
    except Refusal as refusal:
        raise Unreadable(refusal.code) from refusal


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A game at one version, and what happened at it."""

    table: Table
    told: Sequence[StoredEvent]
    _messages: dict[int | None, bytes] = field(default_factory=dict, init=False)
    _writing: Lock = field(default_factory=Lock, init=False)

    @property
    def version(self) -> int:
        """Which version it is."""
        return self.table.version

    @property
    def is_last(self) -> bool:
        """The game ended at this version."""
        return self.table.status in ENDED

    def message(self, viewer: int | None) -> bytes:
        """Return as JSON what *viewer*, a seat or None for a spectator, is told of it.

        It is written once for each viewer, however many look through those eyes.
        """
        if viewer not in self._messages:
            with self._writing:
                if viewer not in self._messages:
                    self._messages[viewer] = orjson.dumps(self._as_json(viewer))
        return self._messages[viewer]

    def _as_json(self, viewer: int | None) -> Mapping[str, object]:
        table = self.table
        return {
            "version": table.version,
            "events": [event.to(viewer) for event in self.told],
            "view": table.view(viewer),
            "to_act": table.to_act(),
            "may_act": table.may_act(),
            "status": table.status,
        }
