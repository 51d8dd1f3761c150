"""Local arenas: an arena played on this machine, on all cores, without a server or a store."""

from pathlib import Path

import orjson

from engines.analysis.arena import Arena, GameResult, result
from engines.analysis.in_process_game import play_at_table
from engines.core.types import Json
from workers.parallel_games import LocalGames
from workers.startup_ai_file_check import check_ai_files


class LocalArena(LocalGames):
    """An arena that is played on this machine. Results go to the file *out*, records to *records*, if given."""

    what = "arena"

    def __init__(self, arena: Arena, out: Path | None, records: Path | None = None, *, notes: bool = False) -> None:
        """Load the results in *out* if that file exists.

        Raises ``CannotStart``, also if a file that an AI needs is unusable.
        """
        check_ai_files([arena.ruleset])
        self.arena = arena
        super().__init__(arena.as_json(), _play_game, out, records, notes=notes)

    @property
    def end(self) -> int:
        return self.arena.games

    def result(self) -> Json:
        played = {number: GameResult.load(game) for number, game in self.games.items()}
        return result(self.arena, played, self.seconds)

    def summary(self) -> Json:
        return {**self.result(), "played": {str(number): game for number, game in sorted(self.all_games.items())}}

    def listed_games(self, saved: Json) -> dict[int, Json]:
        return {int(number): GameResult.load(game).as_json() for number, game in saved["played"].items()}


def _play_game(asked: Json, number: int) -> tuple[Json, bytes]:
    """Play one game. Return it with its record, as JSON, because frozen compiled objects can't be pickled."""
    game, record = play_at_table(Arena.load(asked["plan"]), number, records=asked["records"], notes=asked["notes"])
    return game.as_json(), orjson.dumps(record)


def table(summary: Json) -> str:
    """Return the summary of an arena as lines of text, with a table of the seats."""
    lines = [f"{'seat':>4}  {'level':8}{'wins':>6}{'draws':>7}{'rate':>9}   95 % interval"]
    for seat in summary["seats"]:
        low, high, rate = (f"{100 * seat[name]:.1f}" for name in ("low", "high", "rate"))
        lines.append(
            f"{seat['seat']:4}  {seat['level']:8}{seat['wins']:6}{seat['draws']:7}{rate:>7} %   {low}-{high} %"
        )
    score = "" if summary["mean_score"] is None else f"mean score {summary['mean_score']}; "
    ends = ", ".join([f"{kind} {count}" for kind, count in summary["outcomes"].items()])
    turns = summary["turns"]
    lines.append(f"{summary['games']} games of {summary['ruleset']}, seed {summary['seed']}: {ends}")
    lines.append(
        f"{score}actions: median {turns['median']}, 99th percentile {turns['p99']}; {summary['seconds']:.0f} s"
    )
    return "\n".join(lines)
