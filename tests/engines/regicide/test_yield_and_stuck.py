"""Yielding (R15) and being stuck (R16)."""

import pytest

from tests.engines.referee import Json, accepted, after, apply, legal, new, refusal
from tests.engines.regicide.boards import FLIP, YIELD, board, case, lost, shown, spelled


@pytest.mark.parametrize(
    ("yielded", "allowed"),
    [
        case("R15: two, nobody has", [False, False], True),
        case("R15: two, the other has", [False, True], False),
        case("R15: two, oneself has", [True, False], True),
        case("R15: two, both have", [True, True], False),
        case("R15: three, nobody has", [False, False, False], True),
        case("R15: three, one other has", [False, False, True], True),
        case("R15: three, both others have", [False, True, True], False),
        case("R15: three, one other and oneself", [True, False, True], True),
        case("R15: four, two others have", [False, True, False, True], True),
        case("R15: four, all others have", [False, True, True, True], False),
        case("R15: four, two others and oneself", [True, True, True, False], True),
    ],
)
@pytest.mark.parametrize("turn", [0, 1])
def test_r15_who_may_yield(yielded: list[bool], turn: int, *, allowed: bool) -> None:
    """A seat may not if every other seat's own last turn was one; its own mark is no matter."""
    marks = yielded[-turn:] + yielded[:-turn] if turn else yielded
    before = board(["TC", "TD", "TS", "TH"][: len(marks)], yielded=marks, turn=turn)

    assert (YIELD in legal(before, turn)) is allowed
    heard = apply(before, turn, "yield")
    if allowed:
        assert shown(accepted(heard, "position"), {"phase": 0, "turn": 0}) == {"phase": "suffer", "turn": turn}
    else:
        assert (refusal(heard), heard["error"]["rule"]) == ("illegal_action", "R15")


@pytest.mark.parametrize(
    ("before", "allowed"),
    [
        case("R15: solo, nobody else", board(["TC"]), False),
        case("R15: solo, by option", board(["TC"], solo_yield=True), True),
        case("R15: solo, by option, not twice", board(["TC"], solo_yield=True, yielded=[True]), False),
        case("R15: the option is nothing to two", board(["TC", "2C"], solo_yield=True, yielded=[False, True]), False),
        case(
            "R15: nor does it forbid two what they may",
            board(["TC", "2C"], solo_yield=True, yielded=[True, False]),
            True,
        ),
    ],
)
def test_r15_solo(before: Json, *, allowed: bool) -> None:
    """A solo player may not yield, but by the option, and then not twice in a row."""
    assert (YIELD in legal(before, 0)) is allowed
    assert ("error" not in apply(before, 0, "yield")) is allowed


def test_r15_a_yield_does_nothing_else() -> None:
    """No power, no damage: the seat is marked and goes on to step 4."""
    before = board(["TC 9C", "2C"], damage=5, shield=3, table="2D 3S", tavern="9H", discard="9S", packets={"9H": 2})

    assert after(before, 0, YIELD) == before | {"phase": "suffer", "yielded": [True, False]}


def test_r15_a_solo_yield_is_followed_by_a_play() -> None:
    """Yield, suffer, no yield; play, suffer, yield again."""
    position = after(board(["TC TD TS 2D 2S"], solo_yield=True), 0, "yield")
    position = after(position, 0, "discard TC")
    assert (position["yielded"], YIELD in legal(position, 0)) == ([True], False)

    position = after(after(position, 0, "play 2D"), 0, "discard TD")

    assert (position["yielded"], YIELD in legal(position, 0)) == ([False], True)


def test_r15_a_round_of_yields_ends_with_the_last_seat() -> None:
    """Two of three yield in a row, so the third may not; when it has played, the first may."""
    position = board(["TC 2C", "TD 2D", "TS 2H 3H"])
    for seat, action in enumerate(["yield", "yield"]):
        position = after(after(position, seat, action), seat, f"discard T{'CD'[seat]}")
    assert YIELD not in legal(position, 2)

    position = after(after(position, 2, "play 2H"), 2, "discard TS")

    assert shown(position, {"turn": 0, "yielded": 0}) == {"turn": 0, "yielded": [True, True, False]}
    assert YIELD in legal(position, 0)


def test_r15_last_turns_need_not_follow_each_other() -> None:
    """Seat 2 yielded before seat 0's Jester passed it over: its mark stays, for its own last turn was a yield."""
    position = board(["X1 2C", "TD 2D", "TS 2H"], turn=2)
    position = after(after(position, 2, "yield"), 2, "discard TS")
    position = after(after(position, 0, "play X1"), 0, "choose 1")
    assert YIELD in legal(position, 1)

    position = after(after(position, 1, "yield"), 1, "discard TD")
    position = after(position, 2, "play 2H")

    assert shown(position, {"phase": 0, "yielded": 0}) == {"phase": "over", "yielded": [False, True, False]}


