"""A search among plans: what one seat does until others may act again, such as a ploy's declaration and its use.

All plans are tried in the same worlds with the same luck, and after each stage the better half goes on (sequential
halving), so that the worlds are spent where the choice is close.
"""

from collections.abc import Callable
from math import sqrt
from random import Random
from time import monotonic
from typing import Any, Final

from engines.ai.observation import Observation
from engines.ai.search import never
from engines.contract.levels import Budget
from engines.contract.policy import Plan, SearchGuide
from engines.contract.position import Position

STAGES: Final = ((7, 60, 24), (3, 54, 24), (2, 72, 36))
"""By stage: the most plans that go on, the imagined games of all of them together, the most of each."""
CLEAR: Final = 3.0
"""Standard errors by which a plan must be behind the best, to be left out between stages."""
LEAST_ERROR: Final = 0.004
"""Least standard error that is believed."""
MOST_PLANS: Final = 7
"""Number of plans that are tried at all, the most promising."""


class PlanSearch:
    """A search for one seat; equal observations and numbers of iterations give equal results."""

    def __init__(self, observation: Observation, guide: SearchGuide[Any]) -> None:
        ruleset = observation.ruleset
        self._worlds, self.seat = ruleset.worlds(observation.view), observation.seat
        self._rng = Random(observation.seed)
        world = self._worlds.sample(self._rng)
        self._guide = guide.prepare(world, ruleset.verdict)
        self.plans: list[tuple[Plan, float]] = self._guide.plans(world, self.seat)[:MOST_PLANS]
        self.values: list[list[float]] = [[] for _ in self.plans]
        """By plan, the value of each imagined game; all share worlds and luck."""
        self.iterations = 0

    def run(self, budget: Budget, should_stop: Callable[[], bool] = never) -> int:
        """Search until the choice is made or *budget* is used up; return the index of the best plan."""
        deadline = monotonic() + budget.seconds
        going = list(range(len(self.plans)))
        for plans, games, most in STAGES:
            going = self._better(going, plans)
            if len(going) == 1:
                break
            count = min(most, games // len(going)) * budget.evaluations
            for _ in range(count):
                luck = self._rng.getrandbits(60)
                world: Position = self._worlds.sample(Random(luck))
                for index in going:
                    self.values[index].append(self._imagine(world, self.plans[index][0], luck))
                self.iterations += len(going)
                if should_stop() or monotonic() >= deadline or self.iterations >= budget.iterations:
                    return self._ordered(going)[0]
        return self._ordered(going)[0]

    def _ordered(self, going: list[int]) -> list[int]:
        means = [(-self.mean(index), index) for index in going]
        means.sort()
        return [index for _, index in means]

    def _better(self, going: list[int], most: int) -> list[int]:
        """Return the best of them, less those that are clearly behind."""
        ordered = self._ordered(going)[:most]
        lead = self.values[ordered[0]]
        if not lead:
            return ordered
        kept = ordered[:1]
        for index in ordered[1:]:
            differences = [one - other for one, other in zip(lead, self.values[index], strict=True)]
            count = len(differences)
            total = squares = 0.0
            for one in differences:
                total += one
                squares += one * one
            mean = total / count
            error = max(LEAST_ERROR, sqrt(max(0.0, squares / count - mean * mean) / count))
            if mean < CLEAR * error:
                kept.append(index)
        return kept

    def mean(self, index: int) -> float:
        """Return the mean value of a plan; what it promised, if it was never tried."""
        values = self.values[index]
        if not values:
            return self.plans[index][1]
        total = 0.0
        for value in values:
            total += value
        return total / len(values)

    def _imagine(self, world: Position, plan: Plan, luck: int) -> float:
        """Carry out *plan* in a copy of *world*, play on, and return the value."""
        guide, game = self._guide, world.copy()
        rng = Random(luck)
        dealer, steps = guide.dealer(game, luck), 0
        for action in plan:
            game.apply(self.seat, action, dealer)
        while not game.is_over and not guide.is_rollout_done(game, steps, 0):
            seat, move = guide.next(game, rng)
            game.apply(seat, move, dealer)
            steps += 1
        return guide.value(game, self.seat)
