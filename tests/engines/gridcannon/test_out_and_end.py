from typing import Any

import pytest

from tests.engines.gridcannon.dealing import Dealer, shuffled
from tests.engines.gridcannon.table import arsenals, cards, grid, moves, outcome, parts, play, ploys, position, royals
from tests.engines.referee import Json, apply, refusal

FOUR = "c1:JD a3:QH e3:QS c5:KC"  # seats 1, 2, 3 and 0; c4 is the trigger of c1, d3 of a3, b3 of e3, c2 of c5
SHOT = "c2:6C c3:5C"  # 11 against the Jack on c1
LAST = "b1:JD e4:JS a3:QH c5:KC"  # seats 1 and 3 fall together over b4
TWICE = "b2:6C b3:5C c4:3H d4:8D b4:2H"  # 11 against the Jacks on b1 and e4
FORCE = "2 X1 forced_attack"


def four(**fields: Any) -> Json:
    """Return a table of four whose families all have their one royal on the board and none in the draw pile."""
    return position(4, **({"board": FOUR, "cells": SHOT, "keep": ""} | fields))


@pytest.mark.parametrize(
    ("turn", "arms", "mixed", "following", "held"),
    [
        (0, "AC | AD X2 | AH |", "AD X2", 2, "AC || AH |"),  # G17: seat 1 is out and passed over
        (3, "| AD | AH |", "AD", 0, "|| AH |"),  # G17
        (1, "| X2 AD | AH |", "X2 AD", 2, "|| AH |"),  # G17: by its own card, on its own turn; oldest first
        (1, "AC || AH |", "", 2, "AC || AH |"),  # G17, G21: it holds nothing: no shuffle
    ],
)
def test_g17_a_seat_falls_by_a_card_laid(turn, arms, mixed, following, held) -> None:
    """Its arsenal is mixed in; the next living seat's turn begins."""
    before = four(turn=turn, drawn="9S", arms=arms, known_bottom=3)

    followed = play(before, turn, "place c4")

    assert parts(followed, "phase", "turn", "turns", "outcome") == ("draw", following, 18, None)
    assert followed["royals"] == royals("c1:-JD a3:QH e3:QS c5:KC")
    assert followed["arsenals"] == arsenals(held, 4)
    pile = before["draw_pile"]
    expected = (shuffled(pile + cards(mixed)), 0) if mixed else (pile, 3)
    assert parts(followed, "draw_pile", "known_bottom") == expected


@pytest.mark.parametrize(
    ("fields", "following"),
    [
        ({"keep": "QD"}, 1),  # G17: one in the draw pile
        ({"board": f"{FOUR} a2:KD"}, 1),  # G17: one on the board
        ({"board": f"{FOUR} a2:-KD"}, 2),  # G17: a dead one is none
        ({"keep": "KH"}, 2),  # G17: another family's is none
    ],
)
def test_g17_a_family_lives_while_one_of_it_is_left(fields, following) -> None:
    """On the board, in the draw pile or waiting to be placed."""
    before = four(drawn="9S", arms="| AD ||", **fields)

    followed = play(before, 0, "place c4")

    assert followed["turn"] == following
    assert followed["arsenals"][1] == (["AD"] if following == 1 else [])


@pytest.mark.parametrize(
    ("drawn", "queue", "arms", "mixed", "left"),
    [
        (None, FORCE, "| X2 ||", "X1 X2", ""),  # G17, G23: the used ploy, the arsenal
        ("9S", FORCE, "| X2 ||", "X1 9S X2", ""),  # G17, G23: the number that it had drawn goes first
        ("9S", f"{FORCE}, 1 AD reassignment", "| X2 ||", "X1 9S AD X2", ""),  # G23: its queue before its arsenal
        (None, f"{FORCE}, 1 AD reassignment, 3 AS reassignment, 1 AC reassignment", "| X2 AH ||", "X1 AD AC X2 AH",
         "3 AS reassignment"),  # G17, G23: each oldest first; another's ploy stays and halts the new turn
        ("9S", f"{FORCE}, 2 AH reassignment", "", "X1 9S", "2 AH reassignment"),  # G14, G17
    ],
)  # fmt: skip
def test_g17_the_seat_on_turn_falls_by_anothers_ploy(drawn, queue, arms, mixed, left) -> None:
    """What it had drawn, queued and kept is mixed in, the turn passes at once, the rest of the queue stays."""
    before = four(turn=1, drawn=drawn, cells=f"{SHOT} c4:2H", queue=queue, arms=arms)

    followed = play(before, 2, "force c4")

    assert followed["draw_pile"] == shuffled(before["draw_pile"] + cards(mixed))
    assert parts(followed, "phase", "turn", "turns", "drawn") == ("draw", 2, 18, None)
    assert parts(followed, "ploys", "arsenals") == (ploys(left), [[], [], [], []])
    assert moves(followed, 1) == set()
    assert ("draw" in moves(followed, 2)) == (left == "")


