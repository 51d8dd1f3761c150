"""Stored events: each with all that it says, what everybody may know of it, and who may know all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import orjson

from engines.events import Event
from engines.types import Json


@dataclass(frozen=True)
class StoredEvent:
    """One event, hidden parts and all."""

    full: Json
    public: Json
    """What everybody may know of it."""
    knowers: tuple[int, ...] = ()
    """The seats that may know all of it."""

    @classmethod
    def of(cls, event: Event) -> Self:
        """Return an event of the engines as it is stored."""
        return cls(event.as_json(), event.public(), tuple(event.knowers()))

    def seen_by(self, viewer: int | None) -> Json:
        """Return what *viewer* may know: a seat, or None for a spectator."""
        return self.full if viewer in self.knowers else self.public


def dump(events: Sequence[StoredEvent]) -> bytes:
    """Write the events of one version; those that everybody may know take one object, the others a triple."""
    return orjson.dumps([one.full if one.full == one.public else (one.full, one.public, one.knowers) for one in events])


def load(text: bytes) -> list[StoredEvent]:
    """Read the events of one version. The inverse of ``dump``."""
    return [_load(stored) for stored in orjson.loads(text)]


def _load(stored: Json | list[Any]) -> StoredEvent:
    if isinstance(stored, dict):
        return StoredEvent(stored, stored)
    full, public, knowers = stored
    return StoredEvent(full, public, tuple(knowers))
