"""Numbers of a position are at most 10^9: an action by which one would pass that is refused (docs/referee.md)."""

import pytest

from tests.engines.referee import Json, apply, legal, refusal
from tests.engines.regicide.boards import board, case

MOST = 10**9


@pytest.mark.parametrize(
    ("position", "action", "rule"),
    [
        case("R8 at the limit", board(["2S 5C", "7C"], shield=MOST), "play 2S", "R8"),
        case("R8 below it", board(["2S 5C", "7C"], shield=MOST - 1), "play 2S", "R8"),
        case("R10 suspended", board(["2S 5C", "7C"], enemy="JS", shield=MOST), "play 2S", "R8"),
        case("R21 a heal", board(["2H 5C", "7C"], enemy="JC", discard="3C", packets={"7C": MOST}), "play 2H", "R21"),
        case("R21 an exact blow", board(["5D 4C", "7C"], damage=15, packets={"7C": MOST}), "play 5D", "R21"),
    ],
)
def test_too_great_a_sum(position: Json, action: str, rule: str) -> None:
    """It is no legal action, and refused by the ruling that would have added to the number."""
    heard = apply(position, 0, action)

    assert (refusal(heard), heard["error"]["rule"]) == ("illegal_action", rule)
    assert action.split()[1] not in {card for one in legal(position, 0) for card in one.get("cards", [])}


@pytest.mark.parametrize(
    ("position", "action"),
    [
        case("to the limit", board(["2S 5C", "7C"], shield=MOST - 2), "play 2S"),
        case("another suit", board(["2S 5C", "7C"], shield=MOST), "play 5C"),
        case("R12 shields end with the enemy", board(["2S 5C", "7C"], shield=MOST, damage=19), "play 2S"),
        case("R5 nothing to heal", board(["2H 5C", "7C"], enemy="JC", packets={"7C": MOST}), "play 2H"),
    ],
)
def test_whatever_is_legal_leads_to_a_position(position: Json, action: str) -> None:
    """Which can be read again."""
    after = apply(position, 0, action)["position"]

    assert legal(after, after["turn"]) is not None