@pytest.mark.parametrize(("drawn", "phase"), [(None, "draw"), ("9S", "place"), ("QC", "place_royal")])
def test_g17_a_seat_that_is_not_on_turn_falls(drawn, phase) -> None:
    """The turn goes on where it halted, and what its seat has drawn stays in its hand."""
    before = four(drawn=drawn, cells=f"{SHOT} c4:2H", queue=f"{FORCE}, 1 AD reassignment", arms="AC | X2 ||")

    followed = play(before, 2, "force c4")

    assert followed["draw_pile"] == shuffled(before["draw_pile"] + cards("X1 AD X2"))
    assert parts(followed, "phase", "turn", "turns", "drawn", "ploys") == (phase, 0, 17, drawn, [])
    assert followed["arsenals"] == arsenals("AC |||")


def test_g17_a_royal_that_waits_keeps_its_seat_in() -> None:
    """Seat 1's Queen waits to be placed while its Jack is shot: it isn't out, and places her."""
    before = four(drawn="QD", cells=f"{SHOT} c4:2H d2:3D", queue=FORCE, arms="| AD ||")

    followed = play(before, 2, "force c4")

    assert parts(followed, "phase", "turn", "drawn") == ("place_royal", 0, "QD")
    assert followed["arsenals"] == before["arsenals"]
    assert play(followed, 1, "royal d1")["turn"] == 1


def test_g17_the_turn_of_a_seat_that_is_out_lasts_until_the_royal_is_placed() -> None:
    """`turn` still names seat 1, which may do nothing; seat 3 places; seat 2's turn begins."""
    before = four(turn=1, drawn="KS", cells=f"{SHOT} c4:2H d4:9S", queue=FORCE, arms="| AD ||")

    waiting = play(before, 2, "force c4")

    assert parts(waiting, "phase", "turn", "turns", "drawn") == ("place_royal", 1, 17, "KS")
    assert waiting["draw_pile"] == shuffled(before["draw_pile"] + cards("X1 AD"))
    assert [moves(waiting, seat) for seat in (0, 1, 2)] == [set(), set(), set()]
    assert refusal(apply(waiting, 1, "draw")) == "illegal_action"

    followed = play(waiting, 3, "royal e4")

    assert parts(followed, "phase", "turn", "turns", "drawn") == ("draw", 2, 18, None)


@pytest.mark.parametrize(
    ("turn", "drawn", "phase", "following", "turns", "mixed"),
    [
        (0, None, "draw", 0, 17, "X1 AD X2 AS AH"),  # G17, G23: in seat order
        (1, "9S", "draw", 2, 18, "X1 9S AD X2 AS AH"),  # G23: a seat's drawn number is with its cards
        (3, "9S", "draw", 0, 18, "X1 AD X2 9S AS AH"),  # G23: so seat 3's comes after seat 1's arsenal
        (2, "9S", "place", 2, 17, "X1 AD X2 AS AH"),  # G17: the shooter's number stays in its hand
    ],
)
def test_g17_two_seats_fall_at_once(turn, drawn, phase, following, turns, mixed) -> None:
    """Seats 1 and 3 fall; neither gets the turn; all that they had is mixed in, in one shuffle."""
    queue = f"{FORCE}, 3 AS reassignment, 1 AD reassignment"
    before = four(board=LAST, cells=TWICE, turn=turn, drawn=drawn, queue=queue, arms="AC | X2 || AH")

    followed = play(before, 2, "force b4")

    assert parts(followed, "phase", "turn", "turns", "outcome") == (phase, following, turns, None)
    assert followed["draw_pile"] == shuffled(before["draw_pile"] + cards(mixed))
    assert parts(followed, "ploys", "arsenals") == ([], arsenals("AC |||"))


def test_g23_everything_that_one_action_can_mix_in() -> None:
    """Armour slot by slot from the outside, the used ploy, then the fallen seat by seat: one shuffle."""
    before = four(
        board="a2:JD+2D+3D d5:JS+2S a3:QH c5:KC", cells="b2:TC c2:TD d3:TH d4:9C d2:3C", turn=3, drawn="9S",
        queue="0 X2 forced_attack, 3 AC reassignment, 1 AD reassignment, 3 AS reassignment", arms="| AH || X1",
        known_bottom=5,
    )  # fmt: skip

    followed = play(before, 0, "force d2")

    order = "2S 3D 2D X2 AD AH 9S AC AS X1"  # d5 before a2; the ploy; seat 1; seat 3
    assert parts(followed, "draw_pile", "known_bottom") == (shuffled(before["draw_pile"] + cards(order)), 0)
    assert followed["royals"] == royals("a2:-JD d5:-JS a3:QH c5:KC")
    assert parts(followed, "phase", "turn", "turns") == ("draw", 0, 18)


