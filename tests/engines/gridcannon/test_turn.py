import pytest

from tests.engines.gridcannon.dealing import shuffled
from tests.engines.gridcannon.table import arsenals, cards, grid, lines, moves, parts, play, position, royals
from tests.engines.referee import apply, refusal

# Nothing but a 9, a 10 (or a 2, on the T) can be laid on this grid.
HIGH = "b2:9C c2:9D d2:9H b3:9S c3:8C d3:8D b4:8H c4:8S d4:TC"
TWELVE = " 4C 4D 4H 4S 5C 5D 5H 5S 6C 6D KD KC"


@pytest.mark.parametrize(
    ("top", "phase", "turn", "turns", "held"),
    [
        ("7S", "place", 0, 17, "X1 |"),  # G6: a number is in hand
        ("QH", "place_royal", 0, 17, "X1 |"),  # G6: one's own royal
        ("QS", "place_royal", 0, 17, "X1 |"),  # G6: another's royal: still this seat's turn
        ("AS", "draw", 1, 18, "X1 AS |"),  # G6: an ace joins the end of the arsenal, the turn is over
        ("X2", "draw", 1, 18, "X1 X2 |"),  # G6: so does a joker
    ],
)
def test_g6_what_a_draw_brings(top, phase, turn, turns, held) -> None:
    """One card, by its kind; the rest of the draw pile lies still."""
    before = position(pile=top + TWELVE, arms="X1 |", known_bottom=2)

    followed = play(before, 0, "draw")

    assert parts(followed, "phase", "turn", "turns", "arsenals") == (phase, turn, turns, arsenals(held))
    assert followed["drawn"] == (None if phase == "draw" else top)
    assert parts(followed, "draw_pile", "known_bottom") == (cards(TWELVE), 2)


@pytest.mark.parametrize(
    ("turn", "board", "drawn", "action", "following"),
    [
        (0, "c5:JC a3:JD c1:JH e3:JS", "7S", "place d4", 1),  # G6: clockwise
        (3, "c5:JC a3:JD c1:JH e3:JS", "7S", "place d4", 0),  # G6: seat 0 follows seat 3
        (0, "c5:JC a3:-JD c1:JH e3:JS", "7S", "place d4", 2),  # G6: seat 1 is out
        (0, "c5:JC a3:-JD c1:-JH e3:JS", "7S", "place d4", 3),  # G6: and seat 2
        (2, "c5:-JC a3:JD c1:JH e3:-JS", "7S", "place d4", 1),  # G6: over seat 3 and seat 0
        (2, "c5:JC a3:JD c1:JH e3:-JS", None, "draw", 0),  # G6: after an ace too
    ],
)
def test_g6_the_next_living_seat(turn, board, drawn, action, following) -> None:
    """Seats that are out take no more turns (G17)."""
    before = position(4, board=board, turn=turn, drawn=drawn, pile="AS 2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H")

    followed = play(before, turn, action)

    assert parts(followed, "phase", "turn", "turns", "drawn") == ("draw", following, 18, None)


def test_g6_a_royal_is_its_familys_to_place() -> None:
    """Seat 3's King drawn by seat 0: seat 3 places it, then seat 1 draws."""
    before = position(4, drawn="KS", cells="d4:9S")
    assert [moves(before, seat) for seat in range(4)] == [set(), set(), set(), lines("royal d5; royal e4")]

    followed = play(before, 3, "royal e4")

    assert parts(followed, "phase", "turn", "turns", "drawn") == ("draw", 1, 18, None)
    assert followed["royals"] == royals("c5:JC a3:JD c1:JH e3:JS e4:KS")


def test_g1_families_follow_the_choice_not_the_seat() -> None:
    """Seat 0 has black: it places the QS that seat 1 drew, which can't."""
    before = position(families=["black", "red"], turn=1, drawn="QS", cells="c2:9S")

    assert [moves(before, seat) for seat in (0, 1)] == [lines("royal c1"), set()]
    assert play(before, 0, "royal c1")["turn"] == 0


