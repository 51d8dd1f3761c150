"""Guides of searches: policies that score actions and evaluate positions."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from random import Random
from typing import ClassVar

from engines.contract.policy import Policy
from engines.contract.position import Action, P, Verdict
from engines.core.dealer import Dealer, SimulationDealer
from engines.core.mypyc_support import mypyc_attr
from engines.core.types import Json

ScoredActions = list[tuple[Action | None, float]]
"""Actions with scores; the action None lets other seats act. The softmax of the scores gives the priors."""


Plan = tuple[Action, ...]
"""The actions of one seat until others may act again; empty to let others act."""


VerdictFunction = Callable[[Json, int], Verdict]
"""``Ruleset.verdict``: returns who has won, from an outcome and the number of players."""


@mypyc_attr(allow_interpreted_subclasses=True)
class SearchGuide(Policy[P]):
    """The policy of a search: fast, and able to score actions and evaluate positions."""

    depth: ClassVar[int]
    """Maximum number of the seat's own decisions in the tree."""
    horizon: ClassVar[int]
    """Maximum number of actions of a rollout before each evaluation (``is_rollout_done``)."""
    exploration: ClassVar[float] = 0.3
    """Weight of the prior in PUCT (c_puct), for values from 0 to 1."""

    def prepare(self, root: P, verdict: VerdictFunction) -> "SearchGuide[P]":
        """Return the guide for one search; it may cache evaluations during the search, but not worlds.

        *root* is one of the worlds from which the search starts; *verdict* is ``Ruleset.verdict``.
        """
        return self

    @abstractmethod
    def score_actions(self, position: P, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return the actions of *seat* that are worth searching, with scores that depend only on what the seat knows.

        *signals* has the signals that seats have given since the last action, by seat.
        """

    def would_interrupt(self, position: P, seat: int) -> bool:
        """Return whether *seat*, which needn't act, might gain by acting. If not, no search is run."""
        return True

    def commits_to(self, action: Action) -> bool:
        """Return whether *action* is the first of two steps; the seat's next decision completes it or takes it back."""
        return False

    def backs_out_with(self, action: Action) -> bool:
        """Return whether *action* takes back a first step (``commits_to``)."""
        return False

    def names_plans(self, view: Json) -> bool:
        """Return whether a game with this view is searched by ``PlanSearch``, among ``plans``, not by tree search."""
        return False

    def plans(self, position: P, seat: int) -> list[tuple[Plan, float]]:
        """Return the plans of *seat* to search, each with its estimated value (0 to 1), best first."""
        raise NotImplementedError

    def dealer(self, world: P, luck: int) -> Dealer:
        """Return a dealer for a simulation from *world*; equal *luck* gives equal or similar random events."""
        return SimulationDealer(Random(luck))

    @abstractmethod
    def next(self, position: P, rng: Random) -> tuple[int, Action]:
        """Return the seat that acts next and its action, if all seats play by this policy."""

    def is_rollout_done(self, position: P, steps: int, evaluation_index: int) -> bool:
        """Return whether a rollout stops for its next evaluation, *steps* actions after its start or last evaluation.

        *evaluation_index* is the number of evaluations before the next one.
        """
        return steps >= self.horizon

    @abstractmethod
    def value(self, position: P, seat: int) -> float:
        """Return the value of the position for *seat*, from 0 to 1; an estimate if the game isn't over."""

    def win_probability(self, position: P, seat: int) -> float:
        """Return the probability that *seat* wins, to be shown to people. It may differ from ``value``.

        ``value`` guides the search, and may depend on more than wins.
        """
        return self.value(position, seat)

    def evaluate(self, position: P, seat: int) -> tuple[float, float]:
        """Return ``value`` and ``win_probability``; overridden by guides that compute them together."""
        return self.value(position, seat), self.win_probability(position, seat)

    def calibrated(self, estimate: float, players: int) -> float:
        """Return the calibrated *estimate*: the win rate that experts reached from positions with this estimate."""
        return estimate
