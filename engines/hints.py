"""Hints: what an AI would do with what a seat knows, how it rates each action, and why, in a sentence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from engines.foresight import imagined
from engines.levels import Budget
from engines.observation import Observation
from engines.opponents import choose
from engines.phrase import Naming, Phrase, chained, numbered
from engines.ruleset import Action, Ruleset
from engines.search import Estimate, Search, never
from engines.types import Json

GLANCE: Final = Budget(iterations=200, seconds=0.1)
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


def time_for(ruleset: Ruleset, level: str) -> Budget:
    """Return how long a hint of *level* is thought about: as an AI of that level thinks at most, or for a glance."""
    return replace(ruleset.levels[level].budget or GLANCE, hurried=False)


def advise(
    level: str, observation: Observation, *, should_stop: Callable[[], bool] = never, name: Naming = numbered
) -> Hint:
    """Return what an AI of *level* makes of what it sees, and nothing more than that; *name* says who sits at a seat.

    The values are what the search has seen in imagined games. A level without search puts first what it would do, and
    leaves it to a short search to rate that and to rank the others.
    """
    thought = Search(observation).think(time_for(observation.ruleset, level), should_stop, forced=True)
    ranked = list(thought.ranked)
    if observation.ruleset.levels[level].budget is None:
        chosen = choose(level, observation).action
        ranked.sort(key=lambda estimate: estimate.action != chosen)

    def label(action: Action | None) -> Phrase:
        return WAIT if action is None else observation.ruleset.label(action, name)

    return Hint(tuple(ranked), _why(_sure(observation, ranked[0].action, name), ranked, label), label)


def effects(
    ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str = "", name: Naming = numbered
) -> list[Phrase]:
    """Return clauses on what *action* does for sure, whatever *view* hides: the same in any *dream* of it."""
    return [
        ruleset.clause(event.as_json(), "" if event.seat is None else name(event.seat), name)
        for event in imagined(ruleset, view, seat, action, dream)
        if event.type in ruleset.foreseen
    ]


def _sure(observation: Observation, action: Action | None, name: Naming) -> Phrase | None:
    """Say what an action does for sure; None if nothing is sure."""
    if action is None:
        return WAITING
    sure = effects(observation.ruleset, observation.view, observation.seat, action, name=name)
    return chained(sure) if sure else None


def _why(sure: Phrase | None, ranked: list[Estimate], label: Callable[[Action | None], Phrase]) -> Phrase:
    """Say in one sentence what the best action does, and how it compares."""
    best = ranked[0]
    act, chance = sure or label(best.action), _percent(best)
    if len(ranked) == 1:
        return Phrase("{act}: an estimated {chance}% to win, and there is nothing else to do", act=act, chance=chance)
    other = ranked[1]
    if other.chance >= best.chance:  # the second may have had luck in the few games that it was tried in
        return Phrase("{act}: an estimated {chance}% to win", act=act, chance=chance)
    return Phrase(
        "{act}: an estimated {chance}% to win, against {less}% for “{other}”",
        act=act,
        chance=chance,
        less=_percent(other),
        other=label(other.action),
    )


def _percent(estimate: Estimate) -> int:
    return round(100 * estimate.chance)
