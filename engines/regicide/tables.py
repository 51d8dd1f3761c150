"""What the cards are worth in Regicide, and the numbers of its table: looked up rather than worked out."""

from typing import Final

from engines.core.cards import JACK, JOKER, KING, PACK, QUEEN, Card, rank_of

PLAY: Final = 0
SUFFER: Final = 1
CHOOSE: Final = 2
OVER: Final = 3
PHASES: Final = ("play", "suffer", "choose", "over")

SIGNALS: Final = ("eager", "reluctant")
MEDALS: Final = ("gold", "silver", "bronze")
NOBODY: Final = Card(-1)
"""The enemy, once the last King has fallen."""

# Not typed by their length: a compiled tuple that is is boxed anew each time it is looked into.
HAND_LIMIT: Final[tuple[int, ...]] = (0, 8, 7, 6, 5)
"""By player count."""

TAVERN_JESTERS: Final[tuple[int, ...]] = (0, 0, 0, 1, 2)
"""By player count."""

SOLO_JESTERS: Final = 2
ENEMIES: Final = 12
HIGHEST_SET: Final = 10
"""A set may be worth no more (R3)."""

JACKS: Final = PACK[40:44]
QUEENS: Final = PACK[44:48]
KINGS: Final = PACK[48:52]
JESTERS: Final = PACK[52:]
FIRST_ROYAL: Final = 40
FIRST_JESTER: Final = 52

ROYAL_VALUES: Final = {JACK: 10, QUEEN: 15, KING: 20}


def _value(rank: int) -> int:
    if rank == JOKER:
        return 0
    return ROYAL_VALUES.get(rank, rank + 1)


VALUE: Final = tuple([_value(rank_of(card)) for card in PACK])
"""By card: to play and to discard (R13, R19)."""

ATTACK: Final = VALUE
"""By enemy, the same number (rulings, "Numbers")."""

HEALTH: Final = tuple([2 * value for value in VALUE])
"""By enemy."""

TAVERN_CARDS: Final[tuple[tuple[Card, ...], ...]] = tuple(
    [(*PACK[:FIRST_ROYAL], *JESTERS[:jesters]) for jesters in TAVERN_JESTERS]
)
"""By player count: what the Tavern is made of, as the fresh pack lies (R1, R23)."""
