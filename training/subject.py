"""What training needs of a game: ``SUBJECTS`` of the package ``training`` in the game's folder are of this class."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from engines.ai.value_network import ValueNetwork
from engines.contract.policy import Policy, SearchGuide
from engines.core.types import Json
from engines.ruleset import Action, Ruleset

Ranked = list[tuple[float, Action | None]]


@dataclass(frozen=True)
class Subject:
    """A ruleset for so many players."""

    ruleset: Ruleset
    players: int
    options: Json
    teacher: Policy[Any]
    """The policy of the first games."""
    explore: Callable[[Any, int, Random], Action] | None
    """Returns an exploratory action of a teacher; None: it never explores."""
    is_asked: Callable[[Any], bool]
    """Returns whether a search asks the network about a position."""
    features: Callable[[Any], list[int]]
    feature_count: int
    seats: int
    """Number of outcomes, the first ones, that are wins of one seat each, counted from the one on turn."""
    utilities: tuple[float, ...]
    """Value of each outcome."""
    progress: tuple[float, ...]
    """Progress at each outcome, from 0 to 1: rewarded at first, while no game is won."""
    ending: Callable[[Any], int]
    guide: Callable[[ValueNetwork, tuple[float, ...]], SearchGuide[Any]]
    """Makes a guide from a network and utilities."""
    ranked: Callable[[Any, int, Any, Random], Ranked] | None
    """Rates a seat's actions by a guide, one step ahead; None: there are teacher games alone."""
    opening: int
    """Maximum number of decisions of weaker players at the beginning of a game that measures calibration."""

    @property
    def name(self) -> str:
        """Key in ``training.subjects.SUBJECTS``: the ruleset and the number of players."""
        return f"{self.ruleset.name}.{self.players}"
