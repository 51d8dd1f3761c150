"""What happens in a game of Regicide, told so that a client can animate it from the events alone.

Events are built for listeners, so they speak the notation: cards are names. Lists of cards whose order is nobody's
business are sorted as strings.
"""

from dataclasses import dataclass
from typing import ClassVar

from engines.events import Event
from engines.types import Json


@dataclass(frozen=True)
class HiddenCard(Event):
    """A card that goes to a hand: its seat sees it, the others see its packet (R21)."""

    card: str
    packet: int

    def public(self) -> Json:
        """Tell that one card of that packet went to the seat."""
        return {"type": self.type, "seat": self.seat, "count": 1, "packet": self.packet}

    def knowers(self) -> tuple[int, ...]:
        """Return the seat that holds it."""
        return () if self.seat is None else (self.seat,)


@dataclass(frozen=True)
class Dealt(HiddenCard):
    """A card of the deal (R1)."""

    type: ClassVar[str] = "dealt"


@dataclass(frozen=True)
class Drawn(HiddenCard):
    """A card drawn for diamonds (R6) or into a fresh hand (R17)."""

    type: ClassVar[str] = "drawn"


@dataclass(frozen=True)
class EnemyRevealed(Event):
    """The next castle card is turned up (R1, R12)."""

    enemy: str
    attack: int
    health: int
    type: ClassVar[str] = "enemy_revealed"


@dataclass(frozen=True)
class TurnBegan(Event):
    """The seat begins a turn."""

    type: ClassVar[str] = "turn_began"


@dataclass(frozen=True)
class Played(Event):
    """Cards are thrown at the enemy together (R3)."""

    cards: tuple[str, ...]
    attack: int
    type: ClassVar[str] = "played"


@dataclass(frozen=True)
class Yielded(Event):
    """The seat plays nothing (R15)."""

    type: ClassVar[str] = "yielded"


@dataclass(frozen=True)
class ImmunityCancelled(Event):
    """A Jester takes the enemy's immunity (R10)."""

    type: ClassVar[str] = "immunity_cancelled"


@dataclass(frozen=True)
class Healed(Event):
    """Cards go from the discard pile under the Tavern as one packet (R5, R21)."""

    cards: tuple[str, ...]
    packet: int
    type: ClassVar[str] = "healed"


@dataclass(frozen=True)
class Shielded(Event):
    """Spades lower the enemy's attack (R8); *attack* is what is left of it."""

    amount: int
    attack: int
    type: ClassVar[str] = "shielded"


@dataclass(frozen=True)
class EnemyHit(Event):
    """The enemy takes damage (R11); *left* is its health after that."""

    damage: int
    left: int
    type: ClassVar[str] = "enemy_hit"


@dataclass(frozen=True)
class EnemyDefeated(Event):
    """The enemy falls, *exact* if it goes on top of the Tavern (R12)."""

    enemy: str
    exact: bool
    type: ClassVar[str] = "enemy_defeated"


@dataclass(frozen=True)
class TableCleared(Event):
    """The cards on the table go to the discard pile (R12)."""

    cards: tuple[str, ...]
    type: ClassVar[str] = "table_cleared"


@dataclass(frozen=True)
class Attacked(Event):
    """The enemy strikes: the seat must discard (R13)."""

    attack: int
    type: ClassVar[str] = "attacked"


@dataclass(frozen=True)
class Discarded(Event):
    """Cards are given up (R13, R17)."""

    cards: tuple[str, ...]
    type: ClassVar[str] = "discarded"


@dataclass(frozen=True)
class JesterFlipped(Event):
    """A solo Jester is turned over (R17)."""

    left: int
    type: ClassVar[str] = "jester_flipped"


@dataclass(frozen=True)
class Chosen(Event):
    """The Jester's player names who goes next (R10)."""

    next: int
    type: ClassVar[str] = "chosen"


@dataclass(frozen=True)
class Ended(Event):
    """The game is over (R12, R14, R16)."""

    result: str
    reason: str
    medal: str | None
    defeated: int
    type: ClassVar[str] = "ended"
