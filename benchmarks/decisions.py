"""Measure the time of AI decisions: ``python -m benchmarks.decisions``, in CPU seconds per level.

Each decision is from a game of adepts and has more than one legal action. Searches have no time limit, so that a level
uses all its iterations. CPU time is measured, so that other load matters little.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import count
from random import Random
from statistics import quantiles
from time import process_time

from benchmarks.results import machine
from engines import RULESETS
from engines.ai.decision import STAND_IN_LEVEL, Question, think
from engines.ai.observation import Observation
from engines.core.dealer import SimulationDealer
from engines.core.mypyc_support import is_compiled

DECISIONS = 200


def observations(name: str, players: int) -> Iterator[Observation]:
    """Yield the observations of the seats that must act, endlessly, in games of AIs of the level ``STAND_IN_LEVEL``."""
    ruleset = RULESETS[name]
    for number in count():
        rng = Random(f"decisions {number}")
        dealer = SimulationDealer(rng)
        position = ruleset.new(players, {}, dealer)
        while not position.is_over:
            seat = position.to_act()[0]
            seen = Observation(ruleset, position.view(seat), seat, str(rng.random()))
            yield seen
            position.apply(seat, think(Question(STAND_IN_LEVEL, seen)).action or position.legal(seat)[0], dealer)


def seconds(name: str, level: str, players: int, decisions: int) -> list[float]:
    """Return the CPU seconds per decision of *level*, without decisions that have only one legal action.

    Raises ``ValueError`` for a level that doesn't search.
    """
    if RULESETS[name].levels[level].budget is None:
        raise ValueError(level)
    took = list[float]()
    for seen in observations(name, players):
        began = process_time()
        question = Question(level, seen)
        choice = think(question, question.untimed)
        if choice.iterations:
            took.append(process_time() - began)
        if len(took) == decisions:
            break
    return took


def main() -> None:
    """Run the benchmark and print the results."""
    parser = ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    args = parser.parse_args()
    print(f"Engines {'compiled' if is_compiled() else 'interpreted'}; {machine()}")
    print("seconds of a core a decision: median, 99th percentile, longest")
    for name, ruleset in RULESETS.items():
        for level, players in ((level, players) for level in ruleset.levels for players in ruleset.player_counts):
            if ruleset.levels[level].budget is not None:
                took = seconds(name, level, players, args.decisions)
                parts = quantiles(took, n=100, method="inclusive")
                print(f"{name} {level} {players}: {parts[49]:.4f} {parts[98]:.4f} {max(took):.4f}", flush=True)


if __name__ == "__main__":
    main()
