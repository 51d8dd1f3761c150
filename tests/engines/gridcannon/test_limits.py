"""Numbers of a position are at most 10^9: an action by which one would pass that is refused (docs/referee.md)."""

import pytest

from tests.engines.gridcannon.table import moves, position
from tests.engines.referee import Json, apply, legal, refusal

MOST = 10**9


def test_no_turn_comes_after_the_last_number() -> None:
    """A number that would end the turn can't be laid; a ploy may still be declared (G6)."""
    laid = position(drawn="5H", cells="b2:9C", arms="AS", turns=MOST, turn_limit=0)

    heard = apply(laid, 0, "place c3")

    assert (refusal(heard), heard["error"]["rule"]) == ("illegal_action", "G6")
    assert not any(move.startswith("place") for move in moves(laid, 0))
    assert "declare AS reassignment" in moves(laid, 0)


@pytest.mark.parametrize("fields", [{"turns": MOST - 1, "turn_limit": 0}, {"turns": MOST, "turn_limit": MOST}])
def test_whatever_is_legal_leads_to_a_position(fields: Json) -> None:
    """Which can be read again: the turn before the last number, and a game that the turn limit ends (G20)."""
    after = apply(position(drawn="5H", cells="b2:9C", **fields), 0, "place c3")["position"]

    assert legal(after, 0) is not None