@pytest.mark.parametrize(
    ("count", "refreshed"),
    [
        (8, True),  # G17, G19: 8 and two that are mixed in are 10: the new turn refreshes, in a second shuffle
        (9, False),  # G17, G19: 9 and two are 11
    ],
)
def test_g17_g19_what_falls_counts_before_the_refresh(count, refreshed) -> None:
    """Mixing in comes first, then the next turn begins and looks at the draw pile."""
    before = four(pile=count, cells=f"{SHOT} d4:2C,2D,2H", turn=1, drawn="9S", arms="| AD X2 ||")
    dealer = Dealer("s")
    pile = dealer.shuffle(before["draw_pile"] + cards("AD X2"))
    if refreshed:
        pile = dealer.shuffle([*pile, "2C"])

    followed = play(before, 1, "place c4")

    assert parts(followed, "draw_pile", "turn") == (pile, 2)
    assert followed["grid"] == grid(f"{SHOT} c4:9S d4:{'2D,2H' if refreshed else '2C,2D,2H'}")


@pytest.mark.parametrize(
    "action",
    ["draw", "place c4", "declare AD reassignment", "recall AD", "royal b1", "return"],
)
def test_g17_a_seat_that_is_out_does_nothing(action) -> None:
    """It has no turn, no card and no ploy."""
    before = four(board="c1:-JD a3:QH e3:QS c5:KC", queue="2 X1 switcheroo")
    assert moves(before, 1) == set()

    assert refusal(apply(before, 1, action)) in ("not_your_turn", "illegal_action")


@pytest.mark.parametrize(
    ("families", "board", "turn", "winner"),
    [
        (["red", "black"], "c1:JH e3:JS", 1, 1),  # G18: the last red royal falls by black's card
        (["red", "black"], "c1:JH e3:JS", 0, 1),  # G18: by red's own
        (["red", "black"], "c1:JS e3:JH", 0, 0),  # G18
        (["black", "red"], "c1:JH e3:JS", 1, 0),  # G18: the seat that has the family
        (["red", "black"], "c1:JH e3:-JS e2:QC a2:-KD", 0, 1),  # G18: the dead don't matter
    ],
)
def test_g18_one_family_is_left(families, board, turn, winner) -> None:
    """It has won, and nothing else happens: no next turn, no refresh, nothing in hand."""
    before = position(
        families=families, board=board, cells=f"{SHOT} d4:2C,2D,2H", turn=turn, drawn="9S", pile=4, keep="",
        known_bottom=2,
    )  # fmt: skip

    followed = play(before, turn, "place c4")

    assert followed == before | {
        "phase": "over", "drawn": None, "outcome": outcome("last_family", winner),
        "grid": grid(f"{SHOT} c4:9S d4:2C,2D,2H"), "royals": before["royals"] | royals(f"c1:-{board[3:5]}"),
    }  # fmt: skip
    assert [moves(followed, seat) for seat in (0, 1)] == [set(), set()]
    assert refusal(apply(followed, winner, "draw")) == "game_over"


@pytest.mark.parametrize(
    ("turn", "drawn", "hand", "mixed"),
    [
        (1, "9S", "9S", "3H X1 AD AH"),  # G18: the winner's number stays, as do its ploys
        (0, "9S", None, "3H X1 9S AD AH"),  # G18, G23: the fallen seat's is mixed in
        (0, None, None, "3H X1 AD AH"),  # G18
    ],
)
def test_g18_the_last_mixing_in(turn, drawn, hand, mixed) -> None:
    """At the end armour, the used ploy and the fallen seat's cards go into the draw pile; the rest stays."""
    queue = "1 X1 forced_attack, 0 AD reassignment, 1 AC reassignment"
    before = position(
        board="c1:JH+3H e3:JS+2S", cells="c2:TC c3:9D c4:2H,4H,5H", turn=turn, drawn=drawn, arms="AH | AS",
        queue=queue, pile=3, keep="",
    )  # fmt: skip

    followed = play(before, 1, "force c4")

    assert followed == before | {
        "phase": "over", "outcome": outcome("last_family", 1), "drawn": hand,
        "royals": royals("c1:-JH e3:JS+2S"), "arsenals": arsenals("| AS"), "ploys": ploys("1 AC reassignment"),
        "draw_pile": shuffled(before["draw_pile"] + cards(mixed)),
    }  # fmt: skip


