import pytest

from tests.engines.gridcannon.dealing import shuffled
from tests.engines.gridcannon.table import CELLS, cards, grid, lines, moves, parts, play, position, royals
from tests.engines.referee import apply, refusal

ACE = "0 AH reassignment"
SWITCH = "0 X1 switcheroo"
FORCE = "0 X1 forced_attack"


@pytest.mark.parametrize(
    ("cells", "moved"),
    [
        ("c3:5H", {"c3": "b2 c2 d2 b3 d3 b4 c4 d4"}),  # G13: from the centre, to any other cell
        ("b2:9C,5H c2:5S", {"b2": "c2 d2 b3 c3 d3 b4 c4 d4", "c2": "b2 d2 b3 c3 d3 b4 c4 d4"}),  # G8: equals
        ("b2:TH c2:2S d2:3C", {  # G8, G13: a 2 on a 10, not on a 3; nothing lower goes on a 10
            "b2": "c2 d2 b3 c3 d3 b4 c4 d4", "c2": "b2 b3 c3 d3 b4 c4 d4", "d2": "c2 b3 c3 d3 b4 c4 d4",
        }),
        ("", {}),  # G13: nothing to move
    ],
)  # fmt: skip
def test_g13_what_may_be_reassigned(cells, moved) -> None:
    """The top card of one cell, to another cell where it could be laid (G8)."""
    expected = {f"reassign {source} {target}" for source in moved for target in moved[source].split()}

    assert moves(position(cells=cells, queue=ACE), 0) == expected | {"recall AH"}


def test_g13_reassigning_on_a_full_grid() -> None:
    """Of nine different values each goes on every lower one, and the 2 on the 10."""
    order = [*CELLS[1:], "b2"]
    cells = " ".join(f"{cell}:{rank}C" for cell, rank in zip(order, "23456789T", strict=True))
    expected = {f"reassign {high} {low}" for place, high in enumerate(order) for low in order[:place]}

    assert moves(position(cells=cells, queue=ACE), 0) == expected | {"reassign c2 b2", "recall AH"}


@pytest.mark.parametrize(
    ("cells", "board", "action", "left", "mixed"),
    [
        # G13: it fires as if laid
        ("c2:6C c3:5C b2:9S", "c1:JH", "reassign b2 c4", "c1:-JH", ""),
        # G9, G13: onto the trigger of a line that it attacked in: what lay under it attacks now
        ("c2:6C,9D c3:5C", "c1:JH", "reassign c2 c4", "c1:-JH", ""),
        ("c2:5D,9D c3:5C", "c1:JH", "reassign c2 c4", "c1:JH", ""),
        # G9, G13: the last card of the cell: an empty attacker gives 0
        ("c2:TD c3:5C", "c1:JH+5D", "reassign c2 c4", "c1:JH", "5D"),
        ("c2:TD c3:TC", "c1:JH", "reassign c3 c4", "c1:JH", ""),
        # G13: off a trigger: what it uncovers there isn't laid; the new cell is nobody's trigger
        ("c2:6C c3:5C c4:7C,9S", "c1:JH", "reassign c4 c3", "c1:JH", ""),
        # G9: from one line's trigger to another's: only the cell it comes to fires
        ("c2:6C c3:5C c4:9S d3:2C d4:9C", "c1:JH d5:JS", "reassign c4 d2", "c1:JH d5:-JS", ""),
        # G9: onto a corner: two lines; from an attacker of one of them
        ("b2:6C b3:2D,5C c4:TH d4:8D", "b1:JH e4:JS", "reassign d4 b4", "b1:-JH e4:JS", ""),
        # G9, G8: a 2 on the 10 of a trigger
        ("c2:6C c3:5C c4:TC b2:2S", "c1:JH", "reassign b2 c4", "c1:-JH", ""),
        # G23: armour first, then the ace
        ("c2:TH c3:9C b2:9S", "c1:JH+2D+3D", "reassign b2 c4", "c1:-JH", "3D 2D"),
    ],
)
def test_g13_reassigned(cells, board, action, left, mixed) -> None:
    """The card moves, its lines fire, what falls and then the ace are mixed in, the turn goes on."""
    before = position(cells=cells, board=f"{board} a3:JD e3:JC", queue=ACE, known_bottom=1)
    _, source, target = action.split()
    stacks = grid(cells)
    stacks[target] = [*stacks[target], stacks[source].pop()]

    followed = play(before, 0, action)

    assert followed["royals"] == royals(f"{left} a3:JD e3:JC")
    assert followed["grid"] == stacks
    assert parts(followed, "draw_pile", "known_bottom") == (shuffled(before["draw_pile"] + cards(mixed) + ["AH"]), 0)
    assert parts(followed, "ploys", "phase", "turn", "turns") == ([], "draw", 0, 17)


