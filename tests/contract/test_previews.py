"""Law 7 for previews: what is said to follow for sure is the same in all worlds that look alike, and does follow."""

from collections.abc import Sequence
from random import Random

import pytest

from api.commands.check_ruleset.generated_games import Walk, setups
from api.commands.check_ruleset.law_on_previews import law_7_previews_come_true
from engines.ruleset import Ruleset
from tests.contract.games import TABLES
from tests.rulesets import Race

SEEDS = 2, 4
MORE_SEEDS = range(12)
EVERYWHERE = [*TABLES, (Race(), 2)]
IDS = [f"{ruleset.name}-{players}" for ruleset, players in EVERYWHERE]


@pytest.mark.parametrize("seeds", [SEEDS, pytest.param(MORE_SEEDS, marks=pytest.mark.long)], ids=len)
@pytest.mark.parametrize(("ruleset", "players"), EVERYWHERE, ids=IDS)
def test_previews_come_true(ruleset: Ruleset, players: int, seeds: Sequence[int]) -> None:
    """In the truth and in every world that looks the same, however the cards fall."""
    found = set[bool]()
    for seed in seeds:
        for setup in setups(ruleset, players):
            rng = Random(seed)
            for moment in Walk(setup, seed, taught=11 * seed, steps=25).moments():
                for seat in range(players):
                    found |= law_7_previews_come_true(ruleset, moment.position, seat, rng)
    is_lucky = any(event.chance for event in ruleset.events)
    assert found == ({True, False} if is_lucky else {True})
