"""Local arenas: an arena played on this machine, on all cores, without a server or a store.

The played games are saved to a file, so that an interrupted arena resumes from it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

import orjson

from engines.analysis.arena import Arena, GameResult, play, result
from engines.core.types import Json
from workers.ai_files import check_ai_files
from workers.engines_hash import ENGINES_HASH
from workers.process_pool import do_all, replace_json
from workers.settings import CannotStart

SAVE_SECONDS: Final = 1.0


class LocalArena:
    """An arena and its played games; *out* is the file, or None."""

    def __init__(self, arena: Arena, out: Path | None) -> None:
        """Load the file if it exists; games beyond the arena's count stay in it.

        Raises ``CannotStart`` if it holds anything but games of this arena, played by these engines, or if a file that
        the AIs read is unusable.
        """
        check_ai_files([arena.ruleset])
        self.arena, self._out = arena, out
        self._games: dict[int, GameResult] = {}
        self._seconds = 0.0
        if out is not None and out.exists():
            self._resume(out)
        self._began = monotonic()
        self._saved = self._began

    @property
    def played(self) -> dict[int, GameResult]:
        """Return the played games of this arena by number."""
        return {number: game for number, game in self._games.items() if number < self.arena.games}

    def run(self, processes: int, report: Callable[[int], None]) -> Json:
        """Play the missing games, report how many have ended, and return the result.

        Raises ``CannotStart`` if the file can't be written, before a game is played, and if a process dies. The games
        played so far are then in the file, as after Ctrl-C.
        """
        self._save()
        remaining = [number for number in range(self.arena.games) if number not in self._games]

        def keep(number: int, game: Json | None) -> bool:
            self._keep(number, game)
            report(1)
            return True

        try:
            do_all(_played, self.arena.as_json(), remaining, processes, keep)
        finally:
            self._save()
        return self.result()

    def result(self) -> Json:
        """Return the result of the games played so far."""
        return result(self.arena, self.played, self._seconds + monotonic() - self._began)

    def _keep(self, number: int, game: Json | None) -> None:
        if game is not None:
            self._games[number] = GameResult.load(game)
        if monotonic() > self._saved + SAVE_SECONDS:
            self._save()

    def _save(self) -> None:
        """Replace the file atomically by the result so far and the played games. Raises ``CannotStart``."""
        self._saved = monotonic()
        if self._out is None:
            return
        saved = {
            **self.result(),
            "arena": self.arena.as_json(),
            "engines": ENGINES_HASH,
            "played": {str(number): self._games[number].as_json() for number in sorted(self._games)},
        }
        replace_json(self._out, saved)

    def _resume(self, out: Path) -> None:
        try:
            saved = orjson.loads(out.read_bytes())
            arena, engines, seconds = Arena.load(saved["arena"]), saved["engines"], saved["seconds"]
            played = {int(number): GameResult.load(game) for number, game in saved["played"].items()}
        except OSError as error:
            raise CannotStart(f"{out} can't be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CannotStart(f"{out} is there and holds no arena: name another file.") from error
        if replace(arena, games=self.arena.games) != self.arena:
            raise CannotStart(f"{out} holds another arena: name another file, or repeat what it was begun with.")
        if engines != ENGINES_HASH:
            raise CannotStart(f"{out} holds games of AIs that played otherwise, of other engines: name another file.")
        self._games, self._seconds = played, seconds


def _played(arena: Json, number: int) -> Json | None:
    """Play one game. Processes exchange JSON, because frozen compiled objects can't be pickled."""
    game = play(Arena.load(arena), number)
    return None if game is None else game.as_json()


def table(summary: Json) -> str:
    """Return a result as lines of text."""
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
