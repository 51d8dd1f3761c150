"""The puzzles of a game: their goal, the decisions that the solver makes, and candidates for start positions."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from pathlib import Path
from random import Random
from typing import ClassVar, Generic

from engines.contract.events import Event
from engines.contract.position import Action, P
from engines.core.mypyc_support import mypyc_attr
from engines.core.phrase import Naming, Phrase


@mypyc_attr(allow_interpreted_subclasses=True)
class PuzzleRules(ABC, Generic[P]):
    """The rules of the puzzles of one game.

    A puzzle has one solver, who chooses the actions of each seat that must act. In a cooperative game the solver plays
    all seats and sees all hands.
    """

    goal: ClassVar[str]
    """The goal as a word for programs."""
    file: ClassVar[Path]
    """The file with the proved puzzles."""

    @abstractmethod
    def goal_text(self, position: P) -> Phrase:
        """Return the goal as a sentence."""

    @abstractmethod
    def reached(self, start: P, position: P) -> bool | None:
        """Return whether *position* fulfils the goal of the puzzle from *start*; None while it is undecided."""

    @abstractmethod
    def key(self, position: P) -> Hashable:
        """Return a cache key: positions with equal keys are equivalent for the goal."""

    @abstractmethod
    def candidates(self, rng: Random) -> Iterator[P]:
        """Play a game and yield its positions that may be puzzles."""

    def hidden_after(self, events: list[Event], hidden: frozenset[str]) -> frozenset[str] | None:
        """Return the cards whose places are unknown after *events*; None if *events* drew a card from *hidden*.

        *hidden* has the cards whose places were unknown before. The cards that *events* shuffled are added. The default
        returns *hidden* unchanged.
        """
        return hidden

    def choices(self, position: P) -> list[Action]:
        """Return the actions that a puzzle offers to the seat that must act."""
        return position.legal(position.to_act()[0])

    def completes_move(self, position: P) -> bool:
        """Return whether the next action completes a move that the last action began."""
        return False

    def known(self, position: P, hidden: frozenset[str], name: Naming) -> list[Phrase]:
        """Return what the solver knows beyond the view of the seat that must act; *name* names the seats.

        The places of the cards in *hidden* are unknown.
        """
        return []
