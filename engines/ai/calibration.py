"""Calibration: what share of games was won of those that a search said are won so often."""

Points = tuple[tuple[float, float], ...]
"""What was said and what came true, both from 0 to 1 and rising; lines between them."""


def calibrated(said: float, points: Points) -> float:
    """Return what is true of *said*, on the line between the points beside it: 0 and 1 are true, being sure."""
    below = under = 0.0
    for above, over in (*points, (1.0, 1.0)):
        if said < above:
            return under + (over - under) * (said - below) / (above - below)
        below, under = above, over
    return under