def test_r15_a_jester_clears_its_players_mark_alone() -> None:
    """Seat 1 yielded last turn and plays a Jester now; seat 0's yield still counts against seat 2."""
    before = board(["2C", "X1 2D", "2H"], turn=1, yielded=[True, True, False])

    position = after(after(before, 1, "play X1"), 1, "choose 2")

    assert position["yielded"] == [True, False, False]
    assert YIELD in legal(position, 2)


@pytest.mark.parametrize(
    ("before", "action", "expected"),
    [
        case("R16: no card, the other has just yielded", board(["TC", ""], phase="suffer", yielded=[True, False]),
             "discard TC", {"phase": "over", "outcome": lost("could_not_act", 9), "discard": "TC"}),
        case("R16: no card, but a yield", board(["TC", ""], phase="suffer"), "discard TC",
             {"phase": "play", "turn": 1, "outcome": None}),
        case("R16: no card, a yield though one's own last turn was one",
             board(["TC", ""], phase="suffer", yielded=[False, True]), "discard TC",
             {"phase": "play", "turn": 1, "outcome": None}),
        case("R16: three, no card, one other has not yielded", board(["TC", "", "2C"], phase="suffer",
             yielded=[True, False, False]), "discard TC", {"phase": "play", "turn": 1, "outcome": None}),
        case("R16: three, no card, both others have",
             board(["TC", "", "2C"], phase="suffer", yielded=[True, False, True]),
             "discard TC", {"phase": "over", "outcome": lost("could_not_act", 9)}),
        case("R16: a yield with nothing to suffer strands the next seat", board(["2C", ""], shield=10), "yield",
             {"phase": "over", "outcome": lost("could_not_act", 9), "hands": ["2C", ""], "yielded": [True, False]}),
        case("R16: a play with nothing to suffer leaves it a yield",
             board(["2C", ""], shield=10, yielded=[True, False]), "play 2C",
             {"phase": "play", "turn": 1, "yielded": [False, False]}),
        case("R16: a diamond saves the next seat", board(["2D TC", ""], shield=10, tavern="9H 8H"), "play 2D",
             {"phase": "play", "turn": 1, "hands": ["TC 9H", "8H"]}),
        case("R16: a Jester in hand is a card to play", board(["TC", "X1"], phase="suffer", yielded=[True, False]),
             "discard TC", {"phase": "play", "turn": 1}),
        case("R16: solo, a Jester to flip", board(["TC"], phase="suffer", jesters_left=1, flips=1), "discard TC",
             {"phase": "play", "outcome": None, "hands": [""]}),
        case("R16: solo, nothing to flip, but a yield",
             board(["TC"], phase="suffer", jesters_left=0, flips=2, solo_yield=True), "discard TC",
             {"phase": "play", "outcome": None}),
        case("R16: solo, nothing to flip, the yield used up",
             board(["TC"], phase="suffer", jesters_left=0, flips=2, solo_yield=True, yielded=[True]), "discard TC",
             {"phase": "over", "outcome": lost("could_not_act", 9)}),
    ],
)  # fmt: skip
def test_r16_a_turn_that_cannot_begin(before: Json, action: str, expected: Json) -> None:
    """No card, no yield and no Jester to flip: lost for all, at once, where the turn would begin."""
    assert shown(after(before, 0, action), expected) == spelled(expected)


@pytest.mark.parametrize(
    ("before", "allowed"),
    [
        case("R16: two", board(["", "2C"]), [YIELD]),
        case("R17: solo", board([""], jesters_left=1, flips=1), [FLIP]),
        case("R15: solo, by option", board([""], jesters_left=0, flips=2, solo_yield=True), [YIELD]),
    ],
)
def test_r16_an_empty_hand_that_is_not_stuck(before: Json, allowed: list[Json]) -> None:
    """It has exactly what R15 and R17 leave it, though that may lose the game."""
    assert legal(before, 0) == allowed


def test_r16_nobody_is_stuck_at_the_start() -> None:
    """Whoever begins, with a full hand: the game is on."""
    for players in (1, 2, 3, 4):
        position = accepted(new(players, {"first_seat": players - 1}), "position")
        assert [bool(legal(position, seat)) for seat in range(players)] == [False] * (players - 1) + [True]
