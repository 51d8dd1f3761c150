"""A search among plans: sequences of a seat's actions until others may act, such as declaring and using a ploy.

All plans are simulated in the same worlds with the same random numbers. After each stage only the best plans are kept
(sequential halving), so that most simulations are spent on plans of nearly equal value. ``SearchGuide.names_plans``
says when this search is used instead of a tree search.
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

STAGE_LIMITS: Final = ((7, 60, 24), (3, 54, 24), (2, 72, 36))
"""For each stage the maximum number of plans, of simulations of all plans together, and of simulations per plan."""
DROP_AFTER_STANDARD_ERRORS: Final = 3.0
"""Number of standard errors below the best plan at which a plan is dropped regardless of its rank."""
MIN_STANDARD_ERROR: Final = 0.004
"""Lower bound of the standard error of a difference. Without it, few equal differences would give an error of 0."""
WORLD_SEED_BITS: Final = 60


class PlanSearch:
    """A search among the plans of one seat; equal observations and numbers of iterations give equal results.

    An iteration is one simulation of one plan.
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
        """For each plan the values of its simulations. The n-th simulations of all plans share a world and a seed."""
        self._wins = [0.0] * len(self._plans)
        self._order = list(range(len(self._plans)))
        """Indices of the plans in ``_plans``, the best first."""
        self.should_pass = not must and not self.has_choice
        """True if the seat needn't act and the guide has no plan except letting others act, so no search is run."""

    @property
    def has_choice(self) -> bool:
        """True if there is more than one plan."""
        return len(self._plans) > 1

    def run(self, budget: Budget, should_stop: Callable[[], bool] = never, *, forced: bool = False) -> SearchResult:
        """Search until one plan is left, all stages are done, *budget* is used up or *should_stop* returns True.

        The number of simulations per stage is multiplied by ``budget.evaluations``. With a single plan nothing is
        simulated unless *forced*.
        """
        deadline, iterations = monotonic() + budget.seconds, 0
        going, stopped, interrupted = self._order, not (forced or self.has_choice), False
        for plans, games, most in STAGE_LIMITS:
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
        """Simulate each of *actions* in as many worlds as *budget* has iterations; return the number of worlds.

        For each action the best plan that begins with it is simulated. Call ``estimate`` for the results. *should_stop*
        ends the comparison early.
        """
        indices, rounds = [self._find_or_add(action) for action in actions], 0
        while rounds < budget.iterations and not should_stop():
            self._try_all(indices)
            rounds += 1
        return rounds

    def ranked(self) -> tuple[Estimate, ...]:
        """Return the estimates of all actions: those with which plans begin, the best plan first, then all others."""
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
        """Return tuples (number of simulations, sum of values, sum of win probabilities).

        The first is that of all plans together. Those of each plan follow, the best plan first.
        """
        each = [(len(self._values[index]), total(self._values[index]), self._wins[index]) for index in self._order]
        visits, value_sum, win_sum = 0, 0.0, 0.0
        for count, values, wins in each:
            visits += count
            value_sum += values
            win_sum += wins
        return [(visits, value_sum, win_sum), *each]

    def _find_or_add(self, action: Action | None) -> int:
        """Return the index of the best plan that begins with *action*; if there is none, add one."""
        found = self._find(action)
        if found is not None:
            return found
        self._plans.append((() if action is None else (action,), 0.0))
        self._values.append([])
        self._wins.append(0.0)
        self._order.append(len(self._order))
        return len(self._order) - 1

    def _find(self, action: Action | None) -> int | None:
        """Return the index of the best plan that begins with *action*; None if there is none."""
        for index in self._order:
            if first(self._plans[index][0]) == action:
                return index
        return None

    def _try_all(self, indices: list[int]) -> None:
        """Simulate each of the plans *indices* once, in the same world with the same seed."""
        luck = self._rng.getrandbits(WORLD_SEED_BITS)
        world: Position = self._worlds.sample(Random(luck))  # annotated, so that mypyc compiles calls to it
        for index in indices:
            value, chance = self._simulate(world.copy(), self._plans[index][0], luck)
            self._values[index].append(value)
            self._wins[index] += chance

    def _simulate(self, world: Position, plan: Plan, luck: int) -> tuple[float, float]:
        """Simulate *plan* in *world* with the seed *luck*, followed by a rollout; return value and win probability."""
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
        """Return at most *most* plans of *ordered* (best first), without those clearly worse than the first."""
        lead = self._values[ordered[0]]
        return [index for index in ordered[:most] if not lead or not is_behind(self._values[index], lead)]

    def _mean(self, index: int) -> float:
        """Return the mean value of a plan; the guide's estimate if the plan hasn't been simulated."""
        values = self._values[index]
        return total(values) / len(values) if values else self._plans[index][1]

    def _estimate(self, index: int) -> Estimate:
        action, visits = first(self._plans[index][0]), len(self._values[index])
        if not visits:
            return self._untried(action)
        chance = self._guide.calibrated(self._wins[index] / visits, self._players)
        return Estimate(action, self._mean(index), visits, chance)

    def _untried(self, action: Action | None) -> Estimate:
        """Return the estimate of an action for which no plan has been simulated.

        Its win probability is set a little below the lowest one of the simulated plans.
        """
        least = 1.0
        for index, values in enumerate(self._values):
            if values:
                least = min(least, self._wins[index] / len(values))
        return Estimate(action, 0.0, 0, self._guide.calibrated(max(0.0, least - FPU_REDUCTION), self._players))


def search_of(observation: Observation, guide: SearchGuide[Any] | None = None) -> Search | PlanSearch:
    """Return a search with *guide* (None: ``Ruleset.guide``): among plans if the guide names plans, else in a tree."""
    guide = guide or observation.ruleset.guide
    return PlanSearch(observation, guide) if guide.names_plans(observation.view) else Search(observation, guide)


def first(plan: Plan) -> Action | None:
    """Return the action that a plan begins with, None to let others act."""
    return plan[0] if plan else None


def total(values: list[float]) -> float:
    """Return the sum of *values*, added one by one.

    ``sum`` rounds differently from Python 3.12 on, so AIs would choose differently in different Python versions.
    """
    added = 0.0
    for value in values:
        added += value
    return added


def is_behind(values: list[float], lead: list[float]) -> bool:
    """Return whether the mean of *values* is at least ``DROP_AFTER_STANDARD_ERRORS`` below that of *lead*.

    Both lists have one value per world, in the same order. The error is that of the mean difference.
    """
    differences = [one - other for one, other in zip(lead, values, strict=True)]
    mean = total(differences) / len(differences)
    squares = total([(one - mean) * (one - mean) for one in differences]) / len(differences)
    return mean >= DROP_AFTER_STANDARD_ERRORS * max(MIN_STANDARD_ERROR, sqrt(squares / len(differences)))
