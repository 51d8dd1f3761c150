"""The quick ways to a decision find what the slow ones find."""

from itertools import combinations
from random import Random

import pytest

from engines import RULESETS
from engines.ai.random_play import play_out
from engines.core.cards import PACK, Card
from engines.core.dealer import SimulationDealer
from engines.regicide.covering import COST_SHIFT, UNCOVERABLE, cards_of, cheapest, heaviest_first
from engines.regicide.policy import Adept
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import HAND_LIMIT, VALUE
from engines.regicide.weights import WORTHS


def least(hand: list[Card], attack: int, players: int) -> int:
    """Return what the cheapest of all sets that cover *attack* is worth, by trying each (R13)."""
    worths = [
        sum(WORTHS[players][card] for card in cards)
        for size in range(1, len(hand) + 1)
        for cards in combinations(hand, size)
        if sum(VALUE[card] for card in cards) >= attack
    ]
    return min(worths, default=UNCOVERABLE)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_cheapest_cover_is_the_cheapest_of_all(players: int) -> None:
    """A cover that the pruned search finds costs what the best of all sets costs, and is one (R13)."""
    rng = Random(players)
    for _ in range(150):
        hand = rng.sample(PACK, rng.randint(0, HAND_LIMIT[players]))
        attack = rng.randint(1, 20)
        heaviest = heaviest_first(hand)
        found = cheapest(heaviest, attack, players)
        assert found >> COST_SHIFT == least(hand, attack, players)
        if found >> COST_SHIFT != UNCOVERABLE:
            cards = [card for card in PACK if cards_of(found, heaviest) >> card & 1]
            assert set(cards) <= set(hand)
            assert sum(VALUE[card] for card in cards) >= attack
            assert sum(WORTHS[players][card] for card in cards) == found >> COST_SHIFT


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_an_adept_chooses_what_it_weighs_most(players: int) -> None:
    """What is worked out only where it can matter decides as if all had been."""
    adept, rng = Adept(), Random(players)
    dealer = SimulationDealer(rng)
    for _ in range(6):
        position = RULESETS["regicide"].new(players, {"solo_yield": players == 1}, dealer)
        assert isinstance(position, RegicidePosition)
        while not position.is_over:
            seat = position.turn
            chosen = adept.choose(position, seat, rng, {})
            weighed = dict(adept.score_actions(position, seat, {}))
            assert weighed[chosen] == max(weighed.values())
            position.apply(seat, chosen, dealer)


@pytest.mark.parametrize(("ruleset", "players"), [("regicide", 1), ("regicide", 4), ("gridcannon", 2)])
def test_play_by_chance_ends_and_counts_its_actions(ruleset: str, players: int) -> None:
    """A game played out is over, and the same for an equal generator."""
    games = []
    for _ in range(2):
        rng = Random(7)
        position = RULESETS[ruleset].new(players, {}, SimulationDealer(rng))
        games.append((play_out(position, rng), position.dump()))
        assert position.is_over
    assert games[0] == games[1]
    assert games[0][0] > 0
