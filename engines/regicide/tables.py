"""Tables of Regicide: values of cards and numbers by player count."""

from typing import Final

from engines.core.cards import JACK, JOKER, KING, PACK, QUEEN, Card, rank_of

PLAY: Final = 0
SUFFER: Final = 1
CHOOSE: Final = 2
OVER: Final = 3
PHASES: Final = ("play", "suffer", "choose", "over")

SIGNALS: Final = ("eager", "reluctant")
MEDALS: Final = ("gold", "silver", "bronze")
NO_ENEMY: Final = Card(-1)
"""Value of ``State.enemy`` while there is no enemy: before the game begins, and after the last King's defeat."""

# The annotation doesn't give the tuple's length, because mypyc would box the tuple at each access.
HAND_LIMIT: Final[tuple[int, ...]] = (0, 8, 7, 6, 5)
"""Maximum number of cards in hand, by player count."""

TAVERN_JESTERS: Final[tuple[int, ...]] = (0, 0, 0, 1, 2)
"""Number of Jesters in the Tavern, by player count."""

SOLO_JESTERS: Final = 2
ENEMIES: Final = 12
MAX_SET_VALUE: Final = 10
"""Maximum total value of a set (R3)."""

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
"""Value of each card, in play and as a discard (R13, R19)."""

ATTACK: Final = VALUE
"""By card: the attack of a royal as the enemy, which is its value."""

HEALTH: Final = tuple([2 * value for value in VALUE])
"""By card: the health of a royal as the enemy, which is twice its value."""

TAVERN_CARDS: Final[tuple[tuple[Card, ...], ...]] = tuple(
    [(*PACK[:FIRST_ROYAL], *JESTERS[:jesters]) for jesters in TAVERN_JESTERS]
)
"""By player count: the cards of the Tavern before they are shuffled, in pack order (R1, R23)."""
