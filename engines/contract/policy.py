"""What plays a game: policies without search, the worlds that a view may be, and what a search goes by."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from random import Random
from typing import ClassVar, Generic

from engines.contract.position import Action, P, Verdict
from engines.core.compiled import mypyc_attr
from engines.core.types import Json


@mypyc_attr(allow_interpreted_subclasses=True)
class Policy(ABC, Generic[P]):
    """A player without search. It is shown a world imagined from its seat's view, so it can't see more than that.

    It must make nothing of cards that its seat doesn't know: they are dreamt.
    """

    @abstractmethod
    def choose(self, position: P, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return what to do, or None to let others act, which only a seat that needn't act may do."""

    def signal(self, position: P, seat: int, rng: Random) -> str | None:
        """Return the signal to give, one of ``position.signals(seat)``, or None."""
        return None


class EpsilonPolicy(Policy[P]):
    """Plays as one policy, but at one in some of its decisions as another, weaker one."""

    def __init__(self, policy: Policy[P], slips: Policy[P], share: float) -> None:
        """*share* is how often it slips, from 0 to 1."""
        self._policy, self._slips, self._share = policy, slips, share

    def choose(self, position: P, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return what one or the other does."""
        policy = self._slips if rng.random() < self._share else self._policy
        return policy.choose(position, seat, rng, signals)

    def signal(self, position: P, seat: int, rng: Random) -> str | None:
        """Return the better one's signal."""
        return self._policy.signal(position, seat, rng)


@mypyc_attr(allow_interpreted_subclasses=True)
class Worlds(ABC, Generic[P]):
    """All positions that look like one view, made ready to be sampled often."""

    @abstractmethod
    def sample(self, rng: Random) -> P:
        """Return one of them, each as likely as it is, for whoever asked to change."""


class SampledWorlds(Worlds[P]):
    """Worlds that a function samples: enough, where little can be made ready."""

    def __init__(self, sample: Callable[[Random], P]) -> None:
        self._sample = sample

    def sample(self, rng: Random) -> P:
        """Return what the function makes of *rng*."""
        return self._sample(rng)


ScoredActions = list[tuple[Action | None, float]]
"""Actions, None to let others act, each with a score: one more point makes it e times as likely to be tried."""


VerdictFunction = Callable[[Json, int], Verdict]
"""Says how a game ended, from its outcome and the number of players: ``Ruleset.verdict``."""


@mypyc_attr(allow_interpreted_subclasses=True)
class SearchGuide(Policy[P]):
    """The policy that a search goes by: quick, and it can say what it thinks of actions and of positions."""

    depth: ClassVar[int]
    """So many decisions of a seat a search looks at one by one."""
    horizon: ClassVar[int]
    """So many actions an imagined game goes on beyond them before it is judged: ``is_far_enough``."""
    curiosity: ClassVar[float] = 0.3
    """How much an action that was seldom tried is worth trying, for values from 0 to 1."""

    def ready(self, root: P, verdict: VerdictFunction) -> "SearchGuide[P]":
        """Return the guide of one search, for worlds that are imagined as *root* is; it may remember, but not them.

        *verdict* is the ruleset's: it says from an outcome who has won.
        """
        return self

    @abstractmethod
    def weigh(self, position: P, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return what *seat* may do and is worth a thought, with scores that depend on what the seat knows."""

    def would_interrupt(self, position: P, seat: int) -> bool:
        """Return whether *seat*, which need not act, might gain something if it did: else a search isn't worth it."""
        return True

    def is_begun_by(self, action: Action) -> bool:
        """Return whether *action* begins what its seat carries out, or takes back, at its next decision."""
        return False

    def is_taken_back_by(self, action: Action) -> bool:
        """Return whether *action* takes back what its seat has begun."""
        return False

    @abstractmethod
    def next(self, position: P, rng: Random) -> tuple[int, Action]:
        """Return who acts now, and how, if all play by this policy."""

    def is_far_enough(self, position: P, steps: int, look: int) -> bool:
        """Return whether an imagined game is to be judged now, *steps* actions after it was last, or left the tree.

        *look*: so often it has been judged before.
        """
        return steps >= self.horizon

    @abstractmethod
    def value(self, position: P, seat: int) -> float:
        """Return how well *seat* has done, from 0 to 1; how well it seems to do, if the game isn't over."""

    def chance(self, position: P, seat: int) -> float:
        """Return how likely *seat* is to win, from 0 to 1: what a person wants to know, where ``value`` knows more."""
        return self.value(position, seat)

    def assess(self, position: P, seat: int) -> tuple[float, float]:
        """Return both, ``value`` and ``chance``: for guides that find them together."""
        return self.value(position, seat), self.chance(position, seat)

    def calibrated(self, chance: float, players: int) -> float:
        """Return how often a game of so many is won of which a search said *chance*, if experts play on."""
        return chance
