"""Thinking ahead, written once for every ruleset: one tree per information set, and nothing seen but a view.

Each iteration imagines a world from the view, walks down the tree, lets the ruleset's quick player finish what the
tree doesn't hold, and learns what came of it. The tree has the decisions of the one seat that thinks; all others play
as the policy does. A node is what that seat has done since the root: draws and others' moves differ from world to
world, and the node learns how it fares over all of them. Among actions it goes where the mean so far, and what the
policy thinks of an action that was seldom tried, add up to most (PUCT).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from random import Random
from time import monotonic
from typing import Any, Final

from engines.ai.observation import Observation
from engines.contract.levels import Budget
from engines.contract.policy import ScoredActions, SearchGuide
from engines.contract.position import Action, Position
from engines.core.dealer import SimulationDealer

FPU_REDUCTION: Final = 0.05
"""By how much an untried action is taken to be worse than its node."""
UNIFORM_PRIOR_WEIGHT: Final = 0.1
"""The share of the prior that every action has, whatever the policy thinks of it."""


@dataclass(frozen=True)
class Estimate:
    """What the search thinks of an action; None is to let others act."""

    action: Action | None
    value: float
    """From 0 to 1, the mean over the visits."""
    visits: int
    chance: float
    """How likely it is to win if experts play on, from 0 to 1; with no visits, a little less than by all others."""


@dataclass(frozen=True)
class SearchResult:
    """What came of a search: the actions, best first, and the iterations that it took."""

    ranked: tuple[Estimate, ...]
    iterations: int


Counts = list[tuple[int, float, float]]
"""Visits, sum of the values and sum of the chances: of the whole search, whose visits are its iterations, and then of
each action in the order of the policy, which is the same for equal views. JSON keeps them exactly."""


class Node:
    """What is known of a line of the seat's own actions."""

    __slots__ = ("children", "total", "visits", "won")

    def __init__(self) -> None:
        self.visits = 0
        self.total = 0.0
        self.won = 0.0
        self.children: dict[Action | None, Node] = {}

    def add(self, visits: int, total: float, won: float) -> None:
        """Count what was found elsewhere."""
        self.visits += visits
        self.total += total
        self.won += won


def never() -> bool:
    """Think on."""
    return False


