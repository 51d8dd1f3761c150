"""What a value network of Gridcannon is asked, and what comes of its answers: by what is public (G22)."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from engines import RULESETS
from engines.dealer import QuickDealer
from engines.gridcannon.actions import Declare, Recall
from engines.gridcannon.policy import OddsAdept, after
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.value import ValueGuide
from engines.value_network import ValueNetwork
from training.network import Network
from training.subjects import SUBJECTS

every_table = pytest.mark.parametrize("players", [2, 4])


def guide(players: int) -> ValueGuide:
    """Return a guide by a network that has learned nothing."""
    subject = SUBJECTS[f"gridcannon.{players}"]
    sizes = (subject.feature_count, 8, 4, len(subject.utilities))
    return ValueGuide(ValueNetwork(Network(sizes, np.random.default_rng(1)).packed()))


def positions(players: int) -> Iterator[GridcannonPosition]:
    """Yield the positions of a game among adepts, the last included."""
    rng = Random(players)
    dealer, adept = QuickDealer(rng), OddsAdept()
    position: Any = RULESETS["gridcannon"].new(players, {}, dealer)
    while not position.is_over:
        yield position
        for seat in (*position.may_act(), position.to_act()[0]):
            action = adept.choose(position, seat, rng, {})
            if action is not None:
                position.apply(seat, action, dealer)
                break
    yield position


def test_what_one_of_two_wins_the_other_loses() -> None:
    """A draw is worth half to both."""
    by = guide(2)
    for position in positions(2):
        assert by.value(position, 0) + by.value(position, 1) == pytest.approx(1)


@every_table
def test_nothing_depends_on_the_order_of_the_draw_pile(players: int) -> None:
    """G22: not even what is thought of drawing from it."""
    by, rng = guide(players), Random(1)
    for position in positions(players):
        twin = position.copy()
        rng.shuffle(twin.draw_pile)
        for seat in range(players):
            if not position.is_over:
                assert by.ranked(twin, seat) == by.ranked(position, seat)


@every_table
def test_a_ploy_is_weighed_with_its_use(players: int) -> None:
    """G14: one that is declared has a use that gains more than to recall it."""
    by, declared = guide(players), 0
    for position in positions(players):
        for seat in position.living() if not position.is_over else ():
            for _, action in by.ranked(position, seat):
                if isinstance(action, Declare):
                    declared += 1
                    found = by.ranked(after(position, seat, action), seat)
                    assert not isinstance(max(found, key=lambda one: one[0])[1], Recall)
    assert declared
