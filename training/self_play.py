"""Training games: self-play of greedy players, and teacher games to begin with."""

from collections.abc import Callable
from math import log
from random import Random
from typing import Any, Final

from engines.ai.value_network import ValueNetwork
from engines.contract.search_guide import SearchGuide
from engines.core.dealer import SimulationDealer
from engines.ruleset import Action, Position
from training.replay_buffer import Seen
from training.subject import Ranked, Subject
from training.subjects import SUBJECTS

GUMBEL_NOISE_SCALE: Final = 0.006
"""Scale of the Gumbel noise on the values of actions, so that games differ."""
EXPLORATION_PROBABILITY: Final = 0.1
"""Probability of an exploratory action by a teacher that must act."""

Game = tuple[Seen, list[list[float]], int]
"""A game: the positions of its decisions, the estimated outcome probabilities at each, and its outcome."""

Ranking = Callable[[Any, int, Any, Random], Ranked]
Chooser = Callable[[Any, int], Action | None]


def greedy_game(subject: Subject, ranked: Ranking, guide: SearchGuide[Any], network: ValueNetwork, rng: Random) -> Game:
    """Play a game and return it. All players take the action that *ranked* rates best by *guide*, with noise."""
    seen, thoughts = Seen(), list[list[float]]()

    def look(position: Any) -> None:
        held = subject.features(position)
        seen.append((held, position.turn))
        thoughts.append(network.outcome_probabilities(held))

    def choose(position: Position, seat: int) -> Action | None:
        rated = ranked(position, seat, guide, rng)
        if not rated:
            return None
        blurred = [value - GUMBEL_NOISE_SCALE * log(-log(rng.random())) for value, _ in rated]
        return rated[blurred.index(max(blurred))][1]

    ending = _play_game(subject, rng, choose, look)
    return seen, thoughts, ending


def taught_game(name: str, chances: str) -> tuple[Seen, list[bool], int]:
    """Play a game of teachers, with exploration if the subject has any.

    *name* is the subject's name, *chances* the seed of all random choices.

    Returns the positions that the network evaluates, whether a teacher explored between each position and the next, and
    the outcome.
    """
    subject, rng = SUBJECTS[name], Random(chances)
    seen, explored = Seen(), list[bool]()

    def look(position: Any) -> None:
        if subject.is_asked(position):
            seen.append((subject.features(position), position.turn))
            explored.append(False)

    def choose(position: Position, seat: int) -> Action | None:
        action = subject.teacher.choose(position, seat, rng, {})
        if (
            subject.explore is not None
            and seen
            and position.to_act()[0] == seat
            and rng.random() < EXPLORATION_PROBABILITY
        ):
            other = subject.explore(position, seat, rng)
            if other != action:
                explored[-1] = True
                return other
        return action

    ending = _play_game(subject, rng, choose, look)
    return seen, explored, ending


def _play_game(subject: Subject, rng: Random, choose: Chooser, look: Callable[[Any], None]) -> int:
    """Play a game with the actions of *choose*, calling *look* at each position; return the outcome class."""
    dealer = SimulationDealer(rng)
    position: Any = subject.ruleset.new(subject.players, subject.options, dealer)
    while not position.is_over:
        look(position)
        seat, action = _next(position, choose)
        position.apply(seat, action, dealer)
    return subject.ending(position)


def _next(position: Position, choose: Chooser) -> tuple[int, Action]:
    """Return the seat that acts next, and its action: a seat that interrupts, else the first that must act."""
    for seat in (*position.may_act(), position.to_act()[0]):
        action = choose(position, seat)
        if action is not None:
            return seat, action
    raise AssertionError(position.dump())
