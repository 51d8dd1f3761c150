"""Gridcannon's value networks, and the search guide that evaluates by them.

The networks, ``value.2.bin`` and ``value.4.bin`` for two and four players, are trained on how games ended
(docs/training.md).
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from engines.ai.calibration import with_odds_mapped
from engines.ai.value_network import ValueNetwork, read_network
from engines.gridcannon.features import count, features
from engines.gridcannon.policy import GridcannonGuide
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING
from engines.ruleset import VerdictFunction

TURNS: Final = 3
"""Number of turns from the root, and from each evaluation, to the next evaluation of a rollout."""
LONGEST: Final = 40
"""Maximum number of actions of a rollout between evaluations."""

ODDS: Final = {2: (1.0, 1.26), 4: (0.87, 0.88)}
"""By number of players: how the odds of a search's estimates become those of the results, as a factor and a power.

Fitted to 800 games each: ``python -m training.calibration gridcannon.2 --seed fit-2026-11``, with either ``--opening``.
"""


def network_file(players: int) -> bytes:
    """Return the bytes of the network for so many players. Raises ``UnusableFile``."""
    return read_network("engines.gridcannon", players, count(players), players + 1)


@cache
def load_network(players: int) -> ValueNetwork:
    """Return the network for so many players. Raises ``UnusableFile``."""
    return ValueNetwork(network_file(players))


def outcome_class(position: GridcannonPosition) -> int:
    """Return the outcome of a game that is over: the winner's seat, or the number of players for a draw."""
    winner = None if position.outcome is None else position.outcome["winner"]
    return position.players if winner is None else int(winner)


def is_asked(position: GridcannonPosition) -> bool:
    """Return whether the network evaluates such a position: a turn begins, and no ploy is queued."""
    return position.phase == DRAWING and not position.ploys


class ValueGuide(GridcannonGuide):
    """Plays as ``OddsAdept``; evaluates by a network where a turn begins.

    All actions of a search are evaluated at the beginning of the same turn, without a queued ploy. By a number of
    actions instead, a ploy that is used would be evaluated a turn earlier than one that is kept.
    """

    def __init__(
        self,
        network: Callable[[int], ValueNetwork] = load_network,
        root: GridcannonPosition | None = None,
    ) -> None:
        super().__init__(root)
        self._network = network
        self._begun = 0 if root is None else root.turns

    def prepare(self, root: GridcannonPosition, verdict: VerdictFunction) -> GridcannonGuide:
        """Return a guide that evaluates from *root*; its draw pile has the same cards in every world."""
        return ValueGuide(self._network, root)

    def is_rollout_done(self, position: GridcannonPosition, steps: int, evaluation_index: int) -> bool:
        """Return whether the turn begins at which the rollout is evaluated."""
        return steps >= LONGEST or (
            is_asked(position) and position.turns >= self._begun + TURNS * (evaluation_index + 1)
        )

    def value(self, position: GridcannonPosition, seat: int) -> float:
        """Return 1 for a win and 0.5 for a draw; before the end the probability to win plus half that of a draw."""
        if position.is_over or not is_asked(position):
            return super().value(position, seat)
        shares = self._network(position.players).outcome_probabilities(features(position))
        return shares[(seat - position.turn) % position.players] + 0.5 * shares[position.players]

    def calibrated(self, estimate: float, players: int) -> float:
        """Return the observed win rate; with draws, the rate of wins and half of that of draws."""
        factor, power = ODDS[players]
        return with_odds_mapped(estimate, factor, power)
