"""What the cards are worth in Regicide, and what a hand can do: looked up rather than worked out."""

from functools import lru_cache
from itertools import combinations
from typing import Final

from engines.cards import ACE, JACK, JOKER, KING, PACK, QUEEN, Card, rank_of
from engines.regicide.actions import Discard, Play

PLAY: Final = 0
SUFFER: Final = 1
CHOOSE: Final = 2
OVER: Final = 3
PHASES: Final = ("play", "suffer", "choose", "over")

SIGNALS: Final = ("eager", "reluctant")
MEDALS: Final = ("gold", "silver", "bronze")
NOBODY: Final = Card(-1)
"""The enemy, once the last King has fallen."""

HAND_LIMIT: Final = (0, 8, 7, 6, 5)
"""By player count."""

TAVERN_JESTERS: Final = (0, 0, 0, 1, 2)
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


def tavern_cards(players: int) -> list[Card]:
    """Return the cards that the Tavern is made of, as the fresh pack lies (R1, R23)."""
    return [*PACK[:FIRST_ROYAL], *JESTERS[: TAVERN_JESTERS[players]]]


@lru_cache(maxsize=1 << 16)
def plays(hand: tuple[Card, ...]) -> tuple[Play, ...]:
    """Return what *hand*, sorted, may throw at an enemy (R3): singles, then pairs with a companion, then sets."""
    found: list[tuple[Card, ...]] = [(card,) for card in hand]
    for place, card in enumerate(hand):
        if rank_of(card) != ACE:
            break
        found += [(card, other) for other in hand[place + 1 :] if other < FIRST_JESTER]
    for rank in range(1, 5):
        same = [card for card in hand if rank_of(card) == rank]
        for size in range(2, min(len(same), HIGHEST_SET // (rank + 1)) + 1):
            found += combinations(same, size)
    return tuple([Play(cards) for cards in found])


def covers(hand: tuple[Card, ...], attack: int) -> list[Discard]:
    """Return the sets of *hand*, sorted, that cover *attack* and without their most valuable card don't (R13)."""
    found: list[Discard] = []
    totals, sets = [0], [0]  # of the cards so far, each set that doesn't cover: its worth, and a bit for each card
    for card in sorted(hand, key=VALUE.__getitem__):
        value, bit = VALUE[card], 1 << card
        short = attack - value
        found += [discard(cards | bit) for total, cards in zip(totals, sets, strict=True) if total >= short]
        longer = [(total + value, cards | bit) for total, cards in zip(totals, sets, strict=True) if total < short]
        totals += [total for total, _ in longer]
        sets += [cards for _, cards in longer]
    return found


@lru_cache(maxsize=1 << 16)
def discard(cards: int) -> Discard:
    """Return the discard of *cards*, a bit for each."""
    return Discard(tuple([card for card in PACK if cards >> card & 1]))
