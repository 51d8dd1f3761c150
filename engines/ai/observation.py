"""What an AI decides by: what its seat may know, and where its own chances come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.contract.base import Ruleset
from engines.core.types import Json


@dataclass(frozen=True)
class Observation:
    """A game as one seat sees it now; equal observations give equal choices."""

    ruleset: Ruleset
    view: Json
    seat: int
    seed: str
    """What every chance in the AI's thoughts follows from, the worlds that it imagines too."""
    signals: Mapping[int, str] = field(default_factory=dict)
    """What seats have signalled since the last action."""
