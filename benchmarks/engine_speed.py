"""Measure the engines of this process: random games, searches, single calls.

``python -m benchmarks.engine_speed`` prints ``{"compiled": …, "figures": {row: number}}``; ``benchmarks.builds``
runs it for each build. Times are CPU time, so that other load matters little.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import count, islice
from random import Random
from time import process_time

from engines import RULESETS
from engines.ai.observation import Observation
from engines.ai.random_play import play_out
from engines.ai.search import Search
from engines.analysis.arena import Arena
from engines.analysis.in_process_game import play_at_table
from engines.contract.levels import Budget
from engines.core.mypyc_support import is_compiled
from engines.records import read_record, verify
from engines.ruleset import Position, Ruleset, SeededDealer, SimulationDealer

MEASUREMENT_SECONDS = 0.5
"""Duration of each measurement of random games."""
DECISIONS_PER_LEVEL = 3
SEARCHING_LEVELS = ("expert", "master")
ITERATIONS = 100
CALLS = 10_000
POSITIONS = 1_000
"""Number of positions on which single calls are measured."""


def playout_rates(name: str, players: int) -> tuple[float, float]:
    """Return games and actions per second of random play, as a search does it: without copies, checks and events."""
    ruleset, rng = RULESETS[name], Random(0)
    dealer = SimulationDealer(rng)
    games = actions = 0
    began = process_time()
    while (seconds := process_time() - began) < MEASUREMENT_SECONDS:
        actions += play_out(ruleset.new(players, {}, dealer), rng)
        games += 1
    return games / seconds, actions / seconds


def api_rates(name: str, players: int) -> dict[str, float]:
    """Return two rates per second: random games played as in docs/python.md, and records read, replayed and checked."""
    ruleset, rng = RULESETS[name], Random(0)
    dealer = SimulationDealer(rng)

    def play() -> None:
        position = ruleset.new(players, {}, dealer)
        while not position.is_over:
            seat = position.to_act()[0]
            position.apply(seat, rng.choice(position.legal(seat)), dealer)

    arena = Arena(name, ("novice",) * players, 1, {}, "speed")
    record = json.dumps(play_at_table(arena, 0, records=True, notes=False)[1])
    return {"random games/s by the API": per_second(play), "records/s by the API": per_second(lambda: check(record))}


def check(record: str) -> None:
    """Read and verify a record. Raises ``ValueError`` if anything doesn't match."""
    if found := verify(read_record(record)):
        raise ValueError(found[0].sentence)


def per_second(call: Callable[[], object]) -> float:
    """Return the number of calls of *call* per second."""
    began, done = process_time(), 0
    while (seconds := process_time() - began) < MEASUREMENT_SECONDS:
        call()
        done += 1
    return done / seconds


def budget(ruleset: Ruleset, level: str) -> Budget:
    """Return the budget of *level* with ``ITERATIONS`` iterations. Raises ``ValueError`` for a level without search."""
    found = ruleset.levels[level].budget
    if found is None:
        raise ValueError(level)
    return found.exactly(ITERATIONS)


def iterations(name: str, level: str, players: int) -> float:
    """Return iterations per second of *level*'s search, at each game's first decision with several legal actions."""
    ruleset, done, seconds = RULESETS[name], 0, 0.0
    asked = budget(ruleset, level)
    for number in range(DECISIONS_PER_LEVEL):
        dealer = SeededDealer(str(number))
        position, iterations = ruleset.new(players, {}, dealer), 0
        while not iterations:
            seat = position.to_act()[0]
            began = process_time()
            iterations = Search(Observation(ruleset, position.view(seat), seat, str(number))).run(asked).iterations
            seconds += process_time() - began
            position.apply(seat, position.legal(seat)[0], dealer)
        done += iterations
    return done / seconds


def by_chance(ruleset: Ruleset, players: int) -> Iterator[Position]:
    """Yield copies of the positions of random games, except final ones, endlessly."""
    for seed in count():
        rng = Random(seed)
        dealer = SimulationDealer(rng)
        position = ruleset.new(players, {}, dealer)
        while not position.is_over:
            yield position.copy()
            seat = position.to_act()[0]
            position.apply(seat, rng.choice(position.legal(seat)), dealer)


def microseconds(call: Callable[[Position], object], positions: list[Position], calls: int) -> float:
    """Return the mean time of *call* in microseconds, over *positions* in turn."""
    rounds = max(1, calls // len(positions))
    began = process_time()
    for _ in range(rounds):
        for position in positions:
            call(position)
    return (process_time() - began) * 1e6 / (rounds * len(positions))


def calls(name: str, players: int) -> dict[str, float]:
    """Return microseconds per call of the methods that search and hosting call most."""
    ruleset, rng = RULESETS[name], Random(0)
    positions = list(islice(by_chance(ruleset, players), POSITIONS))
    views = {id(position): position.view(position.to_act()[0]) for position in positions}
    return {
        "copy() µs": microseconds(lambda position: position.copy(), positions, CALLS),
        "deepcopy µs": microseconds(deepcopy, positions, CALLS // 10),
        "legal() µs": microseconds(lambda position: position.legal(position.to_act()[0]), positions, CALLS),
        "view() µs": microseconds(lambda position: position.view(position.to_act()[0]), positions, CALLS),
        "imagine() µs": microseconds(lambda position: ruleset.imagine(views[id(position)], rng), positions, CALLS),
    }


def main() -> None:
    """Run the benchmark and print the results."""
    figures: dict[str, float] = {}
    for name, ruleset in RULESETS.items():
        for players in ruleset.player_counts:
            row = f"{name} {players}"
            figures[f"{row} games/s"], figures[f"{row} actions/s"] = playout_rates(name, players)
            figures |= {f"{row} {call}": rate for call, rate in api_rates(name, players).items()}
            for level in SEARCHING_LEVELS:
                figures[f"{row} {level}'s iterations/s"] = iterations(name, level, players)
        for players in (min(ruleset.player_counts), max(ruleset.player_counts)):
            figures |= {f"{name} {players} {call}": time for call, time in calls(name, players).items()}
    print(json.dumps({"compiled": is_compiled(), "figures": figures}))


if __name__ == "__main__":
    main()
