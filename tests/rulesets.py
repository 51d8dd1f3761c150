"""The example ruleset as a third one for tests: whatever storage, jobs and HTTP do with it, they do without knowing it.

Its AI players do what tests can foresee: the novice steps, the eager others also signal, and dash near the goal.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from engines.contract.default_levels import LEVELS
from engines.contract.levels import EXPERT, MASTER, Level
from engines.contract.policy import Policy
from engines.contract.position import Action
from engines.contract.search_guide import ScoredActions, SearchGuide
from engines.core.schemas import whole
from engines.core.types import Json
from engines.ruleset import Ruleset
from examples.race.regicide_race.ruleset import Dash, Step, Track
from examples.race.regicide_race.ruleset import Race as ExampleRace


@dataclass(frozen=True)
class Runner(Policy[Track]):
    """Steps at random; the eager one also signals, and dashes when the goal is near."""

    eager: bool

    def choose(self, position: Track, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        if seat == position.turn:
            return Step(rng.randint(1, 3))
        return Dash() if self.eager and position.total + 6 >= position.goal else None

    def signal(self, position: Track, seat: int, rng: Random) -> str | None:
        return "hurry" if self.eager else None


class Pace(SearchGuide[Track], Runner):
    """What a search goes by: the eager runner, who thinks as much of any number of steps.

    ``SearchGuide`` comes first: compiled, a class gets its memory from its first base, and calls go by that.
    """

    depth: ClassVar[int] = 1
    horizon: ClassVar[int] = 100

    def score_actions(self, position: Track, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        waiting: ScoredActions = [] if seat == position.turn else [(None, 0.0)]
        return [(action, 0.0) for action in position.legal(seat)] + waiting

    def next(self, position: Track, rng: Random) -> tuple[int, Action]:
        return position.turn, Step(rng.randint(1, 3))

    def value(self, position: Track, seat: int) -> float:
        return float(position.total >= position.goal and position.turn == seat)


EAGER = Runner(eager=True)
PACE = Pace(eager=True)


class PlainRace(ExampleRace):
    """The race without words of its own: what is told of it comes from the defaults."""

    __doc__ = ExampleRace.__doc__
    about, lessons, signal_words = None, (), {}  # type: ignore[assignment]
    clause = Ruleset.clause
    label = Ruleset.label


class Race(PlainRace):
    """The race, played by runners; it may go on for long."""

    options: ClassVar[Json] = {"type": "object", "properties": {"goal": whole(1, 10**6, default=12)}}

    levels: ClassVar[Mapping[str, Level]] = {
        **LEVELS,
        "novice": Level(Runner(eager=False)),
        "adept": Level(EAGER),
        "expert": Level(EAGER, PACE, EXPERT),
        "master": Level(EAGER, PACE, MASTER),
    }
