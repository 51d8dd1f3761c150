"""What an AI player of a level does with what its seat may know, and nothing more."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Final

from engines.ai.compound_actions import settled
from engines.ai.observation import Observation
from engines.ai.parallel_search import Helper, SharedStop
from engines.ai.search import Counts, Search, never
from engines.contract.levels import Budget, Level
from engines.contract.position import Action

STAND_IN: Final = "adept"
"""Who acts for a player whose time is up."""

HELPER_SEED_SUFFIX: Final = "/beside"
"""What is added to an AI's seed for the second search of a helper; records are replayed with it, so it stays."""


@dataclass(frozen=True)
class Choice:
    """What an AI decided, and the work that it took."""

    action: Action | None
    iterations: int
    helper_iterations: int = 0
    """The iterations of a helper's search that were counted too."""


class Undecided(Exception):
    """An AI that must act had nothing to do: its policy is wrong."""


def choose(
    level: str,
    observation: Observation,
    *,
    iterations: int | None = None,
    helper_iterations: int = 0,
    by_clock: bool = True,
    should_stop: Callable[[], bool] = never,
    helper: Helper | None = None,
) -> Choice:
    """Return what the AI of *level* does when that is what it sees.

    Equal observations and iterations give equal choices: a search that took *n* iterations, for want of time
    perhaps, is repeated exactly by asking for *n*, and for as many *helper_iterations* as were counted; then the
    clock isn't looked at. Nor is it without *by_clock*: the AI thinks for as many iterations as its level ever
    does. A *helper* is asked for a second opinion (``second_opinion``) by a level that shares its search. The
    action is None if the AI lets others act, which only a seat that needn't act may do.
    """
    chosen = observation.ruleset.levels[level]
    budget = chosen.budget
    if budget is None:
        rng = Random(observation.seed)
        world = observation.ruleset.imagine(observation.view, rng)
        return Choice(chosen.policy.choose(world, observation.seat, rng, observation.signals), iterations=0)
    asked = _Asked(level, chosen, observation, should_stop)
    if iterations is not None:
        return _repeated(asked, budget.exactly(iterations), budget.exactly(helper_iterations))
    if not by_clock:
        budget = replace(budget, seconds=inf)
    search = Search(observation, chosen.guide)
    if search.lets_others_act:
        return Choice(None, iterations=0)
    if helper is None or not (chosen.shared and search.has_choice):
        return _choice(asked, search, search.think(budget, should_stop).iterations, None)
    return _helped(asked, search, budget, helper)


@dataclass(frozen=True)
class _Asked:
    """Who is asked what, and whether an answer is still wanted."""

    name: str
    level: Level
    observation: Observation
    should_stop: Callable[[], bool]


def _repeated(asked: _Asked, budget: Budget, helper_budget: Budget) -> Choice:
    """Return what a search and its helper found that took so many iterations each."""
    search = Search(asked.observation, asked.level.guide)
    thought = search.think(budget, asked.should_stop)
    counted = _second(asked.name, asked.observation, helper_budget) if helper_budget.iterations else None
    return _choice(asked, search, thought.iterations, counted)


def _helped(asked: _Asked, search: Search, budget: Budget, helper: Helper) -> Choice:
    """Return what a search and its helper find together."""
    shared = SharedStop(search, budget, helper, asked.should_stop)
    thought = search.think(budget, shared)
    shared.has_counts()  # when the time was up before the half was done
    return _choice(asked, search, thought.iterations, shared.counts)


def second_opinion(
    level: str, observation: Observation, *, seconds: float, should_stop: Callable[[], bool] = never
) -> Counts:
    """Return what another search finds that was asked the same as ``choose``: half as long, and *seconds* at most."""
    budget = (observation.ruleset.levels[level].budget or Budget(0)).half()
    return _second(level, observation, replace(budget, seconds=min(seconds, budget.seconds)), should_stop)


def _second(level: str, observation: Observation, budget: Budget, should_stop: Callable[[], bool] = never) -> Counts:
    asked = replace(observation, seed=observation.seed + HELPER_SEED_SUFFIX)
    search = Search(asked, observation.ruleset.levels[level].guide)
    search.think(budget, should_stop)
    return search.counts()


def _choice(asked: _Asked, search: Search, iterations: int, helper: Counts | None) -> Choice:
    """Return the best of a search, together with what a helper has counted, that holds good at a second thought."""
    if helper is not None:
        search.add(helper)
    observation, level = asked.observation, asked.level
    guide, budget = level.guide or observation.ruleset.guide, level.budget or Budget(0)
    action = settled(search.ranked(), observation, guide, budget, asked.should_stop)
    return Choice(action, iterations, helper[0][0] if helper else 0)


def signal(level: str, observation: Observation) -> str | None:
    """Return the signal that the AI of *level* gives, or None."""
    rng = Random(observation.seed)
    policy = observation.ruleset.levels[level].policy
    return policy.signal(observation.ruleset.imagine(observation.view, rng), observation.seat, rng)
