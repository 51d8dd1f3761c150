"""Checks actions of two steps, such as a ploy that is declared and then used, as one.

A search rates the first step by its guide's choice of the second step. The search at the second step would often take
the first step back, which makes it useless. Therefore the seat searches the position after a first step before it takes
the step. If this search takes the step back, the seat decides again without that step.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from random import Random
from typing import Any, Final

from engines.ai.observation import Observation
from engines.ai.search import Estimate, Search, never
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.contract.search_guide import SearchGuide
from engines.core.dealer import SimulationDealer

SECOND_STEP_SEED_SUFFIX: Final = "/then"
RETRY_SEED_SUFFIX: Final = "/instead"
"""Suffixes of an AI's seed: for the search of the second step, and for the search without the first step.

The suffixes must not change, because replays of records use them.
"""
MIN_GAIN_TO_BACK_OUT: Final = 0.1
"""Minimum gain in win probability for which a first step is taken back.

If half of the distance to a certain win is less, this half is the minimum: a nearly won game leaves little to gain.
"""
MIN_VISITS: Final = 20
"""Minimum number of visits for an action to count as an alternative to taking a first step back."""


def confirmed(
    ranked: tuple[Estimate, ...],
    observation: Observation,
    guide: SearchGuide[Any],
    budget: Budget,
    should_stop: Callable[[], bool] = never,
) -> Action | None:
    """Return the best of the *ranked* actions; a first step that the seat would take back is replaced.

    The replacement is the best action of a search without that step. Further searches have the iterations of *budget*
    and no time limit, so that equal observations and ranks give equal actions.
    """
    best = ranked[0].action
    if best is not None and guide.backs_out_with(best):
        return _unless_close(ranked)
    if guide.names_plans(observation.view):
        return best  # what was ranked is the plan of both steps
    budget = replace(budget, seconds=inf, stops_early=True)
    excluded = frozenset[Action]()
    while (
        best is not None
        and guide.commits_to(best)
        and not _would_carry_out(best, observation, guide, budget, should_stop)
    ):
        begun = [one.action for one in ranked if one.action is not None and guide.commits_to(one.action)]
        # After a second rejection all actions that begin something are excluded.
        excluded = excluded | frozenset(begun if excluded else [best])
        retry = replace(observation, seed=f"{observation.seed}{RETRY_SEED_SUFFIX}{len(excluded)}")
        ranked = Search(retry, guide, excluded).run(budget, should_stop).ranked
        best = ranked[0].action
    return best


def _unless_close(ranked: tuple[Estimate, ...]) -> Action | None:
    """Return the second best action if it is nearly as good as the best, which takes a step back; else the best."""
    for other in ranked[1:2]:
        gain = ranked[0].value - other.value
        if other.visits >= MIN_VISITS and gain < min(MIN_GAIN_TO_BACK_OUT, (1 - other.value) / 2):
            return other.action
    return ranked[0].action


def _would_carry_out(
    action: Action,
    observation: Observation,
    guide: SearchGuide[Any],
    budget: Budget,
    should_stop: Callable[[], bool],
) -> bool:
    """Return whether the seat would carry out *action* at its next decision instead of taking it back."""
    ruleset, seat, seed = observation.ruleset, observation.seat, observation.seed + SECOND_STEP_SEED_SUFFIX
    rng = Random(seed)
    world = ruleset.imagine(observation.view, rng)
    world.apply(seat, action, SimulationDealer(rng))
    if seat not in world.to_act():
        return True  # other seats act first, so the next decision of this seat can't be foreseen
    search = Search(replace(observation, view=world.view(seat), seed=seed), guide)
    best = search.run(budget, should_stop).ranked[0].action
    return best is None or not guide.backs_out_with(best)
