"""What an action is for: the line that it loads, the royal that it saves (G9, G10)."""

from random import Random
from typing import Any

import pytest

from engines import RULESETS
from engines.core.phrase import YOU
from tests.engines.gridcannon.table import position

GRIDCANNON = RULESETS["gridcannon"]


def told(laid: dict[str, object], seat: int, action: str) -> list[str]:
    """Return the clauses, the reader being *seat*."""
    loaded = GRIDCANNON.load(laid)
    name = {seat: YOU}.get
    return [
        str(one) for one in GRIDCANNON.purposes(loaded, seat, GRIDCANNON.parse(action), lambda who: name(who, "Ben"))
    ]


LINE: dict[str, Any] = {"cells": "b2:9H b3:4C b4:2S", "board": "e2:QH b5:JC", "drawn": "8C"}
"""b2 fires at the Jack of clubs on b5 with b3 and b4; black cards hit it for as much as they are worth."""


def test_g9_a_line_comes_nearer():
    """The 8 on b4 makes the line 12 of 11: ready."""
    assert told(position(**LINE), 0, "place b4") == ["the line at Ben's J♣ becomes ready to fire: 12 of the 11 needed"]
    assert told(position(**LINE | {"drawn": "5C"}), 0, "place b4") == [
        "the line at Ben's J♣ comes to 9 of the 11 needed"
    ]


def test_g10_a_royal_is_saved():
    """A red card over a black one no longer hits a black Queen."""
    laid = position(cells="b2:9H b3:6C b4:7C", board="e2:QH b5:QC", drawn="8D", turn=1)

    assert told(laid, 1, "place b4") == ["the line at your Q♣ is no longer ready to fire"]


@pytest.mark.parametrize("action", ["declare AH reassignment", "draw"])
def test_what_is_not_known_yet_is_for_nothing(action: str):
    """Of what is used or drawn later nothing is said."""
    assert told(position(cells="b2:9H c2:5D b3:4C", board="e2:QH b5:JC", arms="AH | "), 0, action) == []


def test_g22_the_hidden_order_says_nothing():
    """All that is told follows from what a seat knows."""
    laid = position(**LINE)
    for world in range(4):
        shuffled = [*laid["draw_pile"]]
        Random(world).shuffle(shuffled)
        assert told(laid | {"draw_pile": shuffled}, 0, "place b4") == told(laid, 0, "place b4")
