"""All seats of a table as agents that act in turn: the AEC interface of PettingZoo."""

from collections.abc import Mapping
from operator import index
from random import Random
from typing import Any, Final

from gymnasium import spaces
from pettingzoo import AECEnv

from engines.contract.learning_tasks import Task, check_choice
from engines.contract.rl_environment import GAME_OVER
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

IGNORED_OPTIONS: Final = ("options",)
"""Options of a reset that are allowed without effect: PettingZoo's ``api_test`` passes this one."""


def env(
    ruleset: str = "regicide",
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    *,
    shaped: bool = False,
) -> "SeatsEnv":
    """Make an AEC environment of a table. *options* are those of the ruleset.

    With *players* None, ``task_of`` chooses the number. With *shaped*, progress during a game is rewarded too. Raises
    ``ValueError``, ``BadOptions``, ``NoEnvironment``.
    """
    return SeatsEnv(task_of(ruleset, players, options, shaped=shaped), render_mode)


class SeatsEnv(TableEnv, AECEnv[str, Observation, int]):
    """A table at which each seat is an agent: ``possible_agents[i]`` is seat i."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "is_parallelizable": False}  # noqa: RUF012  as in the base class

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {**self.metadata, "name": f"{task.ruleset.name}_v0"}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(task.players)]
        self.observation_spaces: dict[str, spaces.Space[Any]] = {}
        self.action_spaces: dict[str, spaces.Space[Any]] = {}
        for agent in self.possible_agents:
            self.observation_spaces[agent] = observation_space(task)
            self.action_spaces[agent] = action_space(task)
        self.agents: list[str] = []
        self._task = task
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._dealer: SimulationDealer | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a game, or start from ``options["position"]``, in the notation of docs/referee.md.

        The first call, and each call with a *seed*, seeds the random numbers. Raises ``BadPosition``, ``BadCard``, and
        ``ValueError`` for any other option.
        """
        position = starting_position(options, IGNORED_OPTIONS)
        if self._dealer is None or seed is not None:
            self._dealer = SimulationDealer(Random(seed))
        episode = self._begin(self._dealer, position)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, episode.seat == GAME_OVER)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[max(0, episode.seat)]

    def observe(self, agent: str) -> Observation:
        return observe(self.episode, self._seats[agent])

    def step(self, action: int | None) -> None:
        """Carry out *action*, the index of an action, for ``agent_selection``.

        Raises ``IllegalChoice``, or ``TypeError`` if *action* is no whole number. Then the game is unchanged.
        """
        agent, episode = self.agent_selection, self.episode
        if action is None or episode.seat == GAME_OVER:
            self._was_dead_step(action)
            return
        choice = index(action)
        check_choice(episode, choice, self._task.environment.actions)
        episode.step(choice)
        self._cumulative_rewards[agent] = 0.0
        rewards = self._task.rewards(episode)
        if rewards is not None or episode.seat == GAME_OVER:
            self._reward(rewards or [0.0] * len(self.agents), is_over=episode.seat == GAME_OVER)
        if episode.seat != GAME_OVER:
            self.agent_selection = self.possible_agents[episode.seat]

    def _reward(self, rewards: list[float], *, is_over: bool) -> None:
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()
        if is_over:
            self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str | None:
        """Return the table as text, as the seat that chooses sees it. In the mode ``human`` the text is printed."""
        return self._render(self.episode.seat)

    def close(self) -> None:
        """Do nothing, because there is nothing to release."""

    def view(self, agent: str) -> dict[str, Any]:
        """Return what an agent may know, in the referee's notation."""
        return self.episode.position.view(self._seats[agent])
