"""What the engine does on this machine, side by side: ``make bench``, or ``python -m benchmarks --games 1000``.

Speed is measured first, one build beside the other (``benchmarks.builds``); then the levels play, in several processes.
"""

import os
import platform
from argparse import ArgumentParser

from benchmarks import builds
from benchmarks.rates import Rate, rates
from engines.opponents import LEVELS


def machine() -> str:
    """Return the state of the machine, without which no number means anything."""
    load = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    return f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}, load {load}"


def row(rate: Rate) -> str:
    """Return a level's result in a line."""
    team = rate.told["seats"][0]
    low, high = (f"{100 * team[end]:.1f}" for end in ("low", "high"))
    share, defeated = 100 * team["rate"], rate.told["mean_score"]
    return f"{rate.players:7}  {rate.level:8}{share:6.1f} %  {f'{low}-{high} %':>14}  {defeated:8.2f}"


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--games", type=int, default=300, help="games of each level at each player count")
    parser.add_argument("--processes", type=int, default=2, help="processes that play them")
    builds.add_options(parser)
    asked = parser.parse_args()

    print(f"Before: {machine()}\n")
    builds.report(asked.package, asked.rounds)
    print(f"\nplayers  level       wins  95 % interval  defeated   ({asked.games} games each)")
    quick = [name for name, level in LEVELS.items() if level.budget is None]  # for the others: regicide arena
    for rate in rates(quick, asked.games, asked.processes):
        print(row(rate))
    print(f"\nAfter: {machine()}")


if __name__ == "__main__":
    main()
