"""Ratings of players from their games: Bradley-Terry by maximum likelihood, as Elo points, with 95 % intervals.

A player of strength *t* beats one of strength *u* with probability 1 / (1 + e^(u - t)); a draw is half a win for both.
The intervals take into account that the points of drawn games vary less. There is no prior. Therefore ratings are
finite only in a group in which each player has beaten every other one, directly or by a chain of wins (Ford 1957). One
unit of strength is 400 / ln 10 Elo points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Final

from engines.core.confidence import Z

ELO_PER_STRENGTH_UNIT: Final = 400 / log(10)
"""Elo points per unit of strength."""

MAX_NEWTON_STEP: Final = 2.0
"""Maximum change of a strength in one step of Newton's method. Without it a step overshoots if a result is rare."""

TOLERANCE: Final = 1e-9
MAX_NEWTON_ITERATIONS: Final = 200

Matrix = list[list[float]]


@dataclass(frozen=True)
class Rating:
    """A rating in Elo points with its 95 % interval; the mean of all ratings is 0."""

    rating: float
    low: float
    high: float


def elo_ratings(wins: Sequence[Sequence[float]], draws: Sequence[Sequence[int]] | None = None) -> list[Rating | None]:
    """Return a rating for each player; None for players whose rating is not finite.

    ``wins[i][j]`` is how often player i has beaten player j; a draw counts as half. ``draws[i][j]`` is how many of
    their games were drawn; None if none were. If several groups of players have finite ratings, only the largest group
    gets ratings.
    """
    group = _largest_group(wins)
    found = list[Rating | None]([None] * len(wins))
    if len(group) > 1:
        inner = [[float(wins[one][other]) for other in group] for one in group]
        drawn = [[0.0 if draws is None else float(draws[one][other]) for other in group] for one in group]
        for player, rating in zip(group, _fit_ratings(inner, drawn), strict=True):
            found[player] = rating
    return found


def _largest_group(wins: Sequence[Sequence[float]]) -> list[int]:
    """Return the largest group in which each player has beaten every other one, directly or by a chain of wins."""
    count = range(len(wins))
    above = [[wins[one][other] > 0 for other in count] for one in count]
    for middle in count:
        for one in count:
            if above[one][middle]:
                above[one] = [known or via for known, via in zip(above[one], above[middle], strict=True)]
    groups = [[other for other in count if other == one or (above[one][other] and above[other][one])] for one in count]
    return max(groups, key=len, default=[])


def _fit_ratings(wins: Matrix, draws: Matrix) -> list[Rating]:
    """Return the ratings of players in one connected group, by Newton's method."""
    count = range(len(wins))
    strengths = [0.0] * len(wins)
    for _ in range(MAX_NEWTON_ITERATIONS):
        gradient, covariance = _gradient(wins, strengths), _covariance(wins, strengths)
        steps = [sum(covariance[one][other] * gradient[other] for other in count) for one in count]
        longest = max(map(abs, steps))
        shrink = min(1.0, MAX_NEWTON_STEP / longest) if longest else 1.0
        strengths = [strength + shrink * step for strength, step in zip(strengths, steps, strict=True)]
        if longest < TOLERANCE:
            break
    variances = _variances(wins, draws, strengths, _covariance(wins, strengths))
    errors = [sqrt(max(0.0, variance)) for variance in variances]
    return [
        Rating(
            ELO_PER_STRENGTH_UNIT * strength,
            ELO_PER_STRENGTH_UNIT * (strength - Z * error),
            ELO_PER_STRENGTH_UNIT * (strength + Z * error),
        )
        for strength, error in zip(strengths, errors, strict=True)
    ]


def _chance(difference: float) -> float:
    return 1 / (1 + exp(-difference))


def _gradient(wins: Matrix, strengths: Sequence[float]) -> list[float]:
    count = range(len(wins))
    return [
        sum(
            wins[one][other] - (wins[one][other] + wins[other][one]) * _chance(strengths[one] - strengths[other])
            for other in count
            if other != one
        )
        for one in count
    ]


def _covariance(wins: Matrix, strengths: Sequence[float]) -> Matrix:
    """Return the covariance matrix of the strengths: the pseudoinverse of the information matrix.

    Only differences of strengths are determined, so the information matrix is singular. Therefore a matrix with all
    entries 1 / size is added to make it invertible, and is subtracted from the inverse.
    """
    size = len(wins)
    information = [[1 / size] * size for _ in range(size)]
    for one in range(size):
        for other in range(size):
            if one != other:
                chance = _chance(strengths[one] - strengths[other])
                weight = (wins[one][other] + wins[other][one]) * chance * (1 - chance)
                information[one][other] -= weight
                information[one][one] += weight
    return [[entry - 1 / size for entry in row] for row in _inverse(information)]


def _variances(wins: Matrix, draws: Matrix, strengths: Sequence[float], covariance: Matrix) -> list[float]:
    """Return the variance of each strength, with draws (Huber's sandwich).

    The points of a game vary by ``chance * (1 - chance) - share / 4``, where *share* is the share of draws. The points
    of all games between two players vary at least as those of one game without draws: a few games that all were drawn
    don't prove that the players are equal. Without draws the result is the diagonal of *covariance*.
    """
    count = range(len(wins))
    variances = [0.0] * len(wins)
    for one in count:
        for other in range(one):
            games = wins[one][other] + wins[other][one]
            chance = _chance(strengths[one] - strengths[other])
            game = chance * (1 - chance)
            weight = max(min(1.0, games) * game, games * game - draws[one][other] / 4)
            for player in count:
                variances[player] += weight * (covariance[player][one] - covariance[player][other]) ** 2
    return variances


def _inverse(matrix: Matrix) -> Matrix:
    """Invert a positive definite matrix by Gauss-Jordan elimination with pivoting."""
    size = len(matrix)
    rows = [[*row, *[float(one == other) for other in range(size)]] for one, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [entry / head for entry in rows[column]]
        for row in range(size):
            factor = rows[row][column]
            if row != column and factor:
                rows[row] = [entry - factor * above for entry, above in zip(rows[row], rows[column], strict=True)]
    return [row[size:] for row in rows]
