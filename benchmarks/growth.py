"""Measure the effect of many games on a server: ``python -m benchmarks.growth --games 100000``.

Three servers are measured: with a hundred games, with many, and with a hundred in 1,024 partitions. Lists are requested
over one connection, so that none waits for another; moves of new games are sent over 16. At the end each server is
started again with its games. ``python -m benchmarks.overdue`` measures how lost jobs are recovered.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import perf_counter
from typing import Final

from benchmarks import load, measured_server, scripted_games
from benchmarks.measured_server import Target
from benchmarks.results import Found, Plan, Row, interleaved, ratios, report
from benchmarks.web import MANY_CONNECTIONS, Bench
from workers.settings import Settings

FEW_GAMES: Final = 100
PARTITIONS: Final = 1_024
MAX_GAMES_PER_CALL: Final = 2_000
"""Maximum number of games per call of ``make``, which holds a whole position in memory for each game."""

MEASURED_SWEEPS: Final = 10
"""Number of sweeps whose processor time is measured."""

COLUMN_BY_RATIO_NAME: Final = {"rate": "moves a second", "p99": "list p99 ms", "sweep": "sweep ms", "start": "start s"}
"""The figures that are divided by those of the first server: the name of each ratio, and the figure's column."""

LIST_REQUESTS: Final = {"list": [[load.request("GET", "/v1/games?limit=20")]]}


@dataclass(frozen=True)
class Subject:
    """A server to measure: its number of games, and its store's number of partitions."""

    games: int
    partitions: int = 1

    @property
    def name(self) -> str:
        """The name of the row."""
        return f"{self.games:,} games" + (f", {self.partitions:,} partitions" if self.partitions > 1 else "")

    def server(self, folder: Path) -> AbstractContextManager[Target]:
        """Return a context manager that runs the server."""
        environ = {**measured_server.web_workers(1), "REGICIDE_PARTITIONS": str(self.partitions)}
        return measured_server.served(self.name, folder / self.name, environ)


def measure(bench: Bench, seconds: float) -> Mapping[str, float]:
    """Measure a server once, with the games that it has."""
    moves, lists = bench.played("move", MANY_CONNECTIONS, seconds), bench.played("list", 1, seconds)
    return {
        "moves a second": moves["a second"],
        "move cpu ms": moves["cpu ms"],
        "list p50 ms": lists["p50 ms"],
        "list p99 ms": lists["p99 ms"],
        "sweep ms": sweep_milliseconds(bench.target),
        "MB": bench.target.memory(),
    }


def sweep_milliseconds(target: Target) -> float:
    """Return the mean processor time of a sweep in milliseconds (sweeper and store), while no game is played."""
    pids = [pid for pid, command in target.family().items() if "[sweeper]" in command or "valkey" in command]
    before = sum(map(nanoseconds, pids))
    Event().wait(MEASURED_SWEEPS * Settings.sweep_seconds)
    return (sum(map(nanoseconds, pids)) - before) / MEASURED_SWEEPS / 1e6


def nanoseconds(pid: int) -> int:
    """Return the processor time of a process, as the sum of its threads' times: ``/proc/PID/stat`` is too coarse."""
    return sum(int(file.read_text("ascii").split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))


def start_seconds(subject: Subject, folder: Path) -> dict[str, float]:
    """Start a server with its existing games; return the time until it serves."""
    began = perf_counter()
    with subject.server(folder):
        return {"start s": perf_counter() - began}


def rows(plan: Plan, args: Namespace | None = None) -> Iterator[Row]:
    """Yield a row per server, with its figures divided by those of the first server. Raises ``Skipped``."""
    load.program()
    many = plan.stored if args is None else args.games
    subjects = [Subject(FEW_GAMES), Subject(many), Subject(FEW_GAMES, PARTITIONS)]
    with TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        found = _measured(subjects, folder, plan)
        started = interleaved(plan.long_rounds, {one.name: partial(start_seconds, one, folder) for one in subjects})
    for subject in subjects:
        found[subject.name].cells |= started[subject.name].cells
    first = found[subjects[0].name]
    for name, one in found.items():
        beside = {
            f"{figure} x {FEW_GAMES} games": ratios(one.cells[unit], first.cells[unit])
            for figure, unit in COLUMN_BY_RATIO_NAME.items()
        }
        yield one.row("growth", name, **({} if one is first else beside))


def _measured(subjects: Sequence[Subject], folder: Path, plan: Plan) -> dict[str, Found]:
    with ExitStack() as stack:
        benches = [Bench(stack.enter_context(subject.server(folder)), LIST_REQUESTS) for subject in subjects]
        for subject, bench in zip(subjects, benches, strict=True):
            for first in range(0, subject.games, MAX_GAMES_PER_CALL):
                scripted_games.make(bench.target.port, min(MAX_GAMES_PER_CALL, subject.games - first))
        return interleaved(plan.long_rounds, {one.target.name: partial(measure, one, plan.seconds) for one in benches})


def main() -> None:
    """Run the benchmark and print the results."""
    parser = ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--games", type=int, default=Plan.stored)
    report(rows(Plan(), parser.parse_args()))


if __name__ == "__main__":
    main()
