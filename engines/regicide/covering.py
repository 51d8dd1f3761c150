"""The cheapest cards of a hand that cover an attack (R13), by branch and bound."""

from typing import Final

from engines.core.cards import PACK, Card
from engines.regicide.tables import VALUE
from engines.regicide.weights import WORTHS

UNCOVERABLE: Final = 1 << 20
"""A cost that is higher than that of any hand, in tenths."""

PACK_BY_VALUE: Final = tuple(sorted(PACK, key=VALUE.__getitem__, reverse=True))
"""The pack by decreasing value; of equal values the first of the pack first."""

BY_WEIGHT: Final = tuple([PACK_BY_VALUE.index(card) for card in PACK])
"""By card: its index in ``PACK_BY_VALUE``."""

# A set of cards is one integer. The bits below ``COST`` are a mask of the cards' indices in the hand; the bits from
# ``COST`` up are the sum of the cards' worths in hand, in tenths. Adding a card is one addition, and the smaller of two
# integers is the cheaper set.
COST: Final = 16
LEAST: Final = 10 << COST
"""Minimum cost per point of value."""

COSTS: Final = tuple([tuple([worth << COST for worth in worths]) for worths in WORTHS])
"""By player count and card: the set of only this card, without its index bit."""


def heaviest_first(hand: list[Card]) -> list[Card]:
    """Return *hand* by decreasing value; of equal values the first of the pack first."""
    places = [BY_WEIGHT[card] for card in hand]
    places.sort()
    return [PACK_BY_VALUE[index] for index in places]


def cheapest(hand: list[Card], attack: int, players: int) -> int:
    """Return the cheapest set of *hand*, heaviest first, that covers *attack*.

    Returns ``UNCOVERABLE << COST`` if no set does.
    """
    rest = 0
    for card in hand:
        rest += VALUE[card]
    return _cheaper(hand, 0, rest, COSTS[players], 0, attack, UNCOVERABLE << COST)


def _cheaper(
    hand: list[Card], start: int, rest: int, costs: tuple[int, ...], chosen: int, uncovered: int, best: int
) -> int:
    """Return the cheapest of *best* and the sets that extend *chosen* by cards from *start* on to cover *uncovered*.

    The cards from *start* on have the total value *rest*. A branch is cut if it can't cover *uncovered*, or can't do so
    for less than *best*.
    """
    for index in range(start, len(hand)):
        if uncovered > rest:
            break
        card = hand[index]
        value = VALUE[card]
        rest -= value
        total = chosen + costs[card] + (1 << index)
        if value >= uncovered:
            best = min(best, total)
        elif uncovered - value <= rest and total + (uncovered - value) * LEAST < best:
            best = _cheaper(hand, index + 1, rest, costs, total, uncovered - value, best)
    return best


def cards_of(card_set: int, hand: list[Card]) -> int:
    """Return the cards of a set that ``cheapest`` found in *hand*, as bits."""
    cards = 0
    for card in hand:
        if card_set & 1:
            cards |= 1 << card
        card_set >>= 1
    return cards
