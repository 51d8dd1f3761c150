import pytest

from tests.engines.gridcannon.dealing import shuffled
from tests.engines.gridcannon.table import arsenals, lines, moves, parts, play, ploys, position, royals
from tests.engines.referee import apply, refusal

CELLS = "b2:5H b3:6S"  # b3 is the trigger of the Jack on e3
ARMS = "AH X1 | AS X2"
MINE = "declare AH reassignment; declare X1 switcheroo; declare X1 forced_attack"
YOURS = "declare AS reassignment; declare X2 switcheroo; declare X2 forced_attack"
NINE = "b2:TH c2:9D d2:9H b3:9S c3:8C d3:8D b4:8H c4:8S d4:TC"


@pytest.mark.parametrize(
    ("drawn", "turn", "mine", "yours"),
    [
        (None, 0, "draw", ""),  # G14: before the draw
        (None, 1, "", "draw"),  # G14: on the other's turn
        ("2C", 0, "place c2; place d2; place c3; place d3; place b4; place c4; place d4", ""),  # G14: in `place`
        ("KH", 0, "royal b1; royal a2", ""),  # G14: in `place_royal`
        ("KH", 1, "royal b1; royal a2", ""),  # G14: on another's turn
    ],
)
def test_g14_in_every_phase_by_everybody(drawn, turn, mine, yours) -> None:
    """Declaring is always an addition to what the phase allows."""
    before = position(cells=CELLS, drawn=drawn, turn=turn, arms=ARMS)

    assert moves(before, 0) == lines(f"{mine}; {MINE}")
    assert moves(before, 1) == lines(f"{yours}; {YOURS}")


@pytest.mark.parametrize(
    ("cells", "board", "expected"),
    [
        ("", "a3:JD e3:JC", "declare X1 switcheroo"),  # G14: no card to move, no trigger
        ("b2:5H", "a3:JD e3:JC", "declare AH reassignment; declare X1 switcheroo"),  # G14: b2 is no one's trigger
        ("b3:5H", "a3:JD e3:JC", MINE),  # G14: e3's
        ("b3:5H", "e3:JC", "declare AH reassignment; declare X1 forced_attack"),  # G14: one royal
        ("b3:5H", "a3:-JD e3:-JC", "declare AH reassignment; declare X1 switcheroo"),  # G14: the dead can be moved
        ("b3:5H", "a3:-JD", "declare AH reassignment"),  # G14
        ("", "", ""),  # G14: nothing at all
    ],
)
def test_g14_only_what_has_a_use_now(cells, board, expected) -> None:
    """A ploy without a legal use can't be declared."""
    assert moves(position(cells=cells, board=board, arms="AH X1 |"), 0) == lines(f"draw; {expected}")
    for action in lines(MINE) - lines(expected):
        refused = apply(position(cells=cells, board=board, arms="AH X1 |"), 0, action)
        assert refusal(refused) == "illegal_action"
        assert refused["error"]["rule"] == "G14"


@pytest.mark.parametrize(
    ("seat", "action"),
    [
        (0, "declare AS reassignment"),  # G14: from one's own arsenal
        (0, "declare AC reassignment"),  # G14: it isn't in any
        (0, "declare AD reassignment"),  # G14: it is in the queue already
        (1, "declare AD reassignment"),  # G14: another's, queued
        (0, "declare 7D reassignment"),  # G13: a number is no ploy
        (0, "declare 10H reassignment"),  # referee.md: 10H is a card
        (0, "declare KH switcheroo"),  # G13
        (0, "declare AH switcheroo"),  # G13: an ace is a reassignment
        (0, "declare AH forced_attack"),  # G13
        (0, "declare X1 reassignment"),  # G13: a joker isn't
        (0, "recall AH"),  # G14: not in the queue
        (1, "recall AD"),  # G14: another's ploy
        (0, "recall KH"),  # G14
    ],
)
def test_g14_refused(seat, action) -> None:
    """Well-formed and at any time, but not with that card."""
    before = position(cells=CELLS, arms=ARMS, queue="0 AD reassignment")

    assert refusal(apply(before, seat, action)) == "illegal_action"


@pytest.mark.parametrize(
    "action",
    [
        "declare ah reassignment",  # referee.md: actions take lower case
        {"type": "declare", "card": "aH", "ploy": "reassignment"},
        {"type": "declare", "card": "AH", "ploy": "reassignment"},
    ],
)
def test_g14_declared(action) -> None:
    """The card leaves the arsenal for the end of the queue; the turn halts; nothing else is touched."""
    before = position(cells=CELLS, arms="AD AH X1 | AS", queue="1 X2 switcheroo", recalled="AD", known_bottom=2)

    followed = play(before, 0, action)

    queue = ploys("1 X2 switcheroo, 0 AH reassignment")
    assert followed == before | {"arsenals": arsenals("AD X1 | AS"), "ploys": queue}


