"""Events of Gridcannon, with enough detail that a client can animate the game from them alone.

All is public except the order of the draw pile (G22); therefore lists of cards that are mixed in are sorted. Fields
hold notation: names of cards, cells and slots.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from engines.core.schemas import NOBODY, maybe, ref, several, whole
from engines.gridcannon.schema import REASON, RESULT
from engines.ruleset import Event

AnyCard = Annotated[str, ref("Card")]
Number = Annotated[str, ref("Number")]
Royal = Annotated[str, ref("Royal")]
PloyCard = Annotated[str, ref("PloyCard")]
Numbers = Annotated[tuple[str, ...], several(ref("Number"), 1)]
Cards = Annotated[tuple[str, ...], several(ref("Card"), 1)]
Cell = Annotated[str, ref("Cell")]
Slot = Annotated[str, ref("Slot")]
Slots = Annotated[tuple[str, ...], several(ref("Slot"), 2, 2)]
Ploy = Annotated[str, ref("Ploy")]
Pile = Annotated[int, whole(0, description="number of cards in the draw pile after the event")]
Nobody = Annotated[None, NOBODY]


@dataclass(frozen=True)
class RoyalSetOut(Event):
    """The royal with which a family opens (G3)."""

    card: Royal


@dataclass(frozen=True)
class Laid(Event):
    """A number is laid on a cell (G4, G8)."""

    card: Number
    cell: Cell


@dataclass(frozen=True)
class PloyGained(Event):
    """An ace or a joker goes to the arsenal of the seat that drew it (G4, G6)."""

    card: PloyCard


@dataclass(frozen=True)
class PileShuffled(Event):
    """After the opening the remaining cards are shuffled into the draw pile (G5)."""

    seat: Nobody
    count: Pile


@dataclass(frozen=True)
class TurnBegan(Event):
    """A turn begins (G6)."""

    turns: Annotated[int, whole(1, description="the number of the turn")]


@dataclass(frozen=True)
class Drawn(Event):
    """The top card is drawn (G6). An ace or a joker goes to the arsenal of the seat."""

    chance: ClassVar[tuple[str, ...]] = ("card",)
    decisive: ClassVar[bool] = True
    card: AnyCard


@dataclass(frozen=True)
class PassedOver(Event):
    """A card above the next royal is put under the draw pile (G16)."""

    card: AnyCard


@dataclass(frozen=True)
class RoyalPlaced(Event):
    """A royal is placed in a slot (G7)."""

    card: Royal
    slot: Slot


@dataclass(frozen=True)
class Fired(Event):
    """A line fires at the royal in the slot (G9). The royal belongs to `seat`."""

    cell: Cell
    slot: Slot
    card: Royal
    attack: Annotated[int, whole(0)]
    needed: Annotated[int, whole(1, description="the attack that kills")]


@dataclass(frozen=True)
class Killed(Event):
    """A royal of the seat is turned face down (G10)."""

    card: Royal
    slot: Slot


@dataclass(frozen=True)
class ArmourStripped(Event):
    """A royal of the seat loses layers of armour, the last laid first (G10, G11)."""

    slot: Slot
    cards: Numbers


@dataclass(frozen=True)
class ArmourLaid(Event):
    """The drawn number is laid on a royal (G12)."""

    card: Number
    slot: Slot


@dataclass(frozen=True)
class Returned(Event):
    """The drawn number can't be used and goes back to the draw pile (G12)."""

    card: Number


@dataclass(frozen=True)
class Declared(Event):
    """A ploy joins the queue (G14)."""

    card: PloyCard
    ploy: Ploy


@dataclass(frozen=True)
class Recalled(Event):
    """A ploy goes back to its arsenal (G14)."""

    card: PloyCard


@dataclass(frozen=True)
class Reassigned(Event):
    """`ploy` is used: the top card of a cell moves to another cell (G13)."""

    ploy: PloyCard
    card: Number
    source: Cell
    target: Cell


@dataclass(frozen=True)
class Switched(Event):
    """`ploy` is used: two royals exchange their slots and keep their armour (G13)."""

    ploy: PloyCard
    slots: Slots


@dataclass(frozen=True)
class Forced(Event):
    """`ploy` is used as a forced attack: `cell` fires as if a card had just been laid there (G13)."""

    ploy: PloyCard
    cell: Cell


@dataclass(frozen=True)
class SeatOut(Event):
    """The seat's last royal has fallen (G17)."""


@dataclass(frozen=True)
class MixedIn(Event):
    """Cards are put into the draw pile, and the pile is shuffled (G21)."""

    seat: Nobody
    cards: Cards
    count: Pile


@dataclass(frozen=True)
class TakenUp(Event):
    """All but the top two cards of a cell are taken up, listed from the bottom (G19)."""

    seat: Nobody
    cell: Cell
    cards: Numbers


@dataclass(frozen=True)
class Refreshed(Event):
    """The cards that were taken up are shuffled into the draw pile (G19)."""

    seat: Nobody
    count: Pile


@dataclass(frozen=True)
class Ended(Event):
    """The game is over (G18-G20)."""

    seat: Annotated[int | None, maybe(ref("Seat"), description="the winner")]
    result: Annotated[str, RESULT]
    reason: Annotated[str, REASON]


EVENTS: Final[tuple[type[Event], ...]] = (
    *(RoyalSetOut, Laid, PloyGained, PileShuffled, TurnBegan, Drawn, PassedOver, RoyalPlaced, Fired, Killed),
    *(ArmourStripped, ArmourLaid, Returned, Declared, Recalled, Reassigned, Switched, Forced, SeatOut, MixedIn),
    *(TakenUp, Refreshed, Ended),
)
