"""What a second worker process is worth to a master that thinks alone: ``python -m benchmarks.second_opinion``.

Each of some positions of games among adepts is thought about twice: with a worker that has nothing else to do, and
without asking anybody, in turn, as everything else on a machine changes from minute to minute.
"""

import argparse
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from random import Random
from secrets import token_hex
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event
from time import perf_counter

from engines import RULESETS
from engines.ai import decision
from engines.core.compiled import is_compiled
from engines.core.dealer import QuickDealer
from engines.core.types import Json
from engines.ruleset import Position
from engines.table.seats import Asked, Seat
from engines.table.table import Table
from workers.background import pool
from workers.background.second_opinion import SecondOpinion
from workers.background.watch import Watch
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage import queue
from workers.storage.store import Store, open_store

LEVEL = "master"
FACTS = ("thinking, ms", "iterations", "by the helper")


def positions(ruleset: str, players: int) -> Iterator[Position]:
    """Yield positions of games among adepts, with something to decide."""
    rules, rng = RULESETS[ruleset], Random(f"second opinion {ruleset} {players}")
    for seed in count():
        dealer = QuickDealer(Random(seed))
        position = rules.new(players, {}, dealer)
        while not position.is_over:
            if len(position.legal(position.to_act()[0])) > 1 and rng.random() < 0.2:
                yield position.copy()
            seat, action = rules.guide.next(position, rng)
            position.apply(seat, action, dealer)


def open_game(store: Store, ruleset: str, position: Json, players: int) -> Table:
    """Open a game of masters at a position, in which no turn is enqueued."""
    seats, seed = [Seat("ai", level=LEVEL)] * players, bytes(32)
    about = {"ruleset": RULESETS[ruleset], "options": {}, "seats": seats, "seed": seed, "position": position}
    made = Table.open(game_id=token_hex(8), now=datetime.now(UTC), **about)  # type: ignore[arg-type]
    store.commit(made, None, enqueue=False)
    return made.table


def thought(store: Store, table: Table, *, alone: bool) -> tuple[float, int, int]:
    """Return how many milliseconds a master thinks, its iterations, and those of the other that were counted."""
    seat = table.to_act()[0]
    observation, watch = table.observation(seat), Watch(lambda: store.is_at(table.id, table.version))
    if observation is None:
        raise ValueError("the game hasn't started")
    began = perf_counter()
    with closing(SecondOpinion(store, table, Asked(seat, LEVEL))) as helper:
        choice = decision.choose(LEVEL, observation, should_stop=watch, helper=None if alone else helper)
    return 1000 * (perf_counter() - began), choice.iterations, choice.helper_iterations


def row(name: str, thoughts: list[tuple[float, int, int]]) -> str:
    """Return the medians in a line."""
    return f"{name:16}" + "".join(f"{median(facts):14.0f}" for facts in zip(*thoughts, strict=True))


def measure(store: Store, ruleset: str, players: int, moves: int) -> None:
    """Measure and print one kind of table."""
    alone, both = list[tuple[float, int, int]](), list[tuple[float, int, int]]()
    for position in islice(positions(ruleset, players), moves):
        table = open_game(store, ruleset, position.dump(), players)
        alone.append(thought(store, table, alone=True))
        both.append(thought(store, table, alone=False))
    helped = sum(helper_iterations > 0 for _, _, helper_iterations in both)
    ratio = median([one[0] / other[0] for one, other in zip(alone, both, strict=True)])
    print(f"\n{ruleset}, {players} players, {moves} decisions; medians" + "".join(f"{fact:>14}" for fact in FACTS))
    print(f"{row('alone', alone)}\n{row('with a second', both)}")
    print(f"{helped} of {moves} were helped; alone took {ratio:.2f} times as long (median of the ratios)")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.second_opinion", description=__doc__)
    parser.add_argument("--ruleset", default="regicide", choices=list(RULESETS))
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--moves", type=int, default=60)
    asked = parser.parse_args()
    set_up_logs("warning")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}; compiled: {is_compiled()}")
    with TemporaryDirectory() as folder, RedisServer(Path(folder), find_server()) as server:
        settings = Settings(data=Path(folder), redis_url=server.url, log_level="warning")
        os.environ["REDIS_URL"] = server.url  # jobs find the store by that
        spawn, store = multiprocessing.get_context("spawn"), open_store(settings)
        worker = spawn.Process(target=pool.work, args=("helper", settings, queue.PEOPLE), daemon=True)
        worker.start()
        while not store.has_worker():
            Event().wait(0.1)
        measure(store, asked.ruleset, asked.players, asked.moves)
        worker.terminate()
        worker.join()
    print(f"load {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
