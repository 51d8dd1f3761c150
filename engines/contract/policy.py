"""Policies: players without search."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Generic

from engines.contract.position import Action, P
from engines.core.mypyc_support import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Policy(ABC, Generic[P]):
    """A player without search. It can't cheat, because it gets a world sampled from its seat's view.

    Its choice must not depend on cards that its seat doesn't know, because these cards are sampled.
    """

    @abstractmethod
    def choose(self, position: P, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return an action, or None to let other seats act. None is allowed only if *seat* needn't act.

        *signals* has the signals that seats have given since the last action, by seat.
        """

    def signal(self, position: P, seat: int, rng: Random) -> str | None:
        """Return the signal to give, one of ``position.signals(seat)``, or None."""
        return None


class EpsilonPolicy(Policy[P]):
    """Plays by a policy, but with a given probability by a weaker policy (epsilon-greedy)."""

    def __init__(self, policy: Policy[P], slips: Policy[P], share: float) -> None:
        """Play by *policy*, but with probability *share* (0 to 1) by *slips*, the weaker policy."""
        self._policy, self._slips, self._share = policy, slips, share

    def choose(self, position: P, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        policy = self._slips if rng.random() < self._share else self._policy
        return policy.choose(position, seat, rng, signals)

    def signal(self, position: P, seat: int, rng: Random) -> str | None:
        return self._policy.signal(position, seat, rng)
