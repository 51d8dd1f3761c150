"""A training run: games, lessons, steps, round after round; it goes on where it was interrupted."""

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
from training.replay_buffer import Lesson, ReplayBuffer, lessons
from training.self_play import greedy_game, taught_game
from training.subjects import Subject
from training.teacher_games import TeacherGames

LATEST: Final = 1000
"""Games that a line of progress speaks of."""
AT_A_TIME: Final = 50
"""Games of teachers that a process plays before it tells of them."""
MANY: Final = 8192
"""Positions of which a network thinks at a time."""

Sample = Callable[[int, np.random.Generator], tuple[Features, Floats]]
"""Returns so many lessons, any."""


@dataclass(frozen=True)
class Settings:
    """What a run follows from, beside its subject."""

    seed: int = 1
    games: int = 30_000
    """Of greedy players."""
    taught_games: int = 2000
    """Before these, of teachers: their positions learn how they end."""
    rounds: int = 4
    """Where there are teachers alone: how often their games are learned from, each time by what is thought of their
    positions by then."""
    a_round: int = 200
    """Games between two looks at the lessons."""
    units: tuple[int, int] = (64, 32)
    """Of the two hidden layers."""
    lessons: int = 150_000
    """Remembered; the latest."""
    passes: float = 4.0
    """How often each lesson is learned, on average."""
    batch: int = 1024
    """Lessons that a step learns from."""
    rates: tuple[float, float] = (1.5e-3, 1e-4)
    """How long steps are, at first and in the end; they shrink evenly."""
    decay: float = 0.0
    """By how much of a step's length weights shrink at each."""
    bonus: float = 0.4
    """What getting far is worth at first; nothing from half-time on."""
    trace: float = 0.85
    """How much a position learns from the end rather than from what was thought of the next: TD(lambda)'s lambda."""


OF_TEACHERS: Final = Settings(games=0, taught_games=24_000, passes=2.0, batch=512, decay=0.1, trace=0.8)
"""What is learned from teachers alone."""


def usual(subject: Subject) -> Settings:
    """Return the settings that a subject is trained with, if nothing else is asked for."""
    return OF_TEACHERS if subject.ranked is None else Settings()


class Run:
    """A network on its way."""

    def __init__(self, subject: Subject, settings: Settings) -> None:
        self.subject, self.settings = subject, settings
        self._rng = np.random.default_rng(settings.seed)
        sizes = (subject.feature_count, *settings.units, len(subject.utilities))
        self.network = Network(sizes, self._rng)
        self._buffer = ReplayBuffer(
            settings.lessons if subject.ranked else 0, subject.feature_count, len(subject.utilities)
        )
        self.is_taught = False
        """Teachers have played, and were learned from."""
        self.played = 0
        self.seconds = 0.0
        self._endings = deque[int](maxlen=LATEST)

    @property
    def is_done(self) -> bool:
        """All games have been played, and learned from."""
        return self.is_taught and self.played >= self.settings.games

    def go_on(self) -> None:
        """Play a round and learn from it; before the first, learn from teachers."""
        began = monotonic()
        if not self.is_taught:
            self._begin()
        if not self.is_done:
            self._round()
        self.seconds += monotonic() - began

    def line(self) -> str:
        """Say how far it is, and how the latest games went."""
        endings = self._endings
        worth = sum(self.subject.utilities[ending] for ending in endings) / len(endings)
        far = sum(self.subject.progress[ending] for ending in endings) / len(endings)
        best = endings.count(len(self.subject.utilities) - 1) / len(endings)
        return f"{self.played:7} games {self.seconds:7.0f} s  worth {worth:.3f}  best {best:.3f}  progress {far:.3f}"

    def save(self, path: Path) -> None:
        """Write everything that it goes on from."""
        state = {**self.network.state(), **self._buffer.state(), "played": np.array(self.played)}
        state["seconds"], state["endings"] = np.array(self.seconds), np.array(self._endings)
        state["rng"] = np.array(json.dumps(self._rng.bit_generator.state))
        unfinished = path.with_suffix(".part.npz")
        np.savez_compressed(unfinished, **state)
        unfinished.replace(path)

    def restore(self, path: Path) -> None:
        """Go on from what was written."""
        with np.load(path) as state:
            self.network.restore(state)
            self._buffer.restore(state)
            self.is_taught = True
            self.played, self.seconds = int(state["played"]), float(state["seconds"])
            self._endings.extend(int(ending) for ending in state["endings"])
            self._rng.bit_generator.state = json.loads(str(state["rng"]))

    def _begin(self) -> None:
        """Let teachers play, on all processors, and learn from their games."""
        settings, subject = self.settings, self.subject
        play = partial(taught_game, subject.name)
        chances = [self._chances(f"adept {number}") for number in range(settings.taught_games)]
        games = TeacherGames(subject.feature_count, len(subject.utilities), subject.seats)
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as players:
            for seen, explored, ending in players.map(play, chances, chunksize=AT_A_TIME):
                self._endings.append(ending)
                if subject.ranked is None:
                    games.add(seen, explored, ending)
                else:
                    self._remember(lessons(seen, [[0.0] * len(subject.utilities)] * len(seen), ending, 1.0))
        if subject.ranked is None:
            for number in range(settings.rounds):
                self._learn_from_teachers(games, number)
        else:
            self._learn(self._buffer.sample, len(self._buffer), settings.rates[0], settings.rates[0])
        self.is_taught = True

    def _learn_from_teachers(self, games: TeacherGames, number: int) -> None:
        """Learn in the first round, *number* 0, how the games ended; in others from what is thought of them too."""
        settings, features, places = self.settings, games.features(), games.learned()
        targets = games.targets(self._thoughts(features) if number else None, settings.trace)

        def sample(count: int, rng: np.random.Generator) -> tuple[Features, Floats]:
            chosen = places[rng.integers(0, len(places), count)]
            return features[chosen], targets[chosen]

        first, last = settings.rates
        self._learn(sample, len(places), first / 2 if number else first, last)

    def _thoughts(self, features: Features) -> Floats:
        """Return what the network thinks of positions."""
        parts = [self.network.shares(features[start : start + MANY]) for start in range(0, len(features), MANY)]
        return np.concatenate(parts)

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
            self._remember(lessons(*game, settings.trace))
            self._endings.append(game[2])
            self.played += 1
        first, last = settings.rates
        rate = first * (last / first) ** share
        self._learn(self._buffer.sample, self._buffer.added - before, rate, rate)

    def _chances(self, number: object) -> str:
        return f"{self.settings.seed} {self.subject.ruleset.name} {self.subject.players} {number}"

    def _remember(self, found: list[Lesson]) -> None:
        for lesson in found:
            self._buffer.add(lesson)

    def _learn(self, sample: Sample, new: int, first: float, last: float) -> None:
        """Learn from so many *new* lessons, by steps that shrink evenly from the *first* to the *last*."""
        steps = round(self.settings.passes * new / self.settings.batch)
        for step in range(steps):
            rate = first * (last / first) ** (step / steps)
            self.network.learn(*sample(self.settings.batch, self._rng), rate, self.settings.decay)
