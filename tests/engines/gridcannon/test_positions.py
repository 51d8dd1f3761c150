from copy import deepcopy
from typing import Any

import pytest

from tests.engines.gridcannon.table import arsenals, cards, grid, outcome, ploys, position, royals
from tests.engines.referee import Json, ask, refusal

GONE = object()
WON = {"result": "won", "winner": 0, "reason": "last_family"}
DREW = {"result": "draw", "winner": None, "reason": "exhausted"}
JACK = {"card": "JH", "armour": [], "alive": True}

BASES = {
    "mid": position(
        cells="b2:5H,7S", board="a3:JD+3H e3:JC", arms="AH | AS", queue="1 X1 switcheroo", recalled="AH", drawn="9S",
        pile="9D 8D 7D 6D KD KC",
    ),
    "draw": position(pile="9D KD KC"),
    "royal": position(drawn="QH", pile="9D KD KC"),
    "over": position(phase="over", board="a3:JD", outcome=WON, pile="9D"),
    "drew": position(phase="over", outcome=DREW, pile=""),
    "setup": position(
        cells="b2:5H c2:9H d2:TD b3:4S d3:8C b4:6S c4:3C d4:2D", board="", phase="setup", turns=0, pile="3D 3H",
        opening=[{"seat": 0, "card": "KH"}, {"seat": 1, "card": "QS"}], aside=["JD", "JC"], arms="AH |",
    ),
    "four": position(4, drawn="9S", pile="9D"),
}  # fmt: skip


def edited(base: str, edits: dict[str, Any]) -> Json:
    """Return a base with other values in it: ``"royals a3 alive"`` names a place, GONE takes what is there."""
    laid = deepcopy(BASES[base])
    for path, value in edits.items():
        *way, last = (int(step) if step.isdigit() else step for step in path.split())
        target: Any = laid
        for step in way:
            target = target[step]
        if value is GONE:
            del target[last]
        else:
            target[last] = value
    return laid


def code(laid: Json) -> str:
    """Return how loading refuses a position."""
    return refusal(ask({"op": "legal", "position": laid, "seat": 0}))


@pytest.mark.parametrize("base", BASES)
def test_what_the_rows_below_begin_with_is_accepted(base) -> None:
    """What they are refused for is the edit."""
    assert "error" not in ask({"op": "legal", "position": BASES[base], "seat": 0})


@pytest.mark.parametrize(
    "laid",
    [
        position(pile="9D", board="a3:JD e3:JC"),  # referee.md: a position need not hold the whole deck
        position(drawn="9S", pile=""),  # G19: the last card was drawn
        position(drawn="9S", pile="", board="", phase="over", outcome=outcome("all_fell")),  # G18
        position(phase="over", board="a3:JD", drawn="9S", queue="0 AH reassignment", outcome=WON, pile=""),  # G18
        position(4, board="c5:JC a3:-JD c1:-JH e3:JS", pile="9D"),  # G17: two seats are out
        position(4, board="c5:JC a3:-JD c1:JH e3:JS", turn=1, drawn="QC", pile="9D"),  # G17: the seat on turn is
        position(queue="0 X1 forced_attack, 0 AH reassignment"),  # G14: a head with no use left
        position(board="a3:-JD", pile="9D KD KC"),  # G16: both families have their royals in the draw pile
        position(board="a3:-JD e3:JC", drawn="QH", pile="9D"),  # G17: it lives by the royal that waits
        position(pile=3, known_bottom=5),  # G22: the whole pile is known
        position(families=["black", "red"], board="a3:JD+3H e3:JC+3S"),  # G1, G12
        position(cells="c3:TC,2D,3D,9D,TD,2C"),  # G8: deep, with a 2 on a 10
        position(turn_limit=0, turns=5000),  # G20
    ],
)
def test_what_may_be(laid) -> None:
    """Unusual, but nothing is wrong with it."""
    assert "error" not in ask({"op": "view", "position": laid, "seat": None})


