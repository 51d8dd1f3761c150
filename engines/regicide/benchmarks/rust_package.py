"""Measure the PyPI package ``regicide`` 0.1.5, a Rust engine; its folder must be on PYTHONPATH.

Prints ``{row: number}`` with the rows of ``benchmarks.engine_speed``. The package's random games don't report
their length; therefore actions are counted in other games, by a random player in Python. The package's search sees all
cards, also hidden ones.
"""

import json
import random
from time import process_time

import regicide

GAMES = 1500
GAMES_WITH_COUNTED_ACTIONS = 400
PLAYOUTS = 500
DECISIONS = 10


class Counting:
    """A player that acts at random and counts its actions."""

    def __init__(self) -> None:
        self.actions = 0

    def play(self, state):
        """Return a random action."""
        self.actions += 1
        return random.choice(state.action_space())


class Timed:
    """A player that searches for its first action, measures that time, and then acts at random."""

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
    """Return random games and actions per second of CPU time."""
    counting = Counting()
    for _ in range(GAMES_WITH_COUNTED_ACTIONS):
        regicide.RegicideGame([counting] * players).playout()
    began = process_time()
    for _ in range(GAMES):
        regicide.RegicideGame([regicide.players.RandomPlayer() for _ in range(players)]).playout()
    games = GAMES / (process_time() - began)
    return games, games * counting.actions / GAMES_WITH_COUNTED_ACTIONS


def iterations(players):
    """Return the search's playouts per second of CPU time, on the first decisions of games."""
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
