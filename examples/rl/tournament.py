"""Let an agent play beside chance and the levels: ``python -m examples.rl.tournament gridcannon.npz --games 1000``.

Rivals: the share of games that the agent wins from each opponent, at all seats in turn. A team, or one player: the mean
score, such as the number of enemies beaten, of the agent, of chance and of each level. With 95 % intervals.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import mean, stdev

import numpy as np

import regicide_rl
from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation as Known
from engines.core.confidence import wilson
from engines.core.dealer import SimulationDealer
from examples.rl.agent import Agent
from regicide_rl import SoloEnv
from regicide_rl.environment_base import Observation

MIN_GAMES = 2
"""Fewest games of which an interval can be told."""

Player = Callable[[Observation, np.random.Generator], int]
"""Returns an action."""


def by_chance(seen: Observation, rng: np.random.Generator) -> int:
    """Choose any legal action."""
    return int(rng.choice(seen["action_mask"].nonzero()[0]))


def by_policy(agent: Agent) -> Player:
    """Return the agent's choices, by the policy's probabilities."""

    def choose(seen: Observation, rng: np.random.Generator) -> int:
        legal = seen["action_mask"].nonzero()[0]
        if len(legal) == 1:
            return int(legal[0])
        return int(agent.choose(seen["observation"][None], seen["action_mask"][None], rng)[0])

    return choose


def play(env: SoloEnv, player: Player, seed: int) -> tuple[float, float]:
    """Play a game; return its reward, and the score of its outcome."""
    rng, over, total = np.random.default_rng(seed), False, 0.0
    seen, _ = env.reset(seed=seed)
    while not over:
        seen, reward, over, _, _ = env.step(player(seen, rng))
        total += reward
    verdict = RULESETS[env.position["ruleset"]].verdict(env.position["outcome"], env.players)
    return total, verdict.score or 0.0


def wins(agent: Agent, opponent: str, games: int) -> str:
    """Return the share of games that an agent wins from rivals, and how many are drawn."""
    tables = [regicide_rl.solo(agent.ruleset, agent.players, seat, opponent) for seat in range(agent.players)]
    results = [play(tables[game % agent.players], by_policy(agent), game)[0] for game in range(games)]
    won, drawn = results.count(1), results.count(0)
    low, high = wilson(won, games)
    return f"{opponent:10}  wins {won / games:5.1%} ({low:.1%} to {high:.1%}), draws {drawn / games:.1%}, {games} games"


def level_score(ruleset: str, players: int, level: str, seed: int) -> float:
    """Return the score of a game in which all seats play at *level*."""
    rules, rng = RULESETS[ruleset], Random(seed)
    dealer = SimulationDealer(rng)
    position = rules.new(players, {}, dealer)
    while not position.is_over:
        seat = position.to_act()[0]
        known = Known(rules, position.view(seat), seat, str(rng.random()))
        action = think(Question(level, known, must_act=True)).action
        if action is not None:
            position.apply(seat, action, dealer)
    return rules.verdict(position.outcome or {}, players).score or 0.0


def scored(name: str, scores: Sequence[float]) -> str:
    """Return a mean with its interval."""
    reach = 1.96 * stdev(scores) / len(scores) ** 0.5
    return f"{name:10}  {mean(scores):.2f} ± {reach:.2f}, {len(scores)} games"


def count_of_games(text: str) -> int:
    """Read a number of games. Raises ``ArgumentTypeError`` if it is less than an interval needs."""
    games = int(text) if text.isascii() and text.isdigit() else 0
    if games < MIN_GAMES:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of games: it is {MIN_GAMES} or more.")
    return games


def saved_agent(text: str) -> Agent:
    """Read a file of an agent. Raises ``ArgumentTypeError`` if it can't be read, or holds none."""
    try:
        return Agent.load(Path(text))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text!r} can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("agent", type=saved_agent, help="a file that examples.rl.train has saved")
    parser.add_argument(
        "--games", type=count_of_games, default=1000, help="against chance; levels play a fifth of them, at least two"
    )
    parser.add_argument("--levels", nargs="*", default=["novice", "beginner", "adept"])
    asked = parser.parse_args()
    agent, fewer = asked.agent, max(MIN_GAMES, asked.games // 5)
    if agent.are_rivals:
        print(wins(agent, "random", asked.games))
        for level in asked.levels:
            print(wins(agent, level, fewer))
        return
    for name, player in (("agent", by_policy(agent)), ("random", by_chance)):
        env = regicide_rl.solo(agent.ruleset, 1)
        print(scored(name, [play(env, player, game)[1] for game in range(asked.games)]))
    for level in asked.levels:
        print(scored(level, [level_score(agent.ruleset, 1, level, game) for game in range(fewer)]))


if __name__ == "__main__":
    main()
