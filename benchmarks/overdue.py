"""How long until games go on whose jobs were all lost: ``python -m benchmarks.overdue --games 25000``.

Games are made by what makes them for clients, without HTTP; an AI is to move in each. Then the queue is emptied, as a
queue's server does that comes back without its data, and a sweeper runs as it does in the pool. With ``--workers``
processes of the pool work meanwhile, so that the sweeper has to share the processors with them.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from itertools import cycle, islice
from multiprocessing.process import BaseProcess
from os import environ
from pathlib import Path
from secrets import token_bytes, token_hex
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Final

from benchmarks.figures import Found, Plan, Row, report
from engines import RULESETS
from engines.table.seats import Seat
from engines.table.table import Change, Table
from workers import turns
from workers.background.pool import work
from workers.background.sweeper import Sweeper
from workers.processes.forkserver import FORKED
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.queue import PEOPLE
from workers.storage.store import Store, open_store

PATIENCE: Final = 600.0
THREADS: Final = 8
"""So many make games at a time, so that they share the writes to the disk."""

TABLES: Final = (("regicide", 2), ("gridcannon", 2), ("regicide", 4))
"""Ruleset and players: first a novice, who is to move, then people."""


class Counted(Sweeper):
    """A sweeper that says how far it has come."""

    def __init__(self, store: Store, goal: int) -> None:
        super().__init__(store)
        self.done = 0
        self.cpu = 0.0
        self.all_done = Event()
        self._goal = goal

    def sweep(self) -> int:
        """Sweep, and count what that took."""
        began = process_time()
        repeated = super().sweep()
        self.cpu += process_time() - began
        self.done += repeated
        if self.done >= self._goal:
            self.all_done.set()
        return repeated


def make(store: Store, table: tuple[str, int]) -> None:
    """Make a game in which an AI is to move."""
    name, players = table
    ruleset, seats = RULESETS[name], [Seat("ai", level="novice"), *[Seat("human", "Ana")] * (players - 1)]
    game_id = store.keys.new_id()

    def opening(now: datetime) -> Change:
        return Table.open(game_id=game_id, ruleset=ruleset, options={}, seats=seats, seed=token_bytes(32), now=now)

    turns.create(store, opening, {"host": token_hex(32)}, key=None, answer=lambda table: {"id": table.id})


@contextmanager
def workers(settings: Settings, count: int) -> Iterator[None]:
    """Run so many processes of the pool."""
    environ["REDIS_URL"] = settings.redis_url or ""
    environ["REGICIDE_PARTITIONS"] = str(settings.partitions)
    running: list[BaseProcess] = [
        FORKED.Process(target=work, args=(token_hex(8), settings, PEOPLE), daemon=True) for _ in range(count)
    ]
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
    """Empty the queue's server, on which here the games are too."""
    jobs = store.broker.keys("rq:*")
    for first in range(0, len(jobs), 1000):
        store.broker.delete(*jobs[first : first + 1000])


def sweep(store: Store, games: int, settings: Settings, count: int) -> dict[str, float]:
    """Let all jobs be lost and return how long it takes until each game has one again, and what that costs."""
    sweeper, stop = Counted(store, games), Event()
    thread = Thread(target=sweeper.run, args=(settings.sweep_seconds, stop), daemon=True)
    before = store.redis.info("stats")["total_commands_processed"]
    lose_jobs(store)
    began = perf_counter()
    with workers(settings, count):
        thread.start()
        is_done = sweeper.all_done.wait(PATIENCE)
        seconds = perf_counter() - began
        stop.set()
        thread.join()
    if not is_done:
        raise TimeoutError(f"Only {sweeper.done:,} of {games:,} games are in the queue again after {seconds:.0f} s.")
    found = {"seconds": seconds, "cpu ms a game": 1000 * sweeper.cpu / games}
    if not count:  # else the workers' are among them
        found["commands a game"] = (store.redis.info("stats")["total_commands_processed"] - before) / games
    return found


def measured(games: int, partitions: int, count: int) -> dict[str, float]:
    """Make so many games in a store of their own, and return how long they take to go on."""
    with TemporaryDirectory(prefix="overdue-") as name:
        folder = Path(name)
        with RedisServer(folder, find_server()) as server:
            settings = Settings(data=folder, redis_url=server.url, partitions=partitions, log_level="warning")
            store = open_store(settings)
            store.health.check_layout()
            with ThreadPoolExecutor(THREADS) as makers:
                list(makers.map(lambda table: make(store, table), islice(cycle(TABLES), games)))
            found = sweep(store, games, settings, count)
            store.close()
            return found


def rows(plan: Plan, asked: Namespace | None = None) -> Iterator[Row]:
    """Yield one row, of one round: making the games takes longer than anything else."""
    asked = asked or arguments([f"--games={plan.overdue}"])
    found = Found()
    found.note(measured(asked.games, asked.partitions, asked.workers))
    yield found.row("lost jobs", f"{asked.games:,} games have theirs again")


def arguments(words: Sequence[str] | None = None) -> Namespace:
    """Read what is asked for."""
    parser = ArgumentParser(prog="python -m benchmarks.overdue", description=__doc__)
    parser.add_argument("--games", type=int, default=25_000)
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0, help="processes that play the AIs' turns meanwhile")
    return parser.parse_args(words)


def main() -> None:
    """Measure and print."""
    set_up_logs("warning")
    report(rows(Plan(), arguments()))


if __name__ == "__main__":
    main()
