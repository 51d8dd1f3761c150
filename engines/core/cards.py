"""Playing cards as small integers, cheap to copy, compare, hash and shuffle.

A card is its index in the ordered pack. The pack is sorted by rank from the ace to the King, and within a rank by suit:
clubs, diamonds, hearts, spades. Two jokers follow. So ``card >> 2`` is the rank and ``card & 3`` the suit, except for
jokers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NewType

from engines.core.errors import BadCard
from engines.core.phrase import Phrase

Card = NewType("Card", int)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
SYMBOLS: Final = "♣♦♥♠"
NAMES: Final = (*(rank + suit for rank in RANKS for suit in SUITS), "X1", "X2")
BY_NAME: Final = {name: Card(index) for index, name in enumerate(NAMES)}
PACK: Final = tuple(BY_NAME.values())

CLUBS: Final = 0
DIAMONDS: Final = 1
HEARTS: Final = 2
SPADES: Final = 3

ACE: Final = 0
JACK: Final = 10
QUEEN: Final = 11
KING: Final = 12
JOKER: Final = 13


def rank_of(card: Card) -> int:
    """Return 0 for an ace, 1-9 for 2-10, then ``JACK``, ``QUEEN``, ``KING`` and ``JOKER``."""
    return card >> 2


def suit_of(card: Card) -> int:
    """Return ``CLUBS``, ``DIAMONDS``, ``HEARTS`` or ``SPADES``; a joker's suit means nothing."""
    return card & 3


def mask_of(cards: Iterable[Card]) -> int:
    """Return a set of cards as one integer with one bit per card; bit 0 is the first card of the pack."""
    return sum([1 << card for card in cards])


def _spellings(name: str) -> Iterable[str]:
    """Return the accepted spellings of the card *name*: for ``TH`` also ``th``, ``10H``, ``T♥`` and so on."""
    rank, suit = name[0], name[1]
    ranks = [rank, rank.lower(), *(["10"] if rank == "T" else [])]
    suits = [suit] if rank == "X" else [suit, suit.lower(), SYMBOLS[SUITS.index(suit)]]
    return [written + mark for written in ranks for mark in suits]


BY_SPELLING: Final = {spelling: card for name, card in BY_NAME.items() for spelling in _spellings(name)}


def parse_card(text: object) -> Card:
    """Read a card in any accepted spelling: ``TH``, ``10H``, ``th`` or ``T♥``. Raises ``BadCard``."""
    if isinstance(text, str):
        card = BY_SPELLING.get(text)
        if card is not None:
            return card
    raise BadCard(
        Phrase(
            "There is no card called {text!r}: write rank and suit, as in TH or 7D; X1 and X2 are the jokers.",
            text=text,
        )
    )


def load_card(text: object) -> Card:
    """Read a card of a position; only the canonical name is accepted. The inverse of ``NAMES[card]``."""
    card = BY_NAME.get(text) if isinstance(text, str) else None
    if card is None:
        raise BadCard(Phrase("There is no card called {text!r}: positions use names such as TH, 7D and X1.", text=text))
    return card


JOKER_LABEL: Final = Phrase("joker")
CARD_LABELS: Final[Mapping[str, str | Phrase]] = {
    name: JOKER_LABEL if name[0] == "X" else name[0].replace("T", "10") + SYMBOLS[SUITS.index(name[1])]
    for name in NAMES
}


def card_label(name: str) -> str | Phrase:
    """Return a card's name for people: ``TH`` as 10♥, ``X1`` as a word for the joker."""
    return CARD_LABELS[name]


def card_labels(cards: Sequence[str], joker: Phrase = JOKER_LABEL) -> str | Phrase:
    """Return the labels of cards for people, separated by spaces, with *joker* for jokers; empty for no cards."""
    labels = [joker if card[0] == "X" else card_label(card) for card in cards]
    plain = [one for one in labels if isinstance(one, str)]
    if len(plain) == len(labels):
        return " ".join(plain)
    if len(labels) == 1:
        return labels[0]
    return Phrase("{first} {rest}", first=labels[0], rest=card_labels(cards[1:], joker))


def names(cards: Iterable[Card]) -> list[str]:
    """Return the cards' names, in the given order."""
    return [NAMES[card] for card in cards]


def sorted_names(cards: Iterable[Card]) -> list[str]:
    """Return the cards' names in alphabetical order, so that the order reveals nothing (docs/referee.md)."""
    return sorted([NAMES[card] for card in cards])
