"""Information set MCTS with PUCT, for any ruleset: one tree for what one seat knows.

Each iteration samples a world from the view, selects a path, rolls out by the guide, evaluates and backs up. The tree
holds only the decisions of the searching seat; all others play by the guide. A node is a sequence of that seat's
actions from the root. Draws and other seats' moves differ between worlds, and a node averages over them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from random import Random
from time import monotonic
from typing import Any, Final

from engines.ai.observation import Observation
from engines.contract.levels import Budget
from engines.contract.position import Action, Position
from engines.contract.search_guide import ScoredActions, SearchGuide
from engines.core.dealer import SimulationDealer

FPU_REDUCTION: Final = 0.05
"""First-play urgency: an unvisited action counts with the mean value of the node before it, minus this."""
UNIFORM_PRIOR_WEIGHT: Final = 0.1
"""Share of the prior that is spread evenly over all actions, independent of the guide."""


@dataclass(frozen=True)
class Estimate:
    """A search's estimate of one action; the action None means to let others act."""

    action: Action | None
    value: float
    """Mean value over the visits, 0 to 1."""
    visits: int
    win_probability: float
    """Calibrated probability of a win, 0 to 1.

    For an unvisited action it is set a little below the mean of all visits (``Search``) or below that of the worst
    simulated plan (``PlanSearch``).
    """


@dataclass(frozen=True)
class SearchResult:
    """The actions, best first, and the number of iterations."""

    ranked: tuple[Estimate, ...]
    iterations: int
    interrupted: bool = False
    """True if ``should_stop`` or the time limit ended the search."""


Counts = list[tuple[int, float, float]]
"""Visits, sum of values and sum of win probabilities: first in total, then of each action or plan.

``Search`` lists actions in the guide's order, which is the same for equal views; ``PlanSearch`` lists plans, the best
first. JSON stores these numbers exactly.
"""


class Node:
    """Statistics of one sequence of the seat's own actions."""

    __slots__ = ("children", "value_sum", "visits", "win_sum")

    def __init__(self) -> None:
        self.visits = 0
        self.value_sum = 0.0
        self.win_sum = 0.0
        self.children: dict[Action | None, Node] = {}

    def add(self, visits: int, value_sum: float, win_sum: float) -> None:
        """Add the counts of another search."""
        self.visits += visits
        self.value_sum += value_sum
        self.win_sum += win_sum


def never() -> bool:
    """Return False: the default for ``should_stop``."""
    return False


