"""A search among plans: what a seat does until others may act again, such as a ploy's declaration and its use.

All plans are tried in the same worlds with the same luck, and after each stage only the best go on (sequential
halving), so that worlds are spent where the choice is close. A guide that names plans is searched so.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from random import Random
from time import monotonic
from typing import Any, Final

from engines.ai.observation import Observation
from engines.ai.search import FPU_REDUCTION, Counts, Estimate, Search, SearchResult, never
from engines.contract.levels import Budget
from engines.contract.position import Action, Position
from engines.contract.search_guide import Plan, SearchGuide

STAGES: Final = ((7, 60, 24), (3, 54, 24), (2, 72, 36))
"""By stage: the most plans that go on, the most imagined games of all of them together, and of each."""
CLEAR: Final = 3.0
"""Standard errors by which a plan must be behind the best to be left out, whatever its rank."""
LEAST_ERROR: Final = 0.004
"""The smallest standard error that is believed."""
LUCK_BITS: Final = 60


class PlanSearch:
    """A search for one seat; equal observations and numbers of iterations give equal results.

    An iteration is one imagined game.
    """

    def __init__(self, observation: Observation, guide: SearchGuide[Any]) -> None:
        """Prepare a search among the plans that *guide* names."""
        ruleset = observation.ruleset
        self._worlds, self._seat = ruleset.worlds(observation.view), observation.seat
        self._rng = Random(observation.seed)
        world = self._worlds.sample(self._rng)
        self._guide = guide.prepare(world, ruleset.verdict)
        self._players = world.players
        self._legal: list[Action | None] = [*world.legal(self._seat)]
        must = self._seat in world.to_act()
        if not must:
            self._legal.append(None)
        self._plans: list[tuple[Plan, float]] = self._guide.plans(world, self._seat)
        self._values: list[list[float]] = [[] for _ in self._plans]
        """By plan: the value of each imagined game. The n-th ones of all plans have one world and one luck."""
        self._wins = [0.0] * len(self._plans)
        self._order = list(range(len(self._plans)))
        """The plans, the best first."""
        self.should_pass = not must and not self.has_choice
        """True if the seat needn't act and the guide sees no gain in it: a search isn't worth its time."""

    @property
    def has_choice(self) -> bool:
        """True if there is more than one plan."""
        return len(self._plans) > 1

    def run(self, budget: Budget, should_stop: Callable[[], bool] = never, *, forced: bool = False) -> SearchResult:
        """Search until the choice is made or *budget* is used up; with ``evaluations`` of 2 in twice as many worlds.

        A seat with a single plan searches only if *forced*.
        """
        deadline, iterations = monotonic() + budget.seconds, 0
        going, stopped, interrupted = self._order, not (forced or self.has_choice), False
        for plans, games, most in STAGES:
            going = self._best(going, plans)
            if stopped or (len(going) == 1 and iterations):
                break
            for _ in range(min(most, games // len(going)) * budget.evaluations):
                if stopped:
                    break
                self._try_all(going)
                iterations += len(going)
                interrupted = should_stop() or monotonic() >= deadline
                stopped = interrupted or iterations >= budget.iterations
            going = self._sorted(going)
            self._order = going + [index for index in self._order if index not in going]
        return SearchResult(self.ranked(), iterations, interrupted)

    def compare(self, actions: Sequence[Action | None], budget: Budget, should_stop: Callable[[], bool] = never) -> int:
        """Try each of *actions* in as many worlds as *budget* has iterations; return the number of rounds.

        ``estimate`` returns the results. Each action stands for the most promising plan that begins with it.
        """
        indices, rounds = [self._index(action) for action in actions], 0
        while rounds < budget.iterations and not should_stop():
            self._try_all(indices)
            rounds += 1
        return rounds

    def ranked(self) -> tuple[Estimate, ...]:
        """Return the actions, those of the best plans first, then those that no plan begins with."""
        found = list[Estimate]()
        seen = set[Action | None]()
        for index in self._order:
            action = first(self._plans[index][0])
            if action not in seen:
                seen.add(action)
                found.append(self._estimate(index))
        return tuple(found + [self._untried(action) for action in self._legal if action not in seen])

    def estimate(self, action: Action | None) -> Estimate:
        """Return the present estimate of *action*."""
        index = self._find(action)
        return self._untried(action) if index is None else self._estimate(index)

    def counts(self) -> Counts:
        """Return the visits, values and win probabilities: of all plans, then of each, the best first."""
        each = [(len(self._values[index]), total(self._values[index]), self._wins[index]) for index in self._order]
        visits, value_sum, win_sum = 0, 0.0, 0.0
        for count, values, wins in each:
            visits += count
            value_sum += values
            win_sum += wins
        return [(visits, value_sum, win_sum), *each]

    def _index(self, action: Action | None) -> int:
        """Return the best plan that begins with *action*, a new one if there is none."""
        found = self._find(action)
        if found is not None:
            return found
        self._plans.append((() if action is None else (action,), 0.0))
        self._values.append([])
        self._wins.append(0.0)
        self._order.append(len(self._order))
        return len(self._order) - 1

    def _find(self, action: Action | None) -> int | None:
        """Return the best plan that begins with *action*, None if there is none."""
        for index in self._order:
            if first(self._plans[index][0]) == action:
                return index
        return None

    def _try_all(self, indices: list[int]) -> None:
        """Try the plans of *indices* in one world with one luck."""
        luck = self._rng.getrandbits(LUCK_BITS)
        world: Position = self._worlds.sample(Random(luck))  # annotated, so that mypyc compiles calls to it
        for index in indices:
            value, chance = self._imagine(world.copy(), self._plans[index][0], luck)
            self._values[index].append(value)
            self._wins[index] += chance

    def _imagine(self, world: Position, plan: Plan, luck: int) -> tuple[float, float]:
        """Carry out *plan* and play on; return the value and the win probability."""
        guide, rng = self._guide, Random(luck)
        dealer, steps = guide.dealer(world, luck), 0
        for action in plan:
            world.apply(self._seat, action, dealer)
        while not world.is_over and not guide.is_rollout_done(world, steps, 0):
            seat, move = guide.next(world, rng)
            world.apply(seat, move, dealer)
            steps += 1
        return guide.evaluate(world, self._seat)

    def _sorted(self, indices: list[int]) -> list[int]:
        means = [(-self._mean(index), index) for index in indices]
        means.sort()
        return [index for _, index in means]

    def _best(self, ordered: list[int], most: int) -> list[int]:
        """Return the first *most* plans, less those that are clearly behind the first."""
        lead = self._values[ordered[0]]
        return [index for index in ordered[:most] if not lead or not is_behind(self._values[index], lead)]

    def _mean(self, index: int) -> float:
        """Return the mean value of a plan; what it promised, if it wasn't tried."""
        values = self._values[index]
        return total(values) / len(values) if values else self._plans[index][1]

    def _estimate(self, index: int) -> Estimate:
        action, visits = first(self._plans[index][0]), len(self._values[index])
        if not visits:
            return self._untried(action)
        chance = self._guide.calibrated(self._wins[index] / visits, self._players)
        return Estimate(action, self._mean(index), visits, chance)

    def _untried(self, action: Action | None) -> Estimate:
        """Return the estimate of an action that wasn't tried: a little below the least of the others."""
        least = 1.0
        for index, values in enumerate(self._values):
            if values:
                least = min(least, self._wins[index] / len(values))
        return Estimate(action, 0.0, 0, self._guide.calibrated(max(0.0, least - FPU_REDUCTION), self._players))


def search_of(observation: Observation, guide: SearchGuide[Any] | None = None) -> Search | PlanSearch:
    """Return a search by *guide*, or by the ruleset's best one: among plans if it names them, else in a tree."""
    guide = guide or observation.ruleset.guide
    return PlanSearch(observation, guide) if guide.names_plans(observation.view) else Search(observation, guide)


def first(plan: Plan) -> Action | None:
    """Return the action that a plan begins with, None to let others act."""
    return plan[0] if plan else None


def total(values: list[float]) -> float:
    """Return the sum of *values*; sum() rounds differently from Python 3.12 on, so that choices would differ."""
    added = 0.0
    for value in values:
        added += value
    return added


def is_behind(values: list[float], lead: list[float]) -> bool:
    """Return whether *values* are clearly below those of the *lead*, world by world."""
    differences = [one - other for one, other in zip(lead, values, strict=True)]
    mean = total(differences) / len(differences)
    squares = total([(one - mean) * (one - mean) for one in differences]) / len(differences)
    return mean >= CLEAR * max(LEAST_ERROR, sqrt(squares / len(differences)))
