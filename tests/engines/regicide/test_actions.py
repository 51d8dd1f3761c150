"""Plays and discards are values: known by what they do and with which cards."""

from typing import Any

import pytest

from engines import RULESETS
from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction, IllegalAction
from engines.gridcannon.actions import Draw
from engines.regicide.actions import Play, Yield, parse


def test_they_are_equal_if_they_do_the_same_with_the_same_cards() -> None:
    """Equal ones are written alike, and are found in a dict; a play is no discard."""
    play, discard = parse("play AS 4D"), parse("discard AS 4D")

    assert play == parse("play 4d a♠")
    assert {play: 1, discard: 2}[parse("discard 4D AS")] == 2
    assert play != discard
    assert play != parse("play AS")
    assert repr([play, discard]) == "[<play AS 4D>, <discard AS 4D>]"


def test_a_play_knows_what_it_amounts_to() -> None:
    """Its attack value and its suits (R3, R4, R10): a Jester has neither."""
    pair, jester = parse("play AS 4D"), parse("play X1")

    assert isinstance(pair, Play)
    assert isinstance(jester, Play)
    assert (pair.attack, pair.suits) == (5, 0b1010)
    assert (jester.attack, jester.suits) == (0, 0)


@pytest.mark.parametrize(
    ("action", "shown"),
    [("play TD", "'play TD'"), (None, "None"), ({"type": "yield"}, "{'type': 'yield'}"), (Draw(), "Draw()")],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_what_is_no_action_of_the_game(action: Any, shown: str, seat: int) -> None:
    """It is told so before whose turn it is, and not what is said of a yield (R15)."""
    position = RULESETS["regicide"].new(2, {}, SeededDealer("moon"))

    with pytest.raises(BadAction) as refused:
        position.check(seat, action)
    assert refused.value.detail == f"{shown} is no action of this game."


def test_a_yield_is_an_action_of_the_game() -> None:
    """One that isn't allowed is refused by its ruling."""
    with pytest.raises(IllegalAction) as refused:
        RULESETS["regicide"].new(1, {}, SeededDealer("moon")).check(0, Yield())
    assert refused.value.rule == "R15"