@pytest.mark.parametrize(
    ("base", "path"),
    [*(("mid", key) for key in BASES["mid"]), ("setup", "aside"), ("mid", "grid c3"), ("mid", "ploys 0 seat"),
     ("mid", "ploys 0 ploy"), ("mid", "royals a3 alive"), ("mid", "royals a3 armour"), ("mid", "royals a3 card"),
     ("setup", "opening 0 seat"), ("over", "outcome reason"), ("over", "outcome winner")],
)  # fmt: skip
def test_missing(base, path) -> None:
    """Every key is there, always (docs/referee.md, Position)."""
    assert code(edited(base, {path: GONE})) == "bad_position"


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ("mid", "hands", []),  # referee.md: unknown
        ("mid", "aside", []),  # Position: only in setup
        ("mid", "grid a1", []),  # The board: no corner
        ("mid", "grid c1", []),  # The board: a slot is no cell
        ("mid", "royals a1", JACK),  # The board: corners don't exist
        ("mid", "royals b2", JACK),  # The board: a cell is no slot
        ("mid", "royals a3 health", 11),  # referee.md: unknown
        ("mid", "ploys 0 cell", "b2"),  # referee.md: unknown
        ("setup", "opening 0 slot", "c1"),  # referee.md: unknown
        ("over", "outcome medal", None),  # referee.md: unknown
    ],
)
def test_unknown(base, path, value) -> None:
    """No key that isn't described, at any depth."""
    assert code(edited(base, {path: value})) == "bad_position"


@pytest.mark.parametrize(
    ("base", "path", "values"),
    [
        ("mid", "ruleset", ["chess", "Gridcannon", None, 1]),  # referee.md, error 3
        ("mid", "players", ["2", 0, 3, 4, None, True]),  # G1: 2 or 4, and as many as there are families
        ("mid", "phase", ["play", "", None, 1]),  # Position
        ("mid", "turn", ["0", 2, -1, None, True, 0.5]),  # referee.md: a seat
        ("mid", "turns", ["17", -1, None, True, 1.5]),  # Position
        ("mid", "families", [None, "red", [], ["red"], ["red", "red"], ["red", "blue"], ["C", "D"], [0, 1]]),  # G1
        ("four", "families", [["red", "black"], ["C", "D", "H", "H"], ["C", "D", "H", None]]),  # G1
        ("mid", "grid", [None, [], {}, "b2"]),  # Position: all nine cells
        ("mid", "grid b2", [None, "5H", {}, [5], [["5H"]]]),  # Position: a list of cards
        ("mid", "royals", [None, []]),  # Position
        ("mid", "royals a3", [None, "JD", []]),  # Position
        ("mid", "royals a3 alive", [None, 1, "true"]),  # Position
        ("mid", "royals a3 armour", [None, "3H", {}]),  # Position
        ("mid", "draw_pile", [None, "9D", {"count": 14, "bottom": []}, 14]),  # View: a view is no position
        ("mid", "known_bottom", ["0", None, -1, 7, True]),  # G22: never more than the six there are
        ("mid", "drawn", [9, ["9S"], {}]),  # Position
        ("mid", "opening", [None, {}]),  # Position
        ("mid", "arsenals", [None, {}, [], [[]], [[], [], []], [None, []], ["AH", []]]),  # Position: one per seat
        ("mid", "ploys", [None, {}, [None], ["X1"]]),  # Position
        ("mid", "ploys 0 seat", [None, "1", 2, -1, True]),  # referee.md
        ("mid", "ploys 0 ploy", [None, "dance", 1]),  # G13
        ("mid", "recalled", [None, {}, "AH"]),  # Position
        ("mid", "turn_limit", [None, "1000", -1, True, 1.5]),  # G20
        ("over", "outcome", ["won", {}, [], 1]),  # Position
        ("over", "outcome result", ["lost", None]),  # Position
        ("over", "outcome winner", [2, -1, "0", None, True]),  # Position: who won is a seat
        ("over", "outcome reason", ["checkmate", None, "exhausted", "turn_limit", "all_fell"]),  # G18: nobody wins so
        ("drew", "outcome winner", [0]),  # Position: null at a draw
        ("drew", "outcome reason", ["last_family", None]),  # G18: that is a win
        ("setup", "aside", [None, {}, {"count": 2}]),  # Position
        ("setup", "opening 0 seat", ["0", 2, None]),  # Position
    ],
)
def test_no_such_value(base, path, values) -> None:
    """Wrong types and values that the field can't have."""
    for value in values:
        assert code(edited(base, {path: value})) == "bad_position", value


