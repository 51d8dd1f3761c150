"""Games for training: greedy players play themselves, and teachers before there is anything to go by."""

from collections.abc import Callable
from math import log
from random import Random
from typing import Any, Final

from engines.dealer import QuickDealer
from engines.policy import SearchGuide
from engines.ruleset import Action, Position
from engines.value_network import ValueNetwork
from training.lessons import Lesson, Seen, lessons
from training.subjects import SUBJECTS, Ranked, Subject

NOISE: Final = 0.006
"""How much what an action seems worth is blurred (Gumbel), so that games differ."""

Game = tuple[Seen, list[list[float]], int]
"""Each position in which somebody decided, what was thought of it, and how the game ended."""

Ranking = Callable[[Any, int, Any, Random], Ranked]
Chooser = Callable[[Any, int], Action | None]


def greedy_game(subject: Subject, ranked: Ranking, guide: SearchGuide[Any], network: ValueNetwork, rng: Random) -> Game:
    """Play a game in which everybody takes what seems worth most one step ahead, as *ranked* tells by *guide*."""
    seen, thoughts = Seen(), list[list[float]]()

    def look(position: Any) -> None:
        held = subject.features(position)
        seen.append((held, position.turn))
        thoughts.append(network.endings(held))

    def choose(position: Position, seat: int) -> Action | None:
        found = ranked(position, seat, guide, rng)
        if not found:
            return None
        blurred = [value - NOISE * log(-log(rng.random())) for value, _ in found]
        return found[blurred.index(max(blurred))][1]

    ending = _played(subject, rng, choose, look)
    return seen, thoughts, ending


def taught_game(name: str, share: float, chances: str) -> tuple[list[Lesson], int]:
    """Play a game among teachers; return what a *share* of its positions learn from its end, and how it ended."""
    subject, rng, luck = SUBJECTS[name], Random(chances), Random(f"{chances} share")
    seen = Seen()

    def look(position: Any) -> None:
        if subject.is_asked(position) and luck.random() < share:
            seen.append((subject.features(position), position.turn))

    def choose(position: Position, seat: int) -> Action | None:
        return subject.teacher.choose(position, seat, rng, {})

    ending = _played(subject, rng, choose, look)
    return lessons(seen, [[0.0] * len(subject.utilities)] * len(seen), ending, 1.0, subject.seats), ending


def _played(subject: Subject, rng: Random, choose: Chooser, look: Callable[[Any], None]) -> int:
    """Play a game in which each position is looked at; return how it ended."""
    dealer = QuickDealer(rng)
    position: Any = subject.ruleset.new(subject.players, subject.options, dealer)
    while not position.is_over:
        look(position)
        seat, action = _next(position, choose)
        position.apply(seat, action, dealer)
    return subject.ending(position)


def _next(position: Position, choose: Chooser) -> tuple[int, Action]:
    """Return who acts and how: somebody that interrupts, else the first that must."""
    for seat in (*position.may_act(), position.to_act()[0]):
        action = choose(position, seat)
        if action is not None:
            return seat, action
    raise AssertionError(position.dump())
