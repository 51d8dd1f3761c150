"""What the engine does on this machine, side by side: ``make bench``, or ``python -m benchmarks --games 1000``.

Speed is measured first, in one process; then the levels play, in several.
"""

import os
import platform
from argparse import ArgumentParser

from benchmarks.rates import Rate, rates
from benchmarks.speed import calls, games_and_actions
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
    asked = parser.parse_args()

    print(f"Before: {machine()}\n")
    games, actions = games_and_actions()
    print(f"Regicide, plain Python: {games:,.0f} random solo games/s, {actions:,.0f} actions/s\n")
    by_players = {players: calls(players) for players in (1, 4)}
    print(f"{'microseconds':16}{'solo':>8}{'four':>8}")
    for name in by_players[1]:
        print(f"{name:16}" + "".join(f"{times[name]:8.2f}" for times in by_players.values()))
    print(f"\nplayers  level       wins  95 % interval  defeated   ({asked.games} games each)")
    quick = [name for name, level in LEVELS.items() if level.budget is None]  # for the others: regicide arena
    for rate in rates(quick, asked.games, asked.processes):
        print(row(rate))
    print(f"\nAfter: {machine()}")


if __name__ == "__main__":
    main()
