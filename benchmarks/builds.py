"""The engines plain and compiled, and the PyPI package ``regicide`` 0.1.5, a Rust engine, side by side in one run.

Each is measured in processes of its own, in turns, so that a busy minute hits all of them; of the rounds the median
counts. ``python -m benchmarks.builds`` prints nothing else.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
COMPILED = ROOT / "build" / "compiled"
PACKAGE = "REGICIDE_PACKAGE"
"""The environment variable with the folder that the package was installed into."""
INSTALL = "python -m pip install --no-deps --target FOLDER regicide==0.1.5"

WIDTH = 36
"""Of the column of rows' names."""

Figures = dict[str, float]


class Skipped(Exception):
    """This build can't be measured here, and why."""


def run(module: str, *folders: Path) -> str:
    """Return what *module* prints, with *folders* first on its path."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONHASHSEED": "0"}
    # -P: else the checkout, where this was started, would come before the compiled engines.
    command = [sys.executable, "-P", "-m", module]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise Skipped((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    return done.stdout


def engines(*folders: Path, compiled: bool) -> Figures:
    """Return the figures of our engines as *folders* have them. Raises ``Skipped``."""
    measured = json.loads(run("benchmarks.speed", *folders))
    if measured["compiled"] != compiled:
        raise Skipped("run `make compiled`, with a C compiler" if compiled else "the checkout's engines are compiled")
    figures: Figures = measured["figures"]
    return figures


def package(folder: str | None) -> Figures:
    """Return the figures of the package in *folder*. Raises ``Skipped``."""
    if not folder or not Path(folder, "regicide").is_dir():
        raise Skipped(f"`{INSTALL}`, then --package FOLDER or {PACKAGE}=FOLDER")
    figures: Figures = json.loads(run("benchmarks.package", Path(folder), ROOT))
    return figures


def measured(builds: dict[str, Callable[[], Figures]], rounds: int) -> tuple[dict[str, Figures], dict[str, str]]:
    """Return each build's figures, and why others were skipped."""
    found: dict[str, list[Figures]] = {}
    skipped: dict[str, str] = {}
    for _ in range(rounds):
        for name, measure in builds.items():
            try:
                found.setdefault(name, []).append(measure())
            except Skipped as reason:
                skipped[name] = str(reason)
    medians = {
        name: {row: median([figures[row] for figures in taken]) for row in taken[0]}
        for name, taken in found.items()
        if taken
    }
    return medians, skipped


def table(found: dict[str, Figures]) -> str:
    """Return the figures as lines, a column for each build."""
    rows = dict.fromkeys(row for figures in found.values() for row in figures)
    lines = [f"{'':{WIDTH}}" + "".join(f"{name:>16}" for name in found)]
    for row in rows:
        digits = 2 if row.endswith("µs") else 0
        cells = [f"{figures[row]:,.{digits}f}" if row in figures else "" for figures in found.values()]
        lines.append(f"{row:{WIDTH}}" + "".join(f"{cell:>16}" for cell in cells))
    return "\n".join(lines)


def report(folder: str | None, rounds: int) -> None:
    """Measure and print."""
    builds: dict[str, Callable[[], Figures]] = {
        "plain": lambda: engines(ROOT, compiled=False),
        "compiled": lambda: engines(COMPILED, ROOT, compiled=True),
        "regicide 0.1.5": lambda: package(folder),
    }
    found, skipped = measured(builds, rounds)
    print(table(found))
    for name, reason in skipped.items():
        print(f"{name} is skipped: {reason}")
    print(
        "By ruleset and players, per second of processor time or in microseconds. Games are played by chance. An"
        "\niteration of ours imagines a world and plays it out by policy, a master's further than an expert's; the"
        "\npackage's sees all cards and plays them out by chance."
    )


def add_options(parser: ArgumentParser) -> None:
    """Let *parser* read what ``report`` is asked for."""
    parser.add_argument("--package", default=os.environ.get(PACKAGE), help=f"the folder of `{INSTALL}`; or {PACKAGE}")
    parser.add_argument("--rounds", type=int, default=3, help="how often each build's speed is measured")


def main() -> None:
    """Read what is asked for, and report."""
    parser = ArgumentParser(prog="python -m benchmarks.builds", description=__doc__)
    add_options(parser)
    asked = parser.parse_args()
    report(asked.package, asked.rounds)


if __name__ == "__main__":
    main()
