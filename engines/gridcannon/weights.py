"""What an adept cares for, and what things on a board were worth in games: the numbers of ``evaluation``."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Weights:
    """What the adept cares for, in royals: judged by eye, and proved by ``benchmarks/gridcannon_statistics.py``."""

    lost: float = 6.0
    """Being out, beyond the royal lost."""
    rival: float = 1.0
    """A rival's royal with two players."""
    rival_of_many: float = 0.6
    """A rival's royal with four."""
    rival_out: float = 0.5
    """A rival gone for good, beyond the royal."""
    ace: float = 0.3
    joker: float = 0.45
    """A ploy kept for later."""
    exposed: float = 0.85
    """One's own royal on a line that kills, if the trigger can be pulled before one's next turn."""
    lingering: float = 0.25
    """The same, when nobody happened to pull it."""
    aimed: float = 0.6
    """A rival's royal on a line that kills, if the trigger can be pulled: its player may break the line first."""
    building: float = 0.5
    """A line that one more card makes deadly, against one that is."""
    pressure: float = 0.12
    """A line that does all the damage that is needed but for the last point."""
    ambush: float = 0.7
    """A rival holds a ploy that pulls the trigger of a line that kills."""
    armour: float = 0.015
    """A point of armour: it must be stripped before a royal can be killed."""
    hoard: float = 0.75
    """Each further ploy of an arsenal, against the one before."""
    patience: int = 300
    """In that many turns ploys lose the worth of being kept: somebody must break what has become a siege."""


WEIGHTS: Final = Weights()


@dataclass(frozen=True)
class OddsWeights:
    """What things are worth to their owner: logarithms of odds. Chances count from 0 to 1, before the next own turn."""

    lives: tuple[float, ...]
    """Living royals, wherever they are: from none to six."""
    ploys: tuple[float, float, float, float]
    """An ace, a joker, each further ace, a second joker."""
    royals: tuple[float, float, float]
    """A Jack, a Queen, a King on the board."""
    deadly: float
    """A line that kills once its trigger is pulled."""
    pulled: float
    """Such a line, times the chance that it is pulled before one's next turn."""
    shot: float
    """Such a line, times the chance that it is pulled within a round."""
    last_shot: float
    last_pulled: float
    """The same, when it is one's last royal: added to the former."""
    build: float
    """The chance of a card that makes a line deadly."""
    built: float
    """That, times the chance that the trigger is pulled."""
    ratio: float
    """What a line does of the damage that is needed."""
    pull: float
    """The chance of a card that can be laid on the trigger of a line that doesn't kill yet."""
    last_built: float
    armour: float
    """A point of armour."""
    unplaced: float
    """No living royal on the board (G16)."""


ON_TURN_OF_TWO: Final = OddsWeights(
    lives=(0.0, -0.969, -0.393, -0.005, 0.375, 0.540, 0.662),
    ploys=(0.418, 0.465, 0.345, 0.473),
    royals=(0.212, -0.033, 0.288),
    deadly=-0.223,
    pulled=0.0,
    shot=-0.123,
    last_shot=-2.914,
    last_pulled=0.0,
    build=-0.135,
    built=0.106,
    ratio=-0.171,
    pull=-0.003,
    last_built=-3.679,
    armour=0.0325,
    unplaced=-0.240,
)
WAITING_OF_TWO: Final = OddsWeights(
    lives=(0.0, -1.061, -0.452, -0.087, 0.268, 0.476, 0.644),
    ploys=(0.422, 0.511, 0.382, 0.524),
    royals=(0.163, -0.032, 0.304),
    deadly=-0.247,
    pulled=-0.001,
    shot=-0.001,
    last_shot=-0.931,
    last_pulled=-0.931,
    build=-0.095,
    built=0.334,
    ratio=-0.209,
    pull=-0.056,
    last_built=-4.080,
    armour=0.0310,
    unplaced=-0.191,
)
ON_TURN_OF_FOUR: Final = OddsWeights(
    lives=(0.0, -0.349, 0.097, 0.256),
    ploys=(0.236, 0.323, 0.293, 0.429),
    royals=(0.227, 0.018, 0.400),
    deadly=-0.510,
    pulled=0.0,
    shot=0.315,
    last_shot=-1.498,
    last_pulled=0.0,
    build=-0.374,
    built=0.188,
    ratio=-0.183,
    pull=-0.085,
    last_built=-2.106,
    armour=0.0149,
    unplaced=-0.022,
)
WAITING_OF_FOUR: Final = OddsWeights(
    lives=(0.0, -0.334, 0.081, 0.249),
    ploys=(0.229, 0.304, 0.264, 0.335),
    royals=(0.149, -0.021, 0.375),
    deadly=-0.392,
    pulled=-0.250,
    shot=0.360,
    last_shot=-0.807,
    last_pulled=-0.321,
    build=-0.456,
    built=0.681,
    ratio=-0.162,
    pull=-0.084,
    last_built=-3.802,
    armour=0.0190,
    unplaced=0.053,
)
