"""Plays and discards are values: known by what they do and with which cards."""

from engines.regicide.actions import Play, parse


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
