"""Covering a blow from a hand for the least that it is worth (R13): a search of its own, since it is asked so often."""

from typing import Final

from engines.cards import PACK, Card
from engines.regicide.tables import VALUE
from engines.regicide.weights import WORTHS

HOPELESS: Final = 1 << 20
"""More than any hand is worth, in tenths."""

HEAVIEST: Final = tuple(sorted(PACK, key=VALUE.__getitem__, reverse=True))
"""The pack by value; of equals the first of the pack first."""

BY_WEIGHT: Final = tuple([HEAVIEST.index(card) for card in PACK])
"""By card: its place among the heaviest."""

# A set of cards of a hand as one number, so that a set and a card more is one addition: from bit 0 its places in the
# hand, from bit ``TOTAL`` its value, from bit ``COST`` what it is worth in hand, in tenths.
TOTAL: Final = 16
COST: Final = 24
PLACES: Final = (1 << TOTAL) - 1
TOTALS: Final = (1 << COST - TOTAL) - 1
LEAST: Final = 10 << COST
"""A point of value costs at least so much."""

COSTS: Final = tuple(
    [
        tuple([worth << COST | card_value << TOTAL for worth, card_value in zip(worths, VALUE, strict=True)])
        for worths in WORTHS
    ]
)
"""By player count and card: the set of that card, but for its place."""


def heaviest_first(hand: list[Card]) -> list[Card]:
    """Return *hand* by value, of equals the first of the pack first."""
    places = [BY_WEIGHT[card] for card in hand]
    places.sort()
    return [HEAVIEST[place] for place in places]


def cheapest(hand: list[Card], attack: int, players: int) -> int:
    """Return the set of *hand*, heaviest first, worth least that covers *attack*; ``HOPELESS << COST`` if none does.

    Sets that can't come to cover it, or only at what the best so far costs, aren't pursued.
    """
    costs, bound, best = COSTS[players], HOPELESS << COST, HOPELESS << COST
    rest = 0
    for card in hand:
        rest += VALUE[card]
    short = [0]
    bit = 1
    for card in hand:
        rest -= VALUE[card]
        item = costs[card] + bit
        bit += bit
        for place in range(len(short)):
            total = short[place] + item
            missing = attack - (total >> TOTAL & TOTALS)
            if missing <= 0:
                if total < bound:
                    best, bound = total, total >> COST << COST
            elif missing <= rest and total + missing * LEAST < bound:
                short.append(total)
    return best


def cards_of(found: int, hand: list[Card]) -> int:
    """Return the cards of a set that ``cheapest`` has found in *hand*, a bit for each."""
    cards = 0
    for card in hand:
        if found & 1:
            cards |= 1 << card
        found >>= 1
    return cards
