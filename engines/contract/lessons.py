"""Lessons: small positions that each show one rule of a game."""

from dataclasses import dataclass

from engines.core.phrase import Phrase
from engines.core.types import Json


@dataclass(frozen=True)
class Lesson:
    """A position, what to do in it, and a sentence before and after.

    Nobody else acts, so the solution is one turn, or more in a row.
    """

    name: str
    """Unique in its ruleset; used in links."""
    title: Phrase
    before: Phrase
    after: Phrase
    position: Json
    """The start position; seat 0 is the learner's."""
    solution: tuple[str, ...]
    """The learner's actions in order, as text."""
