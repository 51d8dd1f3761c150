"""The benchmarks of strength, on so few games that their figures mean nothing: it shows that all can be measured."""

import pytest

from benchmarks.decisions import seconds
from benchmarks.rivals import RIVALS, Game, line, play


@pytest.mark.parametrize("rival", RIVALS)
def test_rivals(rival: str) -> None:
    """Equal games end equally, somebody or nobody wins, and no more ploys are recalled than were declared."""
    game = Game(rival, "adept", 1, "of a test")
    result = play(game)

    assert result == play(game)
    assert result.won in ("rival", "level", "nobody")
    assert result.recalled <= result.declared
    wins = int(result.won == "rival")
    assert line(rival, "adept", [result]).startswith(f"{rival:8} wins {wins:3} of 1 against adept = {wins:.1%}")


@pytest.mark.parametrize(("name", "level"), [("regicide", "skilled"), ("gridcannon", "expert")])
def test_seconds(name: str, level: str) -> None:
    """As many decisions as were asked for, each of which takes time; there are none of a level that doesn't search."""
    took = seconds(name, level, 2, 2)

    assert len(took) == 2
    assert min(took) > 0
    with pytest.raises(ValueError, match="novice"):
        seconds(name, "novice", 2, 2)