@pytest.mark.parametrize(
    ("base", "edits"),
    [
        ("mid", {"draw_pile": cards("9D 8D 9D KD KC")}),  # referee.md: within the draw pile
        ("mid", {"grid c2": ["5H"]}),  # referee.md: in two cells
        ("mid", {"grid b2": ["5H", "5H"]}),  # referee.md: in one cell
        ("mid", {"drawn": "5H"}),  # referee.md: hand and grid
        ("mid", {"drawn": "9D"}),  # referee.md: hand and draw pile
        ("mid", {"royals c1": {"card": "KD", "armour": [], "alive": False}}),  # referee.md: board and draw pile
        ("mid", {"royals c1": {"card": "JD", "armour": [], "alive": True}}),  # referee.md: in two slots
        ("mid", {"royals a3 armour": ["3H", "6D"]}),  # referee.md: armour and draw pile
        ("mid", {"royals a3 armour": ["3H", "3H"]}),  # referee.md: twice on one royal
        ("mid", {"arsenals": arsenals("AH | AH")}),  # referee.md: in two arsenals
        ("mid", {"arsenals": arsenals("AH | X1")}),  # Position: a queued card that is in an arsenal
        ("mid", {"arsenals": arsenals("AH X1 |")}),  # Position: another's arsenal
        ("mid", {"draw_pile": cards("9D X1 KD KC")}),  # referee.md: queue and draw pile
        ("mid", {"ploys": ploys("1 X1 switcheroo, 1 X1 forced_attack")}),  # referee.md: queued twice
        ("mid", {"recalled": cards("AH AH")}),  # referee.md: barred twice
        ("setup", {"aside": cards("JD QS")}),  # referee.md: aside and opening
        ("setup", {"aside": cards("JD JD")}),  # referee.md: aside
        ("setup", {"draw_pile": cards("3D 2D")}),  # referee.md: draw pile and grid
    ],
)
def test_a_card_twice(base, edits) -> None:
    """There is one of each."""
    assert code(edited(base, edits)) == "bad_position"


@pytest.mark.parametrize(
    ("base", "edits"),
    [
        ("draw", {"draw_pile": []}),  # Position: nothing to draw
        ("draw", {"drawn": "9S"}),  # Position: nothing is in hand
        ("draw", {"drawn": "QH"}),  # Position
        ("mid", {"drawn": None}),  # Position: `place` has a number in hand
        ("mid", {"drawn": "QH"}),  # Position: no royal
        ("mid", {"drawn": "AC"}),  # Position: nor an ace
        ("royal", {"drawn": None}),  # Position: `place_royal` has a royal
        ("royal", {"drawn": "9S"}),  # Position: no number
        ("royal", {"drawn": "X2"}),  # Position: nor a joker
        ("draw", {"phase": "over"}),  # Position: over, but how?
        ("draw", {"outcome": DREW}),  # Position: there is an outcome, so it is over
        ("draw", {"opening": [{"seat": 0, "card": "QH"}]}),  # Position: in setup only
        ("draw", {"phase": "setup"}),  # Position: nobody is left to place, there is no aside
        ("setup", {"opening": []}),  # G5: nobody is left to place
        ("setup", {"drawn": "9S"}),  # G5: nothing has been drawn
        ("setup", {"turn": 1}),  # Position: `turn` is the seat that places
        ("setup", {"turns": 1}),  # Position: 0 in setup
        ("setup", {"arsenals": [[], []], "ploys": ploys("0 AH reassignment")}),  # G5: no ploys yet
        ("setup", {"outcome": DREW}),  # Position
        ("over", {"outcome": None}),  # Position
    ],
)
def test_a_phase_that_contradicts_the_rest(base, edits) -> None:
    """What is in hand, what waits and how it ended belong to the phase."""
    assert code(edited(base, edits)) == "bad_position"


