"""Games and counts are what they were; ``python -m tests.engines.golden`` writes them again, if a change is meant."""

import pytest

from engines import RULESETS
from engines.core.dealer import SeededDealer
from engines.ruleset import Ruleset
from tests.engines.golden.transcripts import HERE, children, perft, perft_table, tables, transcript
from tests.engines.referee import same_actions
from tests.engines.regicide.model import allowed

TABLES = [pytest.param(*table, id=table[0]) for table in tables()]


@pytest.mark.parametrize(("name", "ruleset", "players"), TABLES)
def test_a_game_is_what_it_was(name: str, ruleset: Ruleset, players: int) -> None:
    """Deal, choices, events and positions, to the letter."""
    assert transcript(ruleset, players) == (HERE / name).read_text(encoding="utf-8")


def test_there_are_as_many_games_as_there_were() -> None:
    """The counts of legal sequences, ruleset by ruleset."""
    assert perft_table() == (HERE / "perft.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("players", RULESETS["regicide"].player_counts)
def test_regicide_is_counted_by_hand(players: int) -> None:
    """Every set of every hand is tried against the rules, at each position of the tree: the counts are right."""
    positions, counts = [RULESETS["regicide"].new(players, {}, SeededDealer("perft 0"))], []
    for depth in (1, 2, 3):
        by_hand = [allowed(position.dump()) for position in positions]
        for position, actions in zip(positions, by_hand, strict=True):
            listed = [action.as_json() for seat in range(players) for action in position.legal(seat)]
            assert same_actions(listed, actions)
        counts.append(sum(map(len, by_hand)))
        positions = [child for position in positions for child in children(position, depth)]

    assert perft(RULESETS["regicide"], players)[:3] == counts