@pytest.mark.parametrize(
    ("board", "pairs"),
    [
        ("a3:JD e3:JC", "a3 e3"),  # G13: one's own with another's
        ("a3:JD e3:-JC c1:-QH", "a3 e3; a3 c1; c1 e3"),  # G13: alive or dead, the dead with the dead too
        ("a3:JD", ""),  # G13: it takes two
        ("", ""),  # G13
    ],
)
def test_g13_what_may_be_switched(board, pairs) -> None:
    """Any two royals that are on the board."""
    expected = {f"switch {pair}" for pair in lines(pairs)}

    assert moves(position(board=board, queue=SWITCH), 0) == expected | {"recall X1"}


@pytest.mark.parametrize(
    ("action", "board"),
    [
        ("switch a3 e3", "a3:JC e3:JD+3H+2D c1:-QS"),  # G13: armour and all
        ("switch e3 a3", "a3:JC e3:JD+3H+2D c1:-QS"),  # referee.md: the two slots are a set
        ("switch a3 c1", "c1:JD+3H+2D e3:JC a3:-QS"),  # G13: an alive one with a dead one
        ("switch c1 e3", "a3:JD+3H+2D c1:JC e3:-QS"),  # G13
        ({"type": "switch", "slots": ["e3", "c1"]}, "a3:JD+3H+2D c1:JC e3:-QS"),  # referee.md
    ],
)
def test_g13_switched(action, board) -> None:
    """The two royals exchange their slots; nobody fires, though every trigger is laid; the joker is mixed in."""
    full = "b2:TC c2:TD d2:TH b3:9C c3:9D d3:9H b4:8C c4:8D d4:8H"
    before = position(cells=full, board="a3:JD+3H+2D e3:JC c1:-QS", queue=SWITCH)

    followed = play(before, 0, action)

    assert parts(followed, "royals", "grid") == (royals(board), before["grid"])
    assert followed["draw_pile"] == shuffled(before["draw_pile"] + ["X1"])
    assert parts(followed, "ploys", "phase", "turn", "turns") == ([], "draw", 0, 17)


def test_g13_the_line_of_fire_belongs_to_the_slot() -> None:
    """The Jack who was switched to c1 is hit over c4; the one who was there isn't."""
    before = position(cells="c2:6C c3:5C", board="a3:JD c1:JS", drawn="9S", queue=SWITCH)

    switched = play(before, 0, "switch c1 a3")

    assert play(switched, 0, "place c4")["royals"] == royals("c1:-JD a3:JS")


@pytest.mark.parametrize(
    ("cells", "board", "forced"),
    [
        ("c4:2H", "c1:JH", "c4"),  # G13: a trigger with a card, whatever the attack: here 0
        ("c2:TC c3:TD", "c1:JH", ""),  # G13: the trigger is empty
        ("c4:2H", "c1:-JH", ""),  # G13: its royal is dead
        ("c3:2H", "c1:JH a3:JD e3:JC c5:JS", ""),  # G13: the centre is nobody's trigger
        ("d2:2H", "a2:-JH d5:JS", "d2"),  # G13: at least one of a corner's two is alive
        ("d2:2H", "a2:-JH d5:-JS", ""),  # G13: neither
        ("b2:2C c2:3C d2:4C b3:5C c3:6C d3:7C b4:8C c4:9C d4:TC", "b1:JH d1:JD", "b4 d4"),  # G13: of all nine
        ("b2:2C c2:3C d2:4C b3:5C c3:6C d3:7C b4:8C c4:9C d4:TC", "", ""),  # G13: nobody to shoot at
    ],
)
def test_g13_where_an_attack_may_be_forced(cells, board, forced) -> None:
    """A cell with a card that is the trigger of a living royal."""
    before = position(cells=cells, board=board, queue=FORCE)

    assert moves(before, 0) == {f"force {cell}" for cell in forced.split()} | {"recall X1"}
    for cell in set(CELLS) - set(forced.split()):
        assert refusal(apply(before, 0, f"force {cell}")) == "illegal_action"


