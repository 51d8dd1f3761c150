"""What a position of Gridcannon is worth by a value network, and the guide of a search that goes by it.

The networks, ``value.2.bin`` for two and ``value.4.bin`` for four, have learned how games end (docs/training.md).
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final

from engines.ai.value_network import ValueNetwork
from engines.gridcannon.features import features
from engines.gridcannon.policy import GridcannonGuide
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING
from engines.ruleset import VerdictFunction

TURNS: Final = 3
"""So many after the one in which a search begins imagined games are judged, and again after so many more."""
LONGEST: Final = 40
"""Actions, after which a game is judged wherever it is."""


@cache
def trained(players: int) -> ValueNetwork:
    """Return the network for a table of so many."""
    return ValueNetwork(files("engines.gridcannon").joinpath(f"value.{players}.bin").read_bytes())


def ending(position: GridcannonPosition) -> int:
    """Return how a game that is over has ended: the seat that has won, or the number of players for a draw."""
    winner = None if position.outcome is None else position.outcome["winner"]
    return position.players if winner is None else int(winner)


def is_asked(position: GridcannonPosition) -> bool:
    """Return whether a network judges such a position: one in which a turn begins, and no ploy is announced."""
    return position.phase == DRAWING and not position.ploys


class ValueGuide(GridcannonGuide):
    """Weighs actions, and plays on, as adepts do who go by odds; judges by a network where a turn begins.

    All that a search weighs is judged at the beginning of the same turn, with no ploy to be resolved: by so many
    actions, a ploy that is used would be judged a turn earlier than one that is kept.
    """

    def __init__(
        self,
        network: Callable[[int], ValueNetwork] = trained,
        root: GridcannonPosition | None = None,
    ) -> None:
        super().__init__(root)
        self._network = network
        self._begun = 0 if root is None else root.turns

    def ready(self, root: GridcannonPosition, verdict: VerdictFunction) -> GridcannonGuide:
        """Return a guide that judges from *root*; its draw pile has the same cards in every world."""
        return ValueGuide(self._network, root)

    def is_far_enough(self, position: GridcannonPosition, steps: int, look: int) -> bool:
        """Return whether the turn begins at which such a game is judged."""
        return steps >= LONGEST or (is_asked(position) and position.turns >= self._begun + TURNS * (look + 1))

    def value(self, position: GridcannonPosition, seat: int) -> float:
        """Return 1 for a win and a half for a draw; before the end the chance to win, a draw counting half."""
        if position.is_over or not is_asked(position):
            return super().value(position, seat)
        shares = self._network(position.players).endings(features(position))
        return shares[(seat - position.turn) % position.players] + 0.5 * shares[position.players]
