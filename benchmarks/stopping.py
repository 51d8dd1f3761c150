"""How soon a search stops that nobody wants any more: ``python -m benchmarks.stopping``.

An AI that would think for minutes is at work in a process of its own; its game is abandoned, and what passes from the
commit of that until the job has ended is measured.
"""

import argparse
import multiprocessing
import os
from collections.abc import MutableMapping
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from secrets import token_bytes, token_hex
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import cast

from engines import RULESETS
from engines.contract.levels import Budget, Level
from engines.table.seats import Seat
from engines.table.table import Table
from workers import turns
from workers.background import ai_turns
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.store import Store, open_store

THINKS_SECONDS = 0.3
"""So long the AI has been thinking when its game is abandoned: with each game a little longer."""


def thinker(url: str, games: Connection) -> None:
    """Take the turns of the games that come, and tell when each job has ended."""
    set_up_logs("warning")
    for ruleset in RULESETS.values():
        levels = cast(MutableMapping[str, Level], ruleset.levels)
        levels["master"] = replace(levels["master"], budget=Budget(iterations=10**9))
    store = open_store(Settings(data=Path(), redis_url=url))
    games.send("ready")
    while game := games.recv():
        outcome = ai_turns.play(store, game, 0).outcome
        games.send((outcome, monotonic()))


def open_game(store: Store, ruleset: str) -> str:
    """Open a game of two masters, and return its id."""
    seats = [Seat("ai", level="master")] * 2
    opening = {"ruleset": RULESETS[ruleset], "options": {}, "seats": seats, "seed": token_bytes(32)}
    made = Table.open(game_id=token_hex(8), now=datetime.now(UTC), **opening)  # type: ignore[arg-type]
    store.games.commit(made, None)
    return made.table.id


def measured(store: Store, ruleset: str, games: Connection, number: int) -> float | None:
    """Return the milliseconds that one search took to stop; None if it had nothing to choose from."""
    game = open_game(store, ruleset)
    games.send(game)
    Event().wait(THINKS_SECONDS + 0.001 * number)
    turns.change(store, game, lambda table, now: table.abandon(now))
    abandoned = monotonic()
    outcome, ended = games.recv()
    return 1000 * (ended - abandoned) if outcome == "overtaken" else None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stopping", description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    asked = parser.parse_args()
    set_up_logs("warning")
    spawn = multiprocessing.get_context("spawn")
    with TemporaryDirectory() as folder, RedisServer(Path(folder), find_server()) as server:
        store = open_store(Settings(data=Path(folder), redis_url=server.url))
        games, theirs = spawn.Pipe()
        process = spawn.Process(target=thinker, args=(server.url, theirs), daemon=True)
        process.start()
        games.recv()
        for ruleset in RULESETS:
            times = [measured(store, ruleset, games, number) for number in range(asked.games)]
            known = sorted(time for time in times if time is not None)
            if known:
                print(f"{ruleset}: {len(known)} searches stopped: median {known[len(known) // 2]:.1f} ms, ", end="")
                print(f"longest {known[-1]:.1f} ms (load {os.getloadavg()[0]:.1f})")
        games.send("")
        process.join()


if __name__ == "__main__":
    main()
