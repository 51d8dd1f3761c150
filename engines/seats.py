"""Who sits at a hosted table, and what happens there rather than in the game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engines.ruleset import Event, Json, Ruleset


@dataclass(frozen=True)
class TableEvent(Event):
    """Something that happened at the table rather than in the game: ``started``, ``joined``, ``signal`` and so on."""

    type: str
    seat: int | None = None
    facts: Mapping[str, object] = field(default_factory=dict)

    def as_json(self) -> Json:
        """Tell all of it: everybody may know."""
        return {"type": self.type, "seat": self.seat, **self.facts}


@dataclass(frozen=True)
class Seat:
    """A place at the table: ``kind`` is ``human``, ``ai`` or ``open``."""

    kind: str
    name: str | None = None
    level: str | None = None
    client_seed: str = ""
    asks: Mapping[str, object] = field(default_factory=dict)
    """What the seat asked for by the ruleset's ``seat_options``."""

    def as_json(self, number: int) -> Json:
        """Return what everybody may know of the seat."""
        shown = {"seat": number, "kind": self.kind, "name": self.name, "level": self.level, **self.asks}
        return {key: value for key, value in shown.items() if value is not None}


@dataclass(frozen=True)
class Asked:
    """An AI that is to be asked what it does: with its seat's view, nothing more."""

    seat: int
    level: str


def gathered(ruleset: Ruleset, options: Json, seats: Sequence[Seat]) -> Json:
    """Return *options* with what seats asked for by themselves gathered into the options that list it per seat."""
    lists = {
        option: [seat.asks.get(asked) for seat in seats]
        for asked, option in ruleset.seat_options.items()
        if any(seat.asks.get(asked) is not None for seat in seats)
    }
    return {**options, **lists}
