from typing import Any

import pytest

from engines import RULESETS
from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction
from engines.regicide.actions import Yield
from tests.engines.gridcannon.table import moves, outcome, play, position
from tests.engines.referee import Json, apply, ask, refusal

CELLS = "b2:5H b3:6S"  # b3 is the trigger of the Jack on e3
WRONG = position(drawn="7S") | {"turn": 9}
OVER = position(phase="over", outcome=outcome("turn_limit"), arms="AH |")


@pytest.mark.parametrize(
    "action",
    [
        {},  # referee.md: no type
        {"type": "dance"},  # referee.md: unknown
        {"type": "play", "cards": ["7S"]},  # referee.md: the other ruleset's
        {"type": 1},  # referee.md
        {"type": "draw", "cell": "b2"},  # referee.md: an unknown field
        {"type": "return", "card": "7S"},  # referee.md
        {"type": "place"},  # referee.md: a missing field
        {"type": "place", "cell": "a1"},  # The board: no such cell
        {"type": "place", "cell": "c1"},  # The board: a slot
        {"type": "place", "cell": 22},  # referee.md
        {"type": "place", "cell": None},  # referee.md
        {"type": "place", "cell": ["b2"]},  # referee.md
        {"type": "place", "cell": "b2", "card": "7S"},  # referee.md: an unknown field
        {"type": "place_royal", "slot": "b2"},  # The board: a cell
        {"type": "place_royal", "slot": "e5"},  # The board: corners don't exist
        {"type": "place_royal", "cell": "c1"},  # referee.md
        {"type": "armour", "slot": "a1"},  # The board
        {"type": "armour"},  # referee.md
        {"type": "declare", "card": "AH"},  # referee.md
        {"type": "declare", "ploy": "reassignment"},  # referee.md
        {"type": "declare", "card": "AH", "ploy": "dance"},  # G13: no such ploy
        {"type": "declare", "card": "AH", "ploy": None},  # G13
        {"type": "declare", "card": 5, "ploy": "reassignment"},  # referee.md: no string
        {"type": "declare", "card": None, "ploy": "reassignment"},  # referee.md
        {"type": "reassign", "source": "b2"},  # referee.md
        {"type": "reassign", "source": "b2", "target": "c1"},  # The board
        {"type": "reassign", "source": "a1", "target": "b2"},  # The board
        {"type": "switch", "slots": ["c1"]},  # G13: two
        {"type": "switch", "slots": ["c1", "c1"]},  # referee.md: a slot twice
        {"type": "switch", "slots": ["c1", "b5", "d1"]},  # G13: two
        {"type": "switch", "slots": []},  # G13
        {"type": "switch", "slots": "c1 b5"},  # referee.md
        {"type": "switch", "slots": ["c1", "b2"]},  # The board: a cell
        {"type": "switch", "slots": ["c1", 5]},  # referee.md
        {"type": "force", "cell": "a3"},  # The board: a slot
        {"type": "force"},  # referee.md
        {"type": "recall"},  # referee.md
        {"type": "recall", "card": ["AH"]},  # referee.md
        "",  # referee.md: the text form
        "dance",
        "draw 1",
        "place",
        "place a1",
        "place b2 b3",
        "royal b2",
        "royal",
        "armour b2",
        "return 7S",
        "declare AH",
        "declare AH dance",
        "reassign b2",
        "reassign b2 c1",
        "switch c1",
        "switch c1 c1",
        "switch c1 b5 d1",
        "force a3",
        "recall",
    ],
)
def test_bad_action(action) -> None:
    """Malformed goes before whose turn it is and what is allowed, whoever asks, whatever the phase."""
    for laid in (position(), position(drawn="7S"), position(cells=CELLS, queue="1 X1 switcheroo")):
        assert [refusal(apply(laid, seat, action)) for seat in (0, 1)] == ["bad_action", "bad_action"]


@pytest.mark.parametrize(
    "action",
    [
        {"type": "declare", "card": "1H", "ploy": "reassignment"},  # referee.md: no such card
        {"type": "declare", "card": "", "ploy": "reassignment"},  # referee.md
        {"type": "recall", "card": "X3"},  # referee.md
        "declare 11H reassignment",
        "recall joker",
    ],
)
def test_bad_card_in_an_action(action) -> None:
    """A text that is no card is named as such, whoever's turn it is."""
    assert [refusal(apply(position(), seat, action)) for seat in (0, 1)] == ["bad_card", "bad_card"]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        # bad_request goes before bad_position
        ({"op": "apply", "position": WRONG, "seat": "0", "action": "draw", "seed": "s"}, "bad_request"),
        ({"op": "legal", "position": WRONG, "seat": None}, "bad_request"),
        ({"op": "legal", "seat": 0}, "bad_request"),
        ({"op": "view", "seat": None}, "bad_request"),
        ({"op": "think", "position": WRONG, "seat": 0}, "bad_request"),
        # bad_request goes before bad_options
        ({"op": "new", "ruleset": "chess", "players": 2, "options": {"x": 1}, "seed": "s"}, "bad_request"),
        # bad_position goes before everything about the action and the seat
        ({"op": "apply", "position": WRONG, "seat": 0, "action": "dance", "seed": "s"}, "bad_position"),
        ({"op": "apply", "position": WRONG, "seat": 7, "action": "draw", "seed": "s"}, "bad_position"),
        ({"op": "apply", "position": OVER | {"turn": 9}, "seat": 0, "action": "draw", "seed": "s"}, "bad_position"),
        # game_over goes before bad_action and bad_card
        ({"op": "apply", "position": OVER, "seat": 0, "action": "dance", "seed": "s"}, "game_over"),
        ({"op": "apply", "position": OVER, "seat": 0, "action": "declare 1H reassignment", "seed": "s"}, "game_over"),
        ({"op": "apply", "position": OVER, "seat": 0, "action": "declare AH reassignment", "seed": "s"}, "game_over"),
        ({"op": "apply", "position": OVER, "seat": 1, "action": "draw", "seed": "s"}, "game_over"),
        ({"op": "apply", "position": OVER, "seat": 7, "action": "draw", "seed": "s"}, "game_over"),
    ],
)
def test_what_is_checked_first(request_, code) -> None:
    """The order of docs/referee.md, Errors."""
    assert refusal(ask(request_)) == code


