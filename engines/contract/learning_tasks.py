"""Learning tasks: dealing episodes and computing their rewards, for single games or batches of games."""

from random import Random
from typing import Final

from engines.contract.base import Ruleset
from engines.contract.position import Position
from engines.contract.rl_environment import GAME_OVER, Environment, Episode, IllegalChoice
from engines.core.dealer import Dealer, SimulationDealer
from engines.core.errors import BadPosition
from engines.core.phrase import Phrase
from engines.core.types import Json


class Task:
    """A learning task: a ruleset, a number of players, options, and the rewards."""

    def __init__(self, ruleset: Ruleset, players: int, options: Json, *, shaped: bool = False) -> None:
        """Set up the task; *shaped* also rewards progress during a game. Raises ``NoEnvironment``."""
        self.ruleset: Final = ruleset
        self.players: Final = players
        self.environment: Final[Environment] = ruleset.environment()
        self._options = options
        self._shaped = shaped

    def deal(self, dealer: Dealer) -> Episode:
        """Deal a game and return its episode."""
        return self.go_on(self.ruleset.new(self.players, self._options, dealer), dealer)

    def go_on(self, position: Position, dealer: Dealer) -> Episode:
        """Return an episode that starts from *position* and changes it."""
        episode = self.environment.begin(position, dealer)
        if self._shaped:
            episode.progress = self.environment.progress(position)
        episode.start()
        return episode

    def load(self, position: object) -> Position:
        """Read a position with the task's number of players. Raises ``BadPosition``, ``BadCard``."""
        loaded = self.ruleset.load(position)
        if loaded.players != self.players:
            raise BadPosition(Phrase("This table is for {players} players.", players=self.players))
        return loaded

    def copy(self, episode: Episode, dealer: Dealer) -> Episode:
        """Return an independent copy of a game. The copy continues with *dealer*."""
        return self.imagine(episode, episode.position.copy(), dealer)

    def imagine(self, episode: Episode, world: Position, dealer: Dealer) -> Episode:
        """Return a copy of *episode* that continues from *world* instead of its own position; the same seat chooses."""
        imagined = self.environment.begin(world, dealer)
        imagined.progress = episode.progress
        imagined.resume(episode)
        return imagined

    def rewards(self, episode: Episode) -> list[float] | None:
        """Return the reward of each seat since the last call; None stands for rewards that are all 0.

        The end of a game gives 1 to winners, -1 to losers, and 0 to all in a draw. Before the end, there are rewards
        only if they are shaped. Shaped rewards add the change of ``Environment.progress`` since the last call, and
        ``episode.progress`` is updated for the next call.
        """
        is_over = episode.seat == GAME_OVER
        if not (is_over or self._shaped):
            return None
        rewards = self._returns(episode.position) if is_over else [0.0] * self.players
        if self._shaped:
            before, episode.progress = episode.progress, self.environment.progress(episode.position)
            for seat in range(self.players):
                rewards[seat] += episode.progress[seat] - before[seat]
        return rewards

    def _returns(self, position: Position) -> list[float]:
        outcome = position.outcome
        if outcome is None:
            return [0.0] * self.players
        verdict = self.ruleset.verdict(outcome, self.players)
        if verdict.drawn:
            return [0.0] * self.players
        return [1.0 if seat in verdict.winners else -1.0 for seat in range(self.players)]


class Batch:
    """Several games in parallel. A step is one choice in each game; a game that ends is replaced by a new deal."""

    def __init__(self, task: Task, seeds: list[int], position: Position | None = None) -> None:
        """Deal one game for each of *seeds*, each with its own generator, or begin each with a copy of *position*."""
        self._task = task
        self._dealers: list[Dealer] = [SimulationDealer(Random(seed)) for seed in seeds]
        self._episodes = [
            task.deal(dealer) if position is None else task.go_on(position.copy(), dealer) for dealer in self._dealers
        ]
        self.ended: list[int] = []
        """Indices of the games that ended in the last step."""
        self.rewarded: list[int] = []
        """Indices of the games that have rewards in the last step, ascending."""
        self.rewards: list[float] = []
        """Rewards of the last step in one flat list: for each game in ``rewarded``, those of all seats."""

    def seats(self) -> list[int]:
        """Return the seat that chooses, by game."""
        return [episode.seat for episode in self._episodes]

    def masks(self) -> bytearray:
        """Return the masks of the seats that choose, joined in the order of the games: a byte per action."""
        return bytearray(b"".join([episode.mask for episode in self._episodes]))

    def observations(self) -> bytearray:
        """Return the observations of the seats that choose, joined in the order of the games: a byte per bit."""
        return bytearray(b"".join([episode.observation(episode.seat) for episode in self._episodes]))

    def step(self, choices: list[int]) -> int:
        """Carry out one choice in each game; return the number of positions that have changed.

        If it raises ``IllegalChoice``, all games are unchanged.
        """
        self._check(choices)
        self.ended, self.rewarded, self.rewards = [], [], []
        changed = 0
        for game, episode in enumerate(self._episodes):
            before = episode.changes
            episode.step(choices[game])
            changed += episode.changes - before
            rewards = self._task.rewards(episode)
            if rewards is not None:
                self.rewarded.append(game)
                self.rewards += rewards
            if episode.seat == GAME_OVER:
                self.ended.append(game)
                self._episodes[game] = self._task.deal(self._dealers[game])
        return changed

    def _check(self, choices: list[int]) -> None:
        if len(choices) != len(self._episodes):
            raise IllegalChoice(f"There are {len(self._episodes)} games, and {len(choices)} choices.")
        actions = self._task.environment.actions
        for game, episode in enumerate(self._episodes):
            check_choice(episode, choices[game], actions, f" in game {game}")


def check_choice(episode: Episode, choice: int, actions: tuple[str, ...], where: str = "") -> None:
    """Raise ``IllegalChoice`` unless the mask of the seat that chooses allows *choice*, an index of *actions*.

    *where* is a part of the message that says in which game of several, such as " in game 3".
    """
    if not 0 <= choice < len(actions):
        raise IllegalChoice(f"There is no action {choice}{where}: the last is {len(actions) - 1}.")
    if episode.seat == GAME_OVER or not episode.mask[choice]:
        raise IllegalChoice(f"Action {choice}, {actions[choice]!r}, isn't legal now{where}: choose by the mask.")
