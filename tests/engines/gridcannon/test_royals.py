import pytest

from tests.engines.gridcannon.table import SLOTS, cards, moves, parts, play, position, royals
from tests.engines.referee import apply, refusal

ALL_BUT_C1 = "b1:-KD d1:-QD e2:-JD e3:JC e4:-QC b5:-KC c5:-JS d5:-QS a2:-KS a3:JH a4:-QH"


@pytest.mark.parametrize(
    ("drawn", "cells", "board", "slots"),
    [
        # --- G7: the most similar card
        ("KH", "c2:9H b3:3H d3:TD", "", "c1"),  # G7: highest of its suit, not its colour's 10
        ("KH", "c2:2H b3:TD d3:TS", "", "c1"),  # G7: a 2 of its suit is nearer than any 10
        ("KH", "c2:9D b3:4D d3:TS", "", "c1"),  # G7: none of its suit: highest of its colour
        ("KH", "c2:2D b3:TC d3:TS", "", "c1"),  # G7: a 2 of its colour is nearer than a black 10
        ("KH", "c2:9S b3:4C d3:8S", "", "c1"),  # G7: neither: the highest of all
        ("QS", "c2:9S b3:TC d3:TD", "", "c1"),  # G7: a Queen goes by her suit as well (not as in G9)
        ("JC", "c2:9C b3:TS d3:TD", "", "c1"),  # G7: a Jack too
        ("JC", "c2:9S b3:TH d3:TD", "", "c1"),  # G7: a Jack's colour
        ("KH", "c2:TS,5H b3:9H,2H d3:4D", "", "c1"),  # G7: the top cards alone
        ("KH", "c2:5H,TS b3:9H,TC d3:2D", "", "e3"),  # G7: hearts that lie covered don't count
        ("KH", "c3:TH c4:2H", "", "c5"),  # G7: the centre has no slot
        ("KH", "c3:TH b3:2C", "", "a3"),  # G7: not for the colour's sake either
        # --- G7: the choice among equals
        ("KH", "b2:9H c2:5H", "", "b1 a2"),  # G7: a corner's two slots
        ("KH", "d2:9H", "", "d1 e2"),  # G7
        ("KH", "b4:9H", "", "b5 a4"),  # G7
        ("KH", "d4:9H", "", "d5 e4"),  # G7
        ("KH", "c2:9C d3:9S b3:8S", "", "c1 e3"),  # G7: two nines of the other colour
        ("KH", "b2:9C d4:9S", "", "b1 a2 d5 e4"),  # G7: two corners that tie
        ("KS", "c2:TD d3:TH b3:TS", "", "a3"),  # G7: a tie that its suit decides
        ("KS", "c2:TD d3:TH b3:2C", "", "a3"),  # G7: or its colour
        # --- G7: only cells with a free slot beside them count
        ("KH", "b2:9H c2:5H", "b1:QC", "a2"),  # G7: one of the corner's two is taken
        ("KH", "b2:9H c2:5H", "b1:-QC", "a2"),  # G7: the dead keep their slot (G10)
        ("KH", "b2:9H c2:5H", "b1:QC a2:-KC", "c1"),  # G7: both are: the next highest of its suit
        ("KH", "b2:9H c2:5H d3:6D", "b1:QC a2:QS c1:KC", "e3"),  # G7: no heart left: its colour
        ("KH", "b2:9H c2:5D d3:6S b3:TC", "b1:QC a2:QS c1:KC a3:-KS", "e3"),  # G7: nor a red card: highest of all
        ("KH", "b2:9C d4:9S", "b1:QC a2:QS", "d5 e4"),  # G7: of the two that tied one has no room
        ("KH", "b2:9C d4:9S", "b1:QC e4:QS", "a2 d5"),  # G7: each has one slot left
        # --- G7: no cell is left
        ("KH", "", "c1:QC", "b1 d1 e2 e3 e4 b5 c5 d5 a2 a3 a4"),  # G7: an empty grid: any free slot
        ("KH", "c3:TH", "", " ".join(SLOTS)),  # G7: the centre alone is as good as nothing
        ("KH", "b2:9H c2:5H", "b1:QC a2:-KC c1:QS", "d1 e2 e3 e4 b5 c5 d5 a3 a4"),  # G7: the cells laid are all full
        ("KH", "c2:5H d3:2C", ALL_BUT_C1, "c1"),  # G7: the twelfth
        ("KH", "b3:5H d3:2C", ALL_BUT_C1, "c1"),  # G7: the twelfth, beside an empty cell
    ],
)
def test_g7_where_a_royal_goes(drawn, cells, board, slots) -> None:
    """Beside the most similar card that has room; its player chooses among equals."""
    seat = 0 if drawn[1] in "DH" else 1
    keep = "" if board == ALL_BUT_C1 else None
    before = position(cells=cells, board=board, drawn=drawn, turn=1 - seat, keep=keep)

    assert moves(before, seat) == {f"royal {slot}" for slot in slots.split()}
    assert moves(before, 1 - seat) == set()


@pytest.mark.parametrize(
    ("slot", "rule"),
    [
        ("b1", "G7"),  # G7: taken by the living
        ("a3", "G7"),  # G7: taken by the dead
        ("c1", "G7"),  # G7: free, beside a heart that isn't the highest
        ("e3", "G7"),  # G7: free, beside an empty cell
    ],
)
def test_g7_refused(slot, rule) -> None:
    """Only the most similar card's free slots."""
    heard = apply(position(cells="b2:9H c2:5H b3:4H", board="b1:JC a3:-JD", drawn="KH"), 0, f"royal {slot}")

    assert refusal(heard) == "illegal_action"
    assert heard["error"]["rule"] == rule


def test_g7_placing_is_all_that_happens() -> None:
    """It comes alive and bare; it fires at nobody and nobody at it; nothing is shuffled."""
    before = position(cells="c2:9H,TD,9D c3:8S c4:TH,2H", drawn="KH", known_bottom=3, arms="AH | X1")

    followed = play(before, 0, "royal c5")

    placed = royals("a3:JD e3:JC c5:KH")
    assert followed == before | {"royals": placed, "drawn": None, "phase": "draw", "turn": 1, "turns": 18}


def test_g7_ploys_may_change_the_most_similar_card() -> None:
    """A reassignment during the halt covers the 9H: now the 5H on c2 is the highest heart."""
    before = position(cells="b2:9H c2:5H d2:TS", board="a3:JD e3:JC", drawn="KH", queue="1 AS reassignment")
    assert moves(before, 0) == set()

    followed = play(before, 1, "reassign d2 b2")

    assert parts(followed, "phase", "drawn", "turn") == ("place_royal", "KH", 0)
    assert moves(followed, 0) == {"royal c1"}


def test_g7_a_switch_frees_no_slot_but_changes_none() -> None:
    """Two royals exchange their slots: what was free is free, what was taken is taken."""
    before = position(cells="b2:9H c2:5H", board="b1:JC a3:JD", drawn="KH", queue="1 X1 switcheroo")

    assert moves(play(before, 1, "switch b1 a3"), 0) == {"royal a2"}


def test_g7_the_last_royal_waits_out_of_every_pile() -> None:
    """A royal that waits keeps its family in the game (G17): no living red one is anywhere else."""
    before = position(cells="c2:5H", board="a3:-JD e3:JC", drawn="KH", keep="")

    followed = play(before, 0, "royal c1")

    assert parts(followed, "phase", "outcome", "turn") == ("draw", None, 1)
    assert [followed["royals"][slot]["alive"] for slot in cards("a3 c1")] == [False, True]
