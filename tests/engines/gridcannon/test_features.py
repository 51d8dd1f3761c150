"""What a value network is told of Gridcannon: what is public, seats counted from the one on turn (G22)."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from engines import RULESETS
from engines.core.cards import PACK
from engines.gridcannon.features import count, features
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import SETUP
from tests.engines.gridcannon.games import positions
from training.replay_buffer import MAX_FEATURES

pytestmark = pytest.mark.search

GRIDCANNON = RULESETS["gridcannon"]

every_table = pytest.mark.parametrize("players", GRIDCANNON.player_counts)


def undecided(players: int, games: int = 2) -> Iterator[GridcannonPosition]:
    """Yield the positions of some games, before their ends, every other game with safe players: all phases occur."""
    for number in range(games):
        for position in positions(players, f"features {players} {number}", safe_players=number % 2 == 1):
            if not position.is_over:
                yield position


@pytest.mark.no_cover
@every_table
def test_each_feature_has_its_number_and_holds_as_often_as_royals_are_alike(players: int) -> None:
    """Once, but for those of royals of one rank and one family: with two players a family has two of each rank."""
    seen = set[int]()
    for position in undecided(players):
        held = Counter(features(position))
        assert max(held.values()) <= 4 // players
        assert min(held) >= 0
        assert max(held) < count(players)
        assert held.total() <= MAX_FEATURES
        seen.update(held)
    assert len(seen) > count(players) // 3


@every_table
def test_order_of_the_draw_pile_is_not_told(players: int) -> None:
    """G22: only which cards are in it."""
    rng = Random(players)
    for position in undecided(players, games=1):
        twin = position.copy()
        rng.shuffle(twin.draw_pile)
        rng.shuffle(twin.aside)
        assert sorted(features(twin)) == sorted(features(position))


@pytest.mark.no_cover
@every_table
def test_all_seats_are_told_alike(players: int) -> None:
    """Whoever sits where: if all move on by a seat, the same is told."""
    for position in undecided(players, games=1):
        twin = position.copy()
        twin.turn = (twin.turn + 1) % players
        twin.owners = tuple((owner + 1) % players for owner in twin.owners)
        twin.lives = twin.lives[-1:] + twin.lives[:-1]
        twin.arsenals = twin.arsenals[-1:] + twin.arsenals[:-1]
        twin.ploys = [((seat + 1) % players, card, ploy) for seat, card, ploy in twin.ploys]
        assert features(twin) == features(position)


@pytest.mark.no_cover
@every_table
def test_what_matters_is_told(players: int) -> None:
    """A life less, a ploy more, a line that is disarmed: each is told apart."""
    for position in undecided(players, games=1):
        if position.phase == SETUP:
            continue
        poorer, richer, disarmed = position.copy(), position.copy(), position.copy()
        poorer.lives[poorer.turn] -= 1
        richer.arsenals[0] = (*richer.arsenals[0], PACK[0])
        for cell in range(9):
            disarmed.grid[cell] = ()
        for other in (poorer, richer, disarmed):
            assert features(other) != features(position)
