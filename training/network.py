"""A value network while it learns: two hidden layers of rectified units, a softmax, Adam."""

from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engines.ai.value_network import HEADER, ONE

Floats = npt.NDArray[np.float32]
Features = npt.NDArray[np.uint16]
"""A row for each position: the numbers of the features that hold, filled up with the number of features."""

LIMIT: Final = 7.9
"""No weight grows beyond it: eight can't be written (``packed``)."""
HELD: Final = 80
"""About so many features hold in a position."""
MOMENTS: Final = (0.9, 0.999)
"""Adam's decay of means and of squares."""
TINY: Final = 1e-8


class Network:
    """Weights and biases, layer by layer, and what Adam remembers of their slopes."""

    def __init__(self, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
        """Begin at random. *sizes*: features, units of the first and of the second layer, ways to end."""
        self.sizes = sizes
        self.parameters = list[Floats]()
        for rows, columns in pairwise(sizes):
            spread = np.sqrt(2 / min(rows, HELD))
            self.parameters += [
                (rng.standard_normal((rows, columns)) * spread).astype(np.float32),
                np.zeros(columns, np.float32),
            ]
        self.means = [np.zeros_like(one) for one in self.parameters]
        self.squares = [np.zeros_like(one) for one in self.parameters]
        self.steps = 0

    def learn(self, features: Features, targets: Floats, rate: float, decay: float = 0.0) -> float:
        """Go one step down the cross-entropy of these positions; return its mean before the step.

        Weights, not biases, also shrink by *rate* times *decay* (AdamW).
        """
        _, _, w2, _, w3, _ = self.parameters
        held = self._counted(features)
        first, second, shares = self._forward(held)
        down3 = (shares - targets) / len(features)
        down2 = (down3 @ w3.T) * (second > 0)
        down1 = (down2 @ w2.T) * (first > 0)
        slopes = [held.T @ down1, down1.sum(0), first.T @ down2, down2.sum(0), second.T @ down3, down3.sum(0)]
        for place in (0, 2, 4):
            self.parameters[place] *= np.float32(1 - rate * decay)
        self._select_path(slopes, rate)
        return -float((targets * np.log(shares + TINY)).sum() / len(features))

    def shares(self, features: Features) -> Floats:
        """Return how likely each way to end is, a row for each position."""
        return self._forward(self._counted(features))[2]

    def _forward(self, held: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the units of both hidden layers, and the shares."""
        w1, b1, w2, b2, w3, b3 = self.parameters
        first = np.maximum(held @ w1 + b1, 0)
        second = np.maximum(first @ w2 + b2, 0)
        scores = second @ w3 + b3
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return first, second, shares / shares.sum(axis=1, keepdims=True)

    def _counted(self, features: Features) -> Floats:
        """Return how often each feature holds, in a row for each position."""
        width = self.sizes[0] + 1
        places = np.arange(len(features))[:, None] * width + features
        counts = np.bincount(places.ravel(), minlength=len(features) * width)
        return counts.reshape(len(features), width)[:, :-1].astype(np.float32)

    def _select_path(self, slopes: list[Floats], rate: float) -> None:
        self.steps += 1
        scale = rate * np.sqrt(1 - MOMENTS[1] ** self.steps) / (1 - MOMENTS[0] ** self.steps)
        for place, slope in enumerate(slopes):
            self.means[place] += (1 - MOMENTS[0]) * (slope - self.means[place])
            self.squares[place] += (1 - MOMENTS[1]) * (slope * slope - self.squares[place])
            change = scale * self.means[place] / (np.sqrt(self.squares[place]) + TINY)
            self.parameters[place] = np.clip(self.parameters[place] - change, -LIMIT, LIMIT).astype(np.float32)

    def packed(self) -> bytes:
        """Return the network as ``engines.ai.value_network`` reads it."""
        written = HEADER.pack(*self.sizes)
        for place, parameter in enumerate(self.parameters):
            written += np.rint(parameter * ONE).astype("<i4" if place % 2 else "<i2").tobytes()
        return written

    def state(self) -> dict[str, Any]:
        """Return everything that it goes on from."""
        kinds = {"parameter": self.parameters, "mean": self.means, "square": self.squares}
        arrays = {f"{kind}{place}": one for kind, all_ in kinds.items() for place, one in enumerate(all_)}
        return {**arrays, "steps": np.array(self.steps)}

    def restore(self, state: Any) -> None:
        """Go on from a state."""
        for place in range(len(self.parameters)):
            self.parameters[place] = state[f"parameter{place}"]
            self.means[place] = state[f"mean{place}"]
            self.squares[place] = state[f"square{place}"]
        self.steps = int(state["steps"])
