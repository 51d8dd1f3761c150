"""What happens in a game of Gridcannon, told so that a client can animate it from the events alone.

Everything is public here but the order of the draw pile (G22), and no event tells of that: cards that are shuffled are
sorted as strings. Events are built for listeners, so they speak the notation: names of cards, cells and slots.
"""

from dataclasses import dataclass
from typing import ClassVar

from engines.events import Event


@dataclass(frozen=True)
class RoyalSetOut(Event):
    """The royal with which a family opens (G3)."""

    card: str
    type: ClassVar[str] = "royal_set_out"


@dataclass(frozen=True)
class Laid(Event):
    """A number is laid on a cell (G4, G8)."""

    card: str
    cell: str
    type: ClassVar[str] = "laid"


@dataclass(frozen=True)
class PloyGained(Event):
    """An ace or a joker goes to the arsenal of whoever drew it (G4, G6)."""

    card: str
    type: ClassVar[str] = "ploy_gained"


@dataclass(frozen=True)
class PileShuffled(Event):
    """After the opening the draw pile is made of all that is left (G5)."""

    count: int
    type: ClassVar[str] = "pile_shuffled"


@dataclass(frozen=True)
class TurnBegan(Event):
    """The seat begins turn number *turns* of the game (G6)."""

    turns: int
    type: ClassVar[str] = "turn_began"


@dataclass(frozen=True)
class Drawn(Event):
    """A number or a royal is drawn (G6)."""

    card: str
    type: ClassVar[str] = "drawn"


@dataclass(frozen=True)
class PassedOver(Event):
    """A card goes to the bottom of the draw pile, for a royal is looked for (G16)."""

    card: str
    type: ClassVar[str] = "passed_over"


@dataclass(frozen=True)
class RoyalPlaced(Event):
    """A royal takes its slot (G7)."""

    card: str
    slot: str
    type: ClassVar[str] = "royal_placed"


@dataclass(frozen=True)
class Fired(Event):
    """A line fires at the royal in *slot*; it takes an attack of *needed* to kill it (G9)."""

    cell: str
    slot: str
    card: str
    attack: int
    needed: int
    type: ClassVar[str] = "fired"


@dataclass(frozen=True)
class Killed(Event):
    """A royal of *seat* is turned face down (G10)."""

    card: str
    slot: str
    type: ClassVar[str] = "killed"


@dataclass(frozen=True)
class ArmourStripped(Event):
    """A royal of *seat* loses layers, the last laid first (G10, G11)."""

    slot: str
    cards: tuple[str, ...]
    type: ClassVar[str] = "armour_stripped"


@dataclass(frozen=True)
class ArmourLaid(Event):
    """The drawn number is laid on a royal (G12)."""

    card: str
    slot: str
    type: ClassVar[str] = "armour_laid"


@dataclass(frozen=True)
class Returned(Event):
    """The drawn number can't be used (G12)."""

    card: str
    type: ClassVar[str] = "returned"


@dataclass(frozen=True)
class Declared(Event):
    """A ploy joins the queue (G14)."""

    card: str
    ploy: str
    type: ClassVar[str] = "declared"


@dataclass(frozen=True)
class Recalled(Event):
    """A ploy goes back to its arsenal (G14)."""

    card: str
    type: ClassVar[str] = "recalled"


@dataclass(frozen=True)
class Reassigned(Event):
    """*ploy* is used: the top card of *source* moves to *target* (G13)."""

    ploy: str
    card: str
    source: str
    target: str
    type: ClassVar[str] = "reassigned"


@dataclass(frozen=True)
class Switched(Event):
    """*ploy* is used: the royals of two slots change places, armour and all (G13)."""

    ploy: str
    slots: tuple[str, ...]
    type: ClassVar[str] = "switched"


@dataclass(frozen=True)
class Forced(Event):
    """*ploy* is used: the trigger *cell* is pulled (G13)."""

    ploy: str
    cell: str
    type: ClassVar[str] = "forced"


@dataclass(frozen=True)
class SeatOut(Event):
    """The last royal of *seat* has fallen (G17)."""

    type: ClassVar[str] = "seat_out"


@dataclass(frozen=True)
class MixedIn(Event):
    """Cards are put into the draw pile, now of *count* cards, and it is shuffled (G21)."""

    cards: tuple[str, ...]
    count: int
    type: ClassVar[str] = "mixed_in"


@dataclass(frozen=True)
class TakenUp(Event):
    """All but the top two cards of a cell are taken up, listed from the bottom (G19)."""

    cell: str
    cards: tuple[str, ...]
    type: ClassVar[str] = "taken_up"


@dataclass(frozen=True)
class Refreshed(Event):
    """The draw pile is shuffled with what was taken up: it has *count* cards now (G19)."""

    count: int
    type: ClassVar[str] = "refreshed"


@dataclass(frozen=True)
class Ended(Event):
    """The game is over; *seat* has won it, or nobody (G18, G19, G20)."""

    result: str
    reason: str
    type: ClassVar[str] = "ended"
