"""All that a ruleset is written with, in one module: base classes and the types of their methods.

See `docs/add-a-ruleset.md`. Cards, errors, phrases and JSON schemas are in ``engines.core``.
"""

from engines.contract.base import Ruleset
from engines.contract.events import Event
from engines.contract.lessons import Lesson
from engines.contract.levels import EXPERT, MASTER, Budget, Level
from engines.contract.policy import (
    EpsilonPolicy,
    Policy,
    SampledWorlds,
    ScoredActions,
    SearchGuide,
    VerdictFunction,
    Worlds,
)
from engines.contract.position import Action, P, Position, Verdict, overflow, step
from engines.core.types import Json

__all__ = [
    "EXPERT",
    "MASTER",
    "Action",
    "Budget",
    "EpsilonPolicy",
    "Event",
    "Json",
    "Lesson",
    "Level",
    "P",
    "Policy",
    "Position",
    "Ruleset",
    "SampledWorlds",
    "ScoredActions",
    "SearchGuide",
    "Verdict",
    "VerdictFunction",
    "Worlds",
    "overflow",
    "step",
]
