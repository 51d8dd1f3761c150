"""Regicide's value networks, and the search guide that evaluates positions by them.

The networks are trained by self-play (``make train``), one per player count: ``value.<players>.bin``.
"""

from collections.abc import Callable
from functools import cache
from typing import ClassVar, Final

from engines.ai.calibration import Points, calibrated
from engines.ai.value_network import ValueNetwork, read_network
from engines.regicide.features import count, features
from engines.regicide.policy import Adept
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import ENEMIES, NO_ENEMY

Utilities = tuple[float, ...]

UTILITIES: Final[tuple[Utilities, ...]] = (
    (),
    (*[0.0] * ENEMIES, 0.25, 0.5, 1.0),
    *[(*[0.0] * ENEMIES, 1.0)] * 3,
)
"""By player count: the value of each outcome class.

The classes are the losses by the number of defeated enemies (0 to 11), then the win. For a solo player there are three
wins instead: bronze, silver and gold.
"""

MASTER_UTILITIES: Final[tuple[Utilities, ...]] = (
    UTILITIES[0],
    (*[0.0] * ENEMIES, 0.15, 0.35, 1.0),
    *UTILITIES[2:],
)
"""As ``UTILITIES``, for players who take more risks for gold (docs/training.md)."""


CALIBRATION: Final[tuple[Points, ...]] = (
    (),
    (
        (0.0006, 0.069),
        (0.0287, 0.4569),
        (0.1095, 0.5345),
        (0.2232, 0.7586),
        (0.3818, 0.8678),
        (0.5109, 0.931),
        (0.6584, 0.9362),
        (0.7666, 0.9612),
        (0.7884, 0.9741),
        (0.8205, 0.9856),
        (0.9569, 1.0),
    ),
    (
        (0.2208, 0.4094),
        (0.4751, 0.8844),
        (0.5695, 0.9445),
        (0.6289, 0.9589),
        (0.6513, 0.9672),
        (0.6709, 0.9797),
        (0.6931, 0.9828),
        (0.7118, 0.9844),
        (0.7374, 0.9859),
        (0.7715, 0.9961),
        (0.8266, 0.9984),
        (0.9635, 1.0),
    ),
    ((0.2891, 0.7692), (0.5569, 0.9528), (0.6276, 0.9615), (0.6555, 0.979), (0.7629, 0.9868), (0.9576, 1.0)),
    (
        (0.0905, 0.3091),
        (0.3104, 0.7333),
        (0.4307, 0.8869),
        (0.4841, 0.8909),
        (0.5124, 0.9091),
        (0.5421, 0.9152),
        (0.5636, 0.9455),
        (0.5719, 0.9515),
        (0.6893, 0.9606),
        (0.8895, 0.9838),
        (0.9737, 0.9939),
        (0.9986, 1.0),
    ),
)
"""By player count: pairs of a search's estimate and the win rate that was observed for it.

Computed by ``python -m training.chance_calibration regicide.1``, and so on to ``regicide.4``.
"""


def network_file(players: int) -> bytes:
    """Return the bytes of the network for this number of players. Raises ``UnusableFile``."""
    return read_network("engines.regicide", players, count(players), len(UTILITIES[players]))


@cache
def load_network(players: int) -> ValueNetwork:
    """Return the network for this number of players. Raises ``UnusableFile``."""
    return ValueNetwork(network_file(players))


def outcome_class(position: RegicidePosition) -> int:
    """Return the outcome class of a game that is over: an index of ``UTILITIES``."""
    if position.enemy != NO_ENEMY:
        return position.defeated
    return ENEMIES + 2 - position.flips if position.players == 1 else ENEMIES


class ValueGuide(Adept):
    """Scores actions like ``Adept``, and evaluates positions by a network, without a rollout."""

    horizon: ClassVar[int] = 0

    def __init__(
        self, network: Callable[[int], ValueNetwork] = load_network, utilities: tuple[Utilities, ...] = UTILITIES
    ) -> None:
        self._network, self._utilities = network, utilities

    def value(self, position: RegicidePosition, seat: int) -> float:
        return self.evaluate(position, seat)[0]

    def win_probability(self, position: RegicidePosition, seat: int) -> float:
        return self.evaluate(position, seat)[1]

    def evaluate(self, position: RegicidePosition, seat: int) -> tuple[float, float]:
        """Return the expected utility, and the probability to win with any medal."""
        utilities = self._utilities[position.players]
        if position.is_over:
            return utilities[outcome_class(position)], float(position.enemy == NO_ENEMY)
        shares = self._network(position.players).outcome_probabilities(features(position))
        value = chance = 0.0
        for index in range(len(shares)):
            value += shares[index] * utilities[index]
            if index >= ENEMIES:
                chance += shares[index]
        return value, chance

    def calibrated(self, estimate: float, players: int) -> float:
        return calibrated(estimate, CALIBRATION[players])
