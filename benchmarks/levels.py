"""How strong the levels are that don't search, in Regicide: ``python -m benchmarks.levels --games 1000``.

The others: ``benchmarks.ai``.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import product

from engines import RULESETS
from engines.arena import Arena
from engines.rollouts import LEVELS
from engines.types import Json
from workers.tournament import Tournament, cores


def row(result: Json) -> str:
    """Return what a team of one level reached, in a line."""
    team, players = result["seats"][0], len(result["seats"])
    low, high = (f"{100 * team[end]:.1f}" for end in ("low", "high"))
    share, defeated = 100 * team["rate"], result["mean_score"]
    return f"{players:7}  {team['level']:8}{share:6.1f} %  {f'{low}-{high} %':>14}  {defeated:8.2f}"


def quick_levels(games: int, processes: int) -> Iterator[Json]:
    """Yield what teams of these levels reach."""
    quick = [name for name, level in LEVELS.items() if level.budget is None]
    for players, level in product(RULESETS["regicide"].player_counts, quick):
        options = RULESETS["regicide"].check_options(players, {})
        arena = Arena("regicide", (level,) * players, games, options, f"{level} {players}")
        yield Tournament(arena, None).run(processes, lambda _: None)


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.levels", description=__doc__)
    parser.add_argument("--games", type=int, default=300, help="games of each level at each player count")
    parser.add_argument("--processes", type=int, default=cores(), help="processes that play them")
    asked = parser.parse_args()
    print(f"players  level       wins  95 % interval  defeated   ({asked.games} games each)")
    for result in quick_levels(asked.games, asked.processes):
        print(row(result), flush=True)


if __name__ == "__main__":
    main()
