"""Default AI players for any game: a random policy, and a search with random rollouts.

A ruleset has these levels unless it defines its own: see ``Ruleset.levels``.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Final

from engines.contract.levels import EXPERT, MASTER, Budget, Level
from engines.contract.policy import Policy
from engines.contract.position import Action, Position
from engines.contract.search_guide import ScoredActions, SearchGuide, VerdictFunction

OPPORTUNITIES_PER_INTERRUPT: Final = 8
"""The random policy interrupts with probability 1 / ``OPPORTUNITIES_PER_INTERRUPT`` at each opportunity."""


class RandomPolicy(Policy[Position]):
    """Chooses a legal action at random, uniformly."""

    def choose(self, position: Position, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return a random legal action, None if there is none. If the seat needn't act, mostly return None."""
        legal = position.legal(seat)
        if not legal or (seat not in position.to_act() and rng.randrange(OPPORTUNITIES_PER_INTERRUPT)):
            return None
        return legal[rng.randrange(len(legal))]


class RolloutGuide(SearchGuide[Position]):
    """A search guide without knowledge of the game: plays to the end by a policy and evaluates the result."""

    depth: ClassVar[int] = 4
    horizon: ClassVar[int] = 1000

    def __init__(self, policy: Policy[Any], verdict: VerdictFunction | None = None) -> None:
        self._policy, self._verdict = policy, verdict

    def prepare(self, root: Position, verdict: VerdictFunction) -> "RolloutGuide":
        return RolloutGuide(self._policy, verdict)

    def choose(self, position: Position, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        return self._policy.choose(position, seat, rng, signals)

    def score_actions(self, position: Position, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return all legal actions with equal scores, and the pass if the seat needn't act."""
        waiting: ScoredActions = [] if seat in position.to_act() else [(None, 0.0)]
        return [(action, 0.0) for action in position.legal(seat)] + waiting

    def next(self, position: Position, rng: Random) -> tuple[int, Action]:
        """Return the first seat that interrupts by the policy, else the first seat that must act, with its action."""
        for seat in position.may_act():
            interruption = self._policy.choose(position, seat, rng, {})
            if interruption is not None:
                return seat, interruption
        seat = position.to_act()[0]
        return seat, self._policy.choose(position, seat, rng, {}) or position.legal(seat)[0]

    def value(self, position: Position, seat: int) -> float:
        """Return 1 for a win, 0 for a loss, and one half for a draw or an unfinished game."""
        outcome = position.outcome
        if outcome is None or self._verdict is None:
            return 0.5
        verdict = self._verdict(outcome, position.players)
        return 0.5 if verdict.drawn else float(seat in verdict.winners)


RANDOM: Final = RandomPolicy()
ROLLOUTS: Final = RolloutGuide(RANDOM)

LEVELS: Final[Mapping[str, Level]] = {
    "novice": Level(RANDOM),
    "beginner": Level(RANDOM, ROLLOUTS, Budget(iterations=6, stops_early=True)),
    "apprentice": Level(RANDOM, ROLLOUTS, Budget(iterations=15, stops_early=True)),
    "adept": Level(RANDOM, ROLLOUTS, Budget(iterations=40, seconds=0.05, stops_early=True)),
    "skilled": Level(RANDOM, ROLLOUTS, Budget(iterations=100, seconds=0.1, stops_early=True)),
    "veteran": Level(RANDOM, ROLLOUTS, Budget(iterations=250, seconds=0.1, stops_early=True)),
    "expert": Level(RANDOM, ROLLOUTS, EXPERT),
    "master": Level(RANDOM, ROLLOUTS, MASTER),
}
"""Default levels by name, the weakest first. Every ruleset has levels of these eight names."""
