"""What the guide of Gridcannon's searches asks its network, and what comes of the answers: by what is public (G22)."""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from engines import RULESETS
from engines.dealer import QuickDealer
from engines.gridcannon.policy import GridcannonGuide, OddsAdept
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING, SETUP
from engines.gridcannon.value import TURNS, ValueGuide, ending, is_asked, trained

GRIDCANNON = RULESETS["gridcannon"]


def positions(players: int, seed: int = 1) -> Iterator[GridcannonPosition]:
    """Yield the positions of a game among adepts, the last included."""
    rng = Random(seed)
    dealer, adept = QuickDealer(rng), OddsAdept()
    position: Any = GRIDCANNON.new(players, {}, dealer)
    while not position.is_over:
        yield position
        for seat in (*position.may_act(), position.to_act()[0]):
            action = adept.choose(position, seat, rng, {})
            if action is not None:
                position.apply(seat, action, dealer)
                break
    yield position


def ready(position: GridcannonPosition) -> GridcannonGuide:
    """Return a guide that judges from a position."""
    return ValueGuide().ready(position, GRIDCANNON.verdict)


def test_what_one_of_two_wins_the_other_loses() -> None:
    """A draw is worth half to both; at the end it is known who has won."""
    for position in positions(2):
        by = ready(position)
        if position.is_over:
            assert [by.value(position, seat) for seat in (0, 1)] == [float(ending(position) == seat) for seat in (0, 1)]
        elif is_asked(position):
            assert by.value(position, 0) + by.value(position, 1) == pytest.approx(1)


def test_it_tells_who_is_ahead() -> None:
    """In the last third of twenty games: better than a coin, by far."""
    right = asked = 0
    for seed in range(20):
        game = [(position.copy(), is_asked(position)) for position in positions(2, seed)]
        winner = ending(game[-1][0])
        by = ready(game[0][0])
        for position, wanted in game[len(game) * 2 // 3 : -1]:
            asked += wanted
            right += wanted and (by.value(position, 0) > 0.5) == (winner == 0)
    assert right / asked > 0.75


@pytest.mark.parametrize("players", [2, 4])
def test_nothing_depends_on_the_order_of_the_draw_pile(players: int) -> None:
    """G22: it is nobody's to know."""
    rng = Random(1)
    for position in positions(players):
        twin, by = position.copy(), ready(position)
        rng.shuffle(twin.draw_pile)
        for seat in range(players):
            assert by.value(twin, seat) == by.value(position, seat)


def test_where_no_network_is_asked_the_odds_judge() -> None:
    """At a table of four, while royals are placed (G5), and while a ploy is announced (G14)."""
    assert trained(4) is None
    odds, announced = GridcannonGuide(), 0
    for players, seed in product((2, 4), range(4)):
        for position in positions(players, seed):
            by, judge = ready(position), odds.ready(position, GRIDCANNON.verdict)
            if not position.is_over and (players == 4 or not is_asked(position)):
                announced += players == 2 and position.phase != SETUP
                assert by.value(position, 0) == judge.value(position, 0)
    assert announced > 5


def test_all_is_judged_where_the_same_turn_begins() -> None:
    """Whatever a search weighs, with no ploy to be resolved (G14); each further look is so many turns later."""
    rng, looked = Random(2), 0
    dealer = QuickDealer(rng)
    for position in positions(2):
        by = ready(position)
        for look in range(2):
            world, steps = position.copy(), 0
            while not world.is_over and not by.is_far_enough(world, steps, look):
                seat, action = by.next(world, rng)
                world.apply(seat, action, dealer)
                steps += 1
            if not world.is_over:
                looked += 1
                assert (world.turns, world.phase, world.ploys) == (position.turns + TURNS * (look + 1), DRAWING, [])
    assert looked > 50


def test_at_a_table_of_four_it_is_judged_after_so_many_actions() -> None:
    """As the guide by odds does."""
    position = next(positions(4))
    assert [ready(position).is_far_enough(position, steps, 0) for steps in (0, 3, 4)] == [False, False, True]
