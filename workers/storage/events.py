"""Events as they are stored: all of it, what everybody may know, and who may know all of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import orjson

from engines.events import Event
from engines.ruleset import Json


@dataclass(frozen=True)
class Told:
    """One event, for whoever asks."""

    full: Json
    public: Json
    knowers: tuple[int, ...] = ()

    @classmethod
    def of(cls, event: Event) -> Self:
        """Write down what *event* tells to whom."""
        return cls(event.as_json(), event.public(), tuple(event.knowers()))

    def to(self, viewer: int | None) -> Json:
        """Return what *viewer* may know: a seat, or None for a spectator."""
        return self.full if viewer in self.knowers else self.public


def dump(told: Sequence[Told]) -> bytes:
    """Write the events of one version; those that everybody may know take one object, the others a triple."""
    return orjson.dumps([one.full if one.full == one.public else (one.full, one.public, one.knowers) for one in told])


def load(text: bytes) -> list[Told]:
    """Read the events of one version. The inverse of ``dump``."""
    return [_load(stored) for stored in orjson.loads(text)]


def _load(stored: Json | list[Any]) -> Told:
    if isinstance(stored, dict):
        return Told(stored, stored)
    full, public, knowers = stored
    return Told(full, public, tuple(knowers))
