"""Decides for an AI player: takes one `Question` and returns one `Decision`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Final

from engines.ai.compound_actions import best_without_needless_step
from engines.ai.observation import Observation
from engines.ai.plan_search import PlanSearch, search_of
from engines.ai.search import Search, never
from engines.contract.levels import Budget, Level
from engines.contract.position import Action
from engines.core.types import Json

STAND_IN_LEVEL: Final = "adept"
"""Name of the AI level that acts for a person who hasn't acted before the deadline."""

SECOND_SEED_SUFFIX: Final = "/beside"
"""Suffix of an AI's seed for the second search that versions before 1.0 ran; only `repeat` uses it."""


class NoActionChosen(Exception):
    """An AI that must act returned no action. This is a programming error in its policy or guide."""


@dataclass(frozen=True)
class Question:
    """The question to an AI at one version of a game, with all that the AI may know."""

    level: str
    observation: Observation
    may_signal: bool = False
    """True if the seat may give a signal now; an AI decides about a signal before it acts."""
    may_act: bool = True
    must_act: bool = False

    @property
    def rated(self) -> Level:
        """The level as the ruleset defines it: policy, guide and budget."""
        return self.observation.ruleset.levels[self.level]

    @property
    def untimed(self) -> Budget | None:
        """The budget of the level without its limit of seconds; None if the level doesn't search."""
        budget = self.rated.budget
        return None if budget is None else replace(budget, seconds=inf)


@dataclass(frozen=True)
class Decision:
    """A decision of an AI: a signal, an action, or a pass, which lets other seats act."""

    action: Action | None = None
    signal: str | None = None
    iterations: int = 0
    note: Json | None = None
    """The journal's note on an action: level, iterations and budget, which can't be computed from the game."""

    @property
    def is_pass(self) -> bool:
        """True if the decision is neither a signal nor an action."""
        return self.action is None and self.signal is None


def think(question: Question, budget: Budget | None = None, should_stop: Callable[[], bool] = never) -> Decision:
    """Return the AI's decision. Equal questions and numbers of iterations give equal decisions.

    *budget* replaces the level's budget if the level searches; other levels ignore it. Raises `NoActionChosen`.
    """
    signal = _signal(question) if question.may_signal else None
    if signal is not None or not question.may_act:
        return Decision(signal=signal)
    level = question.rated
    if level.budget is None:
        return _by_policy(question)
    search = search_of(question.observation, level.guide)
    if search.should_pass:
        return Decision()
    iterations = search.run(budget or level.budget, should_stop).iterations
    return _by_search(question, search, level.budget, iterations, should_stop)


def repeat(question: Question, iterations: int, second_iterations: int = 0) -> Decision:
    """Repeat a decision on an action: return what `think` returned for *question* after a search of *iterations*.

    The search has no time limit. *second_iterations* is the number of iterations of the second search, with another
    seed, that only versions before 1.0 ran; 0 if there was none.
    """
    level, observation = question.rated, question.observation
    if level.budget is None:
        return _by_policy(question)
    search = search_of(observation, level.guide)
    taken = search.run(level.budget.exactly(iterations)).iterations
    if second_iterations and isinstance(search, Search):
        second = Search(replace(observation, seed=observation.seed + SECOND_SEED_SUFFIX), level.guide)
        second.run(level.budget.exactly(second_iterations))
        search.add(second.counts())
    return _by_search(question, search, level.budget, taken)


def _signal(question: Question) -> str | None:
    seen = question.observation
    rng = Random(seen.seed)
    return question.rated.policy.signal(seen.ruleset.imagine(seen.view, rng), seen.seat, rng)


def _by_policy(question: Question) -> Decision:
    seen = question.observation
    rng = Random(seen.seed)
    world = seen.ruleset.imagine(seen.view, rng)
    return _decision(question, question.rated.policy.choose(world, seen.seat, rng, seen.signals), 0)


def _by_search(
    question: Question,
    search: Search | PlanSearch,
    budget: Budget,
    iterations: int,
    should_stop: Callable[[], bool] = never,
) -> Decision:
    guide = question.rated.guide or question.observation.ruleset.guide
    return _decision(
        question,
        best_without_needless_step(search.ranked(), question.observation, guide, budget, should_stop),
        iterations,
    )


def _decision(question: Question, action: Action | None, iterations: int) -> Decision:
    if action is None:
        if question.must_act:
            raise NoActionChosen("the AI must act, and has chosen no action")
        return Decision(iterations=iterations)
    budget = question.rated.budget
    searched: Json = {} if budget is None else {"budget": budget.as_json()}
    return Decision(action, None, iterations, {"level": question.level, "iterations": iterations, **searched})
