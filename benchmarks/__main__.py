"""Run benchmark suites in one run: ``make bench``, or ``python -m benchmarks http cluster``.

Prints the table of each suite as soon as the suite is complete, and writes all figures as JSON. If a suite can't run
here, the reason is printed. ``--against FOLDER`` also measures the server of another checkout in each round.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks import (
    attacks,
    boardgameio,
    builds,
    cluster,
    evening,
    growth,
    latency,
    overdue,
    round_trips,
    start,
    streams,
    web,
    web_servers,
)
from benchmarks.results import QUICK, Plan, Row, Skipped, machine, table, write
from workers.processes.logs import set_up_logs

SUITES: Final[Mapping[str, Callable[[Plan], Iterator[Row]]]] = {
    "http": web.rows,
    "boardgameio": boardgameio.rows,
    "trips": round_trips.rows,
    "cluster": cluster.rows,
    "streams": streams.rows,
    "latency": latency.rows,
    "overdue": overdue.rows,
    "growth": growth.rows,
    "start": start.rows,
    "attacks": attacks.rows,
    "web_servers": web_servers.rows,
    "evening": evening.rows,
    "engines": builds.rows,
}


def arguments() -> Namespace:
    """Parse the command line."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}; all if none is named")
    parser.add_argument("--rounds", type=int, help="number of measurements of each row")
    parser.add_argument("--seconds", type=float, help="seconds of load for each measurement")
    parser.add_argument("--minutes", type=float, help="minutes of the evening suite")
    parser.add_argument(
        "--against", type=Path, metavar="FOLDER", help="another checkout of this project to compare with"
    )
    parser.add_argument("--quick", action="store_true", help="run everything once, too briefly for meaningful figures")
    parser.add_argument(
        "--json", type=Path, default=Path("build/bench.json"), metavar="FILE", help="file for the figures"
    )
    args = parser.parse_args()
    unknown = set(args.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite is called {', '.join(sorted(unknown))}")
    return args


def chosen_plan(args: Namespace) -> Plan:
    """Return the plan that the command line describes."""
    chosen = {
        name: value
        for name, value in vars(args).items()
        if name in {"seconds", "minutes", "against"} and value is not None
    }
    if args.rounds is not None:
        chosen |= {"rounds": args.rounds, "long_rounds": args.rounds}
    return replace(QUICK if args.quick else Plan(), **chosen)


def measure_suite(suite: str, plan: Plan) -> list[Row]:
    """Return the rows of a suite, or one row with the reason why the suite can't run."""
    try:
        return list(SUITES[suite](plan))
    except Skipped as reason:
        return [Row(suite, "everything", skipped=str(reason))]


def main() -> None:
    """Run the benchmark and print the results."""
    args, before, found = arguments(), machine(), list[Row]()
    set_up_logs("warning")
    print(f"Before: {before}")
    for name in args.suites or SUITES:
        rows = measure_suite(name, chosen_plan(args))
        print("\n".join(table(rows)), flush=True)
        found += rows
        write(args.json, found, before)
    print(f"\nAfter: {machine()}\nAll figures: {args.json}")


if __name__ == "__main__":
    main()