@pytest.mark.parametrize(
    ("cells", "board", "action", "left", "mixed"),
    [
        ("c2:6C c3:5C c4:2H", "c1:JH", "force c4", "c1:-JH", ""),  # G13: as if a card had just been laid there
        ("c2:5C c3:5D c4:TH", "c1:JH", "force c4", "c1:JH", ""),  # G9: the trigger's own card isn't part of it
        ("c2:5H c4:TH", "c1:KH+5D+3H", "force c4", "c1:KH+5D", "3H"),  # G11: it strips too
        ("c4:TH", "c1:KH+5D+3H", "force c4", "c1:KH+5D+3H", ""),  # G13: an attack of 0 uses the joker up
        ("b2:9H b3:8C c4:4H d4:9D b4:2H", "b1:JH+2D e4:JS+3C", "force b4", "b1:-JH e4:JS", "2D 3C"),  # G23: then X1
    ],
)
def test_g13_forced(cells, board, action, left, mixed) -> None:
    """The cell's lines fire; what falls and then the joker are mixed in; no card is moved."""
    before = position(cells=cells, board=f"{board} a3:JD e3:JC", queue=FORCE)

    followed = play(before, 0, action)

    assert parts(followed, "royals", "grid") == (royals(f"{left} a3:JD e3:JC"), before["grid"])
    assert followed["draw_pile"] == shuffled(before["draw_pile"] + cards(mixed) + ["X1"])
    assert parts(followed, "ploys", "phase", "turn", "turns") == ([], "draw", 0, 17)


@pytest.mark.parametrize(
    ("queue", "action"),
    [
        (ACE, "reassign d2 b2"),  # G13: nothing lies there
        (ACE, "reassign b2 c2"),  # G8: a 5 on a 7
        (ACE, "reassign c2 b3"),  # G8: a 7 on an 8
        (ACE, "switch a3 e3"),  # G14: the head is an ace
        (ACE, "force b3"),  # G14: not this ploy
        (SWITCH, "switch a3 b1"),  # G13: nobody is there
        (SWITCH, "switch c1 b1"),  # G13: nor there
        (SWITCH, "force b3"),  # G14: declared as a switcheroo
        (FORCE, "switch a3 e3"),  # G14: declared as a forced attack
        (FORCE, "force b2"),  # G13: nobody's trigger
    ],
)
def test_g13_refused(queue, action) -> None:
    """What the head of the queue can't do, it can't do."""
    assert refusal(apply(position(cells="b2:5H c2:7S b3:8S", queue=queue), 0, action)) == "illegal_action"


def test_g13_a_cell_is_not_another_cell() -> None:
    """A card isn't moved to where it lies, whichever word the refusal has for it."""
    heard = apply(position(cells="b2:5H", queue=ACE), 0, "reassign b2 b2")

    assert refusal(heard) in ("bad_action", "illegal_action")


def test_g13_only_the_ploy_is_used_up() -> None:
    """Arsenals and the rest of the queue are left as they are; the queue moves up."""
    rest = "1 AS reassignment, 0 AC reassignment"
    before = position(cells="b2:5H b3:6S", arms="X2 AD |", queue=f"{FORCE}, {rest}")

    followed = play(before, 0, "force b3")

    assert followed["ploys"] == before["ploys"][1:]
    assert followed["arsenals"] == before["arsenals"]


FULL = "b2:9C c2:9D d2:9H b3:9S c3:8C d3:8D b4:8H c4:8S"


@pytest.mark.parametrize(
    ("cells", "drawn", "queue", "action", "then"),
    [
        # G12: no cell takes the 7; then the 9C moves onto an 8 and bares a 4
        (f"{FULL.replace('9C', '4C,9C')} d4:TC", "7S", ACE, "reassign b2 c3", "place b2"),
        # G12: the last card of a cell goes: the empty cell takes anything
        (f"{FULL} d4:TC", "7S", ACE, "reassign b2 c2", "place b2"),
        # G12: the only cell that took the 7 is covered, but another is emptied
        (f"{FULL} d4:5C", "7H", ACE, "reassign b2 d4", "place b2"),
        # G12: the only cell that took the 7 is covered, and an 8 is bared: armour, or return
        (f"{FULL.replace('9C', '8C,9C').replace('c3:8C', 'c3:TH')} d4:5C", "7H", ACE, "reassign b2 d4", "armour a3"),
        (f"{FULL.replace('9C', '8C,9C').replace('c3:8C', 'c3:TH')} d4:5C", "7S", ACE, "reassign b2 d4", "return"),
        # G12: red's one living royal on the board is shot: there is nobody left to wear it
        (f"{FULL} d4:TC", "3H", FORCE, "force d3", "return"),
    ],
)
def test_g12_a_ploy_changes_what_is_due(cells, drawn, queue, action, then) -> None:
    """When the queue is empty the turn goes on where it halted, on the board as it is now (G14)."""
    before = position(cells=cells, drawn=drawn, queue=queue)

    followed = play(before, 0, action)

    assert parts(followed, "phase", "drawn", "turn", "turns") == ("place", drawn, 0, 17)
    assert moves(followed, 0) == {then}
