"""Hints: the action that an AI would choose with a seat's knowledge, and the AI's rating of each action."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from engines.ai.compound_actions import best_without_needless_step
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.ai.plan_search import search_of
from engines.ai.search import Estimate, never
from engines.contract.base import Ruleset
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.core.phrase import Naming, Phrase, join_clauses, numbered
from engines.core.types import Json
from engines.table.preview import preview

QUICK_BUDGET: Final = Budget(iterations=200, seconds=0.1)
"""Search budget of a hint at a level that doesn't search."""

FEW_TRIES_VISIT_RATIO: Final = 2
"""An action has few tries if the best action has more than this many times its visits."""

WAIT_PHRASE: Final = Phrase("let others act")
WAIT_LABEL: Final = Phrase("Let others act")
"""Text of the button for letting others act, as a phrase with an initial capital."""


@dataclass(frozen=True)
class Hint:
    """An AI's ratings of all actions of a seat, best first."""

    ranked: tuple[Estimate, ...]
    why: Phrase
    """One sentence on the best action, without capital letter and full stop."""
    label: Callable[[Action | None], Phrase]
    """Returns the text of a button for an action; None means to let others act."""

    def as_json(self) -> Json:
        """Return ``{"actions": [{"action", "text", "label", "value", "visits"}], "why"}``.

        The action null means to let others act. ``label`` and ``why`` are stored phrases, which callers render.
        """
        return {"actions": [self._rated(estimate) for estimate in self.ranked], "why": self.why.as_json()}

    def _rated(self, estimate: Estimate) -> Json:
        action = estimate.action
        return {
            "action": None if action is None else action.as_json(),
            "text": str(WAIT_PHRASE if action is None else action),
            "label": self.label(action).as_json(),
            "value": round(estimate.win_probability, 4),
            "visits": estimate.visits,
        }


def budget_for(ruleset: Ruleset, level: str) -> Budget:
    """Return the level's search budget without early stop, or ``QUICK_BUDGET`` if the level doesn't search."""
    return replace(ruleset.levels[level].budget or QUICK_BUDGET, stops_early=False)


def advise(
    level: str,
    observation: Observation,
    *,
    taken: Action | None = None,
    should_stop: Callable[[], bool] = never,
    name: Naming = numbered,
) -> Hint:
    """Return the hint of an AI of *level* for an observation; *name* names the seats.

    A search rates all actions. Ratings are calibrated: of actions rated 0.6, six in ten win if experts continue the
    game. The first action is the one that the level would choose or, if given, *taken*, which an AI took in the past.
    The others follow by their probability to win.
    """
    guide = observation.ruleset.levels[level].guide or observation.ruleset.guide
    result = search_of(observation, guide).run(budget_for(observation.ruleset, level), should_stop, forced=True)
    ranked = list(result.ranked)
    if taken is not None:
        chosen: Action | None = taken
    elif observation.ruleset.levels[level].budget is None:
        chosen = think(Question(level, observation)).action
    else:
        budget = budget_for(observation.ruleset, level)
        chosen = best_without_needless_step(result.ranked, observation, guide, budget, should_stop)
    ranked.sort(key=lambda estimate: (estimate.action != chosen, -estimate.win_probability))

    def label(action: Action | None) -> Phrase:
        return WAIT_LABEL if action is None else observation.ruleset.label(action, name)

    return Hint(tuple(ranked), _reason(observation, ranked, label, name), label)


def _reason(
    observation: Observation, ranked: list[Estimate], label: Callable[[Action | None], Phrase], name: Naming
) -> Phrase:
    """Return a sentence on the first of *ranked*, compared with the next one that doesn't have few tries.

    The estimate of an action with few tries (``FEW_TRIES_VISIT_RATIO``) is unreliable. The browser marks such actions
    in its list.
    """
    best, *others = ranked
    if not others:
        return _only(observation, best, label, name)
    other = next((one for one in others if FEW_TRIES_VISIT_RATIO * one.visits >= best.visits), None)
    return explained(observation, best, other, label, name)


def effects(
    ruleset: Ruleset, view: Json, seat: int, action: Action, world_seed: str = "", name: Naming = numbered
) -> list[Phrase]:
    """Return clauses on the effects of *action* that don't depend on hidden cards.

    *world_seed* selects a world for ``preview``; the result is the same in every world.
    """
    return [
        ruleset.clause(sure.seen_by(seat), "" if sure.event.seat is None else name(sure.event.seat), name)
        for sure in preview(ruleset, view, seat, action, world_seed).events
        if sure.event.type in ruleset.foreseen
    ]


def _sure(observation: Observation, action: Action | None, name: Naming) -> Phrase | None:
    """Return a phrase on the certain effects and the purposes of an action; None if it has neither."""
    if action is None:
        return WAIT_PHRASE
    ruleset, view, seat = observation.ruleset, observation.view, observation.seat
    sure = effects(ruleset, view, seat, action, name=name)
    sure += ruleset.purposes(ruleset.imagine(view, Random(observation.seed)), seat, action, name)
    return join_clauses(sure) if sure else None


def explained(
    observation: Observation,
    best: Estimate,
    other: Estimate | None,
    label: Callable[[Action | None], Phrase],
    name: Naming,
) -> Phrase:
    """Return a sentence on the best action. It also mentions *other* if that action wins less often."""
    act, chance = _sure(observation, best.action, name) or label(best.action), _percent(best)
    if other is None or _percent(other) >= chance:  # an estimate from few visits may be higher by chance
        return Phrase("{act}: an estimated {chance}% to win if experts play on", act=act, chance=chance)
    return Phrase(
        "{act}: an estimated {chance}% to win if experts play on, against {less}% for “{other}”",
        act=act,
        chance=chance,
        less=_percent(other),
        other=label(other.action),
    )


def _only(observation: Observation, best: Estimate, label: Callable[[Action | None], Phrase], name: Naming) -> Phrase:
    act = _sure(observation, best.action, name) or label(best.action)
    return Phrase(
        "{act}: an estimated {chance}% to win if experts play on, and there is nothing else to do",
        act=act,
        chance=_percent(best),
    )


def _percent(estimate: Estimate) -> int:
    return round(100 * estimate.win_probability)
