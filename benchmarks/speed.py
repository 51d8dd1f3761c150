"""How fast the engine is: whole games by chance, and single calls on positions of such games."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from time import perf_counter

from engines import RULESETS
from engines.dealer import QuickDealer
from engines.ruleset import Position

GAMES = 1500
CALLS = 20_000


def games_and_actions(games: int = GAMES) -> tuple[float, float]:
    """Return random solo games and actions per second: copy, check and events left out, as a search plays."""
    began, actions = perf_counter(), sum(1 for number in range(games) for _ in by_chance(1, number))
    seconds = perf_counter() - began
    return games / seconds, actions / seconds


def by_chance(players: int, seed: int) -> Iterator[Position]:
    """Yield one and the same position after each action of a random game."""
    rng = Random(seed)
    dealer = QuickDealer(rng)
    position = RULESETS["regicide"].new(players, {}, dealer)
    while not position.is_over:
        seat = position.to_act()[0]
        position.apply(seat, rng.choice(position.legal(seat)), dealer)
        yield position


def microseconds(call: Callable[[Position], object], positions: list[Position], calls: int) -> float:
    """Return the mean time of *call*, over *positions* in turn."""
    rounds = max(1, calls // len(positions))
    began = perf_counter()
    for _ in range(rounds):
        for position in positions:
            call(position)
    return (perf_counter() - began) * 1e6 / (rounds * len(positions))


def calls(players: int) -> dict[str, float]:
    """Return microseconds a call, of what search and hosting ask most."""
    ruleset, rng = RULESETS["regicide"], Random(0)
    positions = [position.copy() for seed in range(40) for position in by_chance(players, seed) if not position.is_over]
    views = {id(position): position.view(position.to_act()[0]) for position in positions}
    return {
        "copy()": microseconds(lambda position: position.copy(), positions, CALLS),
        "copy.deepcopy": microseconds(deepcopy, positions, CALLS // 10),
        "legal()": microseconds(lambda position: position.legal(position.to_act()[0]), positions, CALLS),
        "view()": microseconds(lambda position: position.view(position.to_act()[0]), positions, CALLS),
        "imagine()": microseconds(lambda position: ruleset.imagine(views[id(position)], rng), positions, CALLS),
    }
