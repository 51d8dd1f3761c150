"""Everything that a ruleset needs to import: base classes, schema functions, errors and types.

These names are a stable interface for authors of games (`docs/add-a-ruleset.md`) and programs (`docs/python.md`).
"""

from engines.contract.base import Ruleset
from engines.contract.default_rl_environment import TableEnvironment
from engines.contract.events import Event
from engines.contract.facts_for_checks import Facts, Viewer, whole_event
from engines.contract.lessons import Lesson
from engines.contract.levels import EXPERT, MASTER, Budget, Level
from engines.contract.policy import EpsilonPolicy, Policy
from engines.contract.position import Action, P, Position, Verdict, overflow, step
from engines.contract.puzzles import PuzzleRules
from engines.contract.rl_environment import GAME_OVER, PASS, Environment, Episode, NoEnvironment
from engines.contract.search_guide import Plan, ScoredActions, SearchGuide, VerdictFunction
from engines.contract.worlds import SampledWorlds, Worlds
from engines.core.dealer import Dealer, SeededDealer, SimulationDealer
from engines.core.errors import (
    BadAction,
    BadCard,
    BadOptions,
    BadPosition,
    GameOver,
    IllegalAction,
    NotYourTurn,
    UnusableFile,
)
from engines.core.phrase import YOU, Naming, Phrase, numbered
from engines.core.schemas import NOBODY, many, maybe, one_of, ref, several, whole
from engines.core.strict_reading import Reader, check_seat
from engines.core.types import Json

__all__ = [
    "EXPERT",
    "GAME_OVER",
    "MASTER",
    "NOBODY",
    "PASS",
    "YOU",
    "Action",
    "BadAction",
    "BadCard",
    "BadOptions",
    "BadPosition",
    "Budget",
    "Dealer",
    "Environment",
    "Episode",
    "EpsilonPolicy",
    "Event",
    "Facts",
    "GameOver",
    "IllegalAction",
    "Json",
    "Lesson",
    "Level",
    "Naming",
    "NoEnvironment",
    "NotYourTurn",
    "P",
    "Phrase",
    "Plan",
    "Policy",
    "Position",
    "PuzzleRules",
    "Reader",
    "Ruleset",
    "SampledWorlds",
    "ScoredActions",
    "SearchGuide",
    "SeededDealer",
    "SimulationDealer",
    "TableEnvironment",
    "UnusableFile",
    "Verdict",
    "VerdictFunction",
    "Viewer",
    "Worlds",
    "check_seat",
    "many",
    "maybe",
    "numbered",
    "one_of",
    "overflow",
    "ref",
    "several",
    "step",
    "whole",
    "whole_event",
]