class Search:
    """One seat's thinking about what it sees; equal sights, iterations and foresight give equal thoughts."""

    def __init__(
        self,
        observation: Observation,
        guide: SearchGuide[Any] | None = None,
        without: frozenset[Action] = frozenset(),
    ) -> None:
        """Prepare to think by *guide*, or by the ruleset's best, about everything that may be done *without* some."""
        ruleset = observation.ruleset
        self._worlds, self._seat = ruleset.worlds(observation.view), observation.seat
        self._rng = Random(observation.seed)
        self._dealer = SimulationDealer(self._rng)
        self._root = Node()
        world = self._worlds.sample(self._rng)
        self._guide = (guide or ruleset.guide).ready(world, ruleset.verdict)
        self._players = world.players
        weighed = self._guide.weigh(world, observation.seat, observation.signals)
        self._prior = prior([(action, score) for action, score in weighed if action not in without])
        must = observation.seat in world.to_act()
        self.lets_others_act = not must and not self._guide.would_interrupt(world, observation.seat)
        """It needn't act, and at a look there is nothing to gain: thinking isn't worth it."""

    def think(self, budget: Budget, should_stop: Callable[[], bool] = never, *, forced: bool = False) -> SearchResult:
        """Iterate until the budget is used up or *should_stop* says so; if there is no choice, only when *forced*.

        To repeat a search give it ``budget.exactly`` the iterations that it took: the thought is the same.
        """
        deadline, iterations = monotonic() + budget.seconds, 0
        while iterations < budget.iterations and (forced or self.has_choice):
            self._simulate(budget.foresight, self._prior)
            iterations += 1
            if should_stop() or monotonic() >= deadline:
                break
            if budget.hurried and self._is_settled(budget.iterations - iterations):
                break
        return SearchResult(self.ranked(), iterations)

    def compare(self, actions: Sequence[Action | None], budget: Budget, should_stop: Callable[[], bool] = never) -> int:
        """Visit each of *actions* as often as *budget* has iterations, and nothing else; return how often that was.

        They meet the same worlds, and the same luck until their games part: what they differ by is less due to chance
        than where each has worlds of its own. Ask ``estimate`` what came of it.
        """
        seeds, rounds = Random(self._rng.random()), 0
        while rounds < budget.iterations and not should_stop():
            luck = seeds.getrandbits(64)
            for action in actions:
                self._rng.seed(luck)
                self._simulate(budget.foresight, [(action, 1.0)])
            rounds += 1
        return rounds

    @property
    def has_choice(self) -> bool:
        """There is more than one thing to do."""
        return len(self._prior) > 1

    def counts(self) -> Counts:
        """Return what has been counted so far, for ``add``."""
        nodes = [self._root, *[self._root.children.get(action, UNSEEN) for action, _ in self._prior]]
        return [(node.visits, node.total, node.won) for node in nodes]

    def add(self, counts: Counts) -> None:
        """Count what another search about an equal view has counted."""
        visits, total, won = counts[0]
        self._root.add(visits, total, won)
        for (action, _), (visits, total, won) in zip(self._prior, counts[1:], strict=True):
            if visits:
                self._root.children.setdefault(action, Node()).add(visits, total, won)

    def _is_settled(self, left: int) -> bool:
        """No action can be visited more often than the leader any more."""
        most = next_to_it = 0
        for child in self._root.children.values():
            if child.visits > most:
                most, next_to_it = child.visits, most
            elif child.visits > next_to_it:
                next_to_it = child.visits
        return most - next_to_it > left

    def ranked(self) -> tuple[Estimate, ...]:
        """Return the actions, the most visited first; what was never visited as the policy has it."""
        known = [(self._root.children.get(action, UNSEEN), likely, action) for action, likely in self._prior]
        known.sort(key=lambda one: (one[0].visits, one[0].total, one[1]), reverse=True)
        return tuple([self.estimate(action) for _, _, action in known])

    def estimate(self, action: Action | None) -> Estimate:
        """Return what is thought of *action* so far."""
        node = self._root.children.get(action, UNSEEN)
        if node.visits:
            return Estimate(action, node.total / node.visits, node.visits, self._likely(node.won / node.visits))
        hope = max(0.0, self._root.won / max(1, self._root.visits) - FPU_REDUCTION)
        return Estimate(action, 0.0, 0, self._likely(hope))

    def _likely(self, chance: float) -> float:
        return self._guide.calibrated(chance, self._players)

    def _simulate(self, foresight: int, priors: list[tuple[Action | None, float]]) -> None:
        """Imagine a world, go down the tree and beyond, and tell the nodes passed what it was worth.

        Who looks more than once, further each time, takes the mean of what it is worth: what is near is surer, what is
        far is told by the game itself.
        """
        world: Position = self._worlds.sample(self._rng)  # typed, else every call to it goes through the interpreter
        path = self._descend(world, priors)
        value = chance = 0.0
        for look in range(foresight):
            self._rollout(world, look)
            valued, likely = self._guide.assess(world, self._seat)
            value += valued
            chance += likely
        value, chance = value / foresight, chance / foresight
        for node in path:
            node.visits += 1
            node.total += value
            node.won += chance

    def _rollout(self, world: Position, look: int) -> None:
        """Let all play as the guide does, until the next *look*."""
        guide, rng, dealer, steps = self._guide, self._rng, self._dealer, 0
        while not world.is_over and not guide.is_far_enough(world, steps, look):
            seat, action = guide.next(world, rng)
            world.apply(seat, action, dealer)
            steps += 1

    def _descend(self, world: Position, priors: list[tuple[Action | None, float]]) -> list[Node]:
        """Play *world* on to the edge of the tree, one node beyond it; return the nodes passed.

        *priors* are those of the root.
        """
        guide, rng, dealer = self._guide, self._rng, self._dealer
        node = self._root
        path = [node]
        while True:
            action = choice(node, priors, guide.curiosity)
            known = node.children.get(action)
            node = known or node.children.setdefault(action, Node())
            path.append(node)
            if action is not None:
                world.apply(self._seat, action, dealer)
            if known is None or len(path) > guide.depth:
                return path
            while not world.is_over and self._seat not in world.to_act():
                other, move = guide.next(world, rng)
                world.apply(other, move, dealer)
            if world.is_over:
                return path
            priors = prior(guide.weigh(world, self._seat, {}))


UNSEEN: Final = Node()


def prior(weighed: ScoredActions) -> list[tuple[Action | None, float]]:
    """Return each action with its share of what the policy would try, from its scores."""
    top = -inf
    for _, score in weighed:
        top = max(top, score)
    likely, whole = list[float](), 0.0
    for _, score in weighed:
        likely.append(exp(max(-30.0, score - top)))
        whole += likely[-1]  # not sum(), which rounds otherwise from Python 3.12 on: a choice must be repeatable
    scale, least = (1 - UNIFORM_PRIOR_WEIGHT) / whole, UNIFORM_PRIOR_WEIGHT / len(likely)
    return [(weighed[place][0], likely[place] * scale + least) for place in range(len(weighed))]


def choice(node: Node, priors: list[tuple[Action | None, float]], curiosity: float) -> Action | None:
    """Return where to go on from *node*: what has done best, or deserves to be tried (PUCT)."""
    reach = curiosity * sqrt(node.visits + 1)
    untried = node.total / node.visits - FPU_REDUCTION if node.visits else 0.5
    best, top = priors[0][0], -inf
    for action, likely in priors:
        child = node.children.get(action)
        if child is None:
            hope = untried + reach * likely
        else:
            hope = child.total / child.visits + reach * likely / (1 + child.visits)
        if hope > top:
            best, top = action, hope
    return best
