"""The sequential probability ratio test of two players: pairs of games are played until one hypothesis is accepted.

The two games of a pair have the same deal and exchanged seats, so their results are correlated. Therefore pairs are
counted, not games, by the first player's score in a pair (0, 1/2, 1, 3/2, 2). The likelihood ratio is the generalized
one, as in fishtest: for each hypothesis, the likeliest distribution of the scores with the mean of the hypothesis is
used. The normal approximation isn't used: it would decide after one won pair, because the variance of one pair is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

ERROR_RATE: Final = 0.05
"""Alpha and beta: the probability of accepting *high* although *low* is true, and the reverse."""

DECISION_BOUND: Final = log((1 - ERROR_RATE) / ERROR_RATE)
"""Absolute value of the log-likelihood ratio at which the test ends."""

PAIR_SCORES: Final[tuple[float, ...]] = (0.0, 0.5, 1.0, 1.5, 2.0)
PSEUDOCOUNT: Final = 1e-3
"""Minimum count of each score: without it a distribution with the mean of a hypothesis may not exist."""

BISECTION_STEPS: Final = 60


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses: Elo differences *low* and *high* of the first player over the second."""

    low: float
    high: float

    def ratio(self, pairs: Mapping[float, int]) -> float:
        """Return the log-likelihood ratio of *high* over *low*.

        *pairs*: how often the first player has got each of ``PAIR_SCORES`` in a pair of games.
        """
        counts = [max(PSEUDOCOUNT, float(pairs.get(score, 0))) for score in PAIR_SCORES]
        lower, higher = (
            _tilted_divisors(counts, _expected_score(self.low)),
            _tilted_divisors(counts, _expected_score(self.high)),
        )
        return sum([count * log(one / other) for count, one, other in zip(counts, lower, higher, strict=True)])

    def verdict(self, ratio: float) -> str | None:
        """Return the accepted hypothesis, ``"high"`` or ``"low"``; None while the test continues."""
        if abs(ratio) < DECISION_BOUND:
            return None
        return "high" if ratio > 0 else "low"


def _tilted_divisors(counts: Sequence[float], mean: float) -> list[float]:
    """Return for each score the number by which its count is divided to get the likeliest distribution with *mean*.

    The divisor is 1 + x (score - mean), in which score and mean are per game, not per pair; x is chosen so that the
    distribution has this mean (Owen, Empirical Likelihood, 2001).
    """
    distances = [score / 2 - mean for score in PAIR_SCORES]
    low, high = -1 / distances[-1], -1 / distances[0]
    x = 0.0
    for _ in range(BISECTION_STEPS):
        slope = sum([count * distance / (1 + x * distance) for count, distance in zip(counts, distances, strict=True)])
        low, high = (x, high) if slope > 0 else (low, x)
        x = (low + high) / 2
    return [1 + x * distance for distance in distances]


def _expected_score(elo: float) -> float:
    """Return the expected score of a game for a player who is *elo* points stronger."""
    return float(1 / (1 + 10 ** (-elo / 400)))
