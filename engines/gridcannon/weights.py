"""The weights of ``evaluation``: one set is chosen by hand, one is fitted to games."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Weights:
    """Weights of ``Evaluation``, in units of a royal; set by hand and checked by ``benchmarks/statistics.py``."""

    lost: float = 6.0
    """Penalty for being out, in addition to the lost royal."""
    rival: float = 1.0
    """A rival's royal, in a game of two players."""
    rival_of_many: float = 0.6
    """A rival's royal, in a game of four players."""
    rival_out: float = 0.5
    """A rival that is out, in addition to the lost royal."""
    ace: float = 0.3
    joker: float = 0.45
    """An unused joker."""
    exposed: float = 0.85
    """An own royal on a line that kills, if the trigger can be pulled before the next own turn."""
    lingering: float = 0.25
    """An own royal on a line that kills, if the trigger can't be pulled so soon."""
    aimed: float = 0.6
    """A rival's royal on a line that kills, if the trigger can be pulled; its owner may break the line before."""
    building: float = 0.5
    """A line that one more card makes deadly, as a share of the value of a deadly line."""
    pressure: float = 0.12
    """A line whose attack is close to the one that kills; in proportion to the attack."""
    ambush: float = 0.7
    """A ploy of a rival that pulls the trigger of a line that kills."""
    armour: float = 0.015
    """A point of armour, which must be stripped before the royal can be killed."""
    hoard: float = 0.75
    """Factor for each further ploy of an arsenal."""
    patience: int = 300
    """Number of turns over which unused ploys lose their weight, so that a stalemate is broken."""


WEIGHTS: Final = Weights()


@dataclass(frozen=True)
class OddsWeights:
    """Weights of ``OddsEvaluation``, as log odds for the owner.

    Probabilities are from 0 to 1, and of one draw unless a time is stated.
    """

    lives: tuple[float, ...]
    """The number of living royals, wherever they are: from none to six."""
    ploys: tuple[float, float, float, float]
    """An ace, a joker, each further ace, a second joker."""
    royals: tuple[float, float, float]
    """A Jack, a Queen, a King on the board."""
    deadly: float
    """A line that kills when its trigger is pulled."""
    pulled: float
    """A deadly line, times the probability that its trigger is pulled before the owner's next turn."""
    shot: float
    """A deadly line, times the probability that its trigger is pulled within a round."""
    last_shot: float
    last_pulled: float
    """These two weights apply in addition if the royal is the owner's last."""
    build: float
    """The probability of a card that makes a line deadly."""
    built: float
    """The same probability, times the probability that the trigger is pulled."""
    ratio: float
    """The attack of a line, as a share of the attack that kills."""
    pull: float
    """The probability of a card that can be laid on the trigger of a line that doesn't kill yet."""
    last_built: float
    armour: float
    """A point of armour."""
    unplaced: float
    """The lack of a living royal on the board (G16)."""


TABLE: Final[Mapping[str, tuple[Any, ...]]] = {
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
"""The values of each weight: two players, on turn and waiting; four players, on turn and waiting."""

ON_TURN_OF_TWO, WAITING_OF_TWO, ON_TURN_OF_FOUR, WAITING_OF_FOUR = [
    OddsWeights(**{name: values[column] for name, values in TABLE.items()}) for column in range(4)
]
