"""Confidence intervals of win rates."""

from math import sqrt
from typing import Final

Z: Final = 1.959964
"""The 97.5 % quantile of the standard normal distribution: half the width of a 95 % interval, in standard errors."""


def wilson(wins: float, games: float) -> tuple[float, float]:
    """Return the Wilson 95 % interval of a rate, from 0 to 1; (0, 1) if there are no games.

    If games depend on each other, *games* is the number of independent ones that tell as much, and may be a fraction.
    """
    if not games:
        return 0.0, 1.0
    rate, square = wins / games, Z * Z / games
    middle = rate + square / 2
    reach = Z * sqrt((rate * (1 - rate) + square / 4) / games)
    return max(0.0, (middle - reach) / (1 + square)), min(1.0, (middle + reach) / (1 + square))