@pytest.mark.parametrize(
    "laid",
    [
        # G18: fewer than two living families and no outcome
        position(board="a3:JD e3:-JC", pile="9D"),
        position(board="a3:-JD e3:-JC", pile="9D"),
        position(board="e3:JC", drawn="9S", pile="9D"),
        position(drawn="QH", board="e3:-JC", pile="9D"),
        position(4, board="a3:-JD c1:JH e3:-JS", drawn="9S", pile="9D KH"),
        # G17: a seat that is out on turn in draw or place
        position(4, board="c5:JC a3:-JD c1:JH e3:JS", turn=1, pile="9D"),
        position(4, board="c5:JC a3:-JD c1:JH e3:JS", turn=1, drawn="9S", pile="9D"),
        # G17: an arsenal or a queued ploy of a seat that is out
        position(4, board="c5:JC a3:-JD c1:JH e3:JS", arms="| AD ||", pile="9D"),
        position(4, board="c5:JC c1:JH e3:JS", queue="1 AD reassignment", pile="9D"),
        position(phase="over", board="a3:JD e3:-JC", arms="| AD", outcome=WON, pile=""),
        # G10, G12: armour on the dead or of another family
        position(board="a3:-JD+3H e3:JC"),
        position(board="a3:JD+3S e3:JC"),
        position(board="a3:JD e3:JC+3S+4H"),
        position(4, board="c5:JC a3:JD+3H c1:JH e3:JS"),
        position(4, board="c5:JC+3S a3:JD c1:JH e3:JS"),
        # Position: an ace, joker or royal on the grid
        position(cells="c3:AH"),
        position(cells="c3:2C,X1,3C"),
        position(cells="c3:2C,QH"),
        # G12, G13: cards where no rule can put them
        position(arms="7D |"),
        position(arms="| QD"),
        position(board="a3:JD+AH e3:JC"),
        position(board="a3:JD+QH e3:JC"),
        position(board="a3:JD e3:JC c1:9H"),
        position(queue="0 7D reassignment"),
        position(queue="0 AH switcheroo"),
        position(queue="0 X1 reassignment"),
    ],
)
def test_what_can_not_be(laid) -> None:
    """Everything that docs/referee.md, Position, lists, and cards of a kind that has no business there."""
    assert code(laid) == "bad_position"


@pytest.mark.parametrize(
    ("base", "path", "value", "named"),
    [
        ("mid", "grid b2", ["5h"], "5h"),  # referee.md: no lower case
        ("mid", "grid b2", ["5H", "10S"], "10S"),  # referee.md: T
        ("mid", "draw_pile", ["9D", "KD", "KC", "1C"], "1C"),  # referee.md: there is no 1
        ("mid", "draw_pile", ["9D", "KD", "KC", ""], ""),  # referee.md
        ("mid", "drawn", "9X", "9X"),  # referee.md: no such suit
        ("mid", "drawn", "X3", "X3"),  # referee.md: two jokers
        ("mid", "royals a3 card", "Jd", "Jd"),  # referee.md
        ("mid", "royals a3 armour", ["3h"], "3h"),  # referee.md
        ("mid", "arsenals", [["ah"], []], "ah"),  # referee.md
        ("mid", "ploys 0 card", "x1", "x1"),  # referee.md
        ("mid", "recalled", ["A"], "A"),  # referee.md
        ("setup", "opening 0 card", "kh", "kh"),  # referee.md
        ("setup", "aside", ["JD", "Jack"], "Jack"),  # referee.md
    ],
)
def test_bad_card(base, path, value, named) -> None:
    """A text that is no card in canonical form, wherever it lies; the answer names it."""
    heard = ask({"op": "legal", "position": edited(base, {path: value}), "seat": 0})

    assert refusal(heard) == "bad_card"
    assert named in heard["error"]["detail"]


@pytest.mark.parametrize(
    ("base", "edits", "field"),
    [
        ("mid", {"grid c2": ["QH"]}, "grid"),
        ("mid", {"known_bottom": 7}, "known_bottom"),
        ("mid", {"turn": 2}, "turn"),
        ("mid", {"arsenals": [[]]}, "arsenals"),
        ("mid", {"hands": []}, "hands"),
        ("mid", {"recalled": GONE}, "recalled"),
        ("setup", {"opening": []}, "opening"),
        ("over", {"outcome": None}, "'outcome' says how the game ended"),
        ("mid", {"outcome": WON}, "'outcome' is null until the game is over"),
    ],
)
def test_the_message_names_the_field(base, edits, field) -> None:
    """A refusal says where to look (docs/referee.md, Position)."""
    heard = ask({"op": "legal", "position": edited(base, edits), "seat": 0})

    assert field in heard["error"]["detail"]


def test_the_short_notation_gives_what_the_rulings_show() -> None:
    """The short notation of these tests gives what docs/referee.md shows."""
    assert grid("b2:5H")["b2"] == ["5H"]
    assert royals("c1:KH+3H") == {"c1": {"card": "KH", "armour": ["3H"], "alive": True}}
    assert ploys("1 X1 switcheroo") == [{"seat": 1, "card": "X1", "ploy": "switcheroo"}]
