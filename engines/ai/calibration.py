"""Calibration: map the win probabilities that a search estimates to observed win rates."""

Points = tuple[tuple[float, float], ...]
"""Pairs of estimated and observed probability, 0 to 1, both rising; linear in between."""


def calibrated(estimate: float, points: Points) -> float:
    """Return the observed win rate for the estimate *estimate*, by interpolation; 0 and 1 map to themselves."""
    below = under = 0.0
    for above, over in (*points, (1.0, 1.0)):
        if estimate < above:
            return under + (over - under) * (estimate - below) / (above - below)
        below, under = above, over
    return under
