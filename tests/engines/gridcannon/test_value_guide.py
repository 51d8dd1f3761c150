"""What the guide of Gridcannon's searches asks its network, and what comes of the answers: by what is public (G22)."""

from itertools import product
from random import Random

import pytest

from engines import RULESETS
from engines.core.dealer import SimulationDealer
from engines.gridcannon.policy import GridcannonGuide
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING
from engines.gridcannon.value_guide import TURNS_BETWEEN_EVALUATIONS, ValueGuide, is_asked, outcome_class
from tests.engines.gridcannon.games import positions

pytestmark = pytest.mark.search

GRIDCANNON = RULESETS["gridcannon"]

every_table = pytest.mark.parametrize("players", GRIDCANNON.player_counts)


def prepared(position: GridcannonPosition) -> GridcannonGuide:
    """Return a guide that judges from a position."""
    return ValueGuide().prepare(position, GRIDCANNON.verdict)


@every_table
def test_what_one_wins_the_others_lose(players: int) -> None:
    """At the end it is known who has won; before, all together win once, but for draws: worth half to each."""
    for position in positions(players):
        by = prepared(position)
        worths = [by.value(position, seat) for seat in range(players)]
        if position.is_over:
            assert worths == [float(outcome_class(position) == seat) for seat in range(players)]
        elif is_asked(position):
            drawn = sum(worths) - 1
            assert drawn == pytest.approx(0) if players == 2 else -1e-9 <= drawn < players / 2 - 1


@pytest.mark.no_cover
@pytest.mark.parametrize(("players", "times"), [(2, 1.5), (4, 1.15)])
def test_it_tells_who_is_ahead(players: int, times: float) -> None:
    """In the last third of twenty games: who is worth most wins more often than somebody drawn from those left."""
    right, by_chance = 0, 0.0
    for seed in range(20):
        game = [(position.copy(), is_asked(position)) for position in positions(players, seed)]
        winner = outcome_class(game[-1][0])
        by = prepared(game[0][0])
        for position, wanted in game[len(game) * 2 // 3 : -1]:
            by_chance += wanted / sum(lives > 0 for lives in position.lives)
            worths = [by.value(position, seat) for seat in range(players)]
            right += wanted and worths.index(max(worths)) == winner
    assert right > times * by_chance


@every_table
def test_nothing_depends_on_the_order_of_the_draw_pile(players: int) -> None:
    """G22: it is nobody's to know."""
    rng = Random(1)
    for position in positions(players):
        twin, by = position.copy(), prepared(position)
        rng.shuffle(twin.draw_pile)
        for seat in range(players):
            assert by.value(twin, seat) == by.value(position, seat)


@pytest.mark.no_cover
def test_where_no_network_is_asked_the_odds_judge() -> None:
    """While royals are placed (G5) or a card is in hand (G6), and while a ploy is announced (G14)."""
    odds, announced = GridcannonGuide(), 0
    for players, seed in product((2, 4), range(4)):
        for position in positions(players, seed):
            if not (position.is_over or is_asked(position)):
                by, judge = prepared(position), odds.prepare(position, GRIDCANNON.verdict)
                announced += bool(position.ploys)
                assert by.value(position, 0) == judge.value(position, 0)
    assert announced > 5


@every_table
def test_all_is_judged_where_the_same_turn_begins(players: int) -> None:
    """Whatever a search weighs, with no ploy to be resolved (G14); each further look is so many turns later."""
    rng, looked = Random(2), 0
    dealer = SimulationDealer(rng)
    for position in positions(players):
        by = prepared(position)
        for look in range(2):
            world, steps = position.copy(), 0
            while not world.is_over and not by.is_rollout_done(world, steps, look):
                seat, action = by.next(world, rng)
                world.apply(seat, action, dealer)
                steps += 1
            if not world.is_over:
                looked += 1
                assert (world.turns, world.phase, world.ploys) == (
                    position.turns + TURNS_BETWEEN_EVALUATIONS * (look + 1),
                    DRAWING,
                    [],
                )
    assert looked > 50
