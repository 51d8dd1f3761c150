"""Puzzles of Regicide: win from a position, alone or as two players who see each other's cards."""

from collections.abc import Hashable, Iterator
from pathlib import Path
from random import Random
from typing import ClassVar, Final

from engines.core.dealer import SeededDealer
from engines.core.phrase import Naming, Phrase
from engines.regicide.events import Drawn, Healed
from engines.regicide.narration import name_cards
from engines.regicide.policy import Adept
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import HAND_LIMIT, JACKS, KINGS, QUEENS, TAVERN_CARDS
from engines.ruleset import Event, PuzzleRules

ADEPT: Final = Adept()
MAX_CASTLE: Final = 1
"""Maximum number of enemies behind the current enemy in a candidate position."""
MIN_HAND_CARDS: Final = 3
MAX_TAVERN_CARDS: Final = 6
MAX_CANDIDATES_PER_GAME: Final = 8
"""Maximum number of candidates from one game; the latest positions are taken."""


class RegicidePuzzles(PuzzleRules[RegicidePosition]):
    """Rules of Regicide's puzzles. The goal is to win, in whatever order hearts put cards under the Tavern (R5)."""

    goal: ClassVar[str] = "win"
    file: ClassVar[Path] = Path(__file__).with_name("puzzles.json")

    def goal_text(self, position: RegicidePosition) -> Phrase:
        left = len(position.castle) + 1
        if position.players == 1:
            return Phrase("Win alone: defeat what is left of the Castle ({left}). No Jester is left.", left=left)
        return Phrase("Win together: defeat what is left of the Castle ({left}). You play both hands.", left=left)

    def reached(self, start: RegicidePosition, position: RegicidePosition) -> bool | None:
        outcome = position.outcome
        return None if outcome is None else bool(outcome["result"] == "won")

    def key(self, position: RegicidePosition) -> Hashable:
        """Return a key that equivalent positions share; of discard pile and table only the sizes matter."""
        return (
            *(position.phase, position.turn, position.enemy, position.damage, position.shield, position.immune),
            *(tuple(sorted(hand)) for hand in position.hands),
            *(tuple(position.tavern), tuple(position.castle), len(position.table), len(position.discard)),
            tuple(position.yielded),
        )

    def hidden_after(self, events: list[Event], hidden: frozenset[str]) -> frozenset[str] | None:
        """Return *hidden* with the cards that *events* heal; None if a hidden card is drawn (R5, R6)."""
        for event in events:
            if isinstance(event, Healed):
                hidden |= frozenset(event.cards)
            elif isinstance(event, Drawn) and event.card in hidden:
                return None
        return hidden

    def known(self, position: RegicidePosition, hidden: frozenset[str], name: Naming) -> list[Phrase]:
        """Return sentences on the other hand, the enemies to come, and the Tavern down to the healed cards."""
        laid = position.dump()
        others = [seat for seat in range(position.players) if seat != position.turn]
        told = [
            Phrase("Hand of {who}: {cards}.", who=name(seat), cards=name_cards(laid["hands"][seat]))
            for seat in others
            if laid["hands"][seat]
        ]
        if laid["castle"]:
            told.append(Phrase("Next enemy: {cards}.", cards=name_cards(laid["castle"])))
        left = [card for card in laid["tavern"] if card not in hidden]
        healed = len(laid["tavern"]) - len(left)
        told.append(
            Phrase("Tavern, from the top: {cards}.", cards=name_cards(left)) if left else Phrase("Tavern: empty.")
        )
        if healed == 1:
            told.append(Phrase("Below: 1 healed card, hidden."))
        elif healed:
            told.append(Phrase("Below: {n} healed cards, hidden.", n=healed))
        return told

    def candidates(self, rng: Random) -> Iterator[RegicidePosition]:
        """Play the last part of a game by ``Adept``; yield its last positions, the latest first.

        They are at most ``MAX_CANDIDATES_PER_GAME``.
        """
        position, decisions = _deal(rng), list[RegicidePosition]()
        while not position.is_over:
            decisions.append(position.copy())
            seat = position.turn
            action = ADEPT.choose(position, seat, rng, {})
            position.apply(seat, action, SeededDealer(str(rng.random())))
        yield from decisions[: -MAX_CANDIDATES_PER_GAME - 1 : -1]


def _deal(rng: Random) -> RegicidePosition:
    """Return a position near the end: one or two Kings left, no Jester to flip, few cards in the Tavern."""
    players = rng.randrange(1, 3)
    position = RegicidePosition().set_up(players)
    position.flips = 2 if players == 1 else 0
    kings = list(KINGS)
    rng.shuffle(kings)
    position.castle = kings[: rng.randrange(1, MAX_CASTLE + 2)]
    cards = [card for card in (*TAVERN_CARDS[players], *JACKS, *QUEENS, *KINGS) if card not in position.castle]
    rng.shuffle(cards)
    for seat in range(players):
        for _ in range(rng.randrange(MIN_HAND_CARDS, HAND_LIMIT[players] + 1)):
            position.hands[seat].append(cards.pop())
    position.tavern = [cards.pop() for _ in range(rng.randrange(MAX_TAVERN_CARDS + 1))]
    position.discard = cards
    position.begin(0, None)
    return position
