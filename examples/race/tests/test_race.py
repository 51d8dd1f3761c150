"""Race by its rules. The laws of all games: ``pytest --check-ruleset race``."""

import pytest
from regicide_race.ruleset import Dash, Race, Step, Track

from engines.core.dealer import SeededDealer
from engines.ruleset import IllegalAction, step


def test_whoever_reaches_the_goal_has_won():
    after, events = step(Track(12, [2, 5], total=9), 0, Step(3), SeededDealer(""))

    assert after.outcome == {"winner": 0}
    assert [event.steps for event in events] == [3]


def test_nobody_rests_twice_in_a_row():
    with pytest.raises(IllegalAction):
        step(Track(12, [2, 5], resting=True), 0, Step(0), SeededDealer(""))


def test_a_dash_adds_the_card_and_does_not_end_the_turn():
    after, _ = step(Track(12, [2, 5]), 1, Dash(), SeededDealer(""))

    assert (after.total, after.turn, after.view(0)["cards"]) == (5, 0, [2, 5])


def test_events_are_told():
    assert str(Race().clause({"type": "moved", "seat": 0, "steps": 2}, "Ana")) == "Ana: 2 steps"
