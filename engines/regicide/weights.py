"""The weights of the adept by player count, and the worth of each card in hand."""

from dataclasses import dataclass
from typing import Final

from engines.core.cards import PACK, suit_of
from engines.regicide.tables import FIRST_JESTER, JESTERS, VALUE

JESTER_WORTH: Final = 62
"""Worth of a Jester in hand, in tenths."""


@dataclass(frozen=True)
class Weights:
    """Weights of the adept, fitted by the cross-entropy method with a win counted as ten enemies."""

    won: float = 10000.0
    kill: float = 30.0
    exact: float = 3.2
    """An exact kill, per 10 points of the royal's value."""
    overkill: float = 0.2
    """A point of excess damage."""
    damage: float = 0.9
    """A point of damage."""
    death: float = 1000.0
    """Not covering the attack."""
    gamble: float = 43.0
    """Covering the attack only with good draws."""
    bare: float = 60.0
    """Meeting the next enemy with an empty hand."""
    flip: float = 46.0
    """An unused Jester (R17)."""
    jester: float = 14.8
    """A Jester in hand."""
    cancelled: float = 40.0
    """Cancelling the immunity of an enemy with full health."""
    worth: float = 1.1
    """A point of worth kept in hand."""
    drawn: float = 5.5
    """A card drawn by another seat."""
    healed: float = 3.8
    """A card healed into an empty Tavern; less, the fuller it is."""
    full_tavern: float = 28.0
    """Size of a Tavern that needs no healing."""
    shield: float = 1.8
    """A point of shield, per expected attack."""
    turn_damage: float = 15.3
    """Damage per turn, to estimate the number of attacks to come."""
    thin: float = 1.4
    """A point that the next player's hand probably lacks to cover the attack."""
    wounded: float = 1.5
    """The enemy's remaining share of health."""
    suits: tuple[int, int, int, int] = (10, 29, 5, 18)
    """Worth that a suit's power adds to a card in hand, in tenths: C, D, H, S."""


ALONE: Final = Weights(
    kill=25.0,
    exact=3.2,
    overkill=0.3,
    damage=2.2,
    gamble=26.0,
    bare=37.0,
    flip=89.0,
    jester=3.0,
    cancelled=34.0,
    drawn=4.2,
    healed=4.9,
    full_tavern=48.0,
    shield=1.57,
    turn_damage=8.4,
    wounded=3.9,
    suits=(3, 58, 8, 10),
)
TWO: Final = Weights(
    kill=13.8,
    exact=4.8,
    overkill=0.25,
    damage=1.65,
    gamble=48.0,
    bare=54.0,
    jester=11.3,
    cancelled=33.0,
    worth=1.35,
    drawn=9.3,
    healed=5.3,
    full_tavern=34.5,
    shield=2.65,
    turn_damage=15.1,
    wounded=1.07,
    suits=(3, 41, 4, 10),
)
THREE: Final = Weights(
    kill=8.3,
    exact=5.6,
    overkill=0.11,
    damage=1.31,
    gamble=19.3,
    bare=58.0,
    jester=7.0,
    cancelled=29.0,
    worth=1.3,
    drawn=7.55,
    healed=4.8,
    full_tavern=30.7,
    shield=1.83,
    turn_damage=26.0,
    thin=0.42,
    wounded=1.94,
    suits=(2, 56, 2, 6),
)
FOUR: Final = Weights(
    kill=10.5,
    exact=4.6,
    overkill=0.35,
    damage=1.41,
    gamble=52.0,
    bare=71.0,
    jester=15.0,
    cancelled=51.0,
    worth=1.71,
    drawn=7.3,
    healed=5.0,
    full_tavern=35.0,
    shield=1.53,
    turn_damage=14.3,
    thin=0.8,
    wounded=1.64,
    suits=(3, 34, 4, 17),
)
WEIGHTS: Final[tuple[Weights, ...]] = (ALONE, ALONE, TWO, THREE, FOUR)
"""By player count."""


def _worths(weights: Weights) -> tuple[int, ...]:
    suited = [10 * VALUE[card] + weights.suits[suit_of(card)] for card in PACK[:FIRST_JESTER]]
    return (*suited, *[JESTER_WORTH for _ in JESTERS])


WORTHS: Final = tuple([_worths(weights) for weights in WEIGHTS])
"""By player count and card: its worth in hand, in tenths."""
