"""Measure the PyPI package ``regicide`` 0.1.5, a Rust engine; its folder must be on PYTHONPATH.

Prints ``{row: number}`` with the rows of ``benchmarks.speed``. The package's playouts don't report their length.
Therefore actions are counted in other games, of a random player in Python. The package's search sees all cards.
"""

import json
import random
from time import process_time

import regicide

GAMES = 1500
COUNTED = 400
PLAYOUTS = 500
DECISIONS = 10


class Counting:
    """Plays at random and counts its actions."""

    def __init__(self) -> None:
        self.actions = 0

    def play(self, state):
        """Return a random action."""
        self.actions += 1
        return random.choice(state.action_space())


class Timed:
    """Searches for its first action of each game, then plays at random; measures the time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.has_thought = False

    def play(self, state):
        """Return the first action by the package's search, and later actions at random."""
        if self.has_thought:
            return random.choice(state.action_space())
        self.has_thought = True
        searcher = regicide.players.MCTSPlayer(playouts=PLAYOUTS, num_threads=1, use_heuristics=False)
        began = process_time()
        action = searcher.play(state)
        self.seconds = process_time() - began
        return action


def rates(players):
    """Return games and actions per second."""
    counting = Counting()
    for _ in range(COUNTED):
        regicide.RegicideGame([counting] * players).playout()
    began = process_time()
    for _ in range(GAMES):
        regicide.RegicideGame([regicide.players.RandomPlayer() for _ in range(players)]).playout()
    games = GAMES / (process_time() - began)
    return games, games * counting.actions / COUNTED


def iterations(players):
    """Return playouts per second of the package's search, on the first decisions of games."""
    seconds = 0.0
    for _ in range(DECISIONS):
        timed = Timed()
        regicide.RegicideGame([timed] * players).playout()
        seconds += timed.seconds
    return PLAYOUTS * DECISIONS / seconds


def main():
    """Run the benchmark and print the results."""
    figures = {}
    for players in (1, 2, 3, 4):
        row = f"regicide {players}"
        figures[f"{row} games/s"], figures[f"{row} actions/s"] = rates(players)
        figures[f"{row} iterations/s"] = iterations(players)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
