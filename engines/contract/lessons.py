"""Lessons: small positions that each show one rule of a game."""

from dataclasses import dataclass

from engines.core.phrase import Phrase
from engines.core.types import Json


@dataclass(frozen=True)
class Lesson:
    """A position and its solution, with a sentence before the solution and one after it.

    No other seat acts, so the solution is one turn, or several turns in a row.
    """

    name: str
    """The lesson's name, unique in its ruleset; used in links."""
    title: Phrase
    before: Phrase
    after: Phrase
    position: Json
    """The start position, in which the learner has seat 0."""
    solution: tuple[str, ...]
    """The learner's actions in order, as text."""
    if_wrong: Phrase | None = None
    """Tells a learner who took another action why it isn't the solution; None if no other action is possible."""