def test_g18_a_win_by_a_reassignment() -> None:
    """Seat 1's ace on seat 1's turn: the last red one falls, the ace is mixed in."""
    before = position(board="c1:JH e3:JS", cells=f"{SHOT} b2:9S", turn=1, queue="1 AS reassignment", pile=3, keep="")

    followed = play(before, 1, "reassign b2 c4")

    assert parts(followed, "phase", "outcome", "turns") == ("over", outcome("last_family", 1), 17)
    assert followed["draw_pile"] == shuffled(before["draw_pile"] + ["AS"])


@pytest.mark.parametrize(
    ("board", "end"),
    [
        ("b1:JD e4:JS a3:QH", outcome("last_family", 2)),  # G18: of three families two fall: the third has won
        ("b1:JD e4:JS a3:-QH", outcome("all_fell")),  # G18: of two both: a draw
        ("b1:JD e4:JS a3:QH c5:KC", None),  # G18: of four two: it goes on
        ("b1:JD e4:QS a3:-QH", outcome("last_family", 3)),  # G18: of two one: 8 of no black isn't 12
    ],
)
def test_g18_four_players_at_one_moment(board, end) -> None:
    """The lines fire at the same moment, and then it is seen who is left."""
    before = four(board=board, cells="b2:6C b3:5C c4:3H d4:8D", turn=1, drawn="9S")

    followed = play(before, 1, "place b4")

    assert followed["outcome"] == end
    assert parts(followed, "phase", "turn", "turns") == (("over", 1, 17) if end else ("draw", 2, 18))


def test_g18_all_fell_mixes_in_seat_by_seat() -> None:
    """Both seats' cards, seat 0's first, with the number that the seat on turn had drawn."""
    before = position(
        board="b1:JH e4:JS", cells=TWICE, turn=1, drawn="9S", arms="AH | X2",
        queue="0 X1 forced_attack, 1 AS reassignment, 0 AD reassignment", keep="",
    )  # fmt: skip

    followed = play(before, 0, "force b4")

    assert parts(followed, "phase", "outcome", "turn", "turns") == ("over", outcome("all_fell"), 1, 17)
    assert parts(followed, "drawn", "ploys", "arsenals") == (None, [], [[], []])
    assert followed["draw_pile"] == shuffled(before["draw_pile"] + cards("X1 AD AH 9S AS X2"))


@pytest.mark.parametrize(
    ("limit", "turns", "ends"),
    [
        (17, 17, True),  # G20: one more turn would begin
        (18, 17, False),  # G20: the last one begins
        (0, 17, False),  # G20: none
        (0, 5000, False),  # G20: none, however long it takes
        (1, 1, True),  # G20
    ],
)
def test_g20_the_turn_limit(limit, turns, ends) -> None:
    """When one more turn would begin the game is a draw; turn and turns stay."""
    before = position(drawn="7S", cells="b2:2C", turn_limit=limit, turns=turns)

    followed = play(before, 0, "place b2")

    over = ("over", 0, turns, outcome("turn_limit"))
    assert parts(followed, "phase", "turn", "turns", "outcome") == (over if ends else ("draw", 1, turns + 1, None))


@pytest.mark.parametrize(
    ("fields", "seat", "action", "reason"),
    [
        ({"drawn": "9S", "board": "c1:JH e3:JS", "keep": ""}, 0, "place c4", "last_family"),  # G20: a win is a win
        ({"drawn": "9S", "board": "c1:QH e3:JS"}, 0, "place c4", "turn_limit"),  # G20
        ({"pile": "AS 2D 3D KD KC"}, 0, "draw", "turn_limit"),  # G20: after an ace
        ({"drawn": "QS", "pile": "KD KC"}, 1, "royal c1", "turn_limit"),  # G20: after a royal
        ({"drawn": "9S", "pile": ""}, 0, "place b2", "turn_limit"),  # G20: it goes before exhausted (G19)
    ],
)
def test_g20_the_last_turn(fields, seat, action, reason) -> None:
    """The turn limit ends what nothing else has ended."""
    before = position(cells=SHOT, turn_limit=17, **fields)

    followed = play(before, seat, action)

    assert parts(followed, "phase", "turn", "turns") == ("over", 0, 17)
    assert followed["outcome"]["reason"] == reason


def test_g20_a_seat_that_falls_in_the_last_turn() -> None:
    """Seat 1's turn passes to nobody: its cards are mixed in, then the limit ends the game (G17)."""
    before = four(turn=1, drawn="9S", cells=f"{SHOT} c4:2H,3H,4H", queue=FORCE, arms="| AD ||", turn_limit=17, pile=3)

    followed = play(before, 2, "force c4")

    assert parts(followed, "phase", "turn", "turns", "outcome") == ("over", 1, 17, outcome("turn_limit"))
    assert parts(followed, "drawn", "arsenals") == (None, [[], [], [], []])
    assert followed["draw_pile"] == shuffled(before["draw_pile"] + cards("X1 9S AD"))
    assert followed["grid"] == before["grid"]
