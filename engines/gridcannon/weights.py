"""The weights of ``evaluation``: ``Weights`` are chosen by hand, ``OddsWeights`` are fitted to games."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Weights:
    """Weights of ``Evaluation``, in units of a royal; set by hand and checked by ``benchmarks/statistics.py``."""

    lost: float = 6.0
    """Penalty for being out, in addition to the lost royal."""
    rival: float = 1.0
    """Weight of a rival's royal in a game of two players."""
    rival_of_many: float = 0.6
    """Weight of a rival's royal in a game of four players."""
    rival_out: float = 0.5
    """Gain when a rival is out, in addition to the gain from its last royal's death."""
    ace: float = 0.3
    """Weight of an unused ace."""
    joker: float = 0.45
    """Weight of an unused joker."""
    exposed: float = 0.85
    """Weight of an own royal on a line that kills, if the trigger can be pulled before the next own turn."""
    lingering: float = 0.25
    """Weight of an own royal on a line that kills, if the trigger can only be pulled later."""
    aimed: float = 0.6
    """Weight of a rival's royal on a line that kills, if the trigger can be pulled. The rival may break the line."""
    building: float = 0.5
    """Weight of a line that one more card makes deadly, as a share of the value of a deadly line."""
    pressure: float = 0.12
    """Weight of the attack of a line that doesn't kill yet, as a share of the attack that kills."""
    ambush: float = 0.7
    """Probability that a rival's ploy pulls the trigger of a line that kills, if it can."""
    armour: float = 0.015
    """Weight of a point of armour, which must be stripped before the royal can be killed."""
    hoard: float = 0.75
    """Factor of the weight of each further ploy of an arsenal, relative to the one before."""
    patience: int = 300
    """Number of turns after which unused ploys have lost all weight, so that a stalemate is broken."""


WEIGHTS: Final = Weights()


@dataclass(frozen=True)
class OddsWeights:
    """Weights of ``OddsEvaluation``, as log odds for the owner.

    A probability, from 0 to 1, is that of a single draw unless a period is stated.
    """

    lives: tuple[float, ...]
    """Weight of having 0, 1, 2 ... living royals, wherever they are: up to six with two players, three with four."""
    ploys: tuple[float, float, float, float]
    """Weights of an ace, a joker, each further ace, and a second joker."""
    royals: tuple[float, float, float]
    """Weights of a Jack, a Queen and a King on the board."""
    deadly: float
    """Weight of a deadly line: one that kills when its trigger is pulled."""
    pulled: float
    """Weight of the probability that a deadly line's trigger is pulled before the owner's next turn."""
    shot: float
    """Weight of the probability that a deadly line's trigger is pulled within a round."""
    last_shot: float
    """Addition to ``shot`` if the royal is the owner's last."""
    last_pulled: float
    """Addition to ``pulled`` if the royal is the owner's last."""
    build: float
    """Weight of the probability of drawing a card that makes a line deadly."""
    built: float
    """Weight of a product: the probability of ``build``, times the probability that the trigger is pulled."""
    ratio: float
    """Weight of the attack of a line that doesn't kill, as a share of the attack that kills."""
    pull: float
    """Weight of the probability that the trigger of a line that doesn't kill yet is pulled."""
    last_built: float
    """Addition to ``built`` if the royal is the owner's last."""
    armour: float
    """Weight of a point of armour."""
    unplaced: float
    """Weight of the lack of a living royal on the board (G16)."""


VALUES_BY_WEIGHT_NAME: Final[Mapping[str, tuple[Any, ...]]] = {
    "lives": (
        (0.0, -0.969, -0.393, -0.005, 0.375, 0.540, 0.662),
        (0.0, -1.061, -0.452, -0.087, 0.268, 0.476, 0.644),
        (0.0, -0.349, 0.097, 0.256),
        (0.0, -0.334, 0.081, 0.249),
    ),
    "ploys": (
        (0.418, 0.465, 0.345, 0.473),
        (0.422, 0.511, 0.382, 0.524),
        (0.236, 0.323, 0.293, 0.429),
        (0.229, 0.304, 0.264, 0.335),
    ),
    "royals": ((0.212, -0.033, 0.288), (0.163, -0.032, 0.304), (0.227, 0.018, 0.400), (0.149, -0.021, 0.375)),
    "deadly": (-0.223, -0.247, -0.510, -0.392),
    "pulled": (0.0, -0.001, 0.0, -0.250),
    "shot": (-0.123, -0.001, 0.315, 0.360),
    "last_shot": (-2.914, -0.931, -1.498, -0.807),
    "last_pulled": (0.0, -0.931, 0.0, -0.321),
    "build": (-0.135, -0.095, -0.374, -0.456),
    "built": (0.106, 0.334, 0.188, 0.681),
    "ratio": (-0.171, -0.209, -0.183, -0.162),
    "pull": (-0.003, -0.056, -0.085, -0.084),
    "last_built": (-3.679, -4.080, -2.106, -3.802),
    "armour": (0.0325, 0.0310, 0.0149, 0.0190),
    "unplaced": (-0.240, -0.191, -0.022, 0.053),
}
"""Four values of each weight: with two players for the seat on turn and a waiting seat; the same with four players."""

ON_TURN_OF_TWO, WAITING_OF_TWO, ON_TURN_OF_FOUR, WAITING_OF_FOUR = [
    OddsWeights(**{name: values[column] for name, values in VALUES_BY_WEIGHT_NAME.items()}) for column in range(4)
]
