"""AI levels: a policy, and for levels that search also a guide and a budget."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from engines.contract.policy import Policy
from engines.contract.search_guide import SearchGuide
from engines.core.types import Json


@dataclass(frozen=True)
class Budget:
    """The limits of a search, iterations and seconds; the search ends at the first limit that is reached."""

    iterations: int
    seconds: float = inf
    stops_early: bool = False
    """True to stop as soon as no action can get more visits than the most visited one."""
    evaluations: int = 1
    """Number of evaluations of a rollout, at increasing depths; their mean is backed up."""

    def as_json(self) -> Json:
        """Return the budget in the form of a record, in which the name of ``evaluations`` is ``foresight``.

        ``seconds`` is None if there is no time limit.
        """
        seconds = None if self.seconds == inf else self.seconds
        return {"iterations": self.iterations, "seconds": seconds, "foresight": self.evaluations}

    def exactly(self, iterations: int) -> "Budget":
        """Return the budget that repeats a search of *iterations* exactly: no clock, no early stop."""
        return replace(self, iterations=iterations, seconds=inf, stops_early=False)


@dataclass(frozen=True)
class Level:
    """An AI level. The policy chooses signals; a search chooses actions if *budget* is set, else the policy does."""

    policy: Policy[Any]
    guide: SearchGuide[Any] | None = None
    budget: Budget | None = None
    rating: float | None = None
    """Elo points; in a cooperative game the percentage of games that a team of two wins. None: unknown.

    If all levels have a rating, ratings increase from level to level.
    """
    earlier_budgets: tuple[Budget, ...] = ()
    """The budgets of this level in earlier releases. Records of games that were played with them stay valid."""

    def budget_of(self, written: Json | None) -> Budget | None:
        """Return the present or earlier budget that a record has as *written*. None if there is no such budget."""
        known = (*([] if self.budget is None else [self.budget]), *self.earlier_budgets)
        return next((budget for budget in known if budget.as_json() == written), None)


def level_names(ladders: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Merge the level names of several games, each given weakest first, into one list that keeps each game's order."""
    names = list[str]()
    for ladder in ladders:
        place = 0
        for name in ladder:
            if name not in names:
                names.insert(place, name)
            place = names.index(name) + 1
    return tuple(names)


EXPERT: Budget = Budget(iterations=600, seconds=0.2, stops_early=True)
MASTER: Budget = Budget(iterations=3000, seconds=1.0, stops_early=True)
"""``EXPERT`` and ``MASTER`` are the default budgets of the levels of these names.

A ruleset may set another number of iterations. An expert takes at most 0.2 s, a master at most 1 s.
"""
