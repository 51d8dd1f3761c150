"""What is said to follow from an action before it is done: a heal (R5)."""

import pytest

from engines import RULESETS
from engines.table.preview import preview
from tests.engines.regicide.boards import board

REGICIDE = RULESETS["regicide"]


def healing(discard: list[str], play: str = "play 3H") -> tuple[list[dict[str, object]], bool]:
    """Return the events that seat 0 foresees of a heal of three cards, and whether that is certain."""
    position = board(["3H 5C", "7C"], enemy="JC", tavern="9C", shield=9, discard=discard)
    foreseen = preview(REGICIDE, REGICIDE.load(position).view(0), 0, REGICIDE.parse(play))
    return [event.seen_by(0) for event in foreseen.events], foreseen.certain


def test_a_heal_of_some_cards_is_not_certain() -> None:
    """Which of the discard pile go under the Tavern its shuffle decides; how many, and what follows, is sure."""
    events, certain = healing(["2C", "2D", "2H", "2S"])

    assert not certain
    assert events[1] == {"type": "healed", "seat": 0, "packet": 1, "count": 3}
    assert [event["type"] for event in events] == ["played", "healed", "enemy_hit", "attacked"]


@pytest.mark.parametrize("discard", [["2C", "2D", "2H"], ["2C"], []], ids=len)
def test_a_heal_of_the_whole_pile_is_certain(discard: list[str]) -> None:
    """Then it is known which cards they are."""
    events, certain = healing(discard)

    assert certain
    assert [event["cards"] for event in events if event["type"] == "healed"] == ([discard] if discard else [])
