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
"""Actions with scores; the action None lets other seats act. One point more makes an action e times as likely."""


Plan = tuple[Action, ...]
"""What a seat does until others may act again; none to let others act."""


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
        """Return the guide for one search from worlds like *root*. The guide may cache evaluations, but not worlds.

        *verdict* is the ruleset's function.
        """
        return self

    @abstractmethod
    def score_actions(self, position: P, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return the actions of *seat* that are worth searching, scored by the seat's knowledge."""

    def would_interrupt(self, position: P, seat: int) -> bool:
        """Return whether *seat*, which needn't act, might gain by acting. If not, no search is run."""
        return True

    def commits_to(self, action: Action) -> bool:
        """Return whether *action* begins something that its seat completes or takes back at its next decision."""
        return False

    def backs_out_with(self, action: Action) -> bool:
        """Return whether *action* takes back something that its seat has begun."""
        return False

    def names_plans(self, view: Json) -> bool:
        """Return whether ``plans`` are to be searched in a game with this view, and not a tree of actions."""
        return False

    def plans(self, position: P, seat: int) -> list[tuple[Plan, float]]:
        """Return the plans of *seat* that are worth a search, with what each promises from 0 to 1, best first."""
        raise NotImplementedError

    def dealer(self, world: P, luck: int) -> Dealer:
        """Return the dealer of an imagined game from *world*; with equal *luck* games are dealt alike."""
        return SimulationDealer(Random(luck))

    @abstractmethod
    def next(self, position: P, rng: Random) -> tuple[int, Action]:
        """Return the seat that acts next and its action, if all seats play by this policy."""

    def is_rollout_done(self, position: P, steps: int, evaluation_index: int) -> bool:
        """Return whether to evaluate now, *steps* actions after the tree or the last evaluation.

        *evaluation_index* is the number of earlier evaluations.
        """
        return steps >= self.horizon

    @abstractmethod
    def value(self, position: P, seat: int) -> float:
        """Return the value of the position for *seat*, from 0 to 1; an estimate if the game isn't over."""

    def win_probability(self, position: P, seat: int) -> float:
        """Return the probability that *seat* wins, from 0 to 1, for people; ``value`` may include more than wins."""
        return self.value(position, seat)

    def evaluate(self, position: P, seat: int) -> tuple[float, float]:
        """Return ``value`` and ``win_probability``; overridden by guides that compute them together."""
        return self.value(position, seat), self.win_probability(position, seat)

    def calibrated(self, estimate: float, players: int) -> float:
        """Return the win rate that was observed for a search's *estimate* if experts continue the game."""
        return estimate
