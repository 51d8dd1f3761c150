"""A training run: rounds of games, examples and gradient steps; it can be resumed."""

import json
from collections import deque
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

import numpy as np

from engines.ai.value_network import ValueNetwork
from training.network import Features, Floats, Network
from training.replay_buffer import ReplayBuffer, TrainingExample, examples
from training.self_play import greedy_game, taught_game
from training.subject import Subject
from training.teacher_game_arrays import TeacherGames

SUMMARISED_GAMES: Final = 1000
"""Number of the latest games that a line of progress summarises."""
TEACHER_GAMES_PER_TASK: Final = 50
"""Number of teacher games that a process plays per task."""

Sample = Callable[[int, np.random.Generator], tuple[Features, Floats]]
"""Returns the features and targets of a given number of random examples."""


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a run."""

    seed: int = 1
    games: int = 30_000
    """Number of self-play games of greedy players."""
    taught_games: int = 2000
    """Number of teacher games before the self-play."""
    rounds: int = 4
    """Number of passes over the games if all are teacher games. From the second on, targets also use estimates."""
    a_round: int = 200
    """Number of games between two rounds of gradient steps."""
    units: tuple[int, int] = (64, 32)
    """Numbers of units of the first and the second hidden layer."""
    examples: int = 150_000
    """Size of the replay buffer."""
    passes: float = 4.0
    """Mean number of steps in which each example is used."""
    batch: int = 1024
    """Number of examples per step."""
    rates: tuple[float, float] = (1.5e-3, 1e-4)
    """First and last learning rate. The rate falls exponentially from the first to the last."""
    decay: float = 0.0
    """Weight decay of AdamW, relative to the learning rate."""
    bonus: float = 0.4
    """Initial weight of the reward of progress. The weight falls linearly and is 0 from halfway through the run."""
    trace: float = 0.85
    """Lambda of TD(lambda): the weight of the outcome compared with later estimates."""


TEACHER_ONLY_SETTINGS: Final = TrainingSettings(
    games=0, taught_games=24_000, passes=2.0, batch=512, decay=0.1, trace=0.8
)
"""Settings of a subject that has only teacher games."""


def default_settings(subject: Subject) -> TrainingSettings:
    """Return the default settings of a subject."""
    return TEACHER_ONLY_SETTINGS if subject.ranked is None else TrainingSettings()


class Run:
    """A resumable training run of one network."""

    def __init__(self, subject: Subject, settings: TrainingSettings) -> None:
        self.subject, self.settings = subject, settings
        self._rng = np.random.default_rng(settings.seed)
        sizes = (subject.feature_count, *settings.units, len(subject.utilities))
        self.network = Network(sizes, self._rng)
        self._buffer = ReplayBuffer(
            settings.examples if subject.ranked else 0, subject.feature_count, len(subject.utilities)
        )
        self.is_taught = False
        """True if the teacher games have been played and used."""
        self.played = 0
        self.seconds = 0.0
        self._endings = deque[int](maxlen=SUMMARISED_GAMES)

    @property
    def is_done(self) -> bool:
        """True if all games have been played and used."""
        return self.is_taught and self.played >= self.settings.games

    def train_round(self) -> None:
        """Play a round and train on it; the first call of a new run begins with teacher games."""
        began = monotonic()
        if not self.is_taught:
            self._begin()
        if not self.is_done:
            self._round()
        self.seconds += monotonic() - began

    def line(self) -> str:
        """Return a line of text on the run's progress and the results of the latest games."""
        endings = self._endings
        worth = sum(self.subject.utilities[ending] for ending in endings) / len(endings)
        far = sum(self.subject.progress[ending] for ending in endings) / len(endings)
        best = endings.count(len(self.subject.utilities) - 1) / len(endings)
        return f"{self.played:7} games {self.seconds:7.0f} s  worth {worth:.3f}  best {best:.3f}  progress {far:.3f}"

    def save(self, path: Path) -> None:
        """Write everything that is needed to resume into the file *path*, which is replaced in one step."""
        state = {**self.network.state(), **self._buffer.state(), "played": np.array(self.played)}
        state["seconds"], state["endings"] = np.array(self.seconds), np.array(self._endings)
        state["rng"] = np.array(json.dumps(self._rng.bit_generator.state))
        unfinished = path.with_suffix(".part.npz")
        np.savez_compressed(unfinished, **state)
        unfinished.replace(path)

    def restore(self, path: Path) -> None:
        """Resume from a saved run."""
        with np.load(path) as state:
            self.network.restore(state)
            self._buffer.restore(state)
            self.is_taught = True
            self.played, self.seconds = int(state["played"]), float(state["seconds"])
            self._endings.extend(int(ending) for ending in state["endings"])
            self._rng.bit_generator.state = json.loads(str(state["rng"]))

    def _begin(self) -> None:
        """Play the teacher games on all processors, and train on them."""
        settings, subject = self.settings, self.subject
        play = partial(taught_game, subject.name)
        chances = [self._chances(f"adept {number}") for number in range(settings.taught_games)]
        games = TeacherGames(subject.feature_count, len(subject.utilities), subject.seats)
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as players:
            for seen, explored, ending in players.map(play, chances, chunksize=TEACHER_GAMES_PER_TASK):
                self._endings.append(ending)
                if subject.ranked is None:
                    games.add(seen, explored, ending)
                else:
                    self._remember(examples(seen, [[0.0] * len(subject.utilities)] * len(seen), ending, 1.0))
        if subject.ranked is None:
            for number in range(settings.rounds):
                self._learn_from_teachers(games, number)
        else:
            self._learn(self._buffer.sample, len(self._buffer), settings.rates[0], settings.rates[0])
        self.is_taught = True

    def _learn_from_teachers(self, games: TeacherGames, number: int) -> None:
        """Train on teacher games once: in round *number* 0 on their outcomes, in later rounds also on estimates."""
        settings, features, places = self.settings, games.features(), games.learned()
        targets = games.targets(self.network.shares(features) if number else None, settings.trace)

        def sample(count: int, rng: np.random.Generator) -> tuple[Features, Floats]:
            chosen = places[rng.integers(0, len(places), count)]
            return features[chosen], targets[chosen]

        first, last = settings.rates
        self._learn(sample, len(places), first / 2 if number else first, last)

    def _round(self) -> None:
        settings, before = self.settings, self._buffer.added
        share = self.played / settings.games
        bonus = settings.bonus * max(0.0, 1 - 2 * share)
        utilities = tuple(
            worth + bonus * far for worth, far in zip(self.subject.utilities, self.subject.progress, strict=True)
        )
        network = ValueNetwork(self.network.packed())
        guide, ranked = self.subject.guide(network, utilities), self.subject.ranked
        if ranked is None:
            raise ValueError(f"Of {self.subject.name} there are no greedy players: it learns from teachers alone.")
        for _ in range(settings.a_round):
            game = greedy_game(self.subject, ranked, guide, network, Random(self._chances(self.played)))
            self._remember(examples(*game, settings.trace))
            self._endings.append(game[2])
            self.played += 1
        first, last = settings.rates
        rate = first * (last / first) ** share
        self._learn(self._buffer.sample, self._buffer.added - before, rate, rate)

    def _chances(self, number: object) -> str:
        return f"{self.settings.seed} {self.subject.ruleset.name} {self.subject.players} {number}"

    def _remember(self, new_examples: list[TrainingExample]) -> None:
        for example in new_examples:
            self._buffer.add(example)

    def _learn(self, sample: Sample, new: int, first: float, last: float) -> None:
        """Train for as many steps as use *new* examples ``passes`` times each.

        The learning rate falls exponentially from *first* to *last*.
        """
        steps = round(self.settings.passes * new / self.settings.batch)
        for step in range(steps):
            rate = first * (last / first) ** (step / steps)
            self.network.train_step(*sample(self.settings.batch, self._rng), rate, self.settings.decay)
