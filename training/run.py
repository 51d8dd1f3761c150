"""A training run: games, lessons, steps, round after round; it goes on where it was interrupted."""

import json
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

import numpy as np

from engines.value_network import ValueNetwork
from training.lessons import Buffer, Lesson, lessons
from training.network import Network
from training.self_play import greedy_game, taught_game
from training.subjects import Subject

LATEST: Final = 1000
"""Games that a line of progress speaks of."""


@dataclass(frozen=True)
class Settings:
    """What a run follows from, beside its subject."""

    seed: int = 1
    games: int = 30_000
    """Of greedy players."""
    taught_games: int = 2000
    """Before these."""
    taught_trace: float = 1.0
    """As ``trace``, for what teachers thought of the next position."""
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
    bonus: float = 0.4
    """What getting far is worth at first; nothing from half-time on."""
    trace: float = 0.85
    """How much a position learns from the end rather than from what was thought of the next: TD(lambda)'s lambda."""


AMONG_RIVALS: Final = Settings(games=10_000, taught_trace=0.9, lessons=600_000, passes=2.0, batch=512, bonus=0.0)
"""Where each plays for themself: games are longer, and a position tells less of their end."""


def usual(subject: Subject) -> Settings:
    """Return the settings that a subject is trained with, if nothing else is asked for."""
    return Settings() if subject.ruleset.cooperative else AMONG_RIVALS


class Run:
    """A network on its way."""

    def __init__(self, subject: Subject, settings: Settings) -> None:
        self.subject, self.settings = subject, settings
        self._rng = np.random.default_rng(settings.seed)
        sizes = (subject.feature_count, *settings.units, len(subject.utilities))
        self.network = Network(sizes, self._rng)
        self._buffer = Buffer(settings.lessons, subject.feature_count, len(subject.utilities))
        self.played = 0
        self.seconds = 0.0
        self._endings = deque[int](maxlen=LATEST)

    @property
    def is_done(self) -> bool:
        """All games have been played."""
        return self.played >= self.settings.games

    def go_on(self) -> None:
        """Play a round and learn from it; before the first, learn from teachers."""
        began = monotonic()
        if not self.played:
            self._begin()
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
            self.played, self.seconds = int(state["played"]), float(state["seconds"])
            self._endings.extend(int(ending) for ending in state["endings"])
            self._rng.bit_generator.state = json.loads(str(state["rng"]))

    def _begin(self) -> None:
        """Learn how games among teachers end."""
        for number in range(self.settings.taught_games):
            game = taught_game(self.subject, self._chances(f"adept {number}"))
            self._remember(lessons(*game, self.settings.taught_trace, self.subject.seats))
        self._learn(len(self._buffer), self.settings.rates[0])

    def _round(self) -> None:
        settings, before = self.settings, self._buffer.added
        share = self.played / settings.games
        bonus = settings.bonus * max(0.0, 1 - 2 * share)
        utilities = tuple(
            worth + bonus * far for worth, far in zip(self.subject.utilities, self.subject.progress, strict=True)
        )
        network = ValueNetwork(self.network.packed())
        guide = self.subject.guide(network, utilities)
        for _ in range(settings.a_round):
            game = greedy_game(self.subject, guide, network, self._chances(self.played))
            self._remember(lessons(*game, settings.trace, self.subject.seats))
            self._endings.append(game[2])
            self.played += 1
        first, last = settings.rates
        self._learn(self._buffer.added - before, first * (last / first) ** share)

    def _chances(self, number: object) -> Random:
        return Random(f"{self.settings.seed} {self.subject.ruleset.name} {self.subject.players} {number}")

    def _remember(self, found: list[Lesson]) -> None:
        for lesson in found:
            self._buffer.add(lesson)

    def _learn(self, new: int, rate: float) -> None:
        for _ in range(round(self.settings.passes * new / self.settings.batch)):
            self.network.learn(*self._buffer.sample(self.settings.batch, self._rng), rate)
