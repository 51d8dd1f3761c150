"""Run a tournament on all cores, and keep its file valid at every moment."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, Final

import orjson

from api.commands.tournament.game import play
from api.commands.tournament.plan import SIDES, Plan
from api.commands.tournament.standings import standings, teams
from engines.analysis.sprt import Sprt
from engines.core.types import Json
from workers.engines_hash import ENGINES_HASH
from workers.process_pool import do_all, replace_json
from workers.settings import CannotStart

SAVE_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Limits:
    """The limits of a tournament that its plan doesn't contain: time per answer, processes, an early stop."""

    seconds: float
    """How long a program may take for an answer."""
    processes: int
    sprt: Sprt | None = None


class Tournament:
    """A plan, and the games that have been played; *out* is their file."""

    def __init__(self, plan: Plan, limits: Limits, out: Path, *, keeps_records: bool = False) -> None:
        """Go on with the file if it is there. Raises ``CannotStart`` if it holds anything but this tournament."""
        self.plan, self._limits, self._out, self._keeps_records = plan, limits, out, keeps_records
        self._games = dict[int, Json]()
        if out.exists():
            self._resume()
        self._saved = 0.0

    @property
    def games(self) -> list[Json]:
        """The games of this plan that have been played, in order, without their records."""
        numbers = sorted(number for number in self._games if number < self.plan.total)
        return [{name: part for name, part in self._games[n].items() if name != "record"} for n in numbers]

    @property
    def records(self) -> Iterator[Json]:
        """The records of the played games, in order, where they are kept."""
        return (self._games[number]["record"] for number in sorted(self._games) if number < self.plan.total)

    @property
    def ratio(self) -> float | None:
        """The log-likelihood ratio of the test of two players; None without one."""
        return None if self._limits.sprt is None else self._limits.sprt.ratio(self._pairs())

    @property
    def verdict(self) -> str | None:
        """The verdict of the test of two players; None while there is none."""
        ratio = self.ratio
        return None if ratio is None or self._limits.sprt is None else self._limits.sprt.verdict(ratio)

    def run(self, progress: Callable[[int], None]) -> None:
        """Play the games that are missing. The file has all that have ended, whatever happens.

        Raises ``CannotStart`` if the file can't be written, or if a process dies.
        """
        self._save()
        remaining = [number for number in range(self.plan.total) if number not in self._games]
        asked = {"plan": self.plan.as_json(), "seconds": self._limits.seconds, "record": self._keeps_records}

        def keep(number: int, game: Any) -> bool:
            self._games[number] = game
            progress(1)
            if monotonic() > self._saved + SAVE_SECONDS:
                self._save()
            return self.verdict is None

        try:
            if self.verdict is None:
                do_all(played, asked, remaining, self._limits.processes, keep)
        finally:
            self._save()

    def write_records(self, target: Path) -> None:
        """Write a line for each record, compressed, without a time: equal games give equal bytes."""
        with target.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
            for record in self.records:
                packed.write(orjson.dumps(record) + b"\n")

    def _pairs(self) -> Iterator[float]:
        """Yield the first player's score in each pair of games that is complete."""
        first = next(iter(self.plan.players))
        for number in range(0, self.plan.total, SIDES):
            games = [self._games[one] for one in self.plan.pair_of(number) if one in self._games]
            if len(games) == SIDES:
                yield sum(0.5 if game["drawn"] else float(first in game["winners"]) for game in games)

    def _save(self) -> None:
        """Replace the file atomically. Raises ``CannotStart``."""
        self._saved = monotonic()
        listed = self.games
        saved: Json = {
            "ruleset": self.plan.ruleset_name,
            "seed": self.plan.seed,
            "players": standings(self.plan, listed),
            **({"teams": teams(self.plan, listed)} if self.plan.ruleset.cooperative else {}),
            **({} if self.ratio is None else {"sprt": {"ratio": self.ratio, "verdict": self.verdict}}),
            "games": [self._games[game["number"]] for game in listed] if self._keeps_records else listed,
            "plan": self.plan.as_json(),
            "engines": ENGINES_HASH,
        }
        replace_json(self._out, saved)

    def _resume(self) -> None:
        try:
            saved = orjson.loads(self._out.read_bytes())
            plan, engines = Plan.load(saved["plan"]), saved["engines"]
            games = {game["number"]: game for game in saved["games"]}
        except OSError as error:
            raise CannotStart(f"{self._out} can't be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CannotStart(f"{self._out} is there and holds no tournament: name another file.") from error
        if replace(plan, games=self.plan.games) != self.plan:
            raise CannotStart(f"{self._out} holds another tournament: name another file, or repeat its command.")
        if engines != ENGINES_HASH:
            raise CannotStart(f"{self._out} holds games of AIs that played otherwise, of other engines: name another.")
        if self._keeps_records and not all("record" in game for game in games.values()):
            raise CannotStart(f"{self._out} holds games without their records: name another file.")
        self._games = games


def played(asked: Json, number: int) -> Json:
    """Play one game, in a process of its own."""
    game = play(Plan.load(asked["plan"]), number, asked["seconds"])
    return game if asked["record"] else {name: part for name, part in game.items() if name != "record"}
