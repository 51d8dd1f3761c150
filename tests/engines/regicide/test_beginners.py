"""The levels below the adept look at less: what each of them overlooks, and what none throws away."""

import pytest

from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.analysis.arena import Arena, GameResult, play
from tests.engines.regicide.boards import board

REGICIDE = RULESETS["regicide"]
DEALS = 40


def choice(level: str, position: dict[str, object]) -> str:
    """Return what a level does at seat 0."""
    return str(think(Question(level, Observation(REGICIDE, REGICIDE.load(position).view(0), 0, "s"))).action)


def test_a_novice_discards_as_few_cards_as_it_can() -> None:
    """R13: one ten covers as much as five and five, and is worth more in later turns; the others keep it."""
    hurt = board(["5C 5S TD", "8C"], phase="suffer")

    assert choice("novice", hurt) == "discard TD"
    assert {choice(level, hurt) for level in ("beginner", "apprentice", "adept")} == {"discard 5C 5S"}


@pytest.mark.search
@pytest.mark.parametrize("level", ["novice", "beginner", "apprentice"])
def test_a_team_with_an_adept_can_win(level: str) -> None:
    """No level makes a game unwinnable, and each costs the team some that two adepts would win."""
    beside, adepts = (Arena("regicide", seats, DEALS, {}, "beside") for seats in ((level, "adept"), ("adept", "adept")))
    won = [sum(result.outcome["result"] == "won" for result in results(arena)) for arena in (beside, adepts)]

    assert 0 < won[0] < won[1]


def results(arena: Arena) -> list[GameResult]:
    """Return all results of an arena."""
    return [result for number in range(arena.games) if (result := play(arena, number))]
