"""AI players for any game: one that plays at random, and a search that plays imagined games out at random.

They are what a ruleset has until it brings its own: see ``Ruleset.levels``.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Final

from engines.contract.levels import EXPERT, MASTER, Budget, Level
from engines.contract.policy import Policy, ScoredActions, SearchGuide, VerdictFunction
from engines.contract.position import Action, Position

INTERRUPTS: Final = 8
"""At random a seat that needn't act does so at one in so many of its chances."""


class RandomPolicy(Policy[Position]):
    """Does anything that is legal, each as likely."""

    def choose(self, position: Position, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return any action; None mostly, if the seat needn't act."""
        legal = position.legal(seat)
        if not legal or (seat not in position.to_act() and rng.randrange(INTERRUPTS)):
            return None
        return legal[rng.randrange(len(legal))]


class RolloutGuide(SearchGuide[Position]):
    """Plays imagined games to their end by any policy: what they are worth is how often they are won."""

    depth: ClassVar[int] = 4
    horizon: ClassVar[int] = 1000

    def __init__(self, policy: Policy[Any], verdict: VerdictFunction | None = None) -> None:
        self._policy, self._verdict = policy, verdict

    def ready(self, root: Position, verdict: VerdictFunction) -> "RolloutGuide":
        """Return a guide that knows who has won."""
        return RolloutGuide(self._policy, verdict)

    def choose(self, position: Position, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return what the policy does."""
        return self._policy.choose(position, seat, rng, signals)

    def weigh(self, position: Position, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return everything that the seat may do, none of it preferred; waiting too, if it needn't act."""
        waiting: ScoredActions = [] if seat in position.to_act() else [(None, 0.0)]
        return [(action, 0.0) for action in position.legal(seat)] + waiting

    def next(self, position: Position, rng: Random) -> tuple[int, Action]:
        """Return who acts: one that interrupts, if the policy does, else the first that must."""
        for seat in position.may_act():
            interruption = self._policy.choose(position, seat, rng, {})
            if interruption is not None:
                return seat, interruption
        seat = position.to_act()[0]
        return seat, self._policy.choose(position, seat, rng, {}) or position.legal(seat)[0]

    def value(self, position: Position, seat: int) -> float:
        """Return 1 for a win, 0 for a loss; a half for a draw, and for a game that goes on."""
        outcome = position.outcome
        if outcome is None or self._verdict is None:
            return 0.5
        verdict = self._verdict(outcome, position.players)
        return 0.5 if verdict.drawn else float(seat in verdict.winners)


RANDOM: Final = RandomPolicy()
ROLLOUTS: Final = RolloutGuide(RANDOM)

LEVELS: Final[Mapping[str, Level]] = {
    "novice": Level(RANDOM),
    "beginner": Level(RANDOM, ROLLOUTS, Budget(iterations=6, hurried=True)),
    "apprentice": Level(RANDOM, ROLLOUTS, Budget(iterations=15, hurried=True)),
    "adept": Level(RANDOM, ROLLOUTS, Budget(iterations=40, seconds=0.05, hurried=True)),
    "skilled": Level(RANDOM, ROLLOUTS, Budget(iterations=100, seconds=0.1, hurried=True)),
    "veteran": Level(RANDOM, ROLLOUTS, Budget(iterations=250, seconds=0.1, hurried=True)),
    "expert": Level(RANDOM, ROLLOUTS, EXPERT),
    "master": Level(RANDOM, ROLLOUTS, MASTER),
}
"""By name, the weakest first: every ruleset has these eight."""
