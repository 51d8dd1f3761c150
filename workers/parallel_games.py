"""Many games, played on all cores of this machine without a server or a store.

Each game is determined by the plan and its number. Ended games are saved in a file, from which a run that was killed is
resumed. The file is replaced atomically, so that it is valid JSON at every moment.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Final

import orjson

from engines.core.types import Json
from workers.engines_hash import ENGINES_HASH
from workers.local_game_records import GameRecords
from workers.local_work_processes import Work, do_all, locked_file, replace_json
from workers.settings import CannotStart

MIN_SAVE_INTERVAL_SECONDS: Final = 1.0
MIN_SAVE_INTERVAL_FACTOR: Final = 20
"""Minimum time between two saves, as a multiple of the time that a save took: the file of many games is large."""


class LocalGames(ABC):
    """The games of a plan, the results of those that have ended, and the file with the results."""

    what: ClassVar[str]
    """Kind of the games, in one word, such as ``arena``."""

    def __init__(self, plan: Json, work: Work, out: Path | None, records: Path | None, *, notes: bool) -> None:
        """Resume from the file *out* if it exists. Games beyond the plan's count stay in the file.

        *plan* is JSON that determines the games. Only ``games``, their number, may differ when a run is resumed. *work*
        plays a game and returns the game and its record, which is JSON text. *records* is the file for the records, or
        None. Raises ``CannotStart`` if *out* holds anything but games of this plan, played by these engines, or if
        another process writes one of the files. They are locked until ``run`` has ended.
        """
        self.plan, self._work, self._out = plan, work, out
        self.all_games: dict[int, Json] = {}
        """The ended games by number, including those beyond the plan's count."""
        self._seconds = 0.0
        self._digest: str | None = None
        if out is not None and out.exists():
            _require_readable(out)
        with ExitStack() as locks:
            for file in filter(None, (out, records)):
                locks.enter_context(locked_file(file))
            if out is not None and out.exists():
                self._resume(out)
            self._locks = locks.pop_all()
        told = {**plan, "games": None, "engines": ENGINES_HASH, "notes": notes}
        self._records = None if records is None else GameRecords(records, told)
        self._argument: Json = {"plan": plan, "records": records is not None, "notes": notes}
        self._began = self._saved = monotonic()
        self._save_seconds = MIN_SAVE_INTERVAL_SECONDS

    @property
    @abstractmethod
    def end(self) -> int:
        """Return the number of games in the plan. Games are numbered from 0 to one less."""

    @property
    def total(self) -> int:
        """Return the plan's count. Games with greater numbers, of an earlier run, stay in the files."""
        return self.end

    @property
    def is_decided(self) -> bool:
        """True if the games so far decide what the plan asks, so that no more are needed. By default False."""
        return False

    @abstractmethod
    def summary(self) -> Json:
        """Return the content of the file, including the games."""

    @abstractmethod
    def listed_games(self, saved: Json) -> dict[int, Json]:
        """Return the games in *saved*, a result of ``summary``, by number. A malformed *saved* may raise anything."""

    @property
    def games(self) -> dict[int, Json]:
        """Return the games of the plan that have ended, in order."""
        return {number: self.all_games[number] for number in sorted(self.all_games) if number < self.end}

    @property
    def seconds(self) -> float:
        """Return the duration of all runs, in seconds."""
        return self._seconds + monotonic() - self._began

    def run(self, processes: int, report: Callable[[int], None], **argument: object) -> None:
        """Play the missing games. Call *report* with the number of games of earlier runs, then with 1 for each game.

        The items of *argument* are added to the argument that the work gets. A game whose record is missing is played
        again. Raises ``CannotStart`` if a process dies or a file can't be written: the results file is written once
        before the first game, to find out. After an error or Ctrl-C the file has the games that have ended.
        """
        with self._locks, nullcontext() if self._records is None else self._records:
            self._load_records()
            self._save()
            report(len(self.games))
            remaining = [number for number in range(self.end) if number not in self.all_games]

            def keep(number: int, played: Any) -> bool:
                self._keep(number, *played)
                report(1)
                return not self.is_decided

            try:
                do_all(self._work, {**self._argument, **argument}, remaining, processes, keep)
            finally:
                self._save()
            self._finish_records()

    def _keep(self, number: int, game: Json, record: bytes) -> None:
        if self._records is not None:
            self._records.add(number, record)
        self.all_games[number] = game
        if monotonic() > self._saved + self._save_seconds:
            self._save()

    def _save(self) -> None:
        """Write the results to the file, which is replaced atomically. Raises ``CannotStart``."""
        began = monotonic()
        if self._out is not None:
            records = {} if self._digest is None else {"records": self._digest}
            kept = {**self.summary(), "plan": self.plan, "engines": ENGINES_HASH, **records}
            replace_json(self._out, kept)
        self._saved = monotonic()
        self._save_seconds = max(MIN_SAVE_INTERVAL_SECONDS, MIN_SAVE_INTERVAL_FACTOR * (self._saved - began))

    def _load_records(self) -> None:
        """Load the records of earlier runs, and drop the games that have no record."""
        if self._records is not None:
            self._records.load(again=bool(self.all_games), digest=self._digest)
            self.all_games = {
                number: game for number, game in self.all_games.items() if number in self._records.numbers
            }

    def _finish_records(self) -> None:
        if self._records is not None:
            self._digest = self._records.finish(self.end)
            self._save()
            if not any(number >= self.total for number in self.all_games):
                self._records.discard()

    def _resume(self, out: Path) -> None:
        try:
            saved = orjson.loads(out.read_bytes())
            plan, engines = saved["plan"], saved["engines"]
            is_same = orjson.dumps({**plan, "games": None}) == orjson.dumps({**self.plan, "games": None})
            self.all_games = self.listed_games(saved) if is_same else {}
            self._digest, self._seconds = saved.get("records"), saved.get("seconds", 0.0)
        except OSError as error:
            raise CannotStart(f"{out} can't be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CannotStart(f"{out} is there and holds no {self.what}: name another file.") from error
        if not is_same:
            raise CannotStart(f"{out} holds another {self.what}: name another file, or repeat its command.")
        if engines != ENGINES_HASH:
            raise CannotStart(f"{out} holds games of AIs that played otherwise, of other engines: name another file.")


def _require_readable(out: Path) -> None:
    """Raise ``CannotStart`` if a file can't be read, before it is locked, which may fail for another reason."""
    try:
        with out.open("rb") as file:
            file.read(1)
    except OSError as error:
        raise CannotStart(f"{out} can't be read: {error.strerror}.") from error
