"""Runs a tournament on all cores. The results file has the standings and the games."""

from pathlib import Path

import orjson

from api.commands.tournament.game import play
from api.commands.tournament.pair_test import PairTest
from api.commands.tournament.plan import Plan
from api.commands.tournament.standings import standings, teams
from engines.core.types import Json
from workers.parallel_games import LocalGames


class Tournament(LocalGames):
    """The plan and the games so far. *out* is the file of the results, *records* the file of the games' records."""

    what = "tournament"

    def __init__(
        self, plan: Plan, out: Path, records: Path | None = None, *, notes: bool = False, test: PairTest | None = None
    ) -> None:
        """Resume from the results file if it exists. Raises ``CannotStart``."""
        self._plan, self._test = plan, test
        super().__init__(plan.as_json(), _play_game, out, records, notes=notes)

    @property
    def test(self) -> PairTest | None:
        """The sequential test of two players, after it has counted the games so far. None without a test."""
        if self._test is not None:
            self._test.go_on(self.all_games, self._plan.total)
        return self._test

    @property
    def end(self) -> int:
        """Return the number of games that count: all of the plan, or those up to the pair that decided the test."""
        test = self.test
        return self._plan.total if test is None or test.verdict is None else test.end

    @property
    def total(self) -> int:
        return self._plan.total

    @property
    def is_decided(self) -> bool:
        return self.test is not None and self.test.verdict is not None

    def summary(self) -> Json:
        games, test = list(self.games.values()), self.test
        later = [game for number, game in sorted(self.all_games.items()) if number >= self.total]
        return {
            "ruleset": self._plan.ruleset_name,
            "seed": self._plan.seed,
            "players": standings(self._plan, games),
            **({"teams": teams(self._plan, games)} if self._plan.ruleset.cooperative else {}),
            **({} if test is None else {"sprt": {"ratio": test.ratio, "verdict": test.verdict}}),
            "games": games,
            **({"later": later} if later else {}),
        }

    def listed_games(self, saved: Json) -> dict[int, Json]:
        games = {game["number"]: game for game in [*saved["games"], *saved.get("later", [])]}
        for number, game in games.items():
            self._check_listed(number, game)
        return games

    def _check_listed(self, number: int, game: Json) -> None:
        """Raise ``ValueError`` unless *game* can be game *number* of the plan."""
        names = self._plan.pairing(number).names
        is_possible = (
            game["seats"] == list(names)
            and {*game["winners"], *filter(None, [game["by"]])} <= {*names}
            and isinstance(game["drawn"], bool)
            and isinstance(game["ended"], str)
        )
        if not is_possible:
            raise ValueError(f"game {number} is no game of the plan")


def _play_game(asked: Json, number: int) -> tuple[Json, bytes]:
    """Play game *number* of a plan. Return its entry in the results file, and its record (or null) as JSON.

    A process of the pool runs this.
    """
    plan = Plan.load(asked["plan"])
    game, record = play(plan, number, asked["seconds"], records=asked["records"], notes=asked["notes"])
    return game, orjson.dumps(record)
