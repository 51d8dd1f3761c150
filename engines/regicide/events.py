"""Events of Regicide, with enough detail that a client can animate the game from them alone.

Fields hold notation: cards are names. Lists of cards without a public order are sorted.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from engines.core.dataclass_schemas import summary_line
from engines.core.schemas import COUNT, NOBODY, exactly_one, ref, several, shape, whole
from engines.core.types import Json
from engines.regicide.schema import CARD, CARDS, DEFEATED, MEDAL, PACKET, PACKET_OR_DEAL, REASON, RESULT
from engines.regicide.tables import SOLO_JESTERS
from engines.ruleset import Event

Card = Annotated[str, CARD]
Cards = Annotated[tuple[str, ...], CARDS]
AnyCards = Annotated[tuple[str, ...], several(CARD)]
Royal = Annotated[str, ref("Royal")]
Packet = Annotated[int, PACKET]
Count = Annotated[int, COUNT]
Positive = Annotated[int, whole(1)]
Nobody = Annotated[None, NOBODY]


@dataclass(frozen=True)
class HiddenCard(Event):
    """A card that goes to a hand. The hand's seat sees the card, other viewers see its packet (R21)."""

    hidden: ClassVar[tuple[str, ...]] = ("card",)
    card: Card
    packet: Annotated[int, PACKET_OR_DEAL]

    def public(self) -> Json:
        """Return the event without the card's name: one card of this packet went to the seat."""
        return {"type": self.type, "seat": self.seat, "count": 1, "packet": self.packet}

    @classmethod
    def schema(cls) -> Json:
        """Return the schema of what the event's seat receives, and of what other viewers receive (R21)."""
        words = f"{summary_line(cls)} The seat that is named receives `card`, everybody else receives `count`."
        fields = {"seat": ref("Seat"), "card": CARD, "count": whole(1, 1), "packet": PACKET_OR_DEAL}
        return {**shape(fields, optional=("card", "count"), description=words), **exactly_one("card", "count")}


@dataclass(frozen=True)
class Dealt(HiddenCard):
    """A card is dealt (R1)."""


@dataclass(frozen=True)
class Drawn(HiddenCard):
    """A card is drawn for diamonds (R6) or into a fresh hand (R17)."""


@dataclass(frozen=True)
class EnemyRevealed(Event):
    """The next castle card is turned up (R1, R12)."""

    seat: Nobody
    enemy: Royal
    attack: Annotated[int, whole(10, 20)]
    health: Annotated[int, whole(20, 40)]


@dataclass(frozen=True)
class TurnBegan(Event):
    """The seat begins a turn."""


@dataclass(frozen=True)
class Played(Event):
    """Cards are played together against the enemy (R3)."""

    cards: Cards
    attack: Count


@dataclass(frozen=True)
class Yielded(Event):
    """The seat plays nothing (R15)."""


@dataclass(frozen=True)
class ImmunityCancelled(Event):
    """A Jester cancels the enemy's immunity (R10)."""


@dataclass(frozen=True)
class Healed(Event):
    """Cards go from the discard pile under the Tavern as one packet (R5, R21)."""

    chance: ClassVar[tuple[str, ...]] = ("cards",)
    cards: Cards
    packet: Packet

    def foretold(self) -> Json:
        """Return the fields that are known before the event: the number of healed cards, but not which cards."""
        return {**super().foretold(), "count": len(self.cards)}


@dataclass(frozen=True)
class Shielded(Event):
    """Spades lower the enemy's attack (R8)."""

    amount: Positive
    attack: Annotated[int, whole(0, description="what is left of the enemy's attack")]
    suspended: Annotated[
        bool, {"type": "boolean", "description": "the enemy is immune: they wait for a Jester to count (R10)"}
    ]


@dataclass(frozen=True)
class EnemyHit(Event):
    """The enemy takes damage (R11)."""

    damage: Positive
    left: Annotated[int, whole(0, description="the enemy's health after it")]


@dataclass(frozen=True)
class EnemyDefeated(Event):
    """The enemy is defeated (R12)."""

    enemy: Royal
    exact: Annotated[bool, {"type": "boolean", "description": "it goes on top of the Tavern, else to the discard pile"}]


@dataclass(frozen=True)
class TableCleared(Event):
    """The cards on the table go to the discard pile (R12)."""

    cards: AnyCards


@dataclass(frozen=True)
class Attacked(Event):
    """The enemy attacks, and the seat must discard cards (R13)."""

    attack: Positive


@dataclass(frozen=True)
class Discarded(Event):
    """Cards are discarded (R13, R17)."""

    cards: AnyCards


@dataclass(frozen=True)
class JesterFlipped(Event):
    """The solo player flips a Jester (R17)."""

    left: Annotated[int, whole(0, SOLO_JESTERS - 1, description="so many can still be flipped")]


@dataclass(frozen=True)
class Chosen(Event):
    """The seat that played the Jester chooses the seat that plays next (R10)."""

    next: Annotated[int, ref("Seat")]


@dataclass(frozen=True)
class Ended(Event):
    """The game is over (R12, R14, R16)."""

    seat: Nobody
    result: Annotated[str, RESULT]
    reason: Annotated[str, REASON]
    medal: Annotated[str | None, MEDAL]
    defeated: Annotated[int, DEFEATED]


EVENTS: Final[tuple[type[Event], ...]] = (
    *(Dealt, Drawn, EnemyRevealed, TurnBegan, Played, Yielded, ImmunityCancelled, Healed, Shielded, EnemyHit),
    *(EnemyDefeated, TableCleared, Attacked, Discarded, JesterFlipped, Chosen, Ended),
)
