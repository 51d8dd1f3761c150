"""What the cards are worth in Regicide, and what a hand can do: looked up rather than worked out."""

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from engines.cards import JACK, JOKER, KING, PACK, QUEEN, Card, mask_of, rank_of, suit_of
from engines.regicide.actions import YIELD, Choose, Discard, Play
from engines.ruleset import Action

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

CHOICES: Final[tuple[tuple[Action, ...], ...]] = tuple(
    [tuple([Choose(seat) for seat in range(players)]) for players in range(len(HAND_LIMIT))]
)
"""By player count: who may go next after a Jester (R10)."""

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


class Throw:
    """A play with what it amounts to: made once for each set of cards that can be played together."""

    __slots__ = ("action", "attack", "cards", "count", "mask", "suits")

    def __init__(self, cards: tuple[Card, ...]) -> None:
        self.action: Action = Play(cards) if cards else YIELD
        self.cards = cards
        self.count = len(cards)
        self.mask = mask_of(cards)
        """A bit for each card."""
        self.attack = sum([VALUE[card] for card in cards])
        self.suits = 0
        """A bit for each suit: ``1 << SPADES`` and so on; none for a Jester."""
        for card in cards:
            if card < FIRST_JESTER:
                self.suits |= 1 << suit_of(card)


NOTHING: Final = Throw(())
"""A yield, weighed as the plays are."""


def _throws(combinations_of_cards: Iterable[tuple[Card, ...]]) -> tuple[Throw, ...]:
    return tuple([Throw(cards) for cards in combinations_of_cards])


def _sets(rank: int, suits: int) -> tuple[Throw, ...]:
    """Return the sets of one rank that can be played with these suits in hand (R3)."""
    same = [Card(4 * rank + suit) for suit in range(4) if suits >> suit & 1]
    sizes = range(2, min(len(same), HIGHEST_SET // (rank + 1)) + 1)
    return _throws([cards for size in sizes for cards in combinations(same, size)])


SINGLES: Final = _throws([(card,) for card in PACK])
"""By card."""

COMPANIONS: Final = tuple(
    [tuple([Throw((ace, other)) if other > ace else SINGLES[ace] for other in PACK[:FIRST_JESTER]]) for ace in PACK[:4]]
)
"""By companion and the greater card that it goes with."""

SETS: Final = tuple([tuple([_sets(rank, suits) for suits in range(16)]) for rank in range(5)])
"""By rank, 2-5, and the suits held, a bit for each; of companions there are none."""

THROWS: Final = {
    throw.cards: throw
    for throws_of_a_kind in (SINGLES, *COMPANIONS, *[by_suits[15] for by_suits in SETS[1:]])
    for throw in throws_of_a_kind
}
"""By cards, in the order of the fresh pack."""


def throws(hand: list[Card]) -> list[Throw]:
    """Return what *hand*, sorted, may throw at an enemy (R3): singles, then pairs with a companion, then sets."""
    found = [SINGLES[card] for card in hand]
    held = 0  # a bit for each card of a rank of which sets can be played
    for place, card in enumerate(hand):
        if card >= 20:
            break
        held |= 1 << card
        if card < 4:
            pairs = COMPANIONS[card]
            found += [pairs[other] for other in hand[place + 1 :] if other < FIRST_JESTER]
    for rank in range(1, 5):
        suits = held >> 4 * rank & 15
        if suits:
            found += SETS[rank][suits]
    return found


def plays(hand: list[Card]) -> list[Action]:
    """Return the plays of *hand*, sorted (R3)."""
    return [throw.action for throw in throws(hand)]


def lightest_first(hand: list[Card]) -> list[Card]:
    """Return *hand*, sorted, by value, of equals the first of the pack first: only Jesters change their places."""
    jesters = 0
    while jesters < len(hand) and hand[len(hand) - 1 - jesters] >= FIRST_JESTER:
        jesters += 1
    return hand[len(hand) - jesters :] + hand[: len(hand) - jesters] if jesters else hand


def covers(hand: list[Card], attack: int) -> list[Action]:
    """Return the sets of *hand*, sorted, that cover *attack* and without their most valuable card don't (R13)."""
    found: list[Action] = []
    totals, sets = [0], [0]  # of the cards so far, each set that may come to cover: its worth, and a bit for each card
    rest = 0
    for card in hand:
        rest += VALUE[card]
    for card in lightest_first(hand):
        value, bit = VALUE[card], 1 << card
        rest -= value
        for place in range(len(totals)):
            total, cards = totals[place] + value, sets[place] | bit
            if total >= attack:
                found.append(Discard(cards))
            elif total + rest >= attack:
                totals.append(total)
                sets.append(cards)
    return found
