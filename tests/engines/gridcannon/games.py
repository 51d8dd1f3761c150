"""Whole games of Gridcannon, position by position."""

from collections.abc import Iterator
from random import Random
from typing import Any

from engines import RULESETS
from engines.core.dealer import SimulationDealer
from engines.gridcannon.policy import OddsAdept, SafePlayer
from engines.gridcannon.rules import GridcannonPosition


def positions(players: int, seed: int | str = 1, *, safe_players: bool = False) -> Iterator[GridcannonPosition]:
    """Yield the positions of a game among adepts, every other one a safe player if so wanted; the last included."""
    rng = Random(seed)
    dealer, policies = SimulationDealer(rng), (OddsAdept(), SafePlayer() if safe_players else OddsAdept())
    position: Any = RULESETS["gridcannon"].new(players, {}, dealer)
    while not position.is_over:
        yield position
        seats = (*position.may_act(), position.to_act()[0])
        asked = ((seat, policies[seat % 2].choose(position, seat, rng, {})) for seat in seats)
        seat, action = next((seat, action) for seat, action in asked if action is not None)
        position.apply(seat, action, dealer)
    yield position