class Search:
    """A search for one seat; equal observations, iterations and evaluations give equal results."""

    def __init__(
        self,
        observation: Observation,
        guide: SearchGuide[Any] | None = None,
        without: frozenset[Action] = frozenset(),
    ) -> None:
        """Prepare a search by *guide*, or by the ruleset's best guide, over all actions except those in *without*."""
        ruleset = observation.ruleset
        self._worlds, self._seat = ruleset.worlds(observation.view), observation.seat
        self._rng = Random(observation.seed)
        self._dealer = SimulationDealer(self._rng)
        self._root = Node()
        world = self._worlds.sample(self._rng)
        self._guide = (guide or ruleset.guide).prepare(world, ruleset.verdict)
        self._players = world.players
        scored = self._guide.score_actions(world, observation.seat, observation.signals)
        self._prior = prior([(action, score) for action, score in scored if action not in without])
        must = observation.seat in world.to_act()
        self.should_pass = not must and not self._guide.would_interrupt(world, observation.seat)
        """True if the seat needn't act and its guide expects no gain from acting, so that no search is run."""

    def run(self, budget: Budget, should_stop: Callable[[], bool] = never, *, forced: bool = False) -> SearchResult:
        """Iterate until *budget* ends the search or *should_stop* returns True.

        With a single action there are no iterations unless *forced*. ``budget.exactly(iterations)`` is the budget
        that repeats a search of that many iterations.
        """
        deadline, iterations, interrupted = monotonic() + budget.seconds, 0, False
        while iterations < budget.iterations and (forced or self.has_choice):
            self._simulate(budget.evaluations, self._prior)
            iterations += 1
            interrupted = should_stop() or monotonic() >= deadline
            if interrupted:
                break
            if budget.stops_early and self._is_settled(budget.iterations - iterations):
                break
        return SearchResult(self.ranked(), iterations, interrupted)

    def compare(self, actions: Sequence[Action | None], budget: Budget, should_stop: Callable[[], bool] = never) -> int:
        """Visit each of *actions* as often as *budget* has iterations, in rounds; return the number of rounds.

        In each round all actions are visited in the same world with the same random numbers, which reduces the variance
        of their differences. Call ``estimate`` for the results. *should_stop* ends the comparison early.
        """
        seeds, rounds = Random(self._rng.random()), 0
        while rounds < budget.iterations and not should_stop():
            luck = seeds.getrandbits(64)
            for action in actions:
                self._rng.seed(luck)
                self._simulate(budget.evaluations, [(action, 1.0)])
            rounds += 1
        return rounds

    @property
    def has_choice(self) -> bool:
        """True if there is more than one action."""
        return len(self._prior) > 1

    def counts(self) -> Counts:
        """Return the visits and values at the root, for ``add`` of another search."""
        nodes = [self._root, *[self._root.children.get(action, UNTRIED) for action, _ in self._prior]]
        return [(node.visits, node.value_sum, node.win_sum) for node in nodes]

    def add(self, counts: Counts) -> None:
        """Add the counts of another ``Search`` of an equal view to this search."""
        visits, value_sum, win_sum = counts[0]
        self._root.add(visits, value_sum, win_sum)
        for (action, _), (visits, value_sum, win_sum) in zip(self._prior, counts[1:], strict=True):
            if visits:
                self._root.children.setdefault(action, Node()).add(visits, value_sum, win_sum)

    def _is_settled(self, left: int) -> bool:
        """Return whether no action can overtake the most visited one within *left* iterations."""
        leader = second = 0
        for child in self._root.children.values():
            if child.visits > leader:
                leader, second = child.visits, leader
            elif child.visits > second:
                second = child.visits
        return leader - second > left

    def ranked(self) -> tuple[Estimate, ...]:
        """Return the actions, the most visited first; unvisited ones by their prior."""
        nodes = [(self._root.children.get(action, UNTRIED), probability, action) for action, probability in self._prior]
        nodes.sort(key=lambda entry: (entry[0].visits, entry[0].value_sum, entry[1]), reverse=True)
        return tuple([self.estimate(action) for _, _, action in nodes])

    def estimate(self, action: Action | None) -> Estimate:
        """Return the present estimate of *action*."""
        node = self._root.children.get(action, UNTRIED)
        if node.visits:
            return Estimate(
                action, node.value_sum / node.visits, node.visits, self._calibrated(node.win_sum / node.visits)
            )
        bound = max(0.0, self._root.win_sum / max(1, self._root.visits) - FPU_REDUCTION)
        return Estimate(action, 0.0, 0, self._calibrated(bound))

    def _calibrated(self, estimate: float) -> float:
        return self._guide.calibrated(estimate, self._players)

    def _simulate(self, evaluations: int, priors: list[tuple[Action | None, float]]) -> None:
        """Run one iteration: sample a world, select a path (PUCT), roll out, evaluate, back up.

        With several *evaluations* the rollout is evaluated at several depths, and the mean is backed up: early values
        vary less, later values contain more of the game. *priors* are those of the root.
        """
        world: Position = self._worlds.sample(self._rng)  # annotated, so that mypyc compiles calls of its methods
        path = self._select_path(world, priors)
        value = chance = 0.0
        for evaluation_index in range(evaluations):
            self._rollout(world, evaluation_index)
            valued, probability = self._guide.evaluate(world, self._seat)
            value += valued
            chance += probability
        value, chance = value / evaluations, chance / evaluations
        for node in path:
            node.visits += 1
            node.value_sum += value
            node.win_sum += chance

    def _rollout(self, world: Position, evaluation_index: int) -> None:
        """Let all seats play by the guide until the next evaluation; *evaluation_index* is its number, from 0."""
        guide, rng, dealer, steps = self._guide, self._rng, self._dealer, 0
        while not world.is_over and not guide.is_rollout_done(world, steps, evaluation_index):
            seat, action = guide.next(world, rng)
            world.apply(seat, action, dealer)
            steps += 1

    def _select_path(self, world: Position, priors: list[tuple[Action | None, float]]) -> list[Node]:
        """Apply actions to *world* until a node is added, or the maximum depth or the end of the game is reached.

        Return the nodes on the path, the root first. *priors* are those of the root.
        """
        guide, rng, dealer = self._guide, self._rng, self._dealer
        node = self._root
        path = [node]
        while True:
            action = select_action(node, priors, guide.exploration)
            child = node.children.get(action)
            node = child or node.children.setdefault(action, Node())
            path.append(node)
            if action is not None:
                world.apply(self._seat, action, dealer)
            if child is None or len(path) > guide.depth:
                return path
            while not world.is_over and self._seat not in world.to_act():
                other, move = guide.next(world, rng)
                world.apply(other, move, dealer)
            if world.is_over:
                return path
            priors = prior(guide.score_actions(world, self._seat, {}))


UNTRIED: Final = Node()


def prior(scored: ScoredActions) -> list[tuple[Action | None, float]]:
    """Return each action with its prior probability: the softmax of the scores, mixed with a uniform share.

    The result is the same in all Python versions, so that AIs choose the same actions.
    """
    top = -inf
    for _, score in scored:
        top = max(top, score)
    weights, total = list[float](), 0.0
    for _, score in scored:
        weights.append(exp(max(-30.0, score - top)))
        total += weights[-1]  # sum() isn't used: it rounds differently from Python 3.12 on
    scale, floor = (1 - UNIFORM_PRIOR_WEIGHT) / total, UNIFORM_PRIOR_WEIGHT / len(weights)
    return [(scored[index][0], weights[index] * scale + floor) for index in range(len(scored))]


def select_action(node: Node, priors: list[tuple[Action | None, float]], exploration: float) -> Action | None:
    """Return the action of *node* with the highest upper bound (PUCT)."""
    reach = exploration * sqrt(node.visits + 1)
    untried = node.value_sum / node.visits - FPU_REDUCTION if node.visits else 0.5
    best, top = priors[0][0], -inf
    for action, probability in priors:
        child = node.children.get(action)
        if child is None:
            bound = untried + reach * probability
        else:
            bound = child.value_sum / child.visits + reach * probability / (1 + child.visits)
        if bound > top:
            best, top = action, bound
    return best
