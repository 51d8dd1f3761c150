"""Games for training: greedy players play themselves, and teachers before there is anything to go by."""

from collections.abc import Callable
from math import log
from random import Random
from typing import Any, Final

from engines.dealer import QuickDealer
from engines.policy import SearchGuide
from engines.ruleset import Action, Position
from engines.value_network import ValueNetwork
from training.lessons import Seen
from training.subjects import Subject

NOISE: Final = 0.006
"""How much what an action seems worth is blurred (Gumbel), so that games differ."""

Game = tuple[Seen, list[list[float]], int]
"""Each position in which somebody decided, what was thought of it, and how the game ended."""

Thinker = Callable[[Any, list[int]], list[float]]
Chooser = Callable[[Any, int], Action | None]


def greedy_game(subject: Subject, guide: SearchGuide[Any], network: ValueNetwork, rng: Random) -> Game:
    """Play a game in which everybody takes what seems worth most one step ahead."""

    def choose(position: Position, seat: int) -> Action | None:
        found = subject.ranked(position, seat, guide, rng)
        if not found:
            return None
        blurred = [value - NOISE * log(-log(rng.random())) for value, _ in found]
        return found[blurred.index(max(blurred))][1]

    return _played(subject, rng, choose, lambda _, held: network.endings(held))


def taught_game(subject: Subject, rng: Random) -> Game:
    """Play a game among teachers."""

    def choose(position: Position, seat: int) -> Action | None:
        return subject.teacher.choose(position, seat, rng, {})

    return _played(subject, rng, choose, lambda position, _: subject.teacher_thinks(position))


def _played(subject: Subject, rng: Random, choose: Chooser, think: Thinker) -> Game:
    dealer, seen, thoughts = QuickDealer(rng), Seen(), list[list[float]]()
    position: Any = subject.ruleset.new(subject.players, subject.options, dealer)
    while not position.is_over:
        held = subject.features(position)
        seen.append((held, position.turn))
        thoughts.append(think(position, held))
        seat, action = _next(position, choose)
        position.apply(seat, action, dealer)
    return seen, thoughts, subject.ending(position)


def _next(position: Position, choose: Chooser) -> tuple[int, Action]:
    """Return who acts and how: somebody that interrupts, else the first that must."""
    for seat in (*position.may_act(), position.to_act()[0]):
        action = choose(position, seat)
        if action is not None:
            return seat, action
    raise AssertionError(position.dump())
