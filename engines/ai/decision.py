"""What an AI player of a level does with what its seat may know, and nothing more."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Final

from engines.ai.compound_actions import settled
from engines.ai.observation import Observation
from engines.ai.search import Counts, Search, never
from engines.contract.levels import Budget, Level
from engines.contract.position import Action

STAND_IN: Final = "adept"
"""Who acts for a player whose time is up."""

SECOND_SEED_SUFFIX: Final = "/beside"
"""What is added to an AI's seed to repeat the second search that versions before 1.0 ran."""


@dataclass(frozen=True)
class Choice:
    """What an AI decided, and how many iterations that took."""

    action: Action | None
    iterations: int


class NoActionChosen(Exception):
    """An AI that must act had nothing to do: its policy is wrong."""


def choose(
    level: str,
    observation: Observation,
    *,
    iterations: int | None = None,
    second_iterations: int = 0,
    by_clock: bool = True,
    should_stop: Callable[[], bool] = never,
) -> Choice:
    """Return what the AI of *level* does when that is what it sees.

    Equal observations and iterations give equal choices: a search that took *n* iterations, for want of time
    perhaps, is repeated exactly by asking for *n*, and for the *second_iterations* that an older version counted
    too; then the clock isn't looked at. Nor is it without *by_clock*: the AI thinks for as many iterations as its
    level ever does. The action is None if the AI lets others act, which only a seat that needn't act may do.
    """
    chosen = observation.ruleset.levels[level]
    budget = chosen.budget
    if budget is None:
        rng = Random(observation.seed)
        world = observation.ruleset.imagine(observation.view, rng)
        return Choice(chosen.policy.choose(world, observation.seat, rng, observation.signals), iterations=0)
    search = Search(observation, chosen.guide)
    if iterations is None and search.lets_others_act:
        return Choice(None, iterations=0)
    granted = budget
    if iterations is not None:
        granted = budget.exactly(iterations)
    elif not by_clock:
        granted = replace(budget, seconds=inf)
    thought = search.think(granted, should_stop)
    if second_iterations:
        search.add(_second_counts(observation, chosen, budget.exactly(second_iterations)))
    guide = chosen.guide or observation.ruleset.guide
    return Choice(settled(search.ranked(), observation, guide, budget, should_stop), thought.iterations)


def _second_counts(observation: Observation, level: Level, budget: Budget) -> Counts:
    """Return what a second search counted about the same view, in worlds of its own."""
    search = Search(replace(observation, seed=observation.seed + SECOND_SEED_SUFFIX), level.guide)
    search.think(budget)
    return search.counts()


def signal(level: str, observation: Observation) -> str | None:
    """Return the signal that the AI of *level* gives, or None."""
    rng = Random(observation.seed)
    policy = observation.ruleset.levels[level].policy
    return policy.signal(observation.ruleset.imagine(observation.view, rng), observation.seat, rng)
