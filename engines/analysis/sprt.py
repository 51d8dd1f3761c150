"""The sequential probability ratio test of two players: play pairs of games until it is decided who is stronger.

The two games of a pair have the same deal and exchanged seats, so their luck is the same: the pair, not the game, is
what is counted, by its five possible scores (0, 1/2, 1, 3/2, 2). The likelihood ratio is the generalized one in its
normal approximation, as fishtest and fastchess compute it for such pentanomial counts.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Final

ERROR: Final = 0.05
"""Alpha and beta: the chance of each wrong verdict."""

BOUND: Final = log((1 - ERROR) / ERROR)
"""The log-likelihood ratio at which the test ends, above or below 0."""

SCORES: Final = (0.0, 0.5, 1.0, 1.5, 2.0)
UNSEEN: Final = 1e-3
"""The count of a score that hasn't been seen, so that the variance is never 0."""


@dataclass(frozen=True)
class Sprt:
    """The hypotheses, as Elo differences of the first player over the second: *low* is tested against *high*."""

    low: float
    high: float

    def ratio(self, pairs: Iterable[float]) -> float:
        """Return the log-likelihood ratio of *high* over *low*, from the first player's score in each pair."""
        counted = Counter(pairs)
        counts = [max(UNSEEN, float(counted[score])) for score in SCORES]
        total = sum(counts)
        mean = sum(count * score / 2 for count, score in zip(counts, SCORES, strict=True)) / total
        variance = sum(count * (score / 2 - mean) ** 2 for count, score in zip(counts, SCORES, strict=True)) / total
        expected_low, expected_high = _expected(self.low), _expected(self.high)
        gain = (expected_high - expected_low) * (2 * mean - expected_low - expected_high)
        return total * gain / (2 * variance)

    def verdict(self, ratio: float) -> str | None:
        """Return which hypothesis is accepted, ``"high"`` or ``"low"``; None while the test goes on."""
        if abs(ratio) < BOUND:
            return None
        return "high" if ratio > 0 else "low"


def _expected(elo: float) -> float:
    """Return the expected score of a game at a difference of *elo*."""
    return float(1 / (1 + 10 ** (-elo / 400)))
