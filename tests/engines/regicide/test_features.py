"""What a value network is told of Regicide: never what nobody knows (R20, R21)."""

from collections.abc import Iterator
from random import Random

import pytest

from engines import RULESETS
from engines.core.dealer import SimulationDealer
from engines.regicide.features import count, features
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import JACKS, KINGS, QUEENS

REGICIDE = RULESETS["regicide"]

every_table = pytest.mark.parametrize("players", REGICIDE.player_counts)


def positions(players: int, games: int = 6) -> Iterator[RegicidePosition]:
    """Yield the positions of some games among adepts, and of some played at random: all phases occur."""
    for number in range(games):
        rng = Random(f"features {players} {number}")
        dealer = SimulationDealer(rng)
        position = REGICIDE.new(players, {}, dealer)
        while not position.is_over:
            assert isinstance(position, RegicidePosition)
            yield position
            seat = position.turn
            action = REGICIDE.levels["adept"].policy.choose(position, seat, rng, {})
            if number % 2 and rng.random() < 0.2:
                action = rng.choice(position.legal(seat))
            assert action is not None
            position.apply(seat, action, dealer)


@every_table
def test_each_feature_has_its_number_and_holds_once(players: int) -> None:
    """In games in which all phases occur."""
    seen = set[int]()
    for position in positions(players):
        held = features(position)
        assert len(set(held)) == len(held)
        assert min(held) >= 0
        assert max(held) < count(players)
        seen.update(held)
    assert len(seen) > count(players) // 3


@every_table
def test_order_of_tavern_and_castle_is_not_told(players: int) -> None:
    """R20, R21: laid in any order within the packets and ranks that everybody knows, it is told the same."""
    rng = Random(players)
    for position in positions(players, games=2):
        twin = position.copy()
        for packet in {position.packets.get(card, 0) for card in position.tavern}:
            places = [at for at, card in enumerate(position.tavern) if position.packets.get(card, 0) == packet]
            for at, other in zip(places, rng.sample(places, len(places)), strict=True):
                twin.tavern[at] = position.tavern[other]
        for rank in (KINGS, QUEENS, JACKS):
            places = [at for at, card in enumerate(position.castle) if card in rank]
            for at, other in zip(places, rng.sample(places, len(places)), strict=True):
                twin.castle[at] = position.castle[other]
        assert sorted(features(twin)) == sorted(features(position))


@every_table
def test_what_matters_is_told(players: int) -> None:
    """Two positions that differ in what everybody sees are told apart."""
    for position in positions(players, games=1):
        hurt = position.copy()
        hurt.damage += 1 if hurt.damage < 5 else -1
        assert features(hurt) != features(position)
