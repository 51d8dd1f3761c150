"""A value network in training: two hidden layers of rectified linear units, softmax, Adam."""

from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from engines.ai.value_network import HEADER, UNIT_WEIGHT, checksum, network_sizes

Floats = npt.NDArray[np.float32]
Features = npt.NDArray[np.uint16]
"""Features of positions, one row each: the indices of its features, padded with the number of all features."""

MAX_ABSOLUTE_WEIGHT: Final = 7.9
"""Maximum absolute value of a weight; 8 is outside the range of the file format (``packed``)."""
TYPICAL_PRESENT_FEATURES: Final = 80
"""Approximate number of present features of a position, which scales the initial weights."""
ADAM_BETAS: Final = (0.9, 0.999)
"""Adam's decay rates of means and of squares."""
NUMERICAL_EPSILON: Final = 1e-8
BATCH_POSITIONS: Final = 8192
"""Number of positions in one evaluation of a network."""


class Network:
    """A network's weights and biases by layer, with Adam's moments of their gradients."""

    def __init__(self, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
        """Initialise at random. *sizes*: features, units of the first and second hidden layer, outcomes."""
        self.sizes = sizes
        self.parameters = list[Floats]()
        for rows, columns in pairwise(sizes):
            spread = np.sqrt(2 / min(rows, TYPICAL_PRESENT_FEATURES))
            self.parameters += [
                (rng.standard_normal((rows, columns)) * spread).astype(np.float32),
                np.zeros(columns, np.float32),
            ]
        self.means = [np.zeros_like(one) for one in self.parameters]
        self.squares = [np.zeros_like(one) for one in self.parameters]
        self.steps = 0

    def train_step(self, features: Features, targets: Floats, rate: float, decay: float = 0.0) -> float:
        """Take one step of Adam on the cross-entropy; return the mean cross-entropy before the step.

        Weights, but not biases, also decay by *rate* times *decay* (AdamW).
        """
        _, _, w2, _, w3, _ = self.parameters
        held = self._counted(features)
        first, second, shares = self._forward(held)
        down3 = (shares - targets) / len(features)
        down2 = (down3 @ w3.T) * (second > 0)
        down1 = (down2 @ w2.T) * (first > 0)
        gradients = [held.T @ down1, down1.sum(0), first.T @ down2, down2.sum(0), second.T @ down3, down3.sum(0)]
        for index in (0, 2, 4):
            self.parameters[index] *= np.float32(1 - rate * decay)
        self._apply_adam(gradients, rate)
        return -float((targets * np.log(shares + NUMERICAL_EPSILON)).sum() / len(features))

    def shares(self, features: Features) -> Floats:
        """Return the probabilities of the outcomes, with a row per position."""
        parts = [
            self._forward(self._counted(features[start : start + BATCH_POSITIONS]))[2]
            for start in range(0, len(features), BATCH_POSITIONS)
        ]
        return np.concatenate(parts)

    def _forward(self, held: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the activations of both hidden layers, and the outcome probabilities."""
        w1, b1, w2, b2, w3, b3 = self.parameters
        first = np.maximum(held @ w1 + b1, 0)
        second = np.maximum(first @ w2 + b2, 0)
        scores = second @ w3 + b3
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return first, second, shares / shares.sum(axis=1, keepdims=True)

    def _counted(self, features: Features) -> Floats:
        """Return the number of occurrences of each feature, with a row per position."""
        width = self.sizes[0] + 1
        places = np.arange(len(features))[:, None] * width + features
        counts = np.bincount(places.ravel(), minlength=len(features) * width)
        return counts.reshape(len(features), width)[:, :-1].astype(np.float32)

    def _apply_adam(self, gradients: list[Floats], rate: float) -> None:
        self.steps += 1
        scale = rate * np.sqrt(1 - ADAM_BETAS[1] ** self.steps) / (1 - ADAM_BETAS[0] ** self.steps)
        for index, gradient in enumerate(gradients):
            self.means[index] += (1 - ADAM_BETAS[0]) * (gradient - self.means[index])
            self.squares[index] += (1 - ADAM_BETAS[1]) * (gradient * gradient - self.squares[index])
            change = scale * self.means[index] / (np.sqrt(self.squares[index]) + NUMERICAL_EPSILON)
            self.parameters[index] = np.clip(
                self.parameters[index] - change, -MAX_ABSOLUTE_WEIGHT, MAX_ABSOLUTE_WEIGHT
            ).astype(np.float32)

    def packed(self) -> bytes:
        """Return the network in the format of ``engines.ai.value_network``."""
        written = HEADER.pack(*self.sizes)
        for index, parameter in enumerate(self.parameters):
            written += np.rint(parameter * UNIT_WEIGHT).astype("<i4" if index % 2 else "<i2").tobytes()
        return written + checksum(written)

    @classmethod
    def unpacked(cls, data: bytes, rng: np.random.Generator) -> Self:
        """Return the network in *data*, which has the format of ``packed``. Adam's moments begin at 0."""
        network, offset = cls(network_sizes(data), rng), HEADER.size
        for index, parameter in enumerate(network.parameters):
            kind = np.dtype("<i4" if index % 2 else "<i2")
            read = np.frombuffer(data, kind, parameter.size, offset).reshape(parameter.shape) / UNIT_WEIGHT
            network.parameters[index] = read.astype(np.float32)
            offset += parameter.size * kind.itemsize
        return network

    def state(self) -> dict[str, Any]:
        """Return the arrays that are needed to resume training, by name."""
        kinds = {"parameter": self.parameters, "mean": self.means, "square": self.squares}
        arrays = {f"{kind}{index}": one for kind, all_ in kinds.items() for index, one in enumerate(all_)}
        return {**arrays, "steps": np.array(self.steps)}

    def restore(self, state: Any) -> None:
        """Restore what ``state`` returned."""
        for index in range(len(self.parameters)):
            self.parameters[index] = state[f"parameter{index}"]
            self.means[index] = state[f"mean{index}"]
            self.squares[index] = state[f"square{index}"]
        self.steps = int(state["steps"])
