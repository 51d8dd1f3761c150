"""What positions are to learn, and the latest of them."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from training.network import Features, Floats

WIDEST: Final = 224
"""More features hold in no position."""

Lesson = tuple[list[int], list[float]]
"""The features of a position, and how likely each way to end is to be from there."""

Seen = list[tuple[list[int], int]]
"""The features of the positions of a game, and the seat from which each was looked at."""


def lessons(seen: Seen, thoughts: Sequence[list[float]], ending: int, trace: float) -> list[Lesson]:
    """Return what the positions of a game learn: its end, mixed with what was thought of those after it (TD(lambda)).

    *thoughts* are how likely each way to end seemed in each position. *trace* is the lambda: 1 learns from the end
    alone.
    """
    found = list[Lesson]()
    target = list[float]()
    after = list[float]()
    for (held, _), thought in zip(reversed(seen), reversed(thoughts), strict=True):
        if found:
            target = [trace * one + (1 - trace) * other for one, other in zip(target, after, strict=True)]
        else:
            target = [float(place == ending) for place in range(len(thought))]
        found.append((held, target))
        after = thought
    return found


class ReplayBuffer:
    """The latest lessons; older ones are forgotten."""

    def __init__(self, size: int, features: int, endings: int) -> None:
        self._features = np.full((size, WIDEST), features, np.uint16)
        self._targets = np.zeros((size, endings), np.float32)
        self._empty = features
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self._features))

    def add(self, lesson: Lesson) -> None:
        """Remember a lesson."""
        held, target = lesson
        place = self.added % len(self._features)
        self._features[place] = self._empty
        self._features[place, : len(held)] = held
        self._targets[place] = target
        self.added += 1

    def sample(self, count: int, rng: np.random.Generator) -> tuple[Features, Floats]:
        """Return so many of them, any."""
        chosen = rng.integers(0, len(self), count)
        return self._features[chosen], self._targets[chosen]

    def state(self) -> dict[str, Any]:
        """Return everything that it goes on from."""
        return {"features": self._features, "targets": self._targets, "added": np.array(self.added)}

    def restore(self, state: Any) -> None:
        """Go on from a state."""
        self._features, self._targets, self.added = state["features"], state["targets"], int(state["added"])
