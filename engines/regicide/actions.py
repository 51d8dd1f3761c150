"""The actions of a seat in Regicide, as JSON and as one line of text."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engines.core.cards import NAMES, PACK, Card, mask_of, names, parse_card, suit_of
from engines.core.dataclass_schemas import summary_line
from engines.core.errors import BadAction
from engines.core.mypyc_support import mypyc_attr
from engines.core.phrase import Phrase
from engines.core.schemas import ref, several, shape
from engines.core.strict_reading import type_of_action, words_of
from engines.core.types import Json
from engines.regicide.tables import FIRST_JESTER, HAND_LIMIT, VALUE
from engines.ruleset import Action

CARDS_SCHEMA: Final = several(ref("Card"), 1)
"""Schema of the cards of an action."""


@mypyc_attr(acyclic=True)
class CardsAction(Action):
    """An action with cards of the hand, stored as one integer of bits, because a hand has dozens of such actions.

    It isn't a dataclass, because dataclasses have slow, interpreted constructors and comparisons.
    """

    __slots__ = ("mask",)

    def __init__(self, mask: int) -> None:
        self.mask: Final = mask
        """The cards as bits."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CardsAction) and type(self) is type(other) and self.mask == other.mask

    def __hash__(self) -> int:
        # The mask alone would be a bad hash: masks of high cards share their lowest bits, which would collide in a
        # dict.
        return self.mask ^ self.mask >> 19 ^ self.mask >> 38

    def __repr__(self) -> str:
        return f"<{self}>"

    @classmethod
    def schema(cls) -> Json:
        """Return the schema of the action's fields: its cards."""
        return shape({"cards": CARDS_SCHEMA}, description=summary_line(cls))


@mypyc_attr(acyclic=True)
class Play(CardsAction):
    """Play cards together against the enemy (R3)."""

    __slots__ = ("attack", "cards", "suits")

    def __init__(self, cards: tuple[Card, ...]) -> None:
        super().__init__(mask_of(cards))
        self.cards: Final = cards
        """The cards in pack order."""
        self.attack: Final = sum([VALUE[card] for card in cards])
        suits = 0
        for card in cards:
            if card < FIRST_JESTER:
                suits |= 1 << suit_of(card)
        self.suits: Final = suits
        """The suits as bits, ``1 << SPADES`` and so on; 0 for a Jester."""

    def __str__(self) -> str:
        return " ".join(["play", *names(self.cards)])

    def as_json(self) -> Json:
        return {"type": "play", "cards": names(self.cards)}


@dataclass(frozen=True)
class Yield(Action):
    """Play nothing; the enemy attacks (R15)."""


@dataclass(frozen=True)
class FlipJester(Action):
    """Solo: discard the hand and draw a new one (R17)."""

    def __str__(self) -> str:
        return "flip"


@mypyc_attr(acyclic=True)
class Discard(CardsAction):
    """Discard cards to cover the enemy's attack (R13)."""

    __slots__ = ()

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in pack order."""
        return tuple([card for card in PACK if self.mask >> card & 1])

    def __str__(self) -> str:
        return " ".join(["discard", *names(self.cards)])

    def as_json(self) -> Json:
        return {"type": "discard", "cards": names(self.cards)}


@dataclass(frozen=True)
class Choose(Action):
    """After a Jester, choose the seat that plays next (R10)."""

    seat: int

    def __str__(self) -> str:
        return f"choose {self.seat}"

    def as_json(self) -> Json:
        return {"type": "choose", "seat": self.seat}


NO_PLAY: Final = Play(())
"""Stands for the action ``Yield`` in lists of plays that are scored."""
CHOOSE_ACTIONS_BY_PLAYERS: Final[tuple[tuple[Choose, ...], ...]] = tuple(
    [tuple([Choose(seat) for seat in range(players)]) for players in range(len(HAND_LIMIT))]
)
"""The choices of the next seat after a Jester (R10), by player count."""
FLIP: Final = FlipJester()
YIELD: Final = Yield()

MAX_SEAT_DIGITS: Final = 9
"""Maximum number of digits in the number of a seat."""

FIELDS: Final = {"play": ("cards",), "yield": (), "flip_jester": (), "discard": ("cards",), "choose": ("seat",)}
ACTIONS: Final[tuple[type[Action], ...]] = (Play, Yield, FlipJester, Discard, Choose)


def parse(written: object) -> Action:
    """Parse an action from a text or an object; the inverse of ``str`` and ``as_json``. Only the syntax is checked."""
    if isinstance(written, str):
        return _parse_text(written)
    if isinstance(written, dict):
        return _parse_object(written)
    raise BadAction(Phrase('An action is an object such as {"type": "yield"}, or a text such as "play 3D 3S".'))


def _parse_text(text: str) -> Action:
    verb, *words = words_of(text) or [""]
    match verb, words:
        case "play", cards:
            return Play(_cards(cards))
        case "discard", cards:
            return Discard(mask_of(_cards(cards)))
        case "yield", []:
            return Yield()
        case "flip", []:
            return FlipJester()
        case "choose", [seat] if len(seat) <= MAX_SEAT_DIGITS and seat.isascii() and seat.isdigit():
            return Choose(int(seat))
        case _:
            raise BadAction(
                Phrase(
                    "No action is written {text!r}: write one such as play 3D 3S, discard TH or choose 2.", text=text
                )
            )


def _parse_object(written: Json) -> Action:
    kind = type_of_action(written, FIELDS)
    match kind:
        case "play":
            return Play(_cards(written["cards"]))
        case "discard":
            return Discard(mask_of(_cards(written["cards"])))
        case "choose":
            return Choose(_seat(written["seat"]))
        case "yield":
            return Yield()
        case _:
            return FlipJester()


def _cards(written: object) -> tuple[Card, ...]:
    if not isinstance(written, list):
        raise BadAction(Phrase('Cards are listed, as in ["7D"].'))
    if not written:
        raise BadAction(Phrase("Name at least one card, as in play 7D."))
    for name in written:
        if not isinstance(name, str):
            raise BadAction(Phrase("A card is written as a text such as TH, not {name!r}.", name=name))
    cards = sorted(map(parse_card, written))
    for one, other in pairwise(cards):
        if one == other:
            raise BadAction(Phrase("{one} is named twice: there is one of each card.", one=NAMES[one]))
    return tuple(cards)


def _seat(written: object) -> int:
    if not isinstance(written, int) or isinstance(written, bool) or not 0 <= written < 10**MAX_SEAT_DIGITS:
        raise BadAction(Phrase("A seat is a whole number from 0."))
    return written
