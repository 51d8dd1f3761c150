"""The input of an AI's decision: the knowledge of its seat, and the seed of its random numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.contract.base import Ruleset
from engines.core.types import Json


@dataclass(frozen=True)
class Observation:
    """A game as one seat sees it now; equal observations give equal decisions."""

    ruleset: Ruleset
    view: Json
    seat: int
    seed: str
    """Seed of all random numbers of the decision, including those that sample worlds."""
    signals: Mapping[int, str] = field(default_factory=dict)
    """The signals that seats have given since the last action, by seat."""
