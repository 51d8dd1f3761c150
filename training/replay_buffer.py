"""Training examples, and a buffer of the latest ones."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from training.network import Features, Floats

MAX_FEATURES: Final = 224
"""Maximum number of features of a position."""

TrainingExample = tuple[list[int], list[float]]
"""The features of a position, and the target probabilities of the outcomes."""

Seen = list[tuple[list[int], int]]
"""The positions of a game: the features of each, and its seat on turn, from which the features count seats."""


def examples(seen: Seen, estimates: Sequence[list[float]], ending: int, trace: float) -> list[TrainingExample]:
    """Return the examples of a game by TD(lambda): targets mix the outcome with later estimates.

    *estimates* are the estimated outcome probabilities of each position, *ending* is the outcome's index in them.
    *trace* is lambda; 1 uses only the outcome.
    The examples are returned in reverse order of play.
    """
    reversed_examples = list[TrainingExample]()
    target = list[float]()
    next_estimate = list[float]()
    for (features, _), estimate in zip(reversed(seen), reversed(estimates), strict=True):
        if reversed_examples:
            target = [trace * one + (1 - trace) * other for one, other in zip(target, next_estimate, strict=True)]
        else:
            target = [float(index == ending) for index in range(len(estimate))]
        reversed_examples.append((features, target))
        next_estimate = estimate
    return reversed_examples


class ReplayBuffer:
    """A ring buffer of the latest training examples."""

    def __init__(self, size: int, features: int, endings: int) -> None:
        self._features = np.full((size, MAX_FEATURES), features, np.uint16)
        self._targets = np.zeros((size, endings), np.float32)
        self._empty = features
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self._features))

    def add(self, example: TrainingExample) -> None:
        features, target = example
        index = self.added % len(self._features)
        self._features[index] = self._empty
        self._features[index, : len(features)] = features
        self._targets[index] = target
        self.added += 1

    def sample(self, count: int, rng: np.random.Generator) -> tuple[Features, Floats]:
        chosen = rng.integers(0, len(self), count)
        return self._features[chosen], self._targets[chosen]

    def state(self) -> dict[str, Any]:
        """Return the arrays that are needed to resume training, by name."""
        return {"features": self._features, "targets": self._targets, "added": np.array(self.added)}

    def restore(self, state: Any) -> None:
        """Restore what ``state`` returned."""
        self._features, self._targets, self.added = state["features"], state["targets"], int(state["added"])
