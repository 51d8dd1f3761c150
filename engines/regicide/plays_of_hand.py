"""Plays and discards of a hand in Regicide; each possible play is created once."""

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from engines.core.cards import PACK, Card
from engines.regicide.actions import Discard, Play
from engines.regicide.tables import FIRST_JESTER, MAX_SET_VALUE, VALUE
from engines.ruleset import Action


def _plays(combinations_of_cards: Iterable[tuple[Card, ...]]) -> tuple[Play, ...]:
    return tuple([Play(cards) for cards in combinations_of_cards])


def _sets(rank: int, suits: int) -> tuple[Play, ...]:
    """Return the sets of one rank that can be played with these suits in hand (R3)."""
    same = [Card(4 * rank + suit) for suit in range(4) if suits >> suit & 1]
    sizes = range(2, min(len(same), MAX_SET_VALUE // (rank + 1)) + 1)
    return _plays([cards for size in sizes for cards in combinations(same, size)])


SINGLES: Final = _plays([(card,) for card in PACK])
"""Plays of one card, by card."""

COMPANION_PLAYS: Final = tuple(
    [tuple([Play((ace, other)) if other > ace else SINGLES[ace] for other in PACK[:FIRST_JESTER]]) for ace in PACK[:4]]
)
"""By companion and other card: the play of both if the other card is later in the pack, else of the companion."""

SETS: Final = tuple([tuple([_sets(rank, suits) for suits in range(16)]) for rank in range(5)])
"""Sets by rank (1 to 4 for the numbers 2 to 5; 0 is unused) and by the suits in hand as bits."""


def plays(hand: list[Card]) -> list[Play]:
    """Return the plays of *hand*, sorted (R3): singles, then pairs with a companion, then sets."""
    found = [SINGLES[card] for card in hand]
    held = 0  # the cards that can be in sets, as bits
    for index, card in enumerate(hand):
        if card >= 20:
            break
        held |= 1 << card
        if card < 4:
            pairs = COMPANION_PLAYS[card]
            found += [pairs[other] for other in hand[index + 1 :] if other < FIRST_JESTER]
    for rank in range(1, 5):
        suits = held >> 4 * rank & 15
        if suits:
            found += SETS[rank][suits]
    return found


def lightest_first(hand: list[Card]) -> list[Card]:
    """Return the sorted *hand* by increasing value: Jesters, whose value is 0, move from its end to its beginning."""
    jesters = 0
    while jesters < len(hand) and hand[len(hand) - 1 - jesters] >= FIRST_JESTER:
        jesters += 1
    return hand[len(hand) - jesters :] + hand[: len(hand) - jesters] if jesters else hand


def covers(hand: list[Card], attack: int) -> list[Action]:
    """Return the discards of a sorted *hand* that cover *attack* and need their most valuable card for it (R13)."""
    found: list[Action] = []
    cards = lightest_first(hand)
    lighter = 0  # total value of the cards before this one
    for index, card in enumerate(cards):
        value = VALUE[card]
        if value + lighter >= attack:
            _add_covers(found, cards, index, lighter, attack - value, value, 1 << card)
        lighter += value
    return found


def _add_covers(
    found: list[Action], cards: list[Card], index: int, worth: int, uncovered: int, highest: int, chosen: int
) -> None:
    """Add to *found* the covers that consist of *chosen* (bits) and some *cards* before *index*.

    The cards before *index* have the total value *worth*. *uncovered* is the part of the attack that *chosen* doesn't
    cover. The most valuable card of *chosen* has the value *highest*. Covers that exceed the attack by that much or
    more are left out, because they don't need this card.
    """
    if index == 0:
        found.append(Discard(chosen))
        return
    index -= 1
    card = cards[index]
    value = VALUE[card]
    worth -= value
    if worth >= uncovered:
        _add_covers(found, cards, index, worth, uncovered, highest, chosen)
    if highest + uncovered > value:
        _add_covers(found, cards, index, worth, uncovered - value, highest, chosen | 1 << card)
