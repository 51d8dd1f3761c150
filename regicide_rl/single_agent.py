"""One seat of a table as the agent, with AIs at the other seats: the interface of Gymnasium."""

from collections.abc import Mapping
from operator import index
from random import Random
from typing import Any, Final

import gymnasium

from engines.ai.decision import Question, think
from engines.ai.observation import Observation as Known
from engines.contract.learning_tasks import Task, check_choice
from engines.contract.rl_environment import GAME_OVER, Episode, IllegalChoice
from engines.core.dealer import SimulationDealer
from regicide_rl.environment_base import (
    RENDER_MODES,
    Observation,
    TableEnv,
    action_space,
    observation_space,
    observe,
    starting_position,
    task_of,
)

RANDOM: Final = "random"
"""Name of opponents that choose legal actions at random."""
ILLEGAL: Final = -1.0
"""Reward of an illegal action, which ends the game."""


def solo(
    ruleset: str = "regicide",
    players: int = 1,
    seat: int = 0,
    opponents: str = "novice",
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    *,
    shaped: bool = False,
) -> "SoloEnv":
    """Make an environment for one agent at *seat*. *opponents* is the level of all other seats, or ``random``.

    Raises ``ValueError``, ``BadOptions``, ``NoEnvironment``.
    """
    task = task_of(ruleset, players, options, shaped=shaped)
    if not 0 <= seat < task.players:
        raise ValueError(f"There is no seat {seat}: the last is {task.players - 1}.")
    if opponents != RANDOM and opponents not in task.ruleset.levels:
        raise ValueError(f"There is no level {opponents!r}: there are {RANDOM}, {', '.join(task.ruleset.levels)}.")
    return SoloEnv(task, seat, opponents, render_mode)


class SoloEnv(TableEnv, gymnasium.Env[Any, Any]):
    """A seat at a table. An illegal action ends the game, with the reward of a lost game."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  as in the base class

    def __init__(self, task: Task, seat: int, opponents: str, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = observation_space(task)
        self.action_space = action_space(task)
        self.seat: Final = seat
        self.players: Final = task.players
        self._task, self._opponents = task, opponents
        self._rng = Random()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a game, or begin with ``options["position"]``. Other seats play until the agent's seat chooses.

        Raises ``ValueError`` for any other option, ``BadPosition``, ``BadCard``.
        """
        position = starting_position(options)
        super().reset(seed=seed)
        self._rng = Random(int(self.np_random.integers(2**63)))
        self._begin(SimulationDealer(self._rng), position)
        self._let_others_play()
        return self._observe(), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out *action*, an index. Then other seats play until the agent's seat chooses or the game is over.

        Raises ``TypeError`` if *action* is no whole number.
        """
        episode, choice = self.episode, index(action)
        try:
            check_choice(episode, choice, self._task.environment.actions)
        except IllegalChoice as refused:
            return self._observe(), ILLEGAL, True, False, {"illegal": str(refused)}
        episode.step(choice)
        reward = self._rewarded() + self._let_others_play()
        return self._observe(), reward, episode.seat == GAME_OVER, False, {}

    def render(self) -> str | None:
        """Return the table as text, as the agent sees it. In the mode ``human`` the text is printed."""
        return self._render(self.seat)

    def _observe(self) -> Observation:
        return observe(self.episode, self.seat)

    def _rewarded(self) -> float:
        rewards = self._task.rewards(self.episode)
        return 0.0 if rewards is None else rewards[self.seat]

    def _let_others_play(self) -> float:
        """Let other seats play until the agent's seat chooses or the game is over. Return the agent's rewards."""
        episode, reward = self.episode, 0.0
        while episode.seat not in (self.seat, GAME_OVER):
            if self._opponents == RANDOM:
                episode.step(self._rng.choice([index for index, legal in enumerate(episode.mask) if legal]))
            else:
                self._let_level_play(episode)
            reward += self._rewarded()
        return reward

    def _let_level_play(self, episode: Episode) -> None:
        """Let an AI of the opponents' level decide for the seat that chooses, from that seat's view."""
        seat = episode.seat
        known = Known(self._task.ruleset, episode.position.view(seat), seat, str(self._rng.random()))
        must_act = seat in episode.position.to_act()
        action = think(Question(self._opponents, known, must_act=must_act)).action
        if action is None:
            episode.ask_next()
        else:
            episode.act(seat, action)
