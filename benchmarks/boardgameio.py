"""Compare moves of 16 games with those of boardgame.io, in memory and on a Redis that syncs each second.

The server and the clients of boardgame.io are in ``peers/boardgameio``. Our server syncs each move to the disk before
it answers.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks import load, measured_server
from benchmarks.results import Found, Measure, Plan, Row, Skipped, interleaved, ratios
from benchmarks.web import MANY_CONNECTIONS, Bench
from tests.clusters import alone

SUITE: Final = "beside boardgame.io, 16 games"
STORE_BY_SERVER_NAME: Final = {"boardgame.io, memory": "memory", "boardgame.io, Redis everysec": "redis"}
WARM_SECONDS: Final = 1.0
ASSUMED_MOVES_PER_SECOND: Final = 3_000
"""Moves per second for which matches are created in advance, so that none is created during the measurement."""

MOVES_PER_MATCH: Final = 60


def rows(plan: Plan) -> Iterator[Row]:
    """Yield a row per server. Raises ``Skipped``."""
    load.program()
    folder = _install_folder(plan)
    with ExitStack() as stack:
        data = Path(stack.enter_context(TemporaryDirectory(prefix="bench-")))
        node = stack.enter_context(alone(data / "redis"))
        measures: dict[str, Measure] = {}
        for count in (1, 2) if measured_server.has_web_workers() else (1,):
            server = measured_server.served(
                measured_server.processes(count), data / str(count), measured_server.web_workers(count)
            )
            bench = Bench(stack.enter_context(server), {})
            measures[f"ours, {bench.target.name}"] = partial(bench.played, "move", MANY_CONNECTIONS, plan.seconds)
        for name, store in STORE_BY_SERVER_NAME.items():
            measures[name] = partial(_run_clients, folder, store, f"redis://127.0.0.1:{node.port}", plan.seconds)
        found = interleaved(plan.rounds, measures)
    yield from _rows(found)


def _install_folder(plan: Plan) -> Path:
    """Return the folder where boardgame.io is installed. Raises ``Skipped``."""
    folder = plan.peers / "boardgameio"
    if shutil.which("node") is None:
        raise Skipped("there is no Node")
    if not (folder / "node_modules" / "boardgame.io").is_dir():
        raise Skipped("it isn't installed: `make bench` does that where npm's registry can be reached")
    return folder


def _run_clients(folder: Path, store: str, url: str, seconds: float) -> dict[str, float]:
    """Start a server of boardgame.io and run its clients against it for *seconds*; return the figures."""
    spare = int(ASSUMED_MOVES_PER_SECOND * (seconds + WARM_SECONDS) / MOVES_PER_MATCH)
    options = {"store": store, "matches": MANY_CONNECTIONS, "seconds": seconds, "warm": WARM_SECONDS, "spare": spare}
    command = ["node", "load.js", *(word for name, value in options.items() for word in (f"--{name}", str(value)))]
    environ = {**os.environ, "NODE_ENV": "production", "REDIS_URL": url}
    done = subprocess.run(command, cwd=folder, env=environ, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    told = json.loads(done.stdout)
    heard = load.Load(*(told[name] for name in ("seconds", "requests", "p50", "p99", "own")))
    return heard.cells(told["server"])


def _rows(found: Mapping[str, Found]) -> Iterator[Row]:
    for name, one in found.items():
        peers = (
            {}
            if name in STORE_BY_SERVER_NAME
            else {f"x {store}": found[peer] for peer, store in STORE_BY_SERVER_NAME.items()}
        )
        rates = {unit: ratios(one.cells["a second"], peer.cells["a second"]) for unit, peer in peers.items()}
        yield one.row(SUITE, name, **rates)
