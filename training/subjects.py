"""Subjects of training: each ruleset at each number of players, and its features."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import engines.gridcannon.features
import engines.gridcannon.value
from engines import RULESETS
from engines.ai import one_step
from engines.ai.value_network import ValueNetwork
from engines.contract.policy import Policy, SearchGuide
from engines.core.types import Json
from engines.gridcannon.policy import OddsAdept
from engines.regicide import features, value
from engines.regicide.tables import ENEMIES
from engines.ruleset import Action, Ruleset
from training import gridcannon_exploration

WORLDS: Final = 3
"""Worlds sampled per decision in Regicide."""

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

    @property
    def name(self) -> str:
        """Key in ``SUBJECTS``."""
        return f"{self.ruleset.name}.{self.players}"


def _regicide(players: int) -> Subject:
    def guide(network: ValueNetwork, utilities: tuple[float, ...]) -> SearchGuide[Any]:
        return value.ValueGuide(lambda _: network, (utilities,) * (players + 1))

    def ranked(position: Any, seat: int, guide: SearchGuide[Any], rng: Random) -> Ranked:
        return [*one_step.ranked(ruleset.worlds(position.view(seat)), seat, guide, rng, WORLDS)]

    utilities, ruleset = value.UTILITIES[players], RULESETS["regicide"]
    return Subject(
        ruleset,
        players,
        {},
        ruleset.levels["adept"].policy,
        None,
        lambda _: True,
        features.features,
        features.count(players),
        0,
        utilities,
        tuple([min(1.0, place / ENEMIES) for place in range(len(utilities))]),
        value.outcome_class,
        guide,
        ranked,
    )


def _gridcannon(players: int) -> Subject:
    def guide(network: ValueNetwork, _: tuple[float, ...]) -> SearchGuide[Any]:
        return engines.gridcannon.value.ValueGuide(lambda _: network)

    return Subject(
        RULESETS["gridcannon"],
        players,
        {"turn_limit": 300},
        OddsAdept(),
        gridcannon_exploration.explore,
        engines.gridcannon.value.is_asked,
        engines.gridcannon.features.features,
        engines.gridcannon.features.count(players),
        players,
        (*[1.0] * players, 0.5),
        (0.0,) * (players + 1),
        engines.gridcannon.value.outcome_class,
        guide,
        None,
    )


SUBJECTS: Final[Mapping[str, Subject]] = {
    **{f"regicide.{players}": _regicide(players) for players in (1, 2, 3, 4)},
    **{f"gridcannon.{players}": _gridcannon(players) for players in (2, 4)},
}
"""Subjects by ruleset and number of players, as ``regicide.2``."""
