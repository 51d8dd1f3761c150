"""Compare the learning environments with those in common use: ``python -m benchmarks.environments``.

Prints the median steps per second for each game and number of players. Steps count if they change the position. "In
turn" means that one agent acts after another, "at once" that many games are played in parallel. Speeds "in turn" are
divided by that of PettingZoo's Hanabi, speeds "at once" by that of OpenSpiel's C++ Hanabi with its observation tensor.
All are measured in the same process and in the same rounds. Each action is chosen at random from the legal ones. Times
are CPU time.
"""

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import regicide_rl
from engines import RULESETS
from engines.core.mypyc_support import is_compiled

ROUNDS = 7
MEASUREMENT_SECONDS = 0.4
"""Duration of each measurement."""
GAMES = 256
"""Number of games played at once."""


def in_turn(env: Any) -> float:
    """Return the position changes per second of an AEC environment (PettingZoo), with an observation at each step."""
    rng, steps, changes, seed = Random(0), 0, 0, 0
    env.reset(seed=seed)
    counts = hasattr(env.unwrapped, "episode")
    began = process_time()
    while (seconds := process_time() - began) < MEASUREMENT_SECONDS:
        for _ in range(100):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                changes += env.unwrapped.episode.changes if counts else 0
                seed += 1
                env.reset(seed=seed)
                continue
            legal = observation["action_mask"].nonzero()[0].tolist()
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
    changes += env.unwrapped.episode.changes if counts else 0
    return (changes if counts else steps) / seconds


def at_once(env: regicide_rl.GamesEnv) -> float:
    """Return the position changes per second of many games played at once."""
    rng, changes = np.random.default_rng(0), 0
    _, infos = env.reset(seed=0)
    noise = rng.random((64, *infos["action_mask"].shape), np.float32)
    began, turn = process_time(), 0
    while (seconds := process_time() - began) < MEASUREMENT_SECONDS:
        choices = (infos["action_mask"] * noise[turn % 64]).argmax(axis=1)
        *_, infos = env.step(choices)
        changes += env.changed
        turn += 1
    return changes / seconds


def open_spiel(game: Any) -> float:
    """Return the steps per second of an OpenSpiel game, with an observation tensor each. Chance steps don't count."""
    rng, steps, state = Random(0), 0, game.new_initial_state()
    began = process_time()
    while (seconds := process_time() - began) < MEASUREMENT_SECONDS:
        for _ in range(100):
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, shares)[0])
            else:
                state.observation_tensor()
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
                steps += 1
    return steps / seconds


def subjects() -> dict[str, Callable[[], float]]:
    """Return the measured environments by name, beginning with the ones to compare with."""
    import pyspiel  # noqa: PLC0415  `make openspiel` installs both
    from pettingzoo import make  # noqa: PLC0415

    hanabi, spiel = make("aec", "classic/hanabi-v5"), pyspiel.load_game("hanabi")
    found: dict[str, Callable[[], float]] = {
        "in turn: PettingZoo's Hanabi": partial(in_turn, hanabi),
        "at once: OpenSpiel's Hanabi": partial(open_spiel, spiel),
    }
    for name, ruleset in RULESETS.items():
        for players in ruleset.player_counts:
            one, many = regicide_rl.env(name, players), regicide_rl.vector(name, players, GAMES)
            found[f"in turn: {name}, {players}"] = partial(in_turn, one)
            found[f"at once: {name}, {players}"] = partial(at_once, many)
    return found


def main() -> None:
    """Run the benchmark and print the results."""
    measured = subjects()
    rounds = [{name: measure() for name, measure in measured.items()} for _ in range(ROUNDS)]
    yardsticks = dict(zip(("in turn", "at once"), list(measured)[:2], strict=True))
    table = {}
    for name in measured:
        yardstick = yardsticks[name.split(":")[0]]
        ratios = sorted(one[name] / one[yardstick] for one in rounds)
        table[name] = {
            "steps a second": round(median(one[name] for one in rounds)),
            "ratio": round(median(ratios), 2),
            "range": [round(ratios[0], 2), round(ratios[-1], 2)],
        }
    said = {"compiled": is_compiled(), "load": os.getloadavg()[0], "rounds": ROUNDS, "figures": table}
    json.dump(said, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
