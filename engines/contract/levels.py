"""How an AI of a level thinks: by which policy, and how long it searches, if it does."""

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from engines.contract.policy import Policy, SearchGuide
from engines.core.types import Json


@dataclass(frozen=True)
class Budget:
    """How long to think: so many iterations, or until so many seconds have passed, whatever comes first."""

    iterations: int
    seconds: float = inf
    hurried: bool = False
    """Stop as soon as no action can be visited more often than the leader any more."""
    foresight: int = 1
    """How often imagined games are judged, each time further on; the values are averaged."""

    def as_json(self) -> Json:
        """Return what a record says of it; ``seconds`` is None if it is as long as it takes."""
        seconds = None if self.seconds == inf else self.seconds
        return {"iterations": self.iterations, "seconds": seconds, "foresight": self.foresight}

    def exactly(self, iterations: int) -> "Budget":
        """Return what it takes to repeat a search that took so many iterations: no clock, no hurry."""
        return replace(self, iterations=iterations, seconds=inf, hurried=False)


@dataclass(frozen=True)
class Level:
    """How an AI thinks. A level that searches has a guide and a budget; its policy still gives the signals."""

    policy: Policy[Any]
    guide: SearchGuide[Any] | None = None
    budget: Budget | None = None
    rating: int | None = None
    """How well it plays: Elo points among rivals; in a team, the per cent that two of them win. None: unknown."""


EXPERT: Budget = Budget(iterations=600, seconds=0.2, hurried=True)
MASTER: Budget = Budget(iterations=3000, seconds=1.0, hurried=True)
"""What these levels may take in any game: a ruleset may let them do with fewer iterations."""
