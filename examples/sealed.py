"""Sealed, an example of hidden hands: all lay a card face down, and the highest one takes a point.

A hand and a card that lies face down are known to their own seat alone; what was turned up, everybody knows.
"""

from dataclasses import asdict, dataclass
from random import Random
from typing import Annotated, Any, ClassVar

from engines.ruleset import (
    Action,
    Dealer,
    Event,
    Json,
    Naming,
    Phrase,
    Position,
    Reader,
    Ruleset,
    SampledWorlds,
    Verdict,
    many,
    numbered,
    whole,
)

CARDS = range(1, 13)
HAND = 3
CARD = whole(1, 12)


@dataclass(frozen=True)
class Lay(Action):
    """Lay a card of your hand face down."""

    card: Annotated[int, CARD]


@dataclass(frozen=True)
class Dealt(Event):
    """A hand is dealt."""

    hidden: ClassVar[tuple[str, ...]] = ("cards",)
    cards: Annotated[list[int], many(CARD)]


@dataclass(frozen=True)
class Laid(Event):
    """A card is laid face down: others know that, but not which."""

    hidden: ClassVar[tuple[str, ...]] = ("card",)
    card: Annotated[int, CARD]


@dataclass(frozen=True)
class Shown(Event):
    """All have laid a card: they are turned up, and the highest one, that of this seat, takes a point."""

    cards: Annotated[list[int], many(CARD)]


@dataclass
class Table(Position):
    """The hands, the cards face down (None: not yet laid), and those that were turned up, round by round."""

    hands: list[list[int]]
    laid: list[int | None]
    shown: list[int]

    def __post_init__(self) -> None:
        self.players = len(self.hands)

    @property
    def outcome(self) -> Json | None:
        if len(self.shown) < HAND * self.players:
            return None
        rounds = [self.shown[first : first + self.players] for first in range(0, len(self.shown), self.players)]
        takers = [cards.index(max(cards)) for cards in rounds]
        points = [takers.count(seat) for seat in range(self.players)]
        best = [seat for seat, number in enumerate(points) if number == max(points)]
        return {"points": points, "winners": best if len(best) < self.players else []}

    def copy(self) -> "Table":
        return Table([hand[:] for hand in self.hands], self.laid[:], self.shown[:])

    def dump(self) -> Json:
        return {"ruleset": "sealed", **asdict(self)}

    def view(self, seat: int | None) -> Json:
        hands = [hand[:] if n == seat else [None] * len(hand) for n, hand in enumerate(self.hands)]
        laid = [card if n == seat else None for n, card in enumerate(self.laid)]
        return {**self.dump(), "hands": hands, "laid": laid}

    def to_act(self) -> list[int]:
        return [] if self.is_over else [seat for seat, card in enumerate(self.laid) if card is None]

    def legal(self, seat: int) -> list[Action]:
        return [Lay(card) for card in self.hands[seat]] if seat in self.to_act() else []

    def apply(self, seat: int, action: Any, dealer: Dealer, events: list[Event] | None = None) -> None:
        self.hands[seat].remove(action.card)
        self.laid[seat] = action.card
        told: list[Event] = [Laid(seat, action.card)]
        cards = [card for card in self.laid if card is not None]
        if len(cards) == self.players:
            self.shown += cards
            self.laid = [None] * self.players
            told.append(Shown(cards.index(max(cards)), cards))
        if events is not None:
            events.extend(told)


class Sealed(Ruleset):
    """Lay a card face down: the highest one takes a point, and most points win."""

    name, title, player_counts = "sealed", "Sealed", (2, 3, 4)
    actions, events, foreseen = (Lay,), (Dealt, Laid, Shown), ("laid",)

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Table:
        self.check_options(players, options)
        cards = list(CARDS)
        dealer.shuffle(cards)
        hands = [cards[HAND * seat : HAND * seat + HAND] for seat in range(players)]
        if events is not None:
            events.extend(Dealt(seat, hand[:]) for seat, hand in enumerate(hands))
        return Table(hands, [None] * players, [])

    def load(self, position: object) -> Table:
        read = Reader(position)
        read.keys(("ruleset", *Table.__match_args__))
        read.one_of("ruleset", [self.name])
        rows = read.sequence("hands", *self.player_counts)
        shown = [read.whole(card, "shown", 1, 12) for card in read.sequence("shown", *range(0, 13, len(rows)))]
        laid = [None if card is None else read.whole(card, "laid", 1, 12) for card in read.sequence("laid", len(rows))]
        left = HAND - len(shown) // len(rows)
        hands = [
            [read.whole(c, "hands", 1, 12) for c in read.listed(row, "hands", left - (card is not None))]
            for row, card in zip(rows, laid, strict=True)
        ]
        cards = [card for card in (*shown, *laid, *(card for hand in hands for card in hand)) if card is not None]
        if len(set(cards)) < len(cards) or None not in laid:
            raise read.refusal("laid", Phrase("has each card once, and not yet one of every player"))
        return Table(hands, laid, shown)

    def worlds(self, view: Json) -> SampledWorlds[Table]:
        return SampledWorlds(lambda rng: self.load(self._filled(view, rng)))

    def _filled(self, view: Json, rng: Random) -> Json:
        """Return *view* with cards for whatever is hidden: in hands, and face down where a hand is one card short."""
        known = {*view["shown"], *view["laid"], *(card for hand in view["hands"] for card in hand)}
        unseen = [card for card in CARDS if card not in known]
        rng.shuffle(unseen)
        left = HAND - len(view["shown"]) // len(view["hands"])
        hands = [[card or unseen.pop() for card in hand] for hand in view["hands"]]
        laid = [
            card or (unseen.pop() if len(hand) < left else None) for card, hand in zip(view["laid"], hands, strict=True)
        ]
        return {**view, "hands": hands, "laid": laid}

    def verdict(self, outcome: Json, players: int) -> Verdict:
        winners = tuple(outcome["winners"])
        return Verdict(winners, drawn=not winners, kind="won" if winners else "drawn")

    def clause(self, event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
        if event["type"] == "dealt":
            return Phrase("{who}: a hand", who=who)
        if event["type"] == "shown":
            return Phrase("{who}: a point, for {card}", who=who, card=max(event["cards"]))
        if "card" in event:
            return Phrase("{who}: {card}, face down", who=who, card=event["card"])
        return Phrase("{who}: a card, face down", who=who)
