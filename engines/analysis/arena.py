"""Arenas: series of games between AIs, to measure the strength of levels.

Unless ``by_clock`` is set, searches are limited by iterations and not by time. Then a game is determined by the
arena's seed and the game's number: games can be played in any order, and an arena can be repeated on any machine.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from random import Random
from statistics import median_low

from engines import RULESETS
from engines.ai.decision import NoActionChosen, Question, think
from engines.ai.observation import Observation
from engines.ai.search import never
from engines.contract.base import Ruleset
from engines.contract.position import Action, Position
from engines.core.confidence import wilson
from engines.core.dealer import SimulationDealer
from engines.core.types import Json


@dataclass(frozen=True)
class Arena:
    """The parameters of an arena, which determine its games unless ``by_clock`` is set."""

    ruleset_name: str
    seats: tuple[str, ...]
    """The levels of the contenders, the AIs that play. In game 0 contender *i* has seat *i*; see ``contender``."""
    games: int
    options: Json
    seed: str
    by_clock: bool = False
    """True if AIs also have their level's time limit; such games can't be repeated."""

    @property
    def ruleset(self) -> Ruleset:
        return RULESETS[self.ruleset_name]

    def contender(self, number: int, seat: int) -> int:
        """Return the contender at *seat* in game *number*.

        In competitive games contenders rotate by one seat per game.
        """
        return seat if self.ruleset.cooperative else (seat - number) % len(self.seats)

    def as_json(self) -> Json:
        """Return the arena for storage. ``load`` is the inverse."""
        return {**asdict(self), "seats": list(self.seats)}

    @classmethod
    def load(cls, stored: Json) -> "Arena":
        """Read a stored arena."""
        return cls(**{**stored, "seats": tuple(stored["seats"])})


@dataclass(frozen=True)
class GameResult:
    """The result of one game."""

    outcome: Json
    actions: int
    """Number of actions, including interruptions and actions without a choice."""

    def as_json(self) -> Json:
        """Return the result for storage. ``load`` is the inverse."""
        return asdict(self)

    @classmethod
    def load(cls, stored: Json) -> "GameResult":
        """Read a stored result."""
        return cls(**stored)


@dataclass(frozen=True)
class GameInProgress:
    """The state of an unfinished game, from which it is resumed."""

    actions: Sequence[tuple[int, Json]]
    """The actions so far, each with its seat."""
    seeds: int
    """Number of AI seeds that were used."""

    def as_json(self) -> Json:
        """Return the game for storage. ``load`` is the inverse."""
        return asdict(self)

    @classmethod
    def load(cls, stored: Json) -> "GameInProgress":
        """Read a stored game. JSON has turned its tuples into lists."""
        return cls([(seat, action) for seat, action in stored["actions"]], stored["seeds"])


class AiSeeds:
    """The seeds of a game's AIs, one per decision; the first *given* seeds are skipped."""

    def __init__(self, seed: str, given: int = 0) -> None:
        self._random = Random(seed)
        self.given = 0
        for _ in range(given):
            self.seed()

    def seed(self) -> str:
        self.given += 1
        return str(self._random.random())


def play(arena: Arena, number: int, should_stop: Callable[[], bool] = never) -> GameResult | None:
    """Play game *number* and return its result; None if the game was stopped. AIs get views, as at a hosted table."""
    played = resume(arena, number, None, should_stop, never)
    return played if isinstance(played, GameResult) else None


def resume(
    arena: Arena,
    number: int,
    begun: GameInProgress | None,
    should_stop: Callable[[], bool],
    should_pause: Callable[[], bool],
) -> GameResult | GameInProgress | None:
    """Play game *number*, from *begun* if given, and return its result; None if the game was stopped.

    If *should_pause* returns True after an action, the game in progress is returned. Pauses don't change the result.
    """
    levels = [arena.seats[arena.contender(number, seat)] for seat in range(len(arena.seats))]
    ai_seeds = AiSeeds(f"{arena.seed}/{number}/minds", begun.seeds if begun is not None else 0)
    dealer = SimulationDealer(Random(f"{arena.seed}/{number}/deal"))
    position = arena.ruleset.new(len(levels), arena.options, dealer)
    taken = list(begun.actions) if begun is not None else []
    for seat, written in taken:
        position.apply(seat, arena.ruleset.parse(written), dealer)
    while not position.is_over:
        seat, action = _next(arena, position, levels, ai_seeds, should_stop)
        if should_stop():
            return None
        position.apply(seat, action, dealer)
        taken.append((seat, action.as_json()))
        if should_pause():
            return GameInProgress(taken, ai_seeds.given)
    return GameResult(position.outcome or {}, len(taken))


def _next(
    arena: Arena, position: Position, levels: Sequence[str], ai_seeds: AiSeeds, should_stop: Callable[[], bool]
) -> tuple[int, Action]:
    """Return the next action and its seat: seats that may interrupt decide first."""
    ruleset, signals = arena.ruleset, dict[int, str]()
    for seat, level in enumerate(levels):
        if position.signals(seat):
            observation = Observation(ruleset, position.view(seat), seat, ai_seeds.seed())
            signal = think(Question(level, observation, may_signal=True, may_act=False)).signal
            signals |= {} if signal is None else {seat: signal}
    for seat in position.may_act() + position.to_act():
        question = Question(levels[seat], Observation(ruleset, position.view(seat), seat, ai_seeds.seed(), signals))
        action = think(question, None if arena.by_clock else question.untimed, should_stop).action
        if action is not None:
            return seat, action
    raise NoActionChosen


def result(arena: Arena, played: Mapping[int, GameResult], seconds: float) -> Json:
    """Return the results of an arena so far (docs/http.md); *played* has its finished games by number.

    ``outcomes`` counts the games by ``Verdict.kind``, such as a medal or a reason.
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
        "seats": [_seat_result(seat, level, wins[seat], draws, len(played)) for seat, level in enumerate(arena.seats)],
        "mean_score": round(sum(scores) / len(scores), 2) if scores else None,
        "outcomes": dict(Counter([verdict.kind for verdict in verdicts.values()]).most_common()),
        "turns": {
            "median": median_low(actions) if actions else None,
            "p99": actions[ceil(0.99 * len(actions)) - 1] if actions else None,
        },
        "seconds": round(seconds, 1),
    }


def _seat_result(seat: int, level: str, wins: int, draws: int, games: int) -> Json:
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
