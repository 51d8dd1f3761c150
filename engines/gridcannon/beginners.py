"""Players of Gridcannon below ``Adept``: they evaluate the board as it does, and look at less of it.

What a player looks at is its ``Sight``. None interrupts another's turn, and none uses a ploy in the first turns.
Where all that it looks at is equal, it takes one of the equals at random.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Final

from engines.core.cards import Card
from engines.gridcannon.board import HITS, LINES, VALUE
from engines.gridcannon.evaluation import Evaluation
from engines.gridcannon.policy import Adept, worth_after
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import State
from engines.gridcannon.weights import WEIGHTS, Weights
from engines.ruleset import Action

NEVER: Final = 1_000_000
ALL_SLOTS: Final = (1 << 12) - 1


@dataclass(frozen=True)
class Sight:
    """What a player looks at."""

    weights: Weights = WEIGHTS
    own_losses: int = ALL_SLOTS
    """Bits of the slots where it sees that its card fells a royal of its own."""
    shots: int = ALL_SLOTS
    """Bits of the slots where it sees that its card fells a rival's."""
    own_slots: int = ALL_SLOTS
    """Bits of the slots where it sees the danger of its own royals."""
    rival_slots: int = ALL_SLOTS
    """Bits of the slots where it sees the danger of its rivals' royals."""
    pulls: bool = True
    """Which cards can be laid on a trigger; else any could."""
    wall: float = 0.0
    """Value, in royals, of a ten on the line of an own royal, as if it were a shield."""
    friends: float = 0.0
    """Value, in royals, of ten points of attack on an own royal, as if the cards were its guards."""
    ploys_after: int = 10
    """Turn after which it thinks of ploys."""
    interrupts_after: int = NEVER
    """Turn after which it thinks of ploys in others' turns."""
    ends: bool = True


class PartialEvaluation(Evaluation):
    """An evaluation that overlooks what a ``Sight`` doesn't hold."""

    def __init__(self, state: State, seat: int, sight: Sight) -> None:
        super().__init__(state, seat, sight.weights)
        self._sight = sight
        self._standing = 0
        """Bits of the living royals."""
        for slot, alive in enumerate(state.alive):
            if alive:
                self._standing |= 1 << state.royals[slot]

    def worth(self, state: State, tops: list[Card]) -> float:
        """Return the value of a position, as far as it is seen."""
        total, sight = super().worth(state, tops) + self._overlooked(state), self._sight
        if sight.friends:
            total += sight.friends * self._guarded(state, tops)
        return total + sight.wall * self._walled(state, tops) if sight.wall else total

    def _guarded(self, state: State, tops: list[Card]) -> float:
        """Return the attack on the own royals, in tens."""
        points = 0
        for slot, alive in enumerate(state.alive):
            if alive and state.owners[state.royals[slot] & 3] == self.seat:
                near, far, _ = LINES[slot]
                hits = HITS[state.royals[slot]]
                points += hits[tops[near]] + hits[tops[far]]
        return points / 10

    def _overlooked(self, state: State) -> float:
        """Return the value of the royals that fell unseen."""
        value, sight = 0.0, self._sight
        for slot, alive in enumerate(state.alive):
            if not alive and self._standing >> state.royals[slot] & 1:
                if state.owners[state.royals[slot] & 3] == self.seat:
                    seat = self.seat
                    if not sight.own_losses >> slot & 1:
                        value += 1.0 + (0.0 if state.lives[seat] or sight.ends else self._weights.lost)
                else:
                    seat = state.owners[state.royals[slot] & 3]
                    if not sight.shots >> slot & 1:
                        value -= self._rival + (0.0 if state.lives[seat] or sight.ends else self._weights.rival_out)
        return value

    def risk(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the risk of the royal in *slot*, 0 if it isn't seen."""
        own = state.owners[state.royals[slot] & 3] == self.seat
        seen = self._sight.own_slots if own else self._sight.rival_slots
        return super().risk(state, slot, tops) if seen >> slot & 1 else 0.0

    def _pull(self, state: State, owner: int, top: Card) -> float:
        return super()._pull(state, owner, top) if self._sight.pulls else 1.0

    def _walled(self, state: State, tops: list[Card]) -> float:
        """Return the value of the cards on the lines of the own royals, in tens."""
        points = 0
        for slot, alive in enumerate(state.alive):
            if alive and state.owners[state.royals[slot] & 3] == self.seat:
                for cell in LINES[slot]:
                    points += VALUE[tops[cell]]
        return points / 10


class Beginner(Adept):
    """An adept that looks at less, and acts only when it must."""

    def __init__(self, sight: Sight) -> None:
        super().__init__()
        self._sight = sight

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return the best action as far as it sees, or None if another seat must act."""
        if position.seat_to_act() != seat:
            if position.ploys or position.turns <= self._sight.interrupts_after:
                return None
            return self._declare(position, self.judge(position, seat)) if position.arsenals[seat] else None
        if position.ploys or position.turns > self._sight.ploys_after:
            evaluation = self.judge(position, seat)
            if position.ploys:
                return self._resolve(position, evaluation)
            declaration = self._declare(position, evaluation)
            if declaration is not None:
                return declaration
        return self._best(position, seat, rng)

    def judge(self, position: GridcannonPosition, seat: int) -> Evaluation:
        """Return the evaluation for one decision."""
        return PartialEvaluation(position, seat, self._sight)

    def _best(self, position: GridcannonPosition, seat: int, rng: Random) -> Action:
        """Return the best required action as far as it sees, of equals one at random."""
        actions = position.required_actions()
        if len(actions) == 1:
            return actions[0]
        evaluation, top, found = self.judge(position, seat), -inf, list[Action]()
        for action in actions:
            worth = worth_after(position, evaluation, action)
            if worth > top + EQUAL:
                top, found = worth, []
            if worth > top - EQUAL:
                found.append(action)
        return rng.choice(found)


EQUAL: Final = 1e-9
