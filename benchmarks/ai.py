"""Measure the strength of the AI levels: ``make bench-ai``, or ``python -m benchmarks.ai --games 200``.

Takes hours. AIs use all iterations of their level and no clock, so that games are equal on every machine. Each match is
an arena with a file, so that an interrupted run is resumed; ``regicide arena`` plays the same match with the same seats
and seed. The seed contains the release, so that no game was used in fitting. The last release's results are printed
for comparison.
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
from workers.local_arena import LocalArena, table
from workers.process_pool import cores

LAST: Final = Path(__file__).with_name("last_release.json")
"""Results of the last release, by match: wins of the first seat, and number of games."""
GAMES: Final = 200
LADDER: Final = tuple(LEVELS)


class Match(NamedTuple):
    """The seats of a match."""

    ruleset: str
    seats: tuple[str, ...]

    @property
    def name(self) -> str:
        """The key of the match in files."""
        return f"{self.ruleset}-{'-'.join(self.seats)}"


def matches() -> Iterator[Match]:
    """Yield all matches: teams of one level, and of competitive games neighbouring levels, and one against three."""
    for name, ruleset in RULESETS.items():
        if ruleset.cooperative:
            for level, players in product(LADDER, ruleset.player_counts):
                yield Match(name, (level,) * players)
            continue
        if 2 in ruleset.player_counts:
            for weaker, stronger in pairwise(LADDER):
                yield Match(name, (stronger, weaker))
        if 4 in ruleset.player_counts:
            for level, others in (("adept", "novice"), ("expert", "adept"), ("master", "expert")):
                yield Match(name, (level, *[others] * 3))


def comparisons(name: str, found: Json, last: Mapping[str, tuple[int, int]]) -> str:
    """Return the last release's result of this match."""
    if name not in last:
        return "The last release didn't play this match."
    wins, games = last[name]
    return f"The last release: {wins} of {games} = {wins / games:.1%}; now {found['seats'][0]['rate']:.1%}."


def main() -> None:
    """Play or resume every match, and print the results."""
    parser = ArgumentParser(prog="python -m benchmarks.ai", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help="games of each match")
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument("--folder", type=Path, default=Path(".bench-ai"), help="where the matches are kept")
    parser.add_argument("--only", default="", help="the matches whose names begin so: the game, a hyphen, the level")
    parser.add_argument("--release", action="store_true", help="keep the rates for the next release")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    last = json.loads(LAST.read_text("utf-8"))
    reached = dict(last)
    print(f"Engines {'compiled' if is_compiled() else 'interpreted'}; {machine()}")
    for match in matches():
        if not match.name.startswith(args.only):
            continue
        options = RULESETS[match.ruleset].check_options(len(match.seats), {})
        arena = Arena(match.ruleset, match.seats, args.games, options, release_seed(), by_clock=False)
        played = LocalArena(arena, args.folder / f"{match.name}.json")
        played.run(args.processes, lambda _: None)
        found = played.result()
        reached[match.name] = (found["seats"][0]["wins"], found["games"])
        print(f"\n{table(found)}\n{comparisons(match.name, found, last)}", flush=True)
    if args.release:
        LAST.write_text(json.dumps(reached, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
