"""Hints: what an AI would do with what a seat knows, how it rates each action, and why, in a sentence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from engines.dealer import QuickDealer
from engines.events import Event
from engines.opponents import LEVELS, choose
from engines.ruleset import Action, Json, Ruleset
from engines.search import Budget, Estimate, Search, never

GLANCE: Final = Budget(iterations=200, seconds=0.1)
"""How the actions are rated for a level that doesn't search by itself."""

WAITING: Final = "let others act"


@dataclass(frozen=True)
class Hint:
    """What an AI thinks of everything that a seat may do, best first."""

    ranked: tuple[Estimate, ...]
    why: str

    def as_json(self) -> Json:
        """Return ``{"actions": [{"action", "text", "value", "visits"}], "why"}``; the action is null for waiting."""
        return {"actions": [_rated(estimate) for estimate in self.ranked], "why": self.why}


def budget_of(level: str) -> Budget:
    """Return how long a hint of *level* is thought about: as an AI of that level thinks at most, or for a glance."""
    return replace(LEVELS[level].budget or GLANCE, hurried=False)


def advise(  # the last one by keyword: when to stop
    ruleset: Ruleset,
    level: str,
    view: Json,
    seat: int,
    seed: str,
    signals: Mapping[int, str],
    *,
    should_stop: Callable[[], bool] = never,
) -> Hint:
    """Return what an AI of *level* at *seat* makes of *view*, and nothing more than that.

    The values are what the search has seen in imagined games. A level without search puts first what it would do, and
    leaves it to a short search to rate that and to rank the others.
    """
    thought = Search(ruleset, view, seat, seed, signals).think(budget_of(level), should_stop, forced=True)
    ranked = list(thought.ranked)
    if LEVELS[level].budget is None:
        chosen = choose(ruleset, level, view, seat, seed, signals).action
        ranked.sort(key=lambda estimate: estimate.action != chosen)
    return Hint(tuple(ranked), _why(ruleset, view, seat, ranked))


def effects(ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str = "") -> list[str]:
    """Return the sentences on what *action* does for sure, whatever *view* hides: the same in any *dream* of it."""
    rng, heard = Random(dream), list[Event]()
    ruleset.imagine(view, rng).apply(seat, action, QuickDealer(rng), heard)
    told = [
        ruleset.sentence(event.as_json(), f"seat {event.seat}") for event in heard if event.type in ruleset.foreseen
    ]
    return [sentence for sentence in told if sentence]


def _why(ruleset: Ruleset, view: Json, seat: int, ranked: list[Estimate]) -> str:
    """Return one sentence: what the best action does, and how it compares."""
    best = ranked[0]
    said = [] if best.action is None else effects(ruleset, view, seat, best.action)
    act = "; ".join([sentence.rstrip(".!") for sentence in said]).replace("; The ", "; the ") or _text(best.action)
    rated = f"{act[0].upper()}{act[1:]}: an estimated {best.chance:.0%} to win"
    if len(ranked) == 1:
        return f"{rated}, and there is nothing else to do."
    other = ranked[1]
    if other.chance >= best.chance:  # the second may have had luck in the few games that it was tried in
        return f"{rated}."
    return f"{rated}, against {other.chance:.0%} for {_text(other.action)}."


def _text(action: Action | None) -> str:
    return WAITING if action is None else str(action)


def _rated(estimate: Estimate) -> Json:
    action = estimate.action
    return {
        "action": None if action is None else action.as_json(),
        "text": _text(action),
        "value": round(estimate.chance, 4),
        "visits": estimate.visits,
    }
