"""G22 for games that begin as puzzles: cards that a position leaves out are out of play, and nobody can tell which."""

import json
from random import Random

import pytest

from engines import RULESETS
from engines.core.types import Json
from tests.engines.gridcannon.table import position

GRIDCANNON = RULESETS["gridcannon"]
WORLDS = 30


def without_royals_in_sight(players: int) -> Json:
    """Return a puzzle in which seats live by royals in the draw pile alone (G17)."""
    laid = position(players)
    royals = [royal["card"] for royal in laid["royals"].values()]
    pile = [card for card in laid["draw_pile"] if card not in royals]
    return {**laid, "royals": {}, "draw_pile": [*pile, *royals], "phase": "draw", "drawn": None}


@pytest.mark.parametrize("laid", [position(2), position(4), without_royals_in_sight(2), without_royals_in_sight(4)])
def test_g22_a_puzzle_can_be_imagined(laid: Json) -> None:
    """Every imagined world is a position, and looks the same; whoever must be alive has a royal somewhere (G17)."""
    view = GRIDCANNON.load(laid).view(0)

    for dream in range(WORLDS):
        world = GRIDCANNON.imagine(view, Random(dream))
        assert world.view(0) == view
        assert GRIDCANNON.load(json.loads(json.dumps(world.dump()))).dump() == world.dump()
