"""Calibration: maps the win probabilities that a search estimates to observed win rates."""

import math

Points = tuple[tuple[float, float], ...]
"""Pairs of estimated and observed probability, both from 0 to 1, both increasing from pair to pair."""


def calibrated(estimate: float, points: Points) -> float:
    """Return the observed win rate for *estimate*, by linear interpolation; 0 and 1 map to themselves."""
    below = under = 0.0
    for above, over in (*points, (1.0, 1.0)):
        if estimate < above:
            return under + (over - under) * (estimate - below) / (above - below)
        below, under = above, over
    return under


def with_odds_mapped(estimate: float, factor: float, power: float) -> float:
    """Return the probability with the odds *factor* * odds(*estimate*) ** *power*; 0 and 1 map to themselves.

    A power above 1 moves estimates towards 0 and 1.
    """
    won, lost = factor * math.pow(estimate, power), math.pow(1.0 - estimate, power)
    return won / (won + lost)
