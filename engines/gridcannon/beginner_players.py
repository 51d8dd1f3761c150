"""Players of Gridcannon that are weaker than ``Adept``: they evaluate the board in the same way, by fewer features.

``Sight`` has the features that a player takes into account. These players don't interrupt the turns of other seats, and
use no ploy in the first turns. Of several actions with equal values they take one at random.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Final

from engines.core.cards import Card
from engines.gridcannon.board import ATTACK_ON_ROYAL, LINES
from engines.gridcannon.evaluation import Evaluation
from engines.gridcannon.policy import Adept, worth_after
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import State
from engines.gridcannon.weights import WEIGHTS, Weights
from engines.ruleset import Action

NO_SLOTS: Final = 0
ALL_SLOTS: Final = (1 << 12) - 1
ALL_SLOTS_BUT_LEFT: Final = ALL_SLOTS & ~(0b111 << 9)
"""The slots above the grid, to its right and below it, as bits: all but those to its left."""

TURNS_BEFORE_PLOYS: Final = 10
"""Number of turns at the beginning of a game without ploys, for players whose ``Sight`` sets no other number."""
UNREACHABLE_TURN: Final = 1_000_000
"""A number of turns that no game reaches."""

PLOY_UNAWARE_WEIGHTS: Final = replace(WEIGHTS, ambush=0.0)
COMPLETE_LINES_WEIGHTS: Final = replace(PLOY_UNAWARE_WEIGHTS, building=0.0, pressure=0.0)
"""Weights for lives and for lines that kill; lines that lack a card are ignored."""

EQUAL_VALUE_TOLERANCE: Final = 1e-9
"""Values that differ by less than this count as equal."""


@dataclass(frozen=True)
class Sight:
    """The features of a board that a player takes into account."""

    weights: Weights = COMPLETE_LINES_WEIGHTS
    own_losses: bool = True
    """True if each own royal that an action kills lowers the value; False if only the death of the last one does."""
    guards: float = 0.0
    """Perceived value, in royals, of ten points of attackers in the line of fire of an own royal.

    A weak player takes these cards for guards, although they fire at the royal (G9).
    """
    watched: int = NO_SLOTS
    """The slots in which the player sees the danger to its own royals, as bits."""
    aimed_at: int = ALL_SLOTS
    """The slots in which the player sees that a line kills a rival's royal, as bits."""
    ploys_after: int = TURNS_BEFORE_PLOYS
    """The turn after which the player considers its ploys."""


class PartialEvaluation(Evaluation):
    """An evaluation that ignores the features that a ``Sight`` doesn't have."""

    def __init__(self, state: State, seat: int, sight: Sight) -> None:
        super().__init__(state, seat, sight.weights)
        self._sight = sight
        self._lives = state.lives[seat]

    def worth(self, state: State, tops: list[Card]) -> float:
        """Return the value of a position by the features that the ``Sight`` has."""
        total = super().worth(state, tops)
        if not self._sight.own_losses:
            total += self._lives - state.lives[self.seat]
        return total + self._sight.guards * self._guarded(state, tops) if self._sight.guards else total

    def risk(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the risk of the royal in *slot*; 0 if the slot is not in sight."""
        own = state.owners[state.royals[slot] & 3] == self.seat
        seen = self._sight.watched if own else self._sight.aimed_at
        return super().risk(state, slot, tops) if seen >> slot & 1 else 0.0

    def _guarded(self, state: State, tops: list[Card]) -> float:
        """Return the sum of the attacks on own royals by their lines of fire, divided by 10."""
        points = 0
        for slot, alive in enumerate(state.alive):
            if alive and state.owners[state.royals[slot] & 3] == self.seat:
                near, far, _ = LINES[slot]
                hits = ATTACK_ON_ROYAL[state.royals[slot]]
                points += hits[tops[near]] + hits[tops[far]]
        return points / 10


class Beginner(Adept):
    """Plays like ``Adept``, but with a partial evaluation, and never interrupts other seats."""

    def __init__(self, sight: Sight) -> None:
        super().__init__()
        self._sight = sight

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return the best action by the partial evaluation, or None if another seat must act."""
        if position.seat_to_act() != seat:
            return None
        evaluation = self.judge(position, seat)
        if position.ploys:
            return self._resolve(position, evaluation)
        declaration = self._declare(position, evaluation) if position.turns > self._sight.ploys_after else None
        return _best_of_equals(position, evaluation, rng) if declaration is None else declaration

    def judge(self, position: GridcannonPosition, seat: int) -> Evaluation:
        """Return the evaluation for one decision."""
        return PartialEvaluation(position, seat, self._sight)


def _best_of_equals(position: GridcannonPosition, evaluation: Evaluation, rng: Random) -> Action:
    """Return the best action apart from declarations and recalls; among equally good ones a random one."""
    actions = position.required_actions()
    if len(actions) == 1:
        return actions[0]
    top, found = -inf, list[Action]()
    for action in actions:
        worth = worth_after(position, evaluation, action)
        if worth > top + EQUAL_VALUE_TOLERANCE:
            top, found = worth, []
        if worth > top - EQUAL_VALUE_TOLERANCE:
            found.append(action)
    return rng.choice(found)


NEWCOMER: Final = Beginner(Sight(own_losses=False, guards=0.5, ploys_after=UNREACHABLE_TURN))
LEARNER: Final = Beginner(Sight(guards=0.05, ploys_after=UNREACHABLE_TURN))
NOVICE: Final = Beginner(Sight(guards=0.08, ploys_after=50))
BEGINNER: Final = Beginner(Sight(aimed_at=ALL_SLOTS_BUT_LEFT))
APPRENTICE: Final = Beginner(Sight(PLOY_UNAWARE_WEIGHTS, watched=ALL_SLOTS_BUT_LEFT, ploys_after=150))
