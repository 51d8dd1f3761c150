"""A sequential test of two players, updated while their games are played."""

from collections import Counter
from collections.abc import Mapping

from api.commands.tournament.plan import SIDES_PER_PAIRING
from engines.analysis.sprt import Sprt
from engines.core.types import Json


class PairTest:
    """Counts pairs of games with the same deal, in the order of their numbers, until the test is decided.

    If pairs were counted in the order in which their games end, short games would come first, and the result could not
    be reproduced.
    """

    def __init__(self, sprt: Sprt, first: str) -> None:
        """Test whether the player called *first* is the better one."""
        self._sprt, self._first = sprt, first
        self._pairs = Counter[float]()
        self.end = 0
        """Number of counted games. They are the games whose numbers are below it, because numbers begin at 0."""
        self.ratio = 0.0
        """The log-likelihood ratio of the counted pairs."""
        self.verdict: str | None = None
        """The accepted hypothesis, ``"high"`` or ``"low"``. None until the test is decided."""

    def go_on(self, games: Mapping[int, Json], total: int) -> None:
        """Count the pairs of the first *total* games that have become complete since the last call.

        *games* are the results by the game's number.
        """
        while self.verdict is None and self.end < total:
            pair = [games[number] for number in range(self.end, self.end + SIDES_PER_PAIRING) if number in games]
            if len(pair) < SIDES_PER_PAIRING:
                return
            self._pairs[sum(0.5 if game["drawn"] else float(self._first in game["winners"]) for game in pair)] += 1
            self.end += SIDES_PER_PAIRING
            self.ratio = self._sprt.ratio(self._pairs)
            self.verdict = self._sprt.verdict(self.ratio)
