"""Arenas: many games between AIs, played anywhere, in any order, and counted together.

Whoever wants to know how strong a level is gets a rate with its interval. Each game follows from the arena's seed and
its number alone, since AIs think for all of their level's iterations here instead of by the clock (unless they are told
to think as at a table): who repeats an arena sees the same games, on any machine.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, sqrt
from random import Random
from statistics import median_low
from typing import Final

from engines import RULESETS
from engines.ai.decision import NoActionChosen, Question, think
from engines.ai.observation import Observation
from engines.ai.search import never
from engines.contract.base import Ruleset
from engines.contract.position import Action, Position
from engines.core.dealer import SimulationDealer
from engines.core.types import Json

Z: Final = 1.959964
"""95 % of a normal distribution lie so many deviations around its middle."""


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the Wilson 95 % interval of a rate, from 0 to 1; all of it if there are no games."""
    if not games:
        return 0.0, 1.0
    rate, square = wins / games, Z * Z / games
    middle = rate + square / 2
    reach = Z * sqrt((rate * (1 - rate) + square / 4) / games)
    return max(0.0, (middle - reach) / (1 + square)), min(1.0, (middle + reach) / (1 + square))


@dataclass(frozen=True)
class Arena:
    """Which games are to be played."""

    ruleset_name: str
    seats: tuple[str, ...]
    """The levels of the contenders, in the order in which they sit in game 0."""
    games: int
    options: Json
    seed: str
    by_clock: bool = False
    """AIs think for no longer than at a table: then a game can't be repeated."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules that are played."""
        return RULESETS[self.ruleset_name]

    def contender(self, number: int, seat: int) -> int:
        """Return who sits at *seat* in game *number*: where they play against each other they move on by one a game."""
        return seat if self.ruleset.cooperative else (seat - number) % len(self.seats)

    def as_json(self) -> Json:
        """Return it for storage. ``load`` is the inverse."""
        return {**asdict(self), "seats": list(self.seats)}

    @classmethod
    def load(cls, stored: Json) -> "Arena":
        """Read a stored arena."""
        return cls(**{**stored, "seats": tuple(stored["seats"])})


@dataclass(frozen=True)
class Played:
    """The result of one game."""

    outcome: Json
    actions: int
    """How many were taken, out of turn and forced ones too."""

    def as_json(self) -> Json:
        """Return it for storage. ``load`` is the inverse."""
        return asdict(self)

    @classmethod
    def load(cls, stored: Json) -> "Played":
        """Read a stored game."""
        return cls(**stored)


@dataclass(frozen=True)
class GameInProgress:
    """A game that isn't over: how to go on with it."""

    actions: Sequence[tuple[int, Json]]
    """Those that were taken, each with its seat."""
    seeds: int
    """So many seeds AIs were given for them."""

    def as_json(self) -> Json:
        """Return it for storage. ``load`` is the inverse."""
        return asdict(self)

    @classmethod
    def load(cls, stored: Json) -> "GameInProgress":
        """Read a stored game, in which lists stand for tuples."""
        return cls([(seat, action) for seat, action in stored["actions"]], stored["seeds"])


class AiSeeds:
    """The seeds of the AIs of a game, one for each time that one is asked; *given*: so many were before."""

    def __init__(self, seed: str, given: int = 0) -> None:
        self._random = Random(seed)
        self.given = 0
        for _ in range(given):
            self.seed()

    def seed(self) -> str:
        """Return the next one."""
        self.given += 1
        return str(self._random.random())


def play(arena: Arena, number: int, should_stop: Callable[[], bool] = never) -> Played | None:
    """Play game *number*; None if it was told to stop. AIs are given views, as at a hosted table."""
    played = resume(arena, number, None, should_stop, never)
    return played if isinstance(played, Played) else None


def resume(
    arena: Arena,
    number: int,
    begun: GameInProgress | None,
    should_stop: Callable[[], bool],
    should_pause: Callable[[], bool],
) -> Played | GameInProgress | None:
    """Play game *number* from where it has *begun* on, and go on as ``play`` does.

    Told to pause, after any action, it returns how to go on: it is the same game then, whoever does.
    """
    levels = [arena.seats[arena.contender(number, seat)] for seat in range(len(arena.seats))]
    minds = AiSeeds(f"{arena.seed}/{number}/minds", begun.seeds if begun is not None else 0)
    dealer = SimulationDealer(Random(f"{arena.seed}/{number}/deal"))
    position = arena.ruleset.new(len(levels), arena.options, dealer)
    taken = list(begun.actions) if begun is not None else []
    for seat, written in taken:
        position.apply(seat, arena.ruleset.parse(written), dealer)
    while not position.is_over:
        seat, action = _next(arena, position, levels, minds, should_stop)
        if should_stop():
            return None
        position.apply(seat, action, dealer)
        taken.append((seat, action.as_json()))
        if should_pause():
            return GameInProgress(taken, minds.given)
    return Played(position.outcome or {}, len(taken))


def _next(
    arena: Arena, position: Position, levels: Sequence[str], minds: AiSeeds, should_stop: Callable[[], bool]
) -> tuple[int, Action]:
    """Return what happens next: all who may interrupt are asked, then those who must act."""
    ruleset, signals = arena.ruleset, dict[int, str]()
    for seat, level in enumerate(levels):
        if position.signals(seat):
            observation = Observation(ruleset, position.view(seat), seat, minds.seed())
            signal = think(Question(level, observation, may_signal=True, may_act=False)).signal
            signals |= {} if signal is None else {seat: signal}
    for seat in position.may_act() + position.to_act():
        question = Question(levels[seat], Observation(ruleset, position.view(seat), seat, minds.seed(), signals))
        action = think(question, None if arena.by_clock else question.untimed, should_stop).action
        if action is not None:
            return seat, action
    raise NoActionChosen


def result(arena: Arena, played: Mapping[int, Played], seconds: float) -> Json:
    """Return what is known so far, from what came of some of its games, by number (docs/http.md).

    ``outcomes`` counts the ways in which games ended: medals, reasons.
    """
    verdicts = {number: arena.ruleset.verdict(game.outcome, len(arena.seats)) for number, game in played.items()}
    wins = Counter(arena.contender(number, seat) for number, verdict in verdicts.items() for seat in verdict.winners)
    draws = sum([verdict.drawn for verdict in verdicts.values()])
    scores = [verdict.score for verdict in verdicts.values() if verdict.score is not None]
    actions = sorted([game.actions for game in played.values()])
    return {
        "ruleset": arena.ruleset_name,
        "options": arena.options,
        "seed": arena.seed,
        "games": len(played),
        "seats": [_rated(seat, level, wins[seat], draws, len(played)) for seat, level in enumerate(arena.seats)],
        "mean_score": round(sum(scores) / len(scores), 2) if scores else None,
        "outcomes": dict(Counter([verdict.kind for verdict in verdicts.values()]).most_common()),
        "turns": {
            "median": median_low(actions) if actions else None,
            "p99": actions[ceil(0.99 * len(actions)) - 1] if actions else None,
        },
        "seconds": round(seconds, 1),
    }


def _rated(seat: int, level: str, wins: int, draws: int, games: int) -> Json:
    low, high = wilson(wins, games)
    return {
        "seat": seat,
        "level": level,
        "wins": wins,
        "draws": draws,
        "rate": round(wins / max(1, games), 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }
