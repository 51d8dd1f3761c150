"""The rulesets and player counts that benchmarks measure, and other projects' engines to compare with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Final

from engines import RULESETS
from engines.ai.random_play import play_out
from engines.core.dealer import SimulationDealer

FIRST_RULESET: Final = next(iter(RULESETS))
"""The ruleset whose games are used as load: the first of the catalogue."""
RULESETS_WITH_PLAYER_COUNTS: Final = tuple(
    (name, count) for count in (2, 3, 4) for name in RULESETS if count in RULESETS[name].player_counts
)
"""Pairs of a ruleset and a number of players from 2 to 4: the tables of a server with all kinds of games."""


@cache
def longest_game() -> str:
    """Return the ruleset whose random game for two takes the most actions, so that games last for the whole load."""
    for_two = [name for name, ruleset in RULESETS.items() if 2 in ruleset.player_counts]
    rng = Random(0)
    return max(for_two, key=lambda name: play_out(RULESETS[name].new(2, {}, SimulationDealer(rng)), rng))


@dataclass(frozen=True)
class PeerEngine:
    """Another project's engine of a game, and the module that measures it without imports from this project."""

    folder: str
    """The engine's folder, below the folder of all peers."""
    module: str
    """The module, which prints figures by row, with the rows of ``benchmarks.engine_speed``."""


def peer_engines() -> Mapping[str, PeerEngine]:
    """Return the engines that the games' packages ``benchmarks`` list in ``PEER_ENGINES``, by name and version."""
    return dict(_peer_engines())


def _peer_engines() -> Iterator[tuple[str, PeerEngine]]:
    for ruleset in RULESETS.values():
        package = type(ruleset).__module__.rpartition(".")[0]
        if package and find_spec(f"{package}.benchmarks") is not None:
            yield from import_module(f"{package}.benchmarks").PEER_ENGINES.items()
