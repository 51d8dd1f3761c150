"""Gridcannon's value networks, and the search guide that evaluates positions by them.

The networks, ``value.2.bin`` and ``value.4.bin`` for two and four players, are trained on the results of games
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

TURNS_BETWEEN_EVALUATIONS: Final = 3
"""Number of turns from the root to the first evaluation of a rollout, and from each evaluation to the next."""
MAX_ACTIONS_BETWEEN_EVALUATIONS: Final = 40
"""Maximum number of actions of a rollout between evaluations."""

ODDS_CALIBRATION_BY_PLAYERS: Final = {2: (1.0, 1.26), 4: (0.87, 0.88)}
"""By number of players: factor and power that map the odds of a search's estimates to those of the results.

Fitted to 800 games with each ``--opening`` of ``python -m training.chance_calibration gridcannon.2 --seed
fit-2026-11``.
"""


def network_file(players: int) -> bytes:
    """Return the bytes of the network for this number of players. Raises ``UnusableFile``."""
    return read_network("engines.gridcannon", players, count(players), players + 1)


@cache
def load_network(players: int) -> ValueNetwork:
    """Return the network for this number of players. Raises ``UnusableFile``."""
    return ValueNetwork(network_file(players))


def outcome_class(position: GridcannonPosition) -> int:
    """Return the outcome class of a game that is over: the winner's seat; for a draw the number of players."""
    winner = None if position.outcome is None else position.outcome["winner"]
    return position.players if winner is None else int(winner)


def is_asked(position: GridcannonPosition) -> bool:
    """Return whether the network can evaluate this position: a turn begins, and no ploy is queued."""
    return position.phase == DRAWING and not position.ploys


class ValueGuide(GridcannonGuide):
    """Plays like ``OddsAdept``; evaluates positions at the beginning of a turn by a network.

    All actions of a search are evaluated at the beginning of the same turn, without a queued ploy. Rollouts don't end
    after a fixed number of actions: declaring and using a ploy are actions too, so the game would be evaluated a turn
    earlier if a ploy is used than if it is kept.
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
        """Return a guide for the search from *root*.

        It serves all worlds of the search, because their draw piles have the same cards, in different orders.
        """
        return ValueGuide(self._network, root)

    def is_rollout_done(self, position: GridcannonPosition, steps: int, evaluation_index: int) -> bool:
        """Return whether the turn of the rollout's next evaluation has begun, or *steps* has reached its maximum.

        The maximum is ``MAX_ACTIONS_BETWEEN_EVALUATIONS``.
        """
        return steps >= MAX_ACTIONS_BETWEEN_EVALUATIONS or (
            is_asked(position) and position.turns >= self._begun + TURNS_BETWEEN_EVALUATIONS * (evaluation_index + 1)
        )

    def value(self, position: GridcannonPosition, seat: int) -> float:
        """Return 1 for a win and 0.5 for a draw; before the end the probability to win plus half that of a draw."""
        if position.is_over or not is_asked(position):
            return super().value(position, seat)
        shares = self._shares(position)
        return shares[(seat - position.turn) % position.players] + 0.5 * shares[position.players]

    def _shares(self, position: GridcannonPosition) -> list[float]:
        """Return the network's outcome probabilities: wins by seat, counted from the seat on turn, then the draw."""
        return self._network(position.players).outcome_probabilities(features(position))

    def calibrated(self, estimate: float, players: int) -> float:
        """Return the win rate that was observed for a search's *estimate*. Draws count as half a win."""
        factor, power = ODDS_CALIBRATION_BY_PLAYERS[players]
        return with_odds_mapped(estimate, factor, power)
