"""How strong the levels are: ``make bench-ai``, or ``python -m benchmarks.ai --games 200`` for another number of games.

Takes hours. AIs think for all of their level's iterations, not by the clock, so that the games are the same on any
machine. Each match is an arena whose file is kept in a folder, so that it goes on where it was interrupted; the
same match is played by ``regicide arena`` with the same seats and seed.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.figures import machine
from engines import RULESETS
from engines.arena import Arena
from engines.compiled import is_compiled
from workers.tournament import Tournament, cores, table


class Match(NamedTuple):
    """Who plays whom, how often unless told otherwise."""

    ruleset: str
    seats: tuple[str, ...]
    games: int


TEAMS: Final = tuple(
    Match("regicide", (level,) * players, 200) for level in ("expert", "master") for players in (1, 2, 3, 4)
)
DUELS: Final = (
    Match("gridcannon", ("adept", "novice"), 500),
    Match("gridcannon", ("adept", "novice", "novice", "novice"), 500),
    Match("gridcannon", ("expert", "adept"), 300),
    Match("gridcannon", ("master", "expert"), 300),
    Match("gridcannon", ("expert", "adept", "adept", "adept"), 300),
)


def main() -> None:
    """Play every match, or go on with it, and print what came of it."""
    parser = ArgumentParser(prog="python -m benchmarks.ai", description=__doc__)
    parser.add_argument("--games", type=int, help="games of each match")
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument("--folder", type=Path, default=Path(".bench-ai"), help="where the matches are kept")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    print(f"Engines {'compiled' if is_compiled() else 'interpreted'}; {machine()}")
    for match in (*TEAMS, *DUELS):
        options = RULESETS[match.ruleset].check_options(len(match.seats), {})
        arena = Arena(match.ruleset, match.seats, asked.games or match.games, options, "bench-ai", by_clock=False)
        tournament = Tournament(arena, asked.folder / f"{match.ruleset}-{'-'.join(match.seats)}.json")
        print(f"\n{table(tournament.run(asked.processes, lambda _: None))}", flush=True)


if __name__ == "__main__":
    main()
