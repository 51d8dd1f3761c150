"""Many games of one table at once: the vector interface of Gymnasium, with the rewards of all seats."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from engines.contract.learning_tasks import Batch, Task
from engines.contract.position import Position
from engines.table.start_position import require_unfinished
from regicide_rl.environment_base import Bits, action_space, bits_space, starting_position, task_of


def vector(
    ruleset: str = "regicide",
    players: int | None = None,
    games: int = 64,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    shaped: bool = False,
) -> "GamesEnv":
    """Make an environment of *games* games at once. Game *i* has the seed *seed* + *i*.

    With *seed* None the first game's seed is random. Raises ``ValueError``, ``BadOptions``, ``NoEnvironment``.
    """
    if games < 1:
        raise ValueError(f"There must be at least one game, not {games}.")
    return GamesEnv(task_of(ruleset, players, options, shaped=shaped), games, seed)


class GamesEnv(VectorEnv[Bits, NDArray[np.int64], NDArray[Any]]):
    """Games in which the seat that chooses is the agent. When a game ends, the next deal follows at once.

    Observations have the shape (games, bits), rewards (games, seats). ``infos`` has ``action_mask``, of the shape
    (games, actions), and ``agent``, the seat that chooses in each game, of the shape (games,).
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  as in the base class

    def __init__(self, task: Task, games: int, seed: int | None = None) -> None:
        self.num_envs = games
        self.single_observation_space = bits_space(task.environment.size(task.players))
        self.single_action_space = action_space(task)
        self.observation_space = batch_space(self.single_observation_space, games)
        self.action_space = batch_space(self.single_action_space, games)
        self.changed = 0
        """Number of games whose position was changed by the last step."""
        self._task, self._seed = task, seed
        self._batch: Batch | None = None

    def reset(
        self,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Bits, dict[str, Any]]:
        """Deal all games anew, or begin all with ``options["position"]``; the games that follow them are dealt.

        Without a *seed*, the first call uses that of ``vector``, and later calls new seeds. Raises ``BadPosition``,
        ``BadCard``, and ``ValueError`` for any other option.
        """
        position = self._position(options)
        super().reset(seed=self._seed if seed is None else seed)
        first = self._seed if seed is None else seed
        self._seed = None  # a reset without a seed must continue the generator
        if first is None:
            first = int(self.np_random.integers(2**62))
        self._batch = Batch(self._task, list(range(first, first + self.num_envs)), position)
        return self._observations(), self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Bits, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Carry out one choice in each game. Raises ``IllegalChoice``, and then leaves all games unchanged."""
        batch = self.batch
        self.changed = batch.step(np.asarray(actions).tolist())
        rewards = np.zeros((self.num_envs, self._task.players), np.float32)
        if batch.rewarded:
            rewards[batch.rewarded] = np.reshape(batch.rewards, (-1, self._task.players))
        ended = np.zeros(self.num_envs, np.bool_)
        ended[batch.ended] = True
        return self._observations(), rewards, ended, np.zeros(self.num_envs, np.bool_), self._infos()

    @property
    def batch(self) -> Batch:
        """The games in progress. Raises ``RuntimeError`` before the first ``reset``."""
        if self._batch is None:
            raise RuntimeError("There are no games yet: call reset first.")
        return self._batch

    def text(self, action: int) -> str:
        """Return an action as text, such as ``play 3D 3S``."""
        return self._task.environment.actions[action]

    def _position(self, options: Mapping[str, Any] | None) -> Position | None:
        """Return the position in *options*, None without one. Raises ``ValueError``, ``BadPosition``, ``BadCard``."""
        written = starting_position(options)
        if written is None:
            return None
        position = self._task.load(written)
        require_unfinished(position)
        return position

    def _observations(self) -> Bits:
        return np.frombuffer(self.batch.observations(), np.int8).reshape(self.num_envs, -1)

    def _infos(self) -> dict[str, Any]:
        masks = np.frombuffer(self.batch.masks(), np.int8).reshape(self.num_envs, -1)
        return {"action_mask": masks, "agent": np.array(self.batch.seats(), np.int64)}
