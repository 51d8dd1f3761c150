"""How strong the levels are: ``make bench-ai``, or ``python -m benchmarks.ai --games 200`` for another number of games.

Takes hours. AIs think for all of their level's iterations, not by the clock, so that the games are the same on any
machine. Each match is an arena whose file is kept in a folder, so that it goes on where it was interrupted; the
same match is played by ``regicide arena`` with the same seats and seed. The seed has the release in it: of no release
were the games seen before, least of all when something was fitted. What the last release reached stands beside it.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.figures import machine, release_seed
from engines import RULESETS
from engines.analysis.arena import Arena
from engines.contract.default_levels import LEVELS
from engines.core.compiled import is_compiled
from engines.core.types import Json
from workers.local_arena import LocalArena, cores, table

LAST: Final = Path(__file__).with_name("last_release.json")
"""The rates of the last release, by match: wins of whom sits first, and games."""
GAMES: Final = 200
LADDER: Final = tuple(LEVELS)


class Match(NamedTuple):
    """Who plays whom."""

    ruleset: str
    seats: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.ruleset}-{'-'.join(self.seats)}"


def matches() -> Iterator[Match]:
    """Yield all: teams of each level at each table, neighbours on the ladder, one against three."""
    for level, players in product(LADDER, RULESETS["regicide"].player_counts):
        yield Match("regicide", (level,) * players)
    for weaker, stronger in pairwise(LADDER):
        yield Match("gridcannon", (stronger, weaker))
    for level, others in (("adept", "novice"), ("expert", "adept"), ("master", "expert")):
        yield Match("gridcannon", (level, *[others] * 3))


def comparisons(name: str, found: Json, last: Mapping[str, tuple[int, int]]) -> str:
    """Return what the last release reached in this match."""
    if name not in last:
        return "The last release didn't play this match."
    wins, games = last[name]
    return f"The last release: {wins} of {games} = {wins / games:.1%}; now {found['seats'][0]['rate']:.1%}."


def main() -> None:
    """Play every match, or go on with it, and print what came of it."""
    parser = ArgumentParser(prog="python -m benchmarks.ai", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help="games of each match")
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument("--folder", type=Path, default=Path(".bench-ai"), help="where the matches are kept")
    parser.add_argument("--only", default="", help="the matches whose names begin so: regicide-expert, say")
    parser.add_argument("--release", action="store_true", help="keep the rates for the next release")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    last = json.loads(LAST.read_text("utf-8"))
    reached = dict(last)
    print(f"Engines {'compiled' if is_compiled() else 'interpreted'}; {machine()}")
    for match in matches():
        if not match.name.startswith(asked.only):
            continue
        options = RULESETS[match.ruleset].check_options(len(match.seats), {})
        arena = Arena(match.ruleset, match.seats, asked.games, options, release_seed(), by_clock=False)
        found = LocalArena(arena, asked.folder / f"{match.name}.json").run(asked.processes, lambda _: None)
        reached[match.name] = (found["seats"][0]["wins"], found["games"])
        print(f"\n{table(found)}\n{comparisons(match.name, found, last)}", flush=True)
    if asked.release:
        LAST.write_text(json.dumps(reached, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
