"""Computes which level suits a person, from the ratings of the levels and the person's rating.

In a competitive game ratings are Elo points. In a cooperative game a rating is the percentage of games that a team of
two equal players wins. For two unequal players, the log-odds of a win are the mean of the two ratings as log-odds.
"""

from collections.abc import Mapping
from itertools import pairwise
from math import exp, log
from typing import Final, NamedTuple

from engines.contract.levels import Level

ELO: Final = "elo"
PERCENT: Final = "percent"
ELO_PER_LOG_ODDS: Final = 400 / log(10)
"""Elo points per unit of log-odds."""
MIN_PERCENT_FROM_LIMITS: Final = 0.1
"""Percentages are kept at least this far from 0 and 100, whose log-odds are infinite."""


class Offer(NamedTuple):
    """A level, its rating, and the ratings of the people it suits: at least *low* and below *high*; None: no limit."""

    level: str
    rating: float
    low: float | None
    high: float | None


def log_odds(share: float) -> float:
    """Return the log-odds of a share between 0 and 1."""
    return log(share / (1 - share))


def share_of(odds: float) -> float:
    """Return the share of wins with these log-odds: the logistic function."""
    return 1 / (1 + exp(-odds))


def strength(rating: float, *, cooperative: bool) -> float:
    """Return a rating as log-odds."""
    if cooperative:
        return log_odds(min(max(rating, MIN_PERCENT_FROM_LIMITS), 100 - MIN_PERCENT_FROM_LIMITS) / 100)
    return rating / ELO_PER_LOG_ODDS


def offers(levels: Mapping[str, Level], target: float, *, cooperative: bool) -> tuple[Offer, ...]:
    """Return an offer for each level, the weakest level first; no offers if a level has no rating.

    A level suits a person whose share of wins at it is closer to *target*, in log-odds, than at any other level.
    """
    ratings = [level.rating for level in levels.values() if level.rating is not None]
    if len(ratings) < len(levels):
        return ()
    strengths = [strength(rating, cooperative=cooperative) for rating in ratings]
    aim = log_odds(target)
    bounds = list[float]()
    for weaker, stronger in pairwise(strengths):
        middle = (weaker + stronger) / 2
        bounds.append(100 * share_of(2 * aim - middle) if cooperative else (aim + middle) * ELO_PER_LOG_ODDS)
    limits: list[float | None] = [None, *[round(bound, 1) for bound in bounds], None]
    found = list[Offer]()
    for name, rating, first, second in zip(levels, ratings, limits, limits[1:], strict=False):
        found.append(Offer(name, rating, second, first) if cooperative else Offer(name, rating, first, second))
    return tuple(found)
