"""Subjects: networks to train. A game lists its subjects as ``SUBJECTS`` of the package ``training`` in its folder."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from engines.ai.value_network import ValueNetwork
from engines.contract.policy import Policy
from engines.contract.search_guide import SearchGuide
from engines.core.types import Json
from engines.ruleset import Action, Ruleset

Ranked = list[tuple[float, Action | None]]


@dataclass(frozen=True)
class Subject:
    """A network to train: its ruleset, its number of players, and the functions and numbers that training needs."""

    ruleset: Ruleset
    players: int
    options: Json
    teacher: Policy[Any]
    """The policy that plays the teacher games, with which training begins."""
    explore: Callable[[Any, int, Random], Action] | None
    """Returns an exploratory action of a teacher; None if teachers never explore."""
    is_asked: Callable[[Any], bool]
    """Returns whether a search evaluates a position by the network."""
    features: Callable[[Any], list[int]]
    feature_count: int
    seats: int
    """Number of outcomes that mean that one seat wins. They come first: the seat on turn, then the seats after it."""
    utilities: tuple[float, ...]
    """The value of each outcome."""
    progress: tuple[float, ...]
    """How far the game came at each outcome, from 0 to 1. Early in training, it is rewarded (``bonus`` in run.py)."""
    ending: Callable[[Any], int]
    guide: Callable[[ValueNetwork, tuple[float, ...]], SearchGuide[Any]]
    """Returns the search guide that uses a network and the given utilities of the outcomes."""
    ranked: Callable[[Any, int, Any, Random], Ranked] | None
    """Rates a seat's actions by a guide, one step ahead; None if there are only teacher games."""
    opening: int
    """Weaker players begin a calibration game with a random number of decisions, which is smaller than this."""

    @property
    def name(self) -> str:
        """Key in ``training.subjects.SUBJECTS``: the ruleset and the number of players."""
        return f"{self.ruleset.name}.{self.players}"
