"""Second thoughts: what is begun and then carried out, a ploy that is declared and used, is weighed as one.

A search rates a beginning by how its guide would carry it out. But when that is due the seat searches again, and often
finds that it had better take it all back: everybody was stopped for nothing. So before anything is begun the seat
searches as if it had been, and if it would take that back, once more for what to do instead.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from random import Random
from typing import Any, Final

from engines.ai.observation import Observation
from engines.ai.search import Estimate, Search, never
from engines.contract.levels import Budget
from engines.contract.policy import SearchGuide
from engines.contract.position import Action
from engines.core.dealer import SimulationDealer

THEN: Final = "/then"
INSTEAD: Final = "/instead"
"""What is added to an AI's seed for a second thought, and for what to do instead; records are replayed with these."""
REGRET: Final = 0.1
"""By how much it must win more often to take back what was begun than to carry it out; by half of what is still to be
won, if that is less: who has nearly won shall win."""
LEAST_VISITS: Final = 20
"""Fewer say little."""


def settled(
    ranked: tuple[Estimate, ...],
    observation: Observation,
    guide: SearchGuide[Any],
    budget: Budget,
    should_stop: Callable[[], bool] = never,
) -> Action | None:
    """Return the best of what was *ranked* that holds good at a second thought, each of as many iterations as *budget*.

    It doesn't look at the clock: equal observations and ranks give equal actions.
    """
    best = ranked[0].action
    if best is not None and guide.is_taken_back_by(best):
        for other in ranked[1:2]:
            if other.visits >= LEAST_VISITS and ranked[0].value - other.value < min(REGRET, (1 - other.value) / 2):
                return other.action
        return best
    budget = replace(budget, seconds=inf, hurried=True)
    left = frozenset[Action]()
    while (
        best is not None
        and guide.is_begun_by(best)
        and not _would_carry_out(best, observation, guide, budget, should_stop)
    ):
        begun = [one.action for one in ranked if one.action is not None and guide.is_begun_by(one.action)]
        left = left | frozenset(begun if left else [best])  # who hesitates twice begins nothing
        asked = replace(observation, seed=f"{observation.seed}{INSTEAD}{len(left)}")
        ranked = Search(asked, guide, left).think(budget, should_stop).ranked
        best = ranked[0].action
    return best


def _would_carry_out(
    action: Action,
    observation: Observation,
    guide: SearchGuide[Any],
    budget: Budget,
    should_stop: Callable[[], bool],
) -> bool:
    """Return whether the seat, once it has begun something by *action*, would go through with it."""
    ruleset, seat, seed = observation.ruleset, observation.seat, observation.seed + THEN
    rng = Random(seed)
    world = ruleset.imagine(observation.view, rng)
    world.apply(seat, action, SimulationDealer(rng))
    if seat not in world.to_act():
        return True  # others come first: who knows what is worth doing then
    search = Search(replace(observation, view=world.view(seat), seed=seed), guide)
    best = search.think(budget, should_stop).ranked[0].action
    return best is None or not guide.is_taken_back_by(best)