@pytest.mark.parametrize(
    ("fields", "seat", "action", "code"),
    [
        ({"drawn": "7S"}, 1, "place a1", "bad_action"),  # 5 before 6
        ({"drawn": "2S"}, 1, "place b2", "not_your_turn"),  # 6 before 7: a 2 on a 5
        ({"drawn": "2S"}, 0, "place b2", "illegal_action"),  # 7
        ({"drawn": "KH"}, 1, "royal e5", "bad_action"),  # 5 before 6
        ({"drawn": "KH"}, 1, "royal a3", "not_your_turn"),  # 6 before 7: taken
        ({"drawn": "KH"}, 0, "royal a3", "illegal_action"),  # 7
        ({"queue": "1 AS reassignment"}, 0, "reassign b2 a1", "bad_action"),  # 5 before 6
        ({"queue": "1 AS reassignment"}, 0, "reassign c3 b2", "not_your_turn"),  # 6 before 7: nothing there
        ({"queue": "1 AS reassignment"}, 1, "reassign c3 b2", "illegal_action"),  # 7
        ({"queue": "1 X1 switcheroo"}, 0, "switch b1 b5", "not_your_turn"),  # 6 before 7: nobody there
        ({"queue": "1 X1 forced_attack"}, 0, "force c3", "not_your_turn"),  # 6 before 7: no trigger
        ({}, 1, "declare AH reassignment", "illegal_action"),  # 7: at any time, but it is another's card
        ({}, 1, "recall AH", "illegal_action"),  # 7: not in the queue
    ],
)
def test_bad_action_then_whose_turn_then_what_is_legal(fields, seat, action, code) -> None:
    """Malformed, not your turn, not allowed: in this order."""
    heard = apply(position(cells=CELLS, arms="AH |", **fields), seat, action)

    assert refusal(heard) == code


SPELLINGS: list[tuple[dict[str, Any], int, Json, str]] = [
    ({}, 0, {"type": "draw"}, "draw"),
    ({"drawn": "7S"}, 0, {"type": "place", "cell": "b2"}, "place b2"),
    ({"drawn": "KH"}, 0, {"type": "place_royal", "slot": "a2"}, "royal a2"),
    ({"arms": "AH |"}, 0, {"type": "declare", "card": "AH", "ploy": "reassignment"}, "declare AH reassignment"),
    ({"arms": "X1 |"}, 0, {"type": "declare", "card": "X1", "ploy": "forced_attack"}, "declare X1 forced_attack"),
    ({"queue": "1 AH reassignment"}, 1, {"type": "reassign", "source": "b2", "target": "c3"}, "reassign b2 c3"),
    ({"queue": "1 X1 switcheroo"}, 1, {"type": "switch", "slots": ["e3", "a3"]}, "switch a3 e3"),
    ({"queue": "1 X1 forced_attack"}, 1, {"type": "force", "cell": "b3"}, "force b3"),
    ({"queue": "1 X1 forced_attack"}, 1, {"type": "recall", "card": "X1"}, "recall X1"),
]


@pytest.mark.parametrize(("fields", "seat", "action", "text"), SPELLINGS, ids=[row[3] for row in SPELLINGS])
def test_an_action_is_said_both_ways(fields, seat, action, text) -> None:
    """The JSON form and the one-line form are the same thing (docs/referee.md, Actions)."""
    before = position(cells=CELLS, **fields)
    assert text in moves(before, seat)

    assert play(before, seat, action) == play(before, seat, text)


@pytest.mark.parametrize(("drawn", "action", "text"), [
    ("3H", {"type": "armour", "slot": "a3"}, "armour a3"),
    ("3S", {"type": "return"}, "return"),
])  # fmt: skip
def test_armour_and_return_are_said_both_ways(drawn, action, text) -> None:
    """So are the two ways out of a full grid (G12)."""
    full = "b2:TC c2:TD d2:TH b3:9C c3:9D d3:9H b4:8C c4:8D d4:8H"
    before = position(cells=full, drawn=drawn)
    assert moves(before, 0) == {text}

    assert play(before, 0, action) == play(before, 0, text)


@pytest.mark.parametrize(
    ("action", "shown"),
    [("draw", "'draw'"), (None, "None"), ({"type": "draw"}, "{'type': 'draw'}"), (Yield(), "Yield()")],
)
def test_what_is_no_action_of_the_game(action: Any, shown: str) -> None:
    """It is told so."""
    position = RULESETS["gridcannon"].new(2, {}, SeededDealer("moon"))

    with pytest.raises(BadAction) as refused:
        position.check(position.to_act()[0], action)
    assert refused.value.detail == f"{shown} is no action of this game."