def test_g14_first_come_first_served() -> None:
    """Acts join the queue in the order in which they are received, two of one seat as well."""
    laid = position(4, cells=CELLS, arms="AH || X1 AD | X2", turn=1)
    laid = play(laid, 2, "declare X1 forced_attack")
    laid = play(laid, 0, "declare AH reassignment")
    laid = play(laid, 2, "declare AD reassignment")
    laid = play(laid, 3, "declare X2 switcheroo")

    order = "2 X1 forced_attack, 0 AH reassignment, 2 AD reassignment, 3 X2 switcheroo"
    assert parts(laid, "ploys", "phase", "turn", "turns") == (ploys(order), "draw", 1, 17)
    assert moves(laid, 0) == {"recall AH"}
    assert moves(laid, 1) == set()
    assert moves(laid, 2) == lines("force b3; recall X1; recall AD")
    assert moves(laid, 3) == {"recall X2"}


@pytest.mark.parametrize(
    ("drawn", "seat", "action", "code"),
    [
        (None, 0, "draw", "illegal_action"),  # G14: while the queue isn't empty
        (None, 1, "draw", "not_your_turn"),  # referee.md: whose turn it is goes first
        ("7S", 0, "place c2", "illegal_action"),  # G14
        ("7S", 1, "place c2", "not_your_turn"),  # referee.md
        ("KS", 1, "royal b1", "illegal_action"),  # G14: its royal, but the turn is halted
        ("KS", 0, "royal b1", "not_your_turn"),  # G6: not even its royal
        (None, 0, "force b3", "not_your_turn"),  # G14: its ploy isn't the head
        (None, 0, "switch a3 e3", "not_your_turn"),  # G14: another's is
        (None, 0, "reassign b2 c2", "not_your_turn"),  # G14: the head is another's
        (None, 1, "force b3", "illegal_action"),  # G14: the head's player, but that isn't the head
        (None, 1, "switch a3 e3", "illegal_action"),  # G14
    ],
)
def test_g14_the_turn_is_halted(drawn, seat, action, code) -> None:
    """Seat 0 is on turn and has a ploy in the queue; the head is seat 1's reassignment."""
    queue = "1 AS reassignment, 0 X1 forced_attack"
    heard = apply(position(cells=CELLS, drawn=drawn, queue=queue), seat, action)

    assert refusal(heard) == code
    if drawn or action == "draw":
        assert heard["error"].get("rule") == ("G14" if code == "illegal_action" else None)


@pytest.mark.parametrize(("drawn", "action"), [("3H", "armour a3"), ("3S", "return")])
def test_g14_armour_and_return_are_halted_too(drawn, action) -> None:
    """What was the only way out waits for the queue to empty (G12)."""
    before = position(cells=NINE, drawn=drawn)
    assert moves(before, 0) == {action}

    halted = position(cells=NINE, drawn=drawn, queue="1 AS reassignment")
    assert moves(halted, 0) == set()
    assert refusal(apply(halted, 0, action)) == "illegal_action"
    assert refusal(apply(halted, 1, action)) == "not_your_turn"


@pytest.mark.parametrize(
    ("seat", "card", "queue", "arms"),
    [
        (1, "AS", "0 X1 forced_attack, 1 X2 switcheroo", "AH | AC AS"),  # G14: the head
        (0, "X1", "1 AS reassignment, 1 X2 switcheroo", "AH X1 | AC"),  # G14: from the middle, to the arsenal's end
        (1, "X2", "1 AS reassignment, 0 X1 forced_attack", "AH | AC X2"),  # G14: the last
    ],
)
def test_g14_recalled(seat, card, queue, arms) -> None:
    """Its player may take a ploy back wherever it is in the queue; no shuffle, and the card is barred (G15)."""
    order = "1 AS reassignment, 0 X1 forced_attack, 1 X2 switcheroo"
    before = position(cells=CELLS, arms="AH | AC", queue=order, recalled="AC", known_bottom=2)
    assert f"recall {card}" in moves(before, seat)

    followed = play(before, seat, f"recall {card.lower()}")

    assert followed == before | {"ploys": ploys(queue), "arsenals": arsenals(arms), "recalled": ["AC", card]}


@pytest.mark.parametrize(("drawn", "due"), [(None, "draw"), ("7S", "place b3"), ("KH", "royal b1")])
def test_g14_the_last_recall_lets_the_turn_go_on(drawn, due) -> None:
    """The turn goes on where it halted, in every phase."""
    before = position(cells=CELLS, drawn=drawn, queue="1 AS reassignment")
    assert due not in moves(before, 0)

    followed = play(before, 1, "recall AS")

    assert parts(followed, "phase", "drawn", "turn", "turns") == parts(before, "phase", "drawn", "turn", "turns")
    assert due in moves(followed, 0)


def test_g14_a_head_with_no_use_left_can_only_be_recalled() -> None:
    """The first forced attack kills the only royal that the second could have been for."""
    queue = "0 X1 forced_attack, 1 X2 forced_attack"
    before = position(cells="c2:6C c3:5C c4:2H", board="c1:JH", arms="AH | AS", queue=queue)

    left = play(before, 0, "force c4")

    assert moves(left, 0) == {"declare AH reassignment"}
    assert moves(left, 1) == lines("recall X2; declare AS reassignment")
    assert refusal(apply(left, 1, "force c4")) == "illegal_action"
    assert parts(play(left, 1, "recall X2"), "ploys", "recalled", "phase") == ([], ["X2"], "draw")