@pytest.mark.parametrize(
    ("drawn", "seat", "action", "code"),
    [
        (None, 0, "place b2", "illegal_action"),  # G6: nothing is in hand
        (None, 0, "armour a3", "illegal_action"),  # G6
        (None, 0, "return", "illegal_action"),  # G6
        (None, 1, "place b2", "not_your_turn"),  # referee.md, error 6
        (None, 1, "armour e3", "not_your_turn"),  # referee.md, error 6
        (None, 1, "return", "not_your_turn"),  # referee.md, error 6
        ("7S", 0, "draw", "illegal_action"),  # G6: one card a turn
        ("7S", 1, "return", "not_your_turn"),  # referee.md, error 6
        ("QS", 0, "draw", "illegal_action"),  # G6: a royal waits
        ("QS", 0, "place b2", "illegal_action"),  # G6: a royal isn't laid on the grid
        ("QS", 0, "return", "illegal_action"),  # G6
        ("QS", 0, "royal c1", "not_your_turn"),  # G6: on turn, but it's seat 1's royal
        ("QS", 1, "draw", "not_your_turn"),  # G6: it places, but it isn't its turn
        ("QS", 1, "place b2", "not_your_turn"),  # referee.md, error 6
        ("QH", 1, "royal c1", "not_your_turn"),  # G6: seat 0's royal
    ],
)
def test_g6_out_of_place(drawn, seat, action, code) -> None:
    """What belongs to another phase is illegal, what belongs to another seat isn't your turn."""
    assert refusal(apply(position(drawn=drawn, cells="c2:2S"), seat, action)) == code


@pytest.mark.parametrize(
    ("drawn", "cells", "placed"),
    [
        ("7S", "b2:7H c2:8C d2:6D b3:TC c3:9C d3:2S b4:9S c4:8H d4:7D", "b2 d2 d3 d4"),  # G8: same or lower
        ("2S", "b2:TH c2:2C d2:3D b3:9C c3:TD d3:4S b4:9S c4:8S d4:5S", "b2 c2 c3"),  # G8: a 2 on a 10 or a 2
        ("3S", "b2:TH c2:2C d2:3D b3:9C c3:TD d3:4S b4:9S c4:8S d4:5S", "c2 d2"),  # G8: a 3 isn't a 2
        ("TS", "b2:TH c2:2C d2:3D b3:9C c3:TD d3:4S b4:9S c4:8S d4:5S", "b2 c2 d2 b3 c3 d3 b4 c4 d4"),  # G8
        ("2S", "", "b2 c2 d2 b3 c3 d3 b4 c4 d4"),  # G8: empty cells, the centre too
        ("5S", "b2:2H,9C c2:9H,2C d2:5D,6D b3:TC,5C c3:6C d3:7C b4:8C c4:9D d4:TD", "c2 b3"),  # G8: tops alone
    ],
)
def test_g8_where_a_number_goes(drawn, cells, placed) -> None:
    """On an empty cell, the same or a lower value whatever its suit, or a 2 on a 10."""
    before = position(drawn=drawn, cells=cells)

    assert moves(before, 0) == {f"place {cell}" for cell in placed.split()}
    assert moves(before, 1) == set()


def test_g8_laid_on_top() -> None:
    """A 2 on a 10 resets the stack: it lies on top of it, and everything below stays."""
    followed = play(position(drawn="2S", cells="c3:9C,TH"), 0, "place c3")

    assert parts(followed, "grid", "drawn", "phase", "turn") == (grid("c3:9C,TH,2S"), None, "draw", 1)


def test_g8_a_refusal_names_its_rule() -> None:
    """A 7 on an 8 is refused by G8."""
    heard = apply(position(drawn="7S", cells="c3:8C"), 0, "place c3")

    assert refusal(heard) == "illegal_action"
    assert heard["error"]["rule"] == "G8"


