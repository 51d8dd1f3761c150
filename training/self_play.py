"""Games for training: greedy players play themselves, and teachers before there is anything to go by."""

from collections.abc import Callable
from math import log
from random import Random
from typing import Any, Final

from engines.ai.value_network import ValueNetwork
from engines.contract.policy import SearchGuide
from engines.core.dealer import SimulationDealer
from engines.ruleset import Action, Position
from training.replay_buffer import Seen
from training.subjects import SUBJECTS, Ranked, Subject

NOISE: Final = 0.006
"""How much what an action seems worth is blurred (Gumbel), so that games differ."""
EXPLORES: Final = 0.1
"""How often a teacher that must act tries something else."""

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
        thoughts.append(network.outcome_probabilities(held))

    def choose(position: Position, seat: int) -> Action | None:
        found = ranked(position, seat, guide, rng)
        if not found:
            return None
        blurred = [value - NOISE * log(-log(rng.random())) for value, _ in found]
        return found[blurred.index(max(blurred))][1]

    ending = _played(subject, rng, choose, look)
    return seen, thoughts, ending


def taught_game(name: str, chances: str) -> tuple[Seen, list[bool], int]:
    """Play a game among teachers, who try something else now and then if the subject has that.

    Return the positions that the network is asked about, whether from each somebody left the teacher's ways before the
    next, and how the game ended.
    """
    subject, rng = SUBJECTS[name], Random(chances)
    seen, explored = Seen(), list[bool]()

    def look(position: Any) -> None:
        if subject.is_asked(position):
            seen.append((subject.features(position), position.turn))
            explored.append(False)

    def choose(position: Position, seat: int) -> Action | None:
        action = subject.teacher.choose(position, seat, rng, {})
        if subject.explore is not None and seen and position.to_act()[0] == seat and rng.random() < EXPLORES:
            other = subject.explore(position, seat, rng)
            if other != action:
                explored[-1] = True
                return other
        return action

    ending = _played(subject, rng, choose, look)
    return seen, explored, ending


def _played(subject: Subject, rng: Random, choose: Chooser, look: Callable[[Any], None]) -> int:
    """Play a game in which each position is looked at; return how it ended."""
    dealer = SimulationDealer(rng)
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
