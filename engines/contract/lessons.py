"""Lessons: small positions that each show one thing of a game, played as any other game is."""

from dataclasses import dataclass

from engines.core.phrase import Phrase
from engines.core.types import Json


@dataclass(frozen=True)
class Lesson:
    """One thing to learn: a position, a sentence before it and one after it, and what is to be done for it."""

    name: str
    """Unique in its ruleset; for links."""
    title: Phrase
    before: Phrase
    after: Phrase
    position: Json
    """Where it begins; seat 0 is the learner's."""
    solution: tuple[str, ...]
    """The learner's actions, one after the other, as text."""