@pytest.mark.parametrize(
    ("players", "drawn", "board", "expected"),
    [
        (2, "3H", "a3:JD e3:JC", "armour a3"),  # G12: a heart suits a red Jack of diamonds
        (2, "3H", "a3:JD e3:JC c1:KH b1:-QD", "armour a3; armour c1"),  # G12: any living one; not the dead
        (2, "3S", "a3:JD e3:JC", "return"),  # G12: a black card is no armour for red; nor may it go to black's
        (2, "3H", "a3:-JD e3:JC", "return"),  # G12: no living royal of the family on the board
        (2, "3H", "e3:JC", "return"),  # G12
        (4, "3C", "c5:JC a3:JD c1:JH e3:JS", "armour c5"),  # G12: four players: the suit
        (4, "3S", "c5:JC a3:JD c1:JH e3:JS", "return"),  # G12: its colour is not enough
        (4, "3H", "c5:JC a3:JD c1:JH e3:JS", "return"),  # G12: it matches another's family
        (4, "3C", "c5:JC d1:KC a3:JD c1:JH e3:JS", "armour c5; armour d1"),  # G12: whichever
        (2, "8S", "a3:JD e3:JC", "place c3; place d3; place b4; place c4"),  # G12: laid if it can be, never armour
        (2, "9H", "a3:JD e3:JC", "place b2; place c2; place d2; place b3; place c3; place d3; place b4; place c4"),
        (2, "2H", "a3:JD e3:JC", "place d4"),  # G8, G12: a 2 can go on the 10
    ],
)
def test_g12_a_number_that_can_not_be_laid(players, drawn, board, expected) -> None:
    """Armour if there is a royal to wear it, else return; neither while it can be laid."""
    cells = {"8S": HIGH.replace("8S", "7S"), "9H": HIGH.replace("9H", "7H")}.get(drawn, HIGH)

    assert moves(position(players, drawn=drawn, board=board, cells=cells), 0) == lines(expected)


@pytest.mark.parametrize(
    ("drawn", "action"),
    [
        ("3H", "return"),  # G12: while armour is possible
        ("3H", "armour e3"),  # G12: another's royal
        ("3H", "armour b1"),  # G12: a dead one
        ("3H", "armour b5"),  # G12: nobody
        ("3S", "armour a3"),  # G12: not its family
        ("3S", "armour e3"),  # G12: matches a royal, which isn't one's own
        ("TH", "armour a3"),  # G12: it can be laid
        ("TH", "return"),  # G12: it can be laid
    ],
)
def test_g12_refused(drawn, action) -> None:
    """Armour and return are the way out of a dead end, not a choice."""
    heard = apply(position(drawn=drawn, board="a3:JD e3:JC b1:-QD", cells=HIGH), 0, action)

    assert refusal(heard) == "illegal_action"
    assert heard["error"]["rule"] == "G12"


def test_g12_armour_is_laid_last_and_fires_at_nobody() -> None:
    """The new layer is the last; the draw pile lies still."""
    before = position(drawn="3H", board="a3:JD+2H e3:JC", cells=HIGH, known_bottom=4)

    followed = play(before, 0, "armour a3")

    assert followed == before | {
        "royals": royals("a3:JD+2H+3H e3:JC"), "drawn": None, "phase": "draw", "turn": 1, "turns": 18,
    }  # fmt: skip


def test_g12_return_is_mixed_in() -> None:
    """The card is put at the bottom and the pile is shuffled (G21, G23)."""
    before = position(drawn="3S", cells=HIGH, known_bottom=4)

    followed = play(before, 0, "return")

    assert parts(followed, "draw_pile", "known_bottom") == (shuffled(before["draw_pile"] + ["3S"]), 0)
    assert parts(followed, "drawn", "phase", "turn", "turns") == (None, "draw", 1, 18)


