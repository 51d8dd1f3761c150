"""G14, G20: nobody keeps ploys for ever, so that no siege lasts until the turn limit."""

import pytest

from engines import RULESETS
from engines.gridcannon.evaluation import PLOY_FADE_FIRST_TURN, PLOY_FADE_LAST_TURN, OddsEvaluation
from engines.gridcannon.rules import GridcannonPosition
from tests.engines.gridcannon.table import position


def kept(arms: str, turns: int) -> float:
    """Return what red's ploys add to its odds, after so many turns, by their logarithm."""
    armed, bare = (worth(position(2, cells="b2:2C c2:3C", arms=text, turns=turns)) for text in (arms, ""))
    return armed - bare


def worth(laid: dict[str, object]) -> float:
    """Return the logarithm of red's odds."""
    state = RULESETS["gridcannon"].load(laid)
    assert isinstance(state, GridcannonPosition)
    return OddsEvaluation(state, 0).worth(state, state.tops())


@pytest.mark.parametrize("arms", ["X1", "AH", "AH X1"])
def test_g14_patience_wears_off(arms: str) -> None:
    """At first a ploy in hand is worth the same however long it is kept; then less and less; in the end nothing."""
    fresh = kept(arms, 17)

    assert fresh > 0.3
    assert kept(arms, PLOY_FADE_FIRST_TURN) == pytest.approx(fresh)
    assert kept(arms, (PLOY_FADE_FIRST_TURN + PLOY_FADE_LAST_TURN) // 2) == pytest.approx(fresh / 2)
    assert kept(arms, PLOY_FADE_LAST_TURN) == kept(arms, 900) == pytest.approx(0)
