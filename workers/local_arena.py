"""Local arenas: an arena played on this machine, on all cores, without a server or a store.

The played games are saved to a file, so that an interrupted arena resumes from it.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.connection import wait as ended
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Final

import orjson

from engines.analysis.arena import Arena, GameResult, play, result
from engines.core.types import Json
from workers.engines_hash import ENGINES_HASH
from workers.settings import CannotStart

SAVE_SECONDS: Final = 1.0
SPAWN: Final = multiprocessing.get_context("spawn")


class LocalArena:
    """An arena and its played games; *out* is the file, or None."""

    def __init__(self, arena: Arena, out: Path | None) -> None:
        """Load the file if it exists; games beyond the arena's count stay in it.

        Raises ``CannotStart`` if it holds anything but games of this arena, played by these engines.
        """
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
        try:
            with ProcessPoolExecutor(processes, SPAWN, _exit_with_parent) as pool:
                self._play(pool, remaining, 2 * processes, report)
        except BrokenProcessPool as died:
            raise CannotStart("A process died over its game; the same command goes on where it was.") from died
        finally:
            self._save()
        return self.result()

    def result(self) -> Json:
        """Return the result of the games played so far."""
        return result(self.arena, self.played, self._seconds + monotonic() - self._began)

    def _play(self, pool: ProcessPoolExecutor, remaining: list[int], ahead: int, report: Callable[[int], None]) -> None:
        """Keep *ahead* games running until none is left; on an error or Ctrl-C terminate the processes."""
        numbers, running, arena = iter(remaining), dict[Future[Json | None], int](), self.arena.as_json()
        try:
            while True:
                for number in [n for _, n in zip(range(ahead - len(running)), numbers, strict=False)]:
                    running[pool.submit(_played, arena, number)] = number
                if not running:
                    return
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    self._keep(running.pop(future), future.result())
                report(len(ended))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise

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
        draft = self._out.with_name(f"{self._out.name}.new")
        try:
            draft.write_bytes(orjson.dumps(saved, option=orjson.OPT_INDENT_2))
            draft.replace(self._out)
        except OSError as error:
            raise CannotStart(f"{self._out} can't be written: {error.strerror}.") from error

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


def _exit_with_parent() -> None:
    """Ignore Ctrl-C, which the parent handles, and exit when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    ended([sentinel])
    os._exit(1)


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


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
