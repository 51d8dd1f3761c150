"""What is said to follow from an action before it is done: a draw (G6)."""

from collections.abc import Mapping

import pytest

from engines import RULESETS
from engines.core.phrase import YOU
from engines.table.preview import preview
from tests.engines.gridcannon.table import position

GRIDCANNON = RULESETS["gridcannon"]
TO_COME = "2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H"


def drawing(pile: str, known: int = 0) -> tuple[list[Mapping[str, object]], bool]:
    """Return the events that seat 0 foresees of a draw, and whether that is certain."""
    view = GRIDCANNON.load(position(pile=pile, known_bottom=known)).view(0)
    foreseen = preview(GRIDCANNON, view, 0, GRIDCANNON.parse("draw"))
    return [event.seen_by(0) for event in foreseen.events], foreseen.certain


def test_a_draw_foresees_that_a_card_is_drawn() -> None:
    """Not which one, nor what comes of it."""
    events, certain = drawing(f"KC {TO_COME}")

    assert (events, certain) == ([{"type": "drawn", "seat": 0}], False)
    assert str(GRIDCANNON.clause(dict(events[0]), YOU)) == "you draw a card"


@pytest.mark.parametrize(
    ("top", "events"), [("KC", ["drawn"]), ("AS", ["drawn", "ploy_gained", "turn_began"])], ids=["royal", "ploy"]
)
def test_a_card_that_is_known_is_told(top: str, events: list[str]) -> None:
    """Where the whole pile is (G22), so is all that comes of it."""
    told, certain = drawing(f"{top} {TO_COME}", known=12)

    assert certain
    assert [event["type"] for event in told] == events
    assert told[0]["card"] == top
