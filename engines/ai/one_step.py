"""One-step lookahead: rate each action by a guide's value of the resulting position."""

from random import Random
from typing import Any, Final

from engines.contract.position import Action, Position
from engines.contract.search_guide import SearchGuide
from engines.contract.worlds import Worlds
from engines.core.dealer import SimulationDealer

RERATED_ACTIONS: Final = 6
"""Number of actions, the best ones in the first world, that are also rated in the other worlds."""


def ranked(
    worlds: Worlds[Any], seat: int, guide: SearchGuide[Any], rng: Random, count: int
) -> list[tuple[float, Action]]:
    """Return the legal actions of *seat* with their mean values over *count* worlds, the best first.

    Only the best ``RERATED_ACTIONS`` of the first world are rated in all worlds. The others follow them, with their
    values in the first world. A single legal action isn't rated and has the value 0.
    """
    dealer = SimulationDealer(rng)
    world: Position = worlds.sample(rng)
    legal = world.legal(seat)
    if len(legal) == 1:
        return [(0.0, legal[0])]
    rated_here = [(_value(world, seat, action, guide, dealer), index) for index, action in enumerate(legal)]
    rated_here.sort(reverse=True)
    best, rest = rated_here[:RERATED_ACTIONS], rated_here[RERATED_ACTIONS:]
    for _ in range(count - 1):
        world = worlds.sample(rng)
        best = [(total + _value(world, seat, legal[index], guide, dealer), index) for total, index in best]
    rated = [(total / count, index) for total, index in best]
    rated.sort(reverse=True)
    return [(value, legal[index]) for value, index in rated + rest]


def _value(world: Position, seat: int, action: Action, guide: SearchGuide[Any], dealer: SimulationDealer) -> float:
    next_position: Position = world.copy()
    next_position.apply(seat, action, dealer)
    return guide.value(next_position, seat)
