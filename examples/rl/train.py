"""Train an agent by numpy alone: all seats play by one network, which learns by advantage actor-critic (A2C, GAE).

``python -m examples.rl.train gridcannon --players 2 --minutes 10 --save gridcannon.npz``, best on compiled engines and
with ``OMP_NUM_THREADS=1``. Minutes are CPU time; Ctrl-C ends training early, and saves. It serves one player, teams,
and two rivals: there a value for one seat is the negative of that for the other.
"""

import argparse
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

import regicide_rl
from engines import RULESETS
from examples.rl.agent import Agent, Numbers, Weights, sample

GAMES = 64
STEPS = 16
"""Length of a rollout, in choices of each game."""
DISCOUNT = 0.995
TRACE = 0.95
"""Lambda of the generalised advantage estimate."""
ENTROPY = 0.01
LEARNING_RATE = 2e-3
MAX_UNITS = 10_000


@dataclass
class Rollout:
    """What happened in all games: a row per choice and game."""

    observations: Numbers
    masks: NDArray[np.int8]
    choices: NDArray[np.int64]
    advantages: Numbers
    returns: Numbers


class Adam:
    """Adam with its usual decays."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.time = weights, 0
        self.means = {name: np.zeros_like(value) for name, value in weights.items()}
        self.squares = {name: np.zeros_like(value) for name, value in weights.items()}

    def descend(self, gradients: Weights, rate: float) -> None:
        """Take one step against the gradients, whose common norm is limited to 1."""
        self.time += 1
        norm = sum(float((gradient**2).sum()) for gradient in gradients.values()) ** 0.5
        rate *= (1 - 0.999**self.time) ** 0.5 / (1 - 0.9**self.time)
        for name, gradient in gradients.items():
            limited = gradient / max(1.0, norm)
            self.means[name] += 0.1 * (limited - self.means[name])
            self.squares[name] += 0.001 * (limited**2 - self.squares[name])
            self.weights[name] -= rate * self.means[name] / (np.sqrt(self.squares[name]) + 1e-8)


class Games:
    """Games in progress, played by an agent at all seats."""

    def __init__(self, agent: Agent, seed: int) -> None:
        self.agent, self.rng = agent, np.random.default_rng(seed)
        self.env = regicide_rl.vector(agent.ruleset, agent.players, GAMES, seed=seed, shaped=True)
        self.observations, self.infos = self.env.reset()
        self.choices_made = 0

    def play(self) -> Rollout:
        """Play some choices in each game."""
        seen, masks, choices, rewards, values, ended, seats = [], [], [], [], [], [], []
        for _ in range(STEPS):
            seen.append(self.observations.astype(np.float32))
            masks.append(self.infos["action_mask"])
            seats.append(self.infos["agent"])
            probabilities, value = self.agent.evaluate(self.agent.hidden(seen[-1]), masks[-1])
            values.append(value)
            choices.append(sample(probabilities, self.rng))
            self.observations, reward, end, _, self.infos = self.env.step(choices[-1])
            rewards.append(reward[np.arange(GAMES), seats[-1]])
            ended.append(end)
        hidden = self.agent.hidden(self.observations.astype(np.float32))
        values.append(self.agent.evaluate(hidden, self.infos["action_mask"])[1])
        seats.append(self.infos["agent"])
        self.choices_made += GAMES * STEPS
        advantages = self.advantages(np.array(rewards), np.array(values), np.array(ended), np.array(seats))
        returns = (advantages + np.array(values[:-1])).ravel()
        return Rollout(
            np.concatenate(seen), np.concatenate(masks), np.concatenate(choices), advantages.ravel(), returns
        )

    def advantages(
        self, rewards: Numbers, values: Numbers, ended: NDArray[np.bool_], seats: NDArray[np.int64]
    ) -> Numbers:
        """Return how much better each choice was than expected, for the seat that chose."""
        found, ahead = np.zeros_like(rewards), np.zeros(GAMES, np.float32)
        for step in reversed(range(STEPS)):
            sign = np.where((seats[step] != seats[step + 1]) & self.agent.are_rivals, -1, 1) * ~ended[step]
            surprise = rewards[step] + DISCOUNT * sign * values[step + 1] - values[step]
            ahead = (surprise + DISCOUNT * TRACE * sign * ahead).astype(np.float32)
            found[step] = ahead
        return found


def gradients(agent: Agent, rollout: Rollout) -> Weights:
    """Return the gradients of the loss: policy, value and entropy."""
    rows, count = np.arange(len(rollout.choices)), len(rollout.choices)
    hidden = agent.hidden(rollout.observations)
    probabilities, values = agent.evaluate(hidden, rollout.masks)
    advantages = (rollout.advantages - rollout.advantages.mean()) / (rollout.advantages.std() + 1e-6)
    logs = np.log(probabilities, out=np.zeros_like(probabilities), where=probabilities > 0)
    entropy = -(probabilities * logs).sum(axis=1, keepdims=True)
    out = np.empty((count, probabilities.shape[1] + 1), np.float32)
    out[:, :-1] = probabilities * advantages[:, None] + ENTROPY * probabilities * (logs + entropy)
    out[rows, rollout.choices] -= advantages
    out[:, -1] = (values - rollout.returns) * (1 - values**2)
    out /= count
    back = (out @ agent.weights["last"].T) * (hidden > 0)
    first = rollout.observations.T @ back
    return {"first": first, "bias": back.sum(axis=0), "last": hidden.T @ out, "offset": out.sum(axis=0)}


def progress(agent: Agent) -> str:
    """Return the mean reward of the agent at seat 0, others by chance, in the first game of each of many."""
    env = regicide_rl.vector(agent.ruleset, agent.players, GAMES, seed=10**6, shaped=not agent.are_rivals)
    rng, running, total = np.random.default_rng(0), np.ones(GAMES, np.bool_), 0.0
    observations, infos = env.reset()
    while running.any():
        masks, seats = infos["action_mask"], infos["agent"]
        choices = agent.choose(observations, masks, rng)
        by_chance = sample(masks / masks.sum(axis=1, keepdims=True), rng)
        observations, rewards, ended, _, infos = env.step(np.where(seats == 0, choices, by_chance))
        total += float(rewards[running, 0].sum())
        running &= ~ended
    return f"mean reward {total / GAMES:.2f}"


def train(ruleset: str, players: int, minutes: float, hidden: int, seed: int) -> Agent:
    """Return an agent trained for so many minutes of CPU time, or until Ctrl-C."""
    environment = RULESETS[ruleset].environment()
    agent = Agent.new(ruleset, players, environment.size(players), len(environment.actions), hidden, seed)
    try:
        learn(agent, minutes, seed)
    except KeyboardInterrupt:
        print("Training is interrupted: what was learned until now is saved.", flush=True)
    return agent


def learn(agent: Agent, minutes: float, seed: int) -> None:
    """Train an agent for so many minutes of CPU time, and print how it fares."""
    games, optimizer = Games(agent, seed), Adam(agent.weights)
    began, told = process_time(), 0.0
    while (share := (process_time() - began) / 60 / minutes) < 1:
        rollout = games.play()
        optimizer.descend(gradients(agent, rollout), LEARNING_RATE * (1 - share))
        if share >= told:
            told += 0.1
            print(f"{share:4.0%}  {games.choices_made:,} choices, {progress(agent)}", flush=True)


def positive(text: str) -> float:
    """Read a number of minutes. Raises ``ArgumentTypeError`` unless it is finite and greater than 0."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of minutes: it is greater than 0, as in 0.5.")
    return minutes


def new_file(text: str) -> Path:
    """Read the path of a file to write. Raises ``ArgumentTypeError`` if its folder doesn't exist, or if it is one."""
    file = Path(text)
    if file.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder: name a file.")
    if not file.parent.is_dir():
        raise argparse.ArgumentTypeError(f"There is no folder '{file.parent}': make it first.")
    return file


def units(text: str) -> int:
    """Read a number of units."""
    if not text.isdecimal() or not 0 < int(text) <= MAX_UNITS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of units: it is from 1 to {MAX_UNITS}.")
    return int(text)


def main() -> None:
    """Train, save, and measure beside players by chance."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("ruleset", choices=list(RULESETS))
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--minutes", type=positive, default=10, help="of CPU time")
    parser.add_argument("--hidden", type=units, default=64, help="units between the layers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=new_file, required=True, help="the file of the agent, .npz")
    asked = parser.parse_args()
    counts = RULESETS[asked.ruleset].player_counts
    if asked.players not in counts:
        parser.error(f"argument --players: it is one of {', '.join(map(str, counts))}, not {asked.players}.")
    train(asked.ruleset, asked.players, asked.minutes, asked.hidden, asked.seed).save(asked.save)


if __name__ == "__main__":
    main()
