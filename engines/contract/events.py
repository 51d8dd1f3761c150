"""The base class of events.

Events, here and in each ruleset, stay interpreted: they are built for listeners, never in a search, and mypyc takes the
class variables of a dataclass for fields.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from engines.core.dataclass_schemas import field_schemas, promise, type_of
from engines.core.schemas import shape
from engines.core.types import Json


@dataclass(frozen=True)
class Event:
    """Something that happened in a game: a frozen dataclass, built only if somebody listens.

    Events are for listeners, so they speak the notation: cards, cells and seats as they are written. *seat* is whose
    doing it is, or whose loss; None where it is nobody's. ``type`` is the name of the class, ``CardDrawn`` as
    ``card_drawn``, unless the class says another.
    """

    type: ClassVar[str]
    hidden: ClassVar[tuple[str, ...]] = ()
    """The fields that the event's own seat alone is told."""
    chance: ClassVar[tuple[str, ...]] = ()
    """The fields that luck decides, even where it is sure that the event happens."""
    decisive: ClassVar[bool] = False
    """What follows depends on how luck decides these fields."""
    seat: int | None

    def __init_subclass__(cls) -> None:
        """Name the type of event after its class."""
        if "type" not in cls.__dict__:
            cls.type = type_of(cls)

    def as_json(self) -> dict[str, Any]:
        """Tell all of it, as somebody behind the table saw it: ``{"type", "seat", ...}``."""
        written: dict[str, Any] = {"type": self.type}
        for name in self.__match_args__:
            value = getattr(self, name)
            written[name] = list(value) if isinstance(value, tuple) else value
        return written

    def foretold(self) -> dict[str, Any]:
        """Tell what is sure of it before luck has decided: all of it but the fields of ``chance``."""
        return {name: value for name, value in self.as_json().items() if name not in self.chance}

    def public(self) -> dict[str, Any]:
        """Tell what everybody may know: all of it but the hidden fields."""
        return {name: value for name, value in self.as_json().items() if name not in self.hidden}

    def seen_by(self, viewer: int | None) -> dict[str, Any]:
        """Tell what *viewer* may know, a seat or None for a spectator."""
        if not self.hidden or viewer in self.knowers():
            return self.as_json()
        return self.public()

    def knowers(self) -> tuple[int, ...]:
        """Return the seats that may know all of it, where not everybody may."""
        return (self.seat,) if self.hidden and self.seat is not None else ()

    @classmethod
    def schema(cls) -> Json:
        """Return the JSON Schema of what anybody may be told of it, but for its type; described by the docstring."""
        return shape(field_schemas(cls), optional=cls.hidden, description=promise(cls))
