"""Hints: what an AI would do with what a seat knows, how it rates each action, and why, in a sentence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from engines.ai.compound_actions import settled
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.ai.search import Estimate, Search, never
from engines.contract.base import Ruleset
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.core.phrase import Naming, Phrase, chained, numbered
from engines.core.types import Json
from engines.table.preview import preview

QUICK_BUDGET: Final = Budget(iterations=200, seconds=0.1)
"""How the actions are rated for a level that doesn't search by itself."""

WAITING: Final = Phrase("let others act")
WAIT: Final = Phrase("Let others act")
"""The same on a button."""


@dataclass(frozen=True)
class Hint:
    """What an AI thinks of everything that a seat may do, best first."""

    ranked: tuple[Estimate, ...]
    why: Phrase
    """One sentence on the best of them, still without its capital and its full stop."""
    label: Callable[[Action | None], Phrase]
    """What an action is called on a button."""

    def as_json(self) -> Json:
        """Return ``{"actions": [{"action", "text", "label", "value", "visits"}], "why"}``.

        The action is null for waiting. ``label`` and ``why`` are phrases as they are kept: whoever shows them knows the
        reader's language.
        """
        return {"actions": [self._rated(estimate) for estimate in self.ranked], "why": self.why.as_json()}

    def _rated(self, estimate: Estimate) -> Json:
        action = estimate.action
        return {
            "action": None if action is None else action.as_json(),
            "text": str(WAITING if action is None else action),
            "label": self.label(action).as_json(),
            "value": round(estimate.chance, 4),
            "visits": estimate.visits,
        }


def budget_for(ruleset: Ruleset, level: str) -> Budget:
    """Return how long a hint of *level* is thought about: as an AI of that level thinks at most, or for a glance."""
    return replace(ruleset.levels[level].budget or QUICK_BUDGET, hurried=False)


def advise(
    level: str,
    observation: Observation,
    *,
    taken: Action | None = None,
    should_stop: Callable[[], bool] = never,
    name: Naming = numbered,
) -> Hint:
    """Return what an AI of *level* makes of what it sees, and nothing more than that; *name* says who sits at a seat.

    The values are calibrated: of the actions that are said to win 0.6, six in ten do if experts play on. A level
    without search puts first what it would do, and leaves it to a short search to rate that and to rank the others.
    What was *taken*, by an AI in the past, comes first.
    """
    thought = Search(observation).think(budget_for(observation.ruleset, level), should_stop, forced=True)
    ranked = list(thought.ranked)
    if taken is not None:
        chosen: Action | None = taken
    elif observation.ruleset.levels[level].budget is None:
        chosen = think(Question(level, observation)).action
    else:
        budget = budget_for(observation.ruleset, level)
        chosen = settled(thought.ranked, observation, observation.ruleset.guide, budget, should_stop)
    ranked.sort(key=lambda estimate: estimate.action != chosen)

    def label(action: Action | None) -> Phrase:
        return WAIT if action is None else observation.ruleset.label(action, name)

    best, *others = ranked
    why = explained(observation, best, others[0], label, name) if others else _only(observation, best, label, name)
    return Hint(tuple(ranked), why, label)


def effects(
    ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str = "", name: Naming = numbered
) -> list[Phrase]:
    """Return clauses on what *action* does for sure, whatever *view* hides: the same in any *dream* of it."""
    return [
        ruleset.clause(sure.seen_by(seat), "" if sure.event.seat is None else name(sure.event.seat), name)
        for sure in preview(ruleset, view, seat, action, dream).events
        if sure.event.type in ruleset.foreseen
    ]


def _sure(observation: Observation, action: Action | None, name: Naming) -> Phrase | None:
    """Say what an action does for sure; None if nothing is sure."""
    if action is None:
        return WAITING
    sure = effects(observation.ruleset, observation.view, observation.seat, action, name=name)
    return chained(sure) if sure else None


def explained(
    observation: Observation,
    best: Estimate,
    other: Estimate | None,
    label: Callable[[Action | None], Phrase],
    name: Naming,
) -> Phrase:
    """Say in a sentence what the best action does, and how it compares with another that is said to win less often."""
    act, chance = _sure(observation, best.action, name) or label(best.action), _percent(best)
    if other is None or _percent(other) >= chance:  # the other may have had luck in the few games it was tried in
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
    return round(100 * estimate.chance)
