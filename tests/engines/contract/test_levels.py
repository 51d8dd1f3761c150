"""The names of levels of several games, in one order."""

from engines.contract.default_levels import LEVELS
from engines.contract.levels import level_names


def test_names_of_several_games_keep_each_games_order() -> None:
    """A level that one game alone has comes after the one that precedes it there."""
    assert level_names([LEVELS]) == tuple(LEVELS)
    assert level_names([["b", "d"], ["a", "b", "c", "d"], ["d", "e"]]) == ("a", "b", "c", "d", "e")
    assert level_names([]) == ()
