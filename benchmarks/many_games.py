"""Whether a store grows slower as it fills: ``python -m benchmarks.many_games --games 100000``.

Games are made by what makes them for clients, without HTTP: six of ten are being played, the others have ended. After
100 games, 1,000 and so on a move, a list and a sweep are timed; at the end, how long the store takes to start again.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from benchmarks.figures import machine
from benchmarks.storage import milliseconds
from engines import RULESETS
from engines.core.types import Json
from engines.table.seats import Seat
from engines.table.table import Change, Table
from workers import turns
from workers.background.sweeper import Sweeper
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.store import Store, open_store

FIRST: Final = 100
ENDED_OF_TEN: Final = 4
THREADS: Final = 8
"""So many make games at a time, so that they share the writes to the disk."""

TIMES: Final = 201
"""So often each thing is timed."""

PEOPLE: Final = ("Ana", "Ben")


def make(store: Store, number: int) -> str:
    """Make a game of two, play a move, and end it if it is one of those; return its id."""
    ruleset = list(RULESETS.values())[number % len(RULESETS)]
    game_id = store.keys.new_id()

    def opening(now: datetime) -> Change:
        seats = [Seat("human", name) for name in PEOPLE]
        return Table.open(game_id=game_id, ruleset=ruleset, options={}, seats=seats, seed=token_bytes(32), now=now)

    tokens = {holder: token_bytes(32).hex() for holder in ("host", "0", "1")}
    turns.create(store, opening, tokens, key=None, answer=lambda table: {"id": table.id})
    act(store, game_id)
    if number % 10 < ENDED_OF_TEN:
        turns.change(store, game_id, Table.abandon)
    return game_id


def act(store: Store, game_id: str) -> Json:
    """Take the first action that may be taken, over the storage."""
    table = store.games.load(game_id)
    seat = table.to_act()[0]
    return turns.take(store, game_id, seat, table.legal(seat)[0]["text"])


def moves(store: Store) -> Callable[[], Json]:
    """Return what takes one move after the other, in game after game."""

    def games() -> Iterator[str]:
        number = 5
        while True:
            game_id = make(store, number)
            while store.games.load(game_id).status == "active":
                yield game_id
            number += 10

    to_play = games()
    return lambda: act(store, next(to_play))


def measure(store: Store, count: int) -> str:
    """Return a line: memory, and how long things take with so many games."""
    used = store.redis.info("memory")["used_memory"] / 1e6
    sweeper = Sweeper(store)
    sweeper.sweep()
    times = [
        milliseconds(moves(store), TIMES),
        milliseconds(lambda: store.games.page(None, None, 20, None), TIMES),
        milliseconds(lambda: store.games.page("active", "regicide", 20, None), TIMES),
        milliseconds(sweeper.sweep, TIMES),
    ]
    return f"{count:9,}{used:10.1f}" + "".join(f"{taken:10.2f}" for taken in times)


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.many_games", description=__doc__)
    parser.add_argument("--games", type=int, default=100_000, help="games at the end")
    parser.add_argument("--partitions", type=int, default=1)
    asked = parser.parse_args()
    set_up_logs("warning")

    print(f"{machine()}\n\n    games        MB      move      list  filtered     sweep   (ms, medians)")
    with TemporaryDirectory() as name:
        folder = Path(name)
        with RedisServer(folder, find_server()) as server:
            store = open_store(Settings(data=folder, redis_url=server.url, partitions=asked.partitions))
            made, goal = 0, FIRST
            while made < asked.games:
                with ThreadPoolExecutor(THREADS) as pool:
                    list(pool.map(lambda number: make(store, number), range(made, goal)))
                made, goal = goal, min(asked.games, goal * 10)
                print(measure(store, made), flush=True)
            store.close()
        began = perf_counter()
        with RedisServer(folder, find_server()):
            print(f"\nstarts again in {perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
