"""Checks an AI's choice of an action of two steps, such as a ploy that is declared and then used.

A search rates the first step by assuming that the guide chooses the second step. At the second step a new search runs,
and it would often take the first step back, so that both steps achieve nothing. Therefore, before an AI takes a first
step, a search of the position after that step is run. If its result is to take the step back, the AI chooses again
without that step.
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
"""Appended to an AI's seed for the search of the second step. It must not change: replays of records use it."""
RETRY_SEED_SUFFIX: Final = "/instead"
"""Appended to an AI's seed for a new search without rejected first steps; the number of excluded actions follows.

It must not change: replays of records use it.
"""
MIN_GAIN_TO_BACK_OUT: Final = 0.1
"""Minimum gain in value for which a first step is taken back.

In a nearly won game, where little can be gained, a smaller gain is enough: half of the difference between 1 and the
value of the second best action.
"""
MIN_VISITS: Final = 20
"""Minimum number of visits for an action to count as an alternative to taking a first step back."""


def best_without_needless_step(
    ranked: tuple[Estimate, ...],
    observation: Observation,
    guide: SearchGuide[Any],
    budget: Budget,
    should_stop: Callable[[], bool] = never,
) -> Action | None:
    """Return the best of the *ranked* actions, unless it begins or takes back a first step without good reason.

    If the best action is a first step that the seat would take back, the result of a new search without that step is
    used instead. If the best action takes back a first step, the second best may be returned (``_unless_close``). New
    searches have the iterations of *budget* and no time limit, so that equal observations and *ranked* give equal
    actions.
    """
    best = ranked[0].action
    if best is not None and guide.backs_out_with(best):
        return _unless_close(ranked)
    if guide.names_plans(observation.view):
        return best  # a plan search has ranked both steps together
    budget = replace(budget, seconds=inf, stops_early=True)
    excluded = frozenset[Action]()
    while (
        best is not None
        and guide.commits_to(best)
        and not _would_carry_out(best, observation, guide, budget, should_stop)
    ):
        begun = [one.action for one in ranked if one.action is not None and guide.commits_to(one.action)]
        # If the seat would take the best action back, exclude that action. If it would take the next search's best
        # action back too, exclude every action that begins two steps.
        excluded = excluded | frozenset(begun if excluded else [best])
        retry = replace(observation, seed=f"{observation.seed}{RETRY_SEED_SUFFIX}{len(excluded)}")
        ranked = Search(retry, guide, excluded).run(budget, should_stop).ranked
        best = ranked[0].action
    return best


def _unless_close(ranked: tuple[Estimate, ...]) -> Action | None:
    """Return the second best action if it is nearly as good as the best one, which takes a first step back.

    Otherwise, or if the second best action has fewer than ``MIN_VISITS`` visits, return the best one.
    """
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
    """Return whether the seat would complete the first step *action* at its next decision, not take it back."""
    ruleset, seat, seed = observation.ruleset, observation.seat, observation.seed + SECOND_STEP_SEED_SUFFIX
    rng = Random(seed)
    world = ruleset.imagine(observation.view, rng)
    world.apply(seat, action, SimulationDealer(rng))
    if seat not in world.to_act():
        return True  # other seats act first, so the next decision of this seat can't be foreseen
    search = Search(replace(observation, view=world.view(seat), seed=seed), guide)
    best = search.run(budget, should_stop).ranked[0].action
    return best is None or not guide.backs_out_with(best)