@pytest.mark.parametrize(
    ("pile", "known", "drawn", "left", "known_after"),
    [
        ("QH 3S 5C KC", 0, "QH", "3S 5C KC", 0),  # G16: at once; nothing is passed over
        ("5C AH 6S QH 7C KC", 0, "QH", "7C KC 5C AH 6S", 3),  # G16: in the order drawn; no ploy for anybody
        ("5C AH X2 QC 7C QH", 0, "QC", "7C QH 5C AH X2", 3),  # G16: a royal of any family
        ("5C 6S QH 7C 8C KC", 2, "QH", "7C 8C KC 5C 6S", 4),  # G16, G22: what was known stays known above them
        ("5C 6S QH 7C 8C KC", 5, "QH", "7C 8C KC 5C 6S", 5),  # G22: it drew a known 6S and QH; three are left
        ("5C 6S QH 7C 8C KC", 6, "QH", "7C 8C KC 5C 6S", 5),  # G22: never more than there are
        ("5C 6S 7C QH", 0, "QH", "5C 6S 7C", 3),  # G16: the last card of all
        ("QH", 1, "QH", "", 0),  # G16: nothing is left
    ],
)
def test_g16_draws_until_a_royal_comes(pile, known, drawn, left, known_after) -> None:
    """Red has no living royal on the board but one in the draw pile."""
    before = position(board="a3:-JD e3:JC", pile=pile, known_bottom=known)

    followed = play(before, 0, "draw")

    expected = before | {"phase": "place_royal", "drawn": drawn, "draw_pile": cards(left), "known_bottom": known_after}
    assert followed == expected


@pytest.mark.parametrize(
    ("board", "turn", "passes"),
    [
        ("c5:JC a3:JD c1:JH e3:JS", 0, False),  # G16: a living one is out
        ("c5:JC a3:JD c1:JH e3:JS a2:-KC", 0, False),  # G16: a dead one beside it doesn't matter
        ("c5:-JC a3:JD c1:JH e3:JS", 0, True),  # G16: only a dead one
        ("a3:JD c1:JH e3:JS", 0, True),  # G16: none at all
        ("c5:-JC a3:JD c1:JH e3:JS", 1, False),  # G16: that is seat 0's trouble, not seat 1's
    ],
)
def test_g16_who_draws_on(board, turn, passes) -> None:
    """It is the family of the seat on turn that counts."""
    before = position(4, board=board, turn=turn, pile="5C 6S QC 7C QD QH QS")

    followed = play(before, turn, "draw")

    assert followed["drawn"] == ("QC" if passes else "5C")


def test_g16_another_familys_royal_ends_the_turn() -> None:
    """Black places it; red, still with none on the board, waits for its next turn."""
    before = position(board="a3:-JD e3:JC", pile="5C QS 2C 2D 2H 3C 3D 3H 4C 4D 4H KD", cells="c2:9S")
    drawn = play(before, 0, "draw")
    assert [moves(drawn, 0), moves(drawn, 1)] == [set(), lines("royal c1")]

    followed = play(drawn, 1, "royal c1")

    assert parts(followed, "phase", "turn", "turns", "known_bottom") == ("draw", 1, 18, 1)
    assert followed["draw_pile"][-1] == "5C"


@pytest.mark.parametrize(
    ("count", "known", "known_after"),
    [
        (12, 12, 11),  # G22: the top card of a pile known throughout
        (12, 11, 11),  # G22: the one unknown card
        (12, 3, 3),  # G22
    ],
)
def test_g22_an_ordinary_draw_from_what_is_known(count, known, known_after) -> None:
    """A known card that is drawn is no longer at the bottom."""
    before = position(pile=count, keep="", known_bottom=known)

    followed = play(before, 0, "draw")

    assert parts(followed, "drawn", "draw_pile", "known_bottom") == (
        before["draw_pile"][0], before["draw_pile"][1:], known_after,
    )  # fmt: skip
