"""The levels: what an AI at a table does with what its seat may know, and nothing more."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from engines.ruleset import Action, Json, Ruleset


@dataclass(frozen=True)
class Level:
    """How an AI thinks: by which policy."""

    name: str
    policy: str


LEVELS: Final[Mapping[str, Level]] = {
    "novice": Level("novice", policy="novice"),
    "adept": Level("adept", policy="adept"),
}

STAND_IN: Final = "adept"
"""Who acts for a player whose time is up."""


@dataclass(frozen=True)
class Choice:
    """What an AI decided, and the work that it took."""

    action: Action | None
    iterations: int


def choose(ruleset: Ruleset, level: str, view: Json, seat: int, seed: str, signals: Mapping[int, str]) -> Choice:
    """Return what the AI of *level* at *seat* does when it sees *view*.

    Equal views, seeds and signals give equal choices. The action is None if it lets others act, which only a seat
    that needn't act may do.
    """
    rng = Random(seed)
    world = ruleset.imagine(view, rng)
    return Choice(ruleset.policies[LEVELS[level].policy].choose(world, seat, rng, signals), iterations=0)


def signal(ruleset: Ruleset, level: str, view: Json, seat: int, seed: str) -> str | None:
    """Return the signal that the AI of *level* at *seat* gives (R22), or None."""
    rng = Random(seed)
    return ruleset.policies[LEVELS[level].policy].signal(ruleset.imagine(view, rng), seat, rng)
