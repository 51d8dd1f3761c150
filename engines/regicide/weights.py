"""The weights of ``Adept`` by player count, and the worth of each card in hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engines.core.cards import PACK, suit_of
from engines.regicide.tables import FIRST_JESTER, JESTERS, VALUE

JESTER_WORTH: Final = 62
"""Worth of a Jester in hand, in tenths of a point of card value."""


@dataclass(frozen=True)
class Weights:
    """Weights of ``Adept``, fitted by the cross-entropy method. In the fit a win counted as ten defeated enemies."""

    won: float
    kill: float
    exact: float
    """Weight of an exact kill, per 10 points of the royal's value."""
    overkill: float
    """Weight of a point of excess damage."""
    damage: float
    """Weight of a point of damage."""
    death: float
    """Weight of the failure to cover the attack."""
    gamble: float
    """Weight of an attack that only good draws can cover."""
    bare: float
    """Weight of meeting the next enemy with an empty hand."""
    flip: float
    """Weight of a Jester that the solo player hasn't flipped (R17)."""
    jester: float
    """Weight of a Jester in hand."""
    cancelled: float
    """Weight of cancelling an enemy's immunity, multiplied by the share of its health that is left."""
    worth: float
    """Weight of a point of the worth of the cards that stay in hand."""
    drawn: float
    """Weight of a card drawn by another seat."""
    healed: float
    """Weight of a card healed into an empty Tavern; it falls to 0 at the size ``full_tavern``."""
    full_tavern: float
    """Size of a Tavern that needs no healing."""
    shield: float
    """Weight of a point of shield, per expected attack."""
    turn_damage: float
    """Damage per turn, to estimate the number of attacks to come."""
    thin: float
    """Weight of a point of the attack that the next player's hand probably can't cover."""
    wounded: float
    """Weight of the enemy's remaining health, as a share of its full health."""
    suits: tuple[int, int, int, int]
    """Worth that a suit's power adds to a card in hand, in tenths of a point of card value: C, D, H, S."""


VALUES_BY_WEIGHT_NAME: Final[Mapping[str, tuple[Any, ...]]] = {
    "won": (10000.0, 10000.0, 10000.0, 10000.0),
    "kill": (25.0, 13.8, 8.3, 10.5),
    "exact": (3.2, 4.8, 5.6, 4.6),
    "overkill": (0.3, 0.25, 0.11, 0.35),
    "damage": (2.2, 1.65, 1.31, 1.41),
    "death": (1000.0, 1000.0, 1000.0, 1000.0),
    "gamble": (26.0, 48.0, 19.3, 52.0),
    "bare": (37.0, 54.0, 58.0, 71.0),
    "flip": (89.0, 46.0, 46.0, 46.0),
    "jester": (3.0, 11.3, 7.0, 15.0),
    "cancelled": (34.0, 33.0, 29.0, 51.0),
    "worth": (1.1, 1.35, 1.3, 1.71),
    "drawn": (4.2, 9.3, 7.55, 7.3),
    "healed": (4.9, 5.3, 4.8, 5.0),
    "full_tavern": (48.0, 34.5, 30.7, 35.0),
    "shield": (1.57, 2.65, 1.83, 1.53),
    "turn_damage": (8.4, 15.1, 26.0, 14.3),
    "thin": (1.4, 1.4, 0.42, 0.8),
    "wounded": (3.9, 1.07, 1.94, 1.64),
    "suits": ((3, 58, 8, 10), (3, 41, 4, 10), (2, 56, 2, 6), (3, 34, 4, 17)),
}
"""The values of each weight for one to four players."""

ALONE, *MORE = [
    Weights(**{name: values[column] for name, values in VALUES_BY_WEIGHT_NAME.items()}) for column in range(4)
]
WEIGHTS: Final[tuple[Weights, ...]] = (ALONE, ALONE, *MORE)
"""The weights by player count."""


def _worths(weights: Weights) -> tuple[int, ...]:
    suited = [10 * VALUE[card] + weights.suits[suit_of(card)] for card in PACK[:FIRST_JESTER]]
    return (*suited, *[JESTER_WORTH for _ in JESTERS])


WORTHS: Final = tuple([_worths(weights) for weights in WEIGHTS])
"""Worth of each card in hand, in tenths of a point of card value: by player count, then by card."""
