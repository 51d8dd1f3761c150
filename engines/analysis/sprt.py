"""The sequential probability ratio test of two players: play pairs of games until it is decided who is stronger.

The two games of a pair have the same deal and exchanged seats, so their luck is the same: the pair, not the game, is
what is counted, by its five possible scores (0, 1/2, 1, 3/2, 2). The likelihood ratio is the generalized one, as
fishtest computes it: of all distributions of the scores whose mean is the hypothesis's the likeliest is taken. Its
normal approximation would decide after a single pair that is won, since the variance of one pair is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

ERROR_RATE: Final = 0.05
"""Alpha and beta: the chance of each wrong verdict."""

DECISION_BOUND: Final = log((1 - ERROR_RATE) / ERROR_RATE)
"""The log-likelihood ratio at which the test ends, above or below 0."""

SCORES: Final[tuple[float, ...]] = (0.0, 0.5, 1.0, 1.5, 2.0)
PSEUDOCOUNT: Final = 1e-3
"""The count of a score that hasn't been seen, so that every mean is possible."""

BISECTION_STEPS: Final = 60


@dataclass(frozen=True)
class Sprt:
    """The hypotheses, as Elo differences of the first player over the second: *low* is tested against *high*."""

    low: float
    high: float

    def ratio(self, pairs: Mapping[float, int]) -> float:
        """Return the log-likelihood ratio of *high* over *low*.

        *pairs*: how often the first player has made each of ``SCORES`` in a pair of games.
        """
        counts = [max(PSEUDOCOUNT, float(pairs.get(score, 0))) for score in SCORES]
        lower, higher = (
            _tilted_divisors(counts, _expected_score(self.low)),
            _tilted_divisors(counts, _expected_score(self.high)),
        )
        return sum([count * log(one / other) for count, one, other in zip(counts, lower, higher, strict=True)])

    def verdict(self, ratio: float) -> str | None:
        """Return which hypothesis is accepted, ``"high"`` or ``"low"``; None while the test goes on."""
        if abs(ratio) < DECISION_BOUND:
            return None
        return "high" if ratio > 0 else "low"


def _tilted_divisors(counts: Sequence[float], mean: float) -> list[float]:
    """Return the divisor of each score's share in the likeliest distribution with *mean* per game.

    It is 1 + x (score - mean), with the x for which the shares have that mean (Owen, Empirical Likelihood, 2001).
    """
    distances = [score / 2 - mean for score in SCORES]
    low, high = -1 / distances[-1], -1 / distances[0]
    x = 0.0
    for _ in range(BISECTION_STEPS):
        slope = sum([count * distance / (1 + x * distance) for count, distance in zip(counts, distances, strict=True)])
        low, high = (x, high) if slope > 0 else (low, x)
        x = (low + high) / 2
    return [1 + x * distance for distance in distances]


def _expected_score(elo: float) -> float:
    """Return the expected score of a game at a difference of *elo*."""
    return float(1 / (1 + 10 ** (-elo / 400)))
