"""Measure the strength of the AI levels: ``make bench-ai``, or ``python -m benchmarks.ai --only regicide-novice``.

Takes hours. AIs use all iterations of their level and no clock, so that games are equal on every machine. Each match is
an arena with a file, so that an interrupted run is resumed; ``regicide arena`` plays the same match with the same seats
and seed. The seed contains the release and the match: each release and each match has games of its own, none of which
was used to fit an AI.

The results are in ``benchmarks/ai_results.json``. ``python -m benchmarks.ai_strength_tables`` prints them as the tables
of docs/ai-strength.md.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.results import machine, release_seed
from engines import RULESETS
from engines.analysis.arena import Arena
from engines.core.mypyc_support import is_compiled
from engines.core.types import Json
from engines.ruleset import Ruleset
from workers.local_arena import LocalArena, table
from workers.local_work_processes import cores
from workers.settings import run_or_exit

RESULTS_FILE: Final = Path(__file__).with_name("ai_results.json")
"""File with the results by match: number of games, wins of the first seat with their interval, draws, and the seed."""
GAMES_PER_MATCH: Final = 1000
GAMES_PER_SEARCHING_MATCH: Final = 200


class Match(NamedTuple):
    """A match: its ruleset, and the level at each seat."""

    ruleset: str
    seats: tuple[str, ...]

    @property
    def name(self) -> str:
        """The match's key in the files of results."""
        return f"{self.ruleset}-{'-'.join(self.seats)}"

    @property
    def seed(self) -> str:
        """The seed of the match's games."""
        return f"{release_seed()} {self.name}"

    @property
    def searches(self) -> bool:
        """True if one of the levels searches; such games take long."""
        levels = RULESETS[self.ruleset].levels
        return any(levels[seat].budget is not None for seat in self.seats)


def matches() -> Iterator[Match]:
    """Yield all matches, by ruleset."""
    for ruleset in RULESETS.values():
        yield from _teams(ruleset) if ruleset.cooperative else _rivals(ruleset)


def _teams(ruleset: Ruleset) -> Iterator[Match]:
    """Yield teams of one level, and for two players also teams of an ``adept`` and a level below ``adept``."""
    for level, players in product(ruleset.levels, ruleset.player_counts):
        yield Match(ruleset.name, (level,) * players)
    if 2 in ruleset.player_counts:
        for level in below_adept(ruleset):
            yield Match(ruleset.name, (level, "adept"))


def _rivals(ruleset: Ruleset) -> Iterator[Match]:
    """Yield matches of neighbouring levels, and matches of one level against three AIs of another level."""
    if 2 in ruleset.player_counts:
        for weaker, stronger in pairwise(ruleset.levels):
            yield Match(ruleset.name, (stronger, weaker))
    if 4 in ruleset.player_counts:
        for level, others in (("adept", "novice"), ("expert", "adept"), ("master", "expert")):
            yield Match(ruleset.name, (level, *[others] * 3))


def below_adept(ruleset: Ruleset) -> tuple[str, ...]:
    """Return the levels below ``adept``, the weakest first."""
    names = list(ruleset.levels)
    return tuple(names[: names.index("adept")])


def summary(found: Json) -> Json:
    """Return the part of an arena's result that is saved."""
    first = found["seats"][0]
    kept = {field: first[field] for field in ("wins", "draws", "low", "high")}
    return {"games": found["games"], **kept, "seed": found["seed"]}


def main() -> None:
    """Play or resume every match; print and store the results. Raises ``CannotStart``."""
    parser = ArgumentParser(prog="python -m benchmarks.ai", description=__doc__)
    parser.add_argument(
        "--games", type=int, default=GAMES_PER_MATCH, help="games of each match between levels without a search"
    )
    parser.add_argument(
        "--searching-games",
        type=int,
        default=GAMES_PER_SEARCHING_MATCH,
        help="games of each match with a level that searches",
    )
    parser.add_argument("--processes", type=int, default=cores())
    parser.add_argument("--folder", type=Path, default=Path(".bench-ai"), help="folder of the unfinished matches")
    parser.add_argument("--only", default="", help="only the matches whose names begin with this: game, hyphen, level")
    parser.add_argument("--players", type=int, help="only the matches with this number of players")
    parser.add_argument("--results", type=Path, default=RESULTS_FILE, help="the file of all results")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"Engines {'compiled' if is_compiled() else 'interpreted'}; {machine()}", flush=True)
    for match in matches():
        if match.name.startswith(args.only) and args.players in (None, len(match.seats)):
            games = args.searching_games if match.searches else args.games
            found = _play_match(match, games, args.folder, args.processes)
            print(f"\n{table(found)}", flush=True)
            _keep(args.results, match, found)


def _play_match(match: Match, games: int, folder: Path, processes: int) -> Json:
    """Play or resume a match. Raises ``CannotStart``."""
    options = RULESETS[match.ruleset].check_options(len(match.seats), {})
    arena = Arena(match.ruleset, match.seats, games, options, match.seed, by_clock=False)
    played = LocalArena(arena, folder / f"{match.name}.json")
    played.run(processes, lambda _: None)
    return played.result()


def _keep(file: Path, match: Match, found: Json) -> None:
    """Add or replace a match's result in the file of all results, which has the order of ``matches``."""
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    known[match.name] = summary(found)
    ordered = {other.name: known[other.name] for other in matches() if other.name in known}
    lines = [f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in ordered.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    run_or_exit(main)
