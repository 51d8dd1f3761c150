"""The levels: what an AI at a table does with what its seat may know, and nothing more."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Final

from engines.ruleset import Action, Json, Ruleset
from engines.search import Budget, Search, never


@dataclass(frozen=True)
class Level:
    """How an AI thinks: by which policy, and how long it searches, if it does."""

    name: str
    policy: str
    budget: Budget | None = None


LEVELS: Final[Mapping[str, Level]] = {
    "novice": Level("novice", policy="novice"),
    "adept": Level("adept", policy="adept"),
    "expert": Level("expert", policy="adept", budget=Budget(iterations=600, seconds=0.2, hurried=True)),
    "master": Level("master", policy="adept", budget=Budget(iterations=3000, seconds=1.0, hurried=True)),
}

STAND_IN: Final = "adept"
"""Who acts for a player whose time is up."""


@dataclass(frozen=True)
class Choice:
    """What an AI decided, and the work that it took."""

    action: Action | None
    iterations: int


def choose(  # noqa: PLR0913  # the last two by keyword: how to search
    ruleset: Ruleset,
    level: str,
    view: Json,
    seat: int,
    seed: str,
    signals: Mapping[int, str],
    *,
    iterations: int | None = None,
    by_clock: bool = True,
    should_stop: Callable[[], bool] = never,
) -> Choice:
    """Return what the AI of *level* at *seat* does when it sees *view*.

    Equal views, seeds, signals and iterations give equal choices: a search that took *n* iterations, for want of time
    perhaps, is repeated exactly by asking for *n*, and then the clock isn't looked at. Nor is it without *by_clock*:
    the AI thinks for as many iterations as its level ever does. The action is None if the AI lets others act, which
    only a seat that needn't act may do.
    """
    chosen = LEVELS[level]
    if chosen.budget is None:
        rng = Random(seed)
        world = ruleset.imagine(view, rng)
        return Choice(ruleset.policies[chosen.policy].choose(world, seat, rng, signals), iterations=0)
    budget = replace(chosen.budget, iterations=ruleset.iterations.get(level, chosen.budget.iterations))
    if not by_clock:
        budget = replace(budget, seconds=inf)
    if iterations is not None:
        budget = Budget(iterations)
    thought = Search(ruleset, view, seat, seed, signals).think(budget, should_stop)
    return Choice(thought.ranked[0].action, thought.iterations)


def signal(ruleset: Ruleset, level: str, view: Json, seat: int, seed: str) -> str | None:
    """Return the signal that the AI of *level* at *seat* gives (R22), or None."""
    rng = Random(seed)
    return ruleset.policies[LEVELS[level].policy].signal(ruleset.imagine(view, rng), seat, rng)
