"""Puzzles of Gridcannon: one turn with two players, in which a royal of the other family must fall."""

from collections.abc import Hashable, Iterator
from pathlib import Path
from random import Random
from typing import ClassVar, Final

from engines.core.cards import PACK
from engines.core.dealer import SimulationDealer
from engines.core.phrase import Phrase
from engines.gridcannon.board import ploys_of
from engines.gridcannon.dealing import deal, read_families, resolve_options
from engines.gridcannon.policy import Adept
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import PLACING
from engines.ruleset import Action, PuzzleRules

ADEPT: Final = Adept()
CANDIDATE_TURNS: Final = 120
"""Candidates have fewer turns than this."""
MAX_PLOYS: Final = 2
PLOY_CARDS: Final = tuple([card for card in PACK if ploys_of(card)])


class GridcannonPuzzles(PuzzleRules[GridcannonPosition]):
    """Rules of the puzzles: before the turn ends, a rival's royal must fall and none of the solver's may."""

    goal: ClassVar[str] = "fell"
    file: ClassVar[Path] = Path(__file__).with_name("puzzles.json")

    def goal_text(self, position: GridcannonPosition) -> Phrase:
        return Phrase("Bring down a royal of the other family before your turn ends, and lose none of yours.")

    def reached(self, start: GridcannonPosition, position: GridcannonPosition) -> bool | None:
        me = start.turn
        if position.lives[me] < start.lives[me]:
            return False
        if position.is_over or position.turns != start.turns or position.seat_to_act() != me:
            return position.lives[1 - me] < start.lives[1 - me]
        return None

    def key(self, position: GridcannonPosition) -> Hashable:
        return (
            *(position.phase, position.turns, position.drawn, tuple(position.grid), tuple(position.royals)),
            *(tuple(position.alive), tuple(position.armour), tuple(position.arsenals), tuple(position.ploys)),
            tuple(position.recalled),
        )

    def choices(self, position: GridcannonPosition) -> list[Action]:
        """Return placements and declarations. After a declaration only the ploy's uses are allowed."""
        seat = position.seat_to_act()
        required = position.required_actions()
        return required if position.ploys else [*required, *position.declarations(seat)]

    def completes_move(self, position: GridcannonPosition) -> bool:
        """Return whether a ploy is queued: a declaration and its use are one move (G14)."""
        return bool(position.ploys)

    def candidates(self, rng: Random) -> Iterator[GridcannonPosition]:
        """Play a game by ``Adept``; yield positions with a number in hand, with changed arsenals (``_with_ploys``)."""
        position, dealer = GridcannonPosition().set_up(2, read_families(2, [None, None])), SimulationDealer(rng)
        deal(position, resolve_options(2, {}), dealer, None)
        while not position.is_over and position.turns < CANDIDATE_TURNS:
            if position.phase == PLACING and not position.ploys and not position.recalled:
                yield _with_ploys(position, rng)
            seat = position.seat_to_act()
            action = ADEPT.choose(position, seat, rng, {})
            if action is None:
                break
            position.apply(seat, action, dealer)


def _with_ploys(position: GridcannonPosition, rng: Random) -> GridcannonPosition:
    """Return a copy in which the seat on turn has up to two random ploys; all other ploys are in the draw pile."""
    other = position.copy()
    cards = [*other.draw_pile, *other.arsenals[0], *other.arsenals[1]]
    rng.shuffle(cards)
    held = [card for card in cards if card in PLOY_CARDS][: rng.randrange(MAX_PLOYS + 1)]
    other.arsenals = [(), ()]
    other.arsenals[other.turn] = tuple(held)
    other.draw_pile = [card for card in cards if card not in held]
    other.known_bottom = 0
    return other
