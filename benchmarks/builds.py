"""Compare the interpreted and the compiled engines, and other projects' engines that the games list.

``python -m benchmarks.builds`` runs each build in a process of its own, alternating, so that a busy minute affects all.
Figures are per second of CPU time, or microseconds. Games are played at random. An iteration of our search samples a
world and rolls it out by policy, further for a master than for an expert. How another engine is measured, its game's
package says (``benchmarks`` in ``engines/regicide``).
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks.results import Found, Plan, Row, Skipped, ratios, report
from benchmarks.subjects import PeerEngine, peer_engines

ROOT = Path(__file__).parent.parent
COMPILED_FOLDER = ROOT / "build" / "compiled"
SUITE = "engines, by ruleset and players"
PLAIN_BUILD_NAME, COMPILED_BUILD_NAME = "plain", "compiled"

Figures = dict[str, float]


def run(module: str, *folders: Path) -> str:
    """Run *module* with *folders* first on its import path; return the output. Raises ``Skipped`` if it fails."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONHASHSEED": "0"}
    # -P keeps the current folder from being imported instead of the compiled engines.
    command = [sys.executable, "-P", "-m", module]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise Skipped((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    return done.stdout


def engines(*folders: Path, compiled: bool) -> Figures:
    """Return the figures of our engines in *folders*. Raises ``Skipped`` if they can't run or aren't as required.

    They must be compiled if *compiled* is True, and interpreted if it is False.
    """
    measure_builds = json.loads(run("benchmarks.engine_speed", *folders))
    if measure_builds["compiled"] != compiled:
        raise Skipped("run `make compiled`, with a C compiler" if compiled else "the checkout's engines are compiled")
    figures: Figures = measure_builds["figures"]
    return figures


def peer_engine(peer: PeerEngine, folder: Path) -> Figures:
    """Return the figures of another project's engine, installed in *folder*. Raises ``Skipped``."""
    if not (folder / peer.folder).is_dir():
        raise Skipped("it isn't installed: `make bench` does that where PyPI can be reached")
    figures: Figures = json.loads(run(peer.module, folder.absolute(), ROOT))
    return figures


def rows(plan: Plan) -> Iterator[Row]:
    """Yield a row per figure with all builds, and a row for each build that is skipped."""
    builds: dict[str, Callable[[], Figures]] = {
        PLAIN_BUILD_NAME: lambda: engines(ROOT, compiled=False),
        COMPILED_BUILD_NAME: lambda: engines(COMPILED_FOLDER, ROOT, compiled=True),
        **{name: partial(peer_engine, peer, plan.peers / peer.folder) for name, peer in peer_engines().items()},
    }
    found, skipped = measure_builds(builds, plan.long_rounds)
    for name in dict.fromkeys(chain.from_iterable(found.values())):
        cells = {build: one[name].cells["figures"] for build, one in found.items() if name in one}
        for other in [other for other in cells if other != COMPILED_BUILD_NAME and COMPILED_BUILD_NAME in cells]:
            cells[f"{COMPILED_BUILD_NAME} x {other}"] = ratios(cells[COMPILED_BUILD_NAME], cells[other])
        yield Row(SUITE, name, cells, next(one[name].loads for one in found.values() if name in one))
    for name, reason in skipped.items():
        yield Row(SUITE, name, skipped=reason)


def measure_builds(
    builds: dict[str, Callable[[], Figures]], rounds: int
) -> tuple[dict[str, dict[str, Found]], dict[str, str]]:
    """Return the figures of each build, measured alternately, and the reasons why builds were skipped."""
    found: dict[str, dict[str, Found]] = {}
    skipped: dict[str, str] = {}
    for _ in range(rounds):
        for name, measure in builds.items():
            try:
                figures = measure()
            except Skipped as reason:
                skipped[name] = str(reason)
                continue
            for row, value in figures.items():
                found.setdefault(name, {}).setdefault(row, Found()).note({"figures": value})
    return found, skipped


def main() -> None:
    """Run the benchmark and print the results."""
    parser = ArgumentParser(prog="python -m benchmarks.builds", description=__doc__)
    parser.add_argument("--peers", type=Path, default=Plan.peers, help="folder in which other engines are installed")
    parser.add_argument("--rounds", type=int, default=3, help="number of speed measurements of each build")
    asked = parser.parse_args()
    report(rows(Plan(peers=asked.peers, long_rounds=asked.rounds)))


if __name__ == "__main__":
    main()
