"""What games take in the storage, and what it costs to look back: ``python -m benchmarks.storage --games 8``.

Adepts play over a server of its own, without workers; the host and people have tokens, as over HTTP.
"""

import gzip
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_bytes
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from benchmarks.figures import machine
from engines import RULESETS
from engines.ai.decision import Question, think
from engines.table.seats import Seat
from engines.table.table import Change, Table
from workers.compact_records import shortened
from workers.processes.redis_server import RedisServer, find_server
from workers.retention import read_ended
from workers.settings import Settings
from workers.storage.store import Store, open_store

KINDS: Final = (
    ("regicide", "h"),
    ("regicide", "aa"),
    ("regicide", "aaaa"),
    ("gridcannon", "aa"),
    ("gridcannon", "aaaa"),
)
"""Ruleset and seats: a person who plays like an adept, or adepts."""

MOVES: Final = (0, 30, 50)
"""After so many moves, and at the end, games are weighed."""

LONG: Final = 300
"""So many versions has the game in which is looked back."""


@contextmanager
def opened() -> Iterator[Store]:
    """Give an empty store."""
    with TemporaryDirectory() as folder, RedisServer(Path(folder), find_server()) as server:
        store = open_store(Settings(data=Path(folder), redis_url=server.url))
        yield store
        store.close()


@dataclass
class Playing:
    """A game that is played move by move."""

    store: Store
    table: Table

    @classmethod
    def open(cls, store: Store, ruleset: str, kinds: str) -> "Playing":
        """Open a table."""
        seats = [Seat("human", "Ana") if kind == "h" else Seat("ai", level="adept") for kind in kinds]
        change = Table.open(
            game_id=store.keys.new_id(),
            ruleset=RULESETS[ruleset],
            options={},
            seats=seats,
            seed=token_bytes(32),
            now=store.now(),
        )
        holders = ["host", *[str(seat) for seat, kind in enumerate(kinds) if kind == "h"]]
        store.games.commit(change, None, tokens={holder: token_bytes(32).hex() for holder in holders}, enqueue=False)
        return cls(store, change.table)

    def move(self) -> None:
        """Let who may or must act do it."""
        change = next(filter(None, map(self._asked, [*self.table.may_act(), *self.table.to_act()])))
        self.store.games.commit(change, self.table.version, enqueue=False)
        self.table = change.table

    def _asked(self, seat: int) -> Change | None:
        observation = self.table.observation(seat)
        if observation is None:
            return None
        choice = think(Question("adept", observation))
        if choice.action is None:
            return None
        note = choice.note if self.table.seats[seat].kind == "ai" else None
        return self.table.act(seat, str(choice.action), self.store.now(), note)

    def weight(self) -> int:
        """Return the bytes of all keys of the game."""
        redis = self.store.redis
        return sum(redis.memory_usage(key, samples=0) or 0 for key in redis.scan_iter(f"*{self.table.id}*", count=1000))


def weights(store: Store, ruleset: str, kinds: str, games: int) -> str:
    """Return a line: KB after so many moves, at the end, and in the archive, compressed alone."""
    found = defaultdict[int | str, list[int]](list)
    for _ in range(games):
        game = Playing.open(store, ruleset, kinds)
        while game.table.status == "active":
            if game.table.moves in MOVES:
                found[game.table.moves].append(game.weight())
            game.move()
        found["end"].append(game.weight())
        found["moves"].append(game.table.moves)
        found["archived"].append(len(gzip.compress(shortened(read_ended(store, game.table.id)[1]))))
    cells = [f"{mean(found[when]) / 1000:6.1f}" if found[when] else "     -" for when in MOVES]
    ends = f"{mean(found['end']) / 1000:6.1f} (up to {max(found['end']) / 1000:.1f}, {max(found['moves'])} moves)"
    archived = f", archived {mean(found['archived']) / 1000:.1f} (up to {max(found['archived']) / 1000:.1f})"
    return f"{ruleset:10} {kinds:5}" + "".join(cells) + ends + archived


def milliseconds(ask: Callable[[], object], times: int = 21) -> float:
    """Return how long it takes, the median."""
    taken = []
    for _ in range(times):
        began = perf_counter()
        ask()
        taken.append(perf_counter() - began)
    return 1000 * median(taken)


def looks_back(store: Store) -> Iterator[str]:
    """Yield how long it takes to look back in a long game."""
    game = Playing.open(store, "gridcannon", "aa")
    while game.table.version < LONG:
        game.move()
        if game.table.status != "active":
            game = Playing.open(store, "gridcannon", "aa")
    game_id = game.table.id
    asked: dict[str, Callable[[], object]] = {
        "the game": lambda: store.games.load(game_id),
        "version 280": lambda: store.history.table(game_id, 280),
        "events of the last 3": lambda: store.history.snapshots(game_id, LONG - 3),
        "all events": lambda: store.history.snapshots(game_id),
        "32 versions for a stream": lambda: store.history.snapshots(game_id, 150, 32),
        "the record": lambda: store.history.record(game_id),
    }
    for what, ask in asked.items():
        yield f"{what:26}{milliseconds(ask):8.2f}"


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.storage", description=__doc__)
    parser.add_argument("--games", type=int, default=8, help="games of each kind")
    asked = parser.parse_args()

    print(f"{machine()}\n\nKB after {', '.join(map(str, MOVES))} moves, at the end, and in the archive")
    with opened() as store:
        for ruleset, kinds in KINDS:
            print(weights(store, ruleset, kinds, asked.games), flush=True)
        print(f"\nms in a game of {LONG} versions")
        for line in looks_back(store):
            print(line, flush=True)


if __name__ == "__main__":
    main()
