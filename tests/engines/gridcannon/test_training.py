"""What training and benchmarks of this game alone do, on so few games that their figures mean nothing."""

from random import Random

import pytest

from engines.gridcannon.actions import Declare
from engines.gridcannon.benchmarks.rivals import RIVALS, Game, play, results_line
from engines.gridcannon.training.exploration import explore
from tests.engines.gridcannon.games import positions


def test_whatever_is_explored_is_legal() -> None:
    """In Gridcannon, with ploys announced or not (G14)."""
    rng, tried = Random(7), 0
    for position in positions(players=4, seed=7):
        if position.is_over:
            break
        seat = position.to_act()[0]
        for _ in range(5):
            action = explore(position, seat, rng)
            assert action in position.legal(seat)
            tried += isinstance(action, Declare)
    assert tried > 0


@pytest.mark.parametrize("rival", RIVALS)
def test_rivals(rival: str) -> None:
    """Equal games end equally, somebody or nobody wins, and no more ploys are recalled than were declared."""
    game = Game(rival, "adept", 1, "of a test")
    result = play(game)

    assert result == play(game)
    assert result.won in ("rival", "level", "nobody")
    assert result.recalled <= result.declared
    wins = int(result.won == "rival")
    assert results_line(rival, "adept", [result]).startswith(f"{rival:8} wins {wins:3} of 1 against adept = {wins:.1%}")