def test_g14_a_useless_head_holds_up_what_is_behind_it() -> None:
    """No trigger is laid; the ace that could lay one waits until the head is recalled."""
    queue = "1 X2 forced_attack, 0 AH reassignment"
    before = position(cells="b2:5H", queue=queue)

    assert moves(before, 1) == {"recall X2"}
    assert moves(before, 0) == {"recall AH"}
    assert refusal(apply(before, 0, "reassign b2 b3")) == "not_your_turn"


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        (0, "draw; declare X2 switcheroo; declare X2 forced_attack"),  # G15: one of its cards is barred
        (1, ""),  # G15: a barred joker can't be declared as the other ploy either
    ],
)
def test_g15_a_barred_card(seat, expected) -> None:
    """It is the card that is barred, with all its ploys; other cards aren't."""
    before = position(cells=CELLS, arms="AH X2 | X1", recalled="AH X1")

    assert moves(before, seat) == lines(expected)
    heard = apply(before, 1, "declare X1 switcheroo")
    assert refusal(heard) == "illegal_action"
    assert heard["error"]["rule"] == "G15"


@pytest.mark.parametrize(
    ("fields", "seat", "action", "barred"),
    [
        ({"drawn": "7S", "cells": CELLS}, 0, "place c2", ""),  # G15: a card laid
        ({"drawn": "3H", "cells": NINE}, 0, "armour a3", ""),  # G15: a card laid as armour
        ({"drawn": "3S", "cells": NINE}, 0, "return", ""),  # G15: a card mixed in
        ({"drawn": "KS", "cells": CELLS}, 1, "royal a2", ""),  # G15: a royal placed
        ({"cells": CELLS, "queue": "1 AS reassignment"}, 1, "reassign b2 c2", ""),  # G15: a card moved
        ({"cells": CELLS, "queue": "1 X2 switcheroo"}, 1, "switch a3 e3", ""),  # G15: a royal switched
        ({"cells": CELLS, "queue": "1 X2 forced_attack"}, 1, "force b3", ""),  # G15: the joker mixed in
        ({"cells": CELLS, "queue": "1 AS reassignment"}, 1, "recall AS", "AC X1 AS"),  # G15: nothing has changed
        ({"cells": CELLS, "more": "AD"}, 0, "declare AD reassignment", "AC X1"),  # G15: nor here
        ({"cells": CELLS}, 0, "draw", "AC X1"),  # G15: a number drawn is no change of the board
    ],
)
def test_g15_what_lifts_the_bar(fields, seat, action, barred) -> None:
    """Until the board has changed; then all cards are free again, whoever's they are."""
    fields = dict(fields)
    before = position(arms=f"AC X1 {fields.pop('more', '')} |", recalled="AC X1", **fields)

    assert play(before, seat, action)["recalled"] == barred.split()


def test_g15_drawing_a_ploy_lifts_no_bar() -> None:
    """An ace that goes to the arsenal changes nothing on the board, nor does the next turn's beginning."""
    before = position(arms="AH |", recalled="AH", pile="AS 2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H KD KC")

    assert parts(play(before, 0, "draw"), "recalled", "turn") == (["AH"], 1)


def test_g15_a_refresh_that_takes_nothing_up_lifts_no_bar() -> None:
    """Ten cards are left and shuffled (G19), but no card has been laid, moved, taken up, stripped or mixed in."""
    before = position(cells=CELLS, arms="AH |", recalled="AH", pile="AS 2C 2D 2H 2S 3C 3D 3H 3S KD KC")

    followed = play(before, 0, "draw")

    assert followed["draw_pile"] == shuffled(before["draw_pile"][1:])
    assert parts(followed, "recalled", "turn") == (["AH"], 1)


def test_g15_passing_cards_over_lifts_no_bar() -> None:
    """Cards put at the bottom by G16 aren't mixed in; the royal isn't placed yet; then it is."""
    before = position(
        cells=CELLS, board="a3:-JD e3:JC", arms="AH |", recalled="AH", pile="2C 2D QH 2H 2S 3C 3D 3H 3S KD KC"
    )

    drawn = play(before, 0, "draw")

    assert parts(drawn, "drawn", "recalled") == ("QH", ["AH"])
    assert play(drawn, 0, "royal b1")["recalled"] == []


def test_g14_a_ploy_in_place_royal_leaves_the_royal_waiting() -> None:
    """Seat 1's joker is used up while seat 0's King waits; then the King is placed on the changed board."""
    before = position(cells="b2:9H c2:5H", board="b1:-QC e3:JC", drawn="KH", turn=1, queue="1 X1 switcheroo")

    followed = play(before, 1, "switch b1 e3")

    assert parts(followed, "royals", "phase", "drawn", "turn") == (royals("b1:JC e3:-QC"), "place_royal", "KH", 1)
    assert moves(followed, 0) == {"royal a2"}
    assert moves(followed, 1) == set()
