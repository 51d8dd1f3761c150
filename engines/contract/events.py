"""The base class of events.

Event classes aren't compiled, here or in rulesets: searches create no events, so compilation would save no time, and
mypyc mistakes the class variables of a dataclass for fields.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar

from engines.core.dataclass_schemas import field_schemas, summary_line, type_of
from engines.core.schemas import shape
from engines.core.types import Json


@dataclass(frozen=True)
class Event:
    """Base class of events, things that happened in a game: frozen dataclasses, created only on request.

    The values of fields are JSON: names of cards and cells, numbers of seats. *seat* is the seat that acts or loses
    something, None if there is none. ``type`` is the class's name in snake case (``CardDrawn``: ``card_drawn``), unless
    the class sets another.
    """

    type: ClassVar[str]
    hidden: ClassVar[tuple[str, ...]] = ()
    """Names of fields that only the seats of ``knowers`` receive, by default the event's own seat."""
    chance: ClassVar[tuple[str, ...]] = ()
    """Names of fields whose values are random, even if it is certain that the event happens."""
    decisive: ClassVar[bool] = False
    """True if later events depend on the ``chance`` fields."""
    seat: int | None

    def __init_subclass__(cls) -> None:
        """Derive ``type`` from the class's name."""
        if "type" not in cls.__dict__:
            cls.type = type_of(cls)

    def as_json(self) -> dict[str, Any]:
        """Return all fields of the event: ``{"type", "seat", ...}``."""
        written: dict[str, Any] = {"type": self.type}
        written.update(zip(self.__match_args__, _reader(self.__match_args__)(self), strict=True))
        if tuple in map(type, written.values()):
            return {name: list(value) if isinstance(value, tuple) else value for name, value in written.items()}
        return written

    def foretold(self) -> dict[str, Any]:
        """Return the fields that are certain before the event: all except those in ``chance``."""
        return {name: value for name, value in self.as_json().items() if name not in self.chance}

    def public(self) -> dict[str, Any]:
        """Return the fields that every viewer may know: all except the hidden ones."""
        return {name: value for name, value in self.as_json().items() if name not in self.hidden}

    def seen_by(self, viewer: int | None) -> dict[str, Any]:
        """Return the fields that *viewer* may know, a seat or None for a spectator."""
        if not self.hidden or viewer in self.knowers():
            return self.as_json()
        return self.public()

    def knowers(self) -> tuple[int, ...]:
        """Return the seats that may know the hidden fields of the event."""
        return (self.seat,) if self.hidden and self.seat is not None else ()

    @classmethod
    def schema(cls) -> Json:
        """Return the JSON Schema of the fields that viewers receive, without ``type``; hidden fields are optional.

        The description is the first paragraph of the class's docstring.
        """
        return shape(field_schemas(cls), optional=cls.hidden, description=summary_line(cls))


@cache
def _reader(names: tuple[str, ...]) -> Callable[[Event], tuple[Any, ...]]:
    """Return a function that returns the fields *names* of an event as a tuple."""
    return attrgetter(*names) if len(names) > 1 else lambda event: (getattr(event, names[0]),)
