"""A network of one hidden layer, in numpy: from the bits of an observation to a policy and a value."""

from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from engines import RULESETS

Numbers = NDArray[np.float32]
Weights = dict[str, Numbers]


@dataclass
class Agent:
    """A player of one table of a ruleset."""

    ruleset: str
    players: int
    weights: Weights

    @classmethod
    def new(cls, ruleset: str, players: int, bits: int, actions: int, hidden: int, seed: int) -> "Agent":
        """Return an agent with weights by chance, which at first chooses evenly."""
        rng = np.random.default_rng(seed)
        first = rng.normal(0, (2 / 80) ** 0.5, (bits, hidden)).astype(np.float32)  # some 80 bits are set
        last = np.zeros((hidden, actions + 1), np.float32)  # the value is the last column
        weights = {"first": first, "bias": np.zeros(hidden, np.float32), "last": last}
        return cls(ruleset, players, {**weights, "offset": np.zeros(actions + 1, np.float32)})

    @property
    def are_rivals(self) -> bool:
        """True if seats play against each other."""
        return not RULESETS[self.ruleset].cooperative

    def save(self, file: Path) -> None:
        """Write the agent to a file of numpy."""
        np.savez(file, ruleset=self.ruleset, players=self.players, **self.weights)  # type: ignore[arg-type]

    @classmethod
    def load(cls, file: Path) -> "Agent":
        """Read a saved agent. Raises ``OSError``, and ``ValueError`` if the file holds no agent of these engines."""
        try:
            with file.open("rb") as opened, np.load(opened) as arrays:
                stored = dict(arrays)
            agent = cls(str(stored.pop("ruleset")), int(stored.pop("players")), stored)
            fits = agent.fits()
        except (ValueError, TypeError, KeyError, EOFError, BadZipFile) as error:
            raise ValueError(f"'{file}' is no file of an agent that examples.rl.train has saved.") from error
        if not fits:
            raise ValueError(f"The agent in '{file}' is for other games than these: train it again.")
        return agent

    def fits(self) -> bool:
        """Return whether the weights are those of a network for this table. Raises ``KeyError`` if some are missing."""
        rules = RULESETS[self.ruleset]
        if self.players not in rules.player_counts:
            return False
        environment, hidden = rules.environment(), len(self.weights["bias"])
        outputs = len(environment.actions) + 1
        first, last = (environment.size(self.players), hidden), (hidden, outputs)
        shapes = {"first": first, "bias": (hidden,), "last": last, "offset": (outputs,)}
        return all(
            self.weights[name].shape == shape and np.issubdtype(self.weights[name].dtype, np.floating)
            for name, shape in shapes.items()
        )

    def hidden(self, observations: Numbers) -> Numbers:
        """Return the activations of the hidden layer."""
        activations: Numbers = np.maximum(observations @ self.weights["first"] + self.weights["bias"], 0)
        return activations

    def evaluate(self, hidden: Numbers, masks: NDArray[np.int8]) -> tuple[Numbers, Numbers]:
        """Return the probabilities of the actions, 0 for illegal ones, and the values."""
        out = hidden @ self.weights["last"] + self.weights["offset"]
        logits = np.where(masks, out[:, :-1], -np.inf)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True), np.tanh(out[:, -1])

    def choose(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return an action per row, by the policy's probabilities."""
        probabilities, _ = self.evaluate(self.hidden(observations.astype(np.float32)), masks)
        return sample(probabilities, rng)


def sample(probabilities: Numbers, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return an action per row with these probabilities (by exponential races, so that none of 0 is chosen)."""
    with np.errstate(divide="ignore"):
        chosen: NDArray[np.int64] = (rng.exponential(size=probabilities.shape) / probabilities).argmin(axis=1)
    return chosen
