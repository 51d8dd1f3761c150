"""The cheapest cards of a hand that cover an attack (R13), by branch and bound."""

from typing import Final

from engines.core.cards import PACK, Card
from engines.regicide.tables import VALUE
from engines.regicide.weights import WORTHS

UNCOVERABLE: Final = 1 << 20
"""Cost in tenths that stands for an attack that can't be covered; higher than the cost of any hand."""

PACK_HIGHEST_FIRST: Final = tuple(sorted(PACK, key=VALUE.__getitem__, reverse=True))
"""The pack by decreasing value; cards of equal value are in pack order."""

INDEX_BY_CARD: Final = tuple([PACK_HIGHEST_FIRST.index(card) for card in PACK])
"""By card: its index in ``PACK_HIGHEST_FIRST``."""

# A set of cards is one integer. The bits below ``COST_SHIFT`` are a mask of the cards' indices in the hand; the bits
# from ``COST_SHIFT`` up are the sum of the cards' worths in hand, in tenths. Adding a card is one addition, and the
# smaller of two integers is the cheaper set.
COST_SHIFT: Final = 16
MIN_SHIFTED_COST_PER_POINT: Final = 10 << COST_SHIFT
"""Minimum cost per point of a card's value, shifted to the bits of the cost."""

SHIFTED_COSTS: Final = tuple([tuple([worth << COST_SHIFT for worth in worths]) for worths in WORTHS])
"""By player count and card: the card's worth in hand, in tenths, shifted to the bits of the cost (``COST_SHIFT``)."""


def heaviest_first(hand: list[Card]) -> list[Card]:
    """Return *hand* by decreasing value; cards of equal value are in pack order."""
    places = [INDEX_BY_CARD[card] for card in hand]
    places.sort()
    return [PACK_HIGHEST_FIRST[index] for index in places]


def cheapest(hand: list[Card], attack: int, players: int) -> int:
    """Return the cheapest set of cards of *hand* that covers *attack*; *hand* is sorted by ``heaviest_first``.

    The set is one integer: its cost from bit ``COST_SHIFT`` up, and below it a mask of indices in *hand*. Returns
    ``UNCOVERABLE << COST_SHIFT`` if no set covers the attack.
    """
    rest = 0
    for card in hand:
        rest += VALUE[card]
    return _cheaper(hand, 0, rest, SHIFTED_COSTS[players], 0, attack, UNCOVERABLE << COST_SHIFT)


def _cheaper(
    hand: list[Card], start: int, rest: int, costs: tuple[int, ...], chosen: int, uncovered: int, best: int
) -> int:
    """Return the cheapest set: *best*, or *chosen* with cards from index *start* on that cover *uncovered*.

    The cards from *start* on have the total value *rest*. A branch is cut if its cards can't cover *uncovered*, or
    would cost at least as much as *best*.
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
        elif uncovered - value <= rest and total + (uncovered - value) * MIN_SHIFTED_COST_PER_POINT < best:
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
