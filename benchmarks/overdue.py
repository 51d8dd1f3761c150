"""Measure the recovery of games after all jobs are lost: ``python -m benchmarks.overdue --games 25000``.

Games with a pending AI turn are created without HTTP. After that the queue is emptied, as by a restart of its server
without data, and a sweeper runs as in the pool. With ``--workers``, processes of the pool compete for the CPU.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from os import environ
from pathlib import Path
from secrets import token_bytes, token_hex
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Final
from unittest.mock import patch

from benchmarks.results import Found, Plan, Row, report
from benchmarks.subjects import RULESETS_WITH_PLAYER_COUNTS
from engines import RULESETS
from engines.table.seats import Seat
from engines.table.table import Change, Table
from workers import game_commands
from workers.background.process_mains import work
from workers.background.sweeper import Sweeper
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.queue import INTERACTIVE_QUEUE
from workers.storage.store import Store, open_store

SWEEP_TIMEOUT_SECONDS: Final = 600.0
THREADS: Final = 8
"""Number of threads that create games at the same time, so that several writes share one disk sync."""


class Counted(Sweeper):
    """A sweeper (it enqueues lost jobs again) that counts these jobs and its CPU seconds."""

    def __init__(self, store: Store, goal: int) -> None:
        super().__init__(store)
        self.done = 0
        self.cpu = 0.0
        self.all_done = Event()
        self._goal = goal

    def sweep(self) -> int:
        """Sweep, record the cost, and return the number of jobs that were enqueued again."""
        began = process_time()
        repeated = super().sweep()
        self.cpu += process_time() - began
        self.done += repeated
        if self.done >= self._goal:
            self.all_done.set()
        return repeated


def make(store: Store, table: tuple[str, int]) -> None:
    """Create a game in which it is an AI's turn."""
    name, players = table
    ruleset, seats = RULESETS[name], [Seat("ai", level="novice"), *[Seat("human", "Ana")] * (players - 1)]
    game_id = store.keys.new_id()

    def opening(now: datetime) -> Change:
        return Table.open(game_id=game_id, ruleset=ruleset, options={}, seats=seats, seed=token_bytes(32), now=now)

    game_commands.create(store, opening, {"host": token_hex(32)}, key=None, answer=lambda table: {"id": table.id})


@contextmanager
def workers(settings: Settings, count: int) -> Iterator[None]:
    """Run *count* worker processes during the block, as the pool does, to compete for the CPU."""
    variables = {"REDIS_URL": settings.redis_url or "", "REGICIDE_PARTITIONS": str(settings.partitions)}
    running: list[BaseProcess] = [
        get_context("spawn").Process(target=work, args=(token_hex(8), settings, INTERACTIVE_QUEUE), daemon=True)
        for _ in range(count)
    ]
    with patch.dict(environ, variables):  # its jobs read them; what is measured next must not
        for process in running:
            process.start()
    try:
        yield
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.join()


def lose_jobs(store: Store) -> None:
    """Delete the queue's keys. The server isn't emptied, because here it also holds the games."""
    jobs = store.broker.keys("rq:*")
    for first in range(0, len(jobs), 1000):
        store.broker.delete(*jobs[first : first + 1000])


def sweep(store: Store, games: int, settings: Settings, count: int) -> dict[str, float]:
    """Empty the queue; return the time until each game has a job again, and the CPU time and commands spent."""
    sweeper, stop = Counted(store, games), Event()
    thread = Thread(target=sweeper.run, args=(settings.sweep_seconds, stop), daemon=True)
    before = store.redis.info("stats")["total_commands_processed"]
    lose_jobs(store)
    began = perf_counter()
    with workers(settings, count):
        thread.start()
        is_done = sweeper.all_done.wait(SWEEP_TIMEOUT_SECONDS)
        seconds = perf_counter() - began
        stop.set()
        thread.join()
    if not is_done:
        raise TimeoutError(f"Only {sweeper.done:,} of {games:,} games are in the queue again after {seconds:.0f} s.")
    found = {"seconds": seconds, "cpu ms a game": 1000 * sweeper.cpu / games}
    if not count:  # otherwise the workers' commands would count too
        found["commands a game"] = (store.redis.info("stats")["total_commands_processed"] - before) / games
    return found


def measure_recovery(games: int, partitions: int, count: int) -> dict[str, float]:
    """Create *games* games in a new store; return the figures of the recovery."""
    with TemporaryDirectory(prefix="overdue-") as name:
        folder = Path(name)
        with RedisServer(folder, find_server()) as server:
            settings = Settings(data=folder, redis_url=server.url, partitions=partitions, log_level="warning")
            store = open_store(settings)
            store.health.check_layout()
            with ThreadPoolExecutor(THREADS) as makers:
                list(makers.map(lambda table: make(store, table), islice(cycle(RULESETS_WITH_PLAYER_COUNTS), games)))
            found = sweep(store, games, settings, count)
            store.close()
            return found


def rows(plan: Plan, args: Namespace | None = None) -> Iterator[Row]:
    """Measure once, because creating the games takes most of the time; yield the row."""
    args = args or arguments([f"--games={plan.overdue}"])
    found = Found()
    found.note(measure_recovery(args.games, args.partitions, args.workers))
    yield found.row("lost jobs", f"{args.games:,} games have theirs again")


def arguments(words: Sequence[str] | None = None) -> Namespace:
    """Parse the command line."""
    parser = ArgumentParser(prog="python -m benchmarks.overdue", description=__doc__)
    parser.add_argument("--games", type=int, default=25_000)
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument(
        "--workers", type=int, default=0, help="number of worker processes that play AI turns meanwhile"
    )
    return parser.parse_args(words)


def main() -> None:
    """Run the benchmark and print the results."""
    set_up_logs("warning")
    report(rows(Plan(), arguments()))


if __name__ == "__main__":
    main()
