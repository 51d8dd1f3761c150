"""Who sits at a hosted table, and what happens there rather than in the game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from engines.events import Event
from engines.ruleset import Ruleset
from engines.schemas import COUNT, NOBODY, TEXT, shape, union
from engines.types import Json


@dataclass(frozen=True)
class Started(Event):
    """No seat is open any more; the deal follows, or the game starts from a position that its creator knows."""

    from_position: bool
    type: ClassVar[str] = "started"


@dataclass(frozen=True)
class Joined(Event):
    """Somebody sat down."""

    name: str
    type: ClassVar[str] = "joined"


@dataclass(frozen=True)
class Signalled(Event):
    """A seat gave its signal."""

    signal: str
    type: ClassVar[str] = "signal"


@dataclass(frozen=True)
class HandedOver(Event):
    """An AI plays on at the seat."""

    level: str
    type: ClassVar[str] = "handed_over"


@dataclass(frozen=True)
class Abandoned(Event):
    """The host gave the game up."""

    type: ClassVar[str] = "abandoned"


EVENTS: Final = union(
    "Event",
    {
        "started": shape(
            {
                "seat": NOBODY,
                "from_position": {
                    "type": "boolean",
                    "description": "nothing is dealt: the game starts as its creator said",
                },
            },
            description="No seat is open any more; the deal follows.",
        ),
        "joined": shape({"seat": COUNT, "name": TEXT}, description="Somebody sat down."),
        "signal": shape({"seat": COUNT, "signal": TEXT}, description="A seat gave its signal."),
        "handed_over": shape({"seat": COUNT, "level": TEXT}, description="An AI plays on at the seat."),
        "abandoned": shape({"seat": NOBODY}, description="The host gave the game up."),
    },
)
"""JSON Schemas of these events, as ``Ruleset.schemas`` are of a game's."""


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
