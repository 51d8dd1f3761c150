"""Functions and the base class of all environments: their ruleset, spaces, and the table as text."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engines import RULESETS
from engines.contract.learning_tasks import Task
from engines.contract.rl_environment import GAME_OVER, Episode
from engines.core.dealer import SimulationDealer

Bits = NDArray[np.int8]
"""An array of zeros and ones."""
Observation = dict[str, Bits]
"""The knowledge of a seat, and the mask of the actions that the seat may choose."""

RENDER_MODES: Final = ("ansi", "human")
"""The modes of ``render``: ``ansi`` returns the table as text, ``human`` prints it."""

POSITION: Final = "position"
"""The option of a reset: the position to start from, in the notation of docs/referee.md."""


def task_of(ruleset: str, players: int | None, options: Mapping[str, Any] | None, *, shaped: bool) -> Task:
    """Return the task of a table, by default for two players, or for the minimum number if two can't play.

    Raises ``ValueError`` for an unknown ruleset or number of players, ``NoEnvironment``, ``BadOptions``.
    """
    if ruleset not in RULESETS:
        raise ValueError(f"There is no ruleset {ruleset!r}: there are {', '.join(RULESETS)}.")
    rules = RULESETS[ruleset]
    counts = rules.player_counts
    chosen = (2 if 2 in counts else min(counts)) if players is None else players
    if chosen not in counts:
        raise ValueError(f"{rules.title} is for {', '.join(map(str, counts))} players, not {chosen}.")
    return Task(rules, chosen, rules.filled_options(chosen, dict(options or {})), shaped=shaped)


def starting_position(options: Mapping[str, Any] | None, ignored: Collection[str] = ()) -> object:
    """Return the option ``position`` of a reset, None without it.

    Options in *ignored* are allowed, without effect. Raises ``ValueError`` for all others.
    """
    given = dict(options or {})
    for name in given:
        if name != POSITION and name not in ignored:
            raise ValueError(f"A reset has no option {name!r}: there is {POSITION}.")
    return given.get(POSITION)


def action_space(task: Task) -> spaces.Discrete:
    """Return the space of the indices of actions."""
    return spaces.Discrete(len(task.environment.actions))


def bits_space(size: int) -> spaces.Box:
    """Return the space of arrays of *size* bits."""
    return spaces.Box(0, 1, (size,), np.int8)


def observation_space(task: Task) -> spaces.Dict:
    """Return the space of an observation with its mask."""
    observation = bits_space(task.environment.size(task.players))
    return spaces.Dict({"observation": observation, "action_mask": bits_space(len(task.environment.actions))})


def observe(episode: Episode, seat: int) -> Observation:
    """Return a new observation of *seat*. Its mask is all zeros unless *seat* is the one that chooses."""
    mask = bytearray(episode.mask) if seat == episode.seat else bytearray(episode.actions)
    observation = bytearray(episode.observation(seat))
    return {"observation": np.frombuffer(observation, np.int8), "action_mask": np.frombuffer(mask, np.int8)}


def picture(task: Task, episode: Episode, seat: int) -> str:
    """Return the table as text, as *seat* sees it. After the end return it as everybody sees it."""
    view = episode.position.view(None if seat == GAME_OVER else seat)
    return "\n".join([str(line).rstrip() for line in task.ruleset.picture(view)])


class TableEnv:
    """Base class of the environments of a table: the game in progress, dealing, and rendering."""

    _task: Task
    _episode: Episode | None = None
    render_mode: str | None

    @property
    def episode(self) -> Episode:
        """The game in progress. Raises ``RuntimeError`` before the first ``reset``."""
        if self._episode is None:
            raise RuntimeError("There is no game yet: call reset first.")
        return self._episode

    @property
    def position(self) -> dict[str, Any]:
        """The position in the referee's notation, including hidden cards."""
        return self.episode.position.dump()

    def text(self, action: int) -> str:
        """Return an action as text, such as ``play 3D 3S``."""
        return self._task.environment.actions[action]

    def _begin(self, dealer: SimulationDealer, position: object) -> Episode:
        """Deal a game if *position* is None, else begin with it. Raises ``BadPosition``, ``BadCard``."""
        if position is None:
            self._episode = self._task.deal(dealer)
        else:
            self._episode = self._task.go_on(self._task.load(position), dealer)
        return self._episode

    def _render(self, seat: int) -> str | None:
        """Return the table as text, as *seat* sees it. In the mode ``human`` print the text and return None."""
        text = picture(self._task, self.episode, seat)
        if self.render_mode == "human":
            print(text)  # noqa: T201  the mode ``human`` asks for it
            return None
        return text
