"""The base class of events.

Events, here and in each ruleset, stay interpreted: they are built for listeners, never in a search, and mypyc takes the
class variables of a dataclass for fields.
"""

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Event:
    """Something that happened in a game: a frozen dataclass, built only if somebody listens.

    Events are for listeners, so they speak the notation: cards, cells and seats as they are written. *seat* is whose
    doing it is, or whose loss; None where it is nobody's.
    """

    type: ClassVar[str]
    seat: int | None

    def as_json(self) -> dict[str, Any]:
        """Tell all of it, as somebody behind the table saw it: ``{"type", "seat", ...}``."""
        written: dict[str, Any] = {"type": self.type}
        for name in self.__match_args__:
            value = getattr(self, name)
            written[name] = list(value) if isinstance(value, tuple) else value
        return written

    def public(self) -> dict[str, Any]:
        """Tell what everybody may know: all of it, unless hidden cards are named."""
        return self.as_json()

    def knowers(self) -> tuple[int, ...]:
        """Return the seats that may know all of it, where not everybody may."""
        return ()
