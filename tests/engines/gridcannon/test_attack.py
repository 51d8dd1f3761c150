import pytest

from tests.engines.gridcannon.dealing import shuffled
from tests.engines.gridcannon.table import CELLS, cards, moves, parts, play, position, royals

# Straight across the grid: the two cells nearest to the slot attack, the third is the trigger.
LINES = {
    "b1": "b2 b3 b4", "c1": "c2 c3 c4", "d1": "d2 d3 d4",  # from above, downwards
    "e2": "d2 c2 b2", "e3": "d3 c3 b3", "e4": "d4 c4 b4",  # from the right, leftwards
    "b5": "b4 b3 b2", "c5": "c4 c3 c2", "d5": "d4 d3 d2",  # from below, upwards
    "a2": "b2 c2 d2", "a3": "b3 c3 d3", "a4": "b4 c4 d4",  # from the left, rightwards
}  # fmt: skip


@pytest.mark.parametrize("slot", LINES)
def test_g9_the_line_of_fire_of_every_slot(slot) -> None:
    """A 9 laid anywhere kills the Jack there if and only if it is laid on his trigger."""
    first, second, trigger = LINES[slot].split()
    before = position(cells=f"{first}:6C {second}:5C", board=f"{slot}:JH", drawn="9S")

    killing = {cell for cell in CELLS if not play(before, 0, f"place {cell}")["royals"][slot]["alive"]}

    assert killing == {trigger}


@pytest.mark.parametrize("slot", LINES)
def test_g9_nothing_but_the_two_attackers_counts(slot) -> None:
    """5 + 5 isn't 11, though every other cell holds a 10 and a 10 is laid on another 10."""
    first, second, trigger = LINES[slot].split()
    high = iter(cards("TD TH 9C 9D 9H 9S"))
    others = " ".join(f"{cell}:{next(high)}" for cell in CELLS if cell not in (first, second, trigger))
    before = position(cells=f"{first}:8S,5C {second}:8H,5D {trigger}:TC {others}", board=f"{slot}:JH", drawn="TS")

    assert play(before, 0, f"place {trigger}")["royals"] == royals(f"{slot}:JH")


@pytest.mark.parametrize(
    ("royal", "attackers", "falls"),
    [
        ("JH", "6H 5H", True),  # G9, G10: 11 against a Jack
        ("JH", "6S 5C", True),  # G9: all count
        ("JH", "5S 5C", False),  # G10: 10
        ("JH", "TS", False),  # G9: an empty cell gives 0
        ("JH", "TS TC", True),  # G10: more than enough
        ("QH", "6H 6D", True),  # G9, G10: 12 of her colour against a Queen
        ("QH", "7D 5D", True),  # G9: none of her suit is needed
        ("QH", "6H 5D", False),  # G10: 11
        ("QH", "TH TS", False),  # G9: 10, the black 10 doesn't count
        ("QS", "TC 2S", True),  # G9: black
        ("QS", "TH TD", False),  # G9: 0
        ("KH", "TH 3H", True),  # G9, G10: 13 of his suit against a King
        ("KH", "7H 5H", False),  # G10: 12
        ("KH", "TH TD", False),  # G9: 10, his colour is not enough
        ("KC", "9C 4C", True),  # G9
        ("KC", "9S 4C", False),  # G9: 4
    ],
)
def test_g9_g10_what_counts_and_what_kills(royal, attackers, falls) -> None:
    """The sum of the attackers that count, against the health."""
    first, *second = cards(attackers)
    cells = f"c2:{first}" + "".join(f" c3:{card}" for card in second)
    before = position(cells=cells, board=f"c1:{royal} a2:JD a4:JC", drawn="2D")

    followed = play(before, 0, "place c4")

    assert followed["royals"] == royals(f"c1:{'-' if falls else ''}{royal} a2:JD a4:JC")
    assert parts(followed, "draw_pile", "turn", "outcome") == (before["draw_pile"], 1, None)


@pytest.mark.parametrize(
    ("wears", "attackers", "left", "mixed"),
    [
        ("KH+3H", "TH 6H", "-KH", "3H"),  # G10: 16 against 13 + 3
        ("KH+3H", "TH 5H", "KH", "3H"),  # G11: 15 kills not, but the 3 falls
        ("KH+3H", "3D 2H", "KH+3H", ""),  # G11: 2 of his suit: his colour doesn't strip either
        ("KH+5H+3H", "4H", "KH+5H", "3H"),  # G11: from the last laid
        ("KH+5H+3H", "3C 3S", "KH+5H+3H", ""),  # G11: 0
        ("KH+5H+3H", "2H", "KH+5H+3H", ""),  # G11: 2 isn't 3
        ("KH+5H+3H", "7H", "KH+5H", "3H"),  # G11: 7 isn't 3 + 5, though it is at least 5
        ("KH+5H+3H", "8H", "KH", "3H 5H"),  # G11: 8 is
        ("KH+3H+5H", "4H", "KH+3H+5H", ""),  # G11: the 5 lies outside, the 3 is safe under it
        ("KH+3H+5H", "6H", "KH+3H", "5H"),  # G11
        ("KH+2H+3H+4H", "8H", "KH+2H", "4H 3H"),  # G11: 4 + 3, not 9
        ("KH+2H+3H+4H", "9H", "KH", "4H 3H 2H"),  # G11: all three
        ("JH+2D+5H", "TS 7S", "JH", "5H 2D"),  # G10, G11: 17 against 11 + 7
        ("JH+2D+5H", "TS 8S", "-JH", "5H 2D"),  # G10: 18: both layers go with him, the last laid first
        ("JH+2D", "2S", "JH", "2D"),  # G11: all count against a Jack and his armour
        ("QH+4D", "3D 9S", "QH+4D", ""),  # G11: against a Queen and hers, her colour: 3
        ("QH+4D", "3D 2H", "QH", "4D"),  # G11: 5
        ("QH+4D", "9D 7H", "-QH", "4D"),  # G10: 16
        ("QH+4D", "9D 6H", "QH", "4D"),  # G10, G11: 15
    ],
)
def test_g10_g11_armour(wears, attackers, left, mixed) -> None:
    """Armour adds to the health; what isn't enough for all may be enough for the outer layers (G21, G23)."""
    first, *second = cards(attackers)
    cells = f"c2:{first}" + "".join(f" c3:{card}" for card in second)
    before = position(cells=cells, board=f"c1:{wears} a2:JD a4:JC", drawn="2C", known_bottom=2)

    followed = play(before, 0, "place c4")

    assert followed["royals"] == royals(f"c1:{left} a2:JD a4:JC")
    if mixed:
        assert parts(followed, "draw_pile", "known_bottom") == (shuffled(before["draw_pile"] + cards(mixed)), 0)
    else:  # G21: nothing is mixed in, nothing is shuffled
        assert parts(followed, "draw_pile", "known_bottom") == parts(before, "draw_pile", "known_bottom")


@pytest.mark.parametrize(
    ("trigger", "slots"),
    [
        ("b2", "e2 b5"),  # G9: a corner is the trigger of two slots
        ("d2", "d5 a2"),  # G9
        ("b4", "b1 e4"),  # G9
        ("d4", "d1 a4"),  # G9
        ("c2", "c5"),  # G9: an edge of one
        ("b3", "e3"),  # G9
        ("d3", "a3"),  # G9
        ("c4", "c1"),  # G9
        ("c3", ""),  # G9: the centre of none
    ],
)
def test_g9_every_line_of_a_trigger_fires(trigger, slots) -> None:
    """Jacks in all twelve slots' places in turn: those in the trigger's lines fall, four at a time look on."""
    full = "b2:TC c2:TD d2:TH b3:9C c3:9D d3:9H b4:8C c4:8D d4:8H"
    for group in ("b1 d1 b5 d5", "e2 e4 a2 a4", "c1 e3 c5 a3"):
        jacks = dict(zip(group.split(), cards("JC JD JH JS"), strict=True))
        before = position(cells=full, board=" ".join(f"{slot}:{jack}" for slot, jack in jacks.items()), drawn="TS")

        after = play(before, 0, f"place {trigger}")["royals"]

        assert {slot for slot in jacks if not after[slot]["alive"]} == set(group.split()) & set(slots.split())


@pytest.mark.parametrize(
    ("trigger", "cells", "board", "left", "mixed"),
    [
        # G23: slot by slot b1 c1 d1 e2 e3 e4 b5 c5 d5 a2 a3 a4, of a slot the layer laid last first
        ("b4", "b2:9H b3:8C c4:4H", "b1:JH+2D+3D e4:JS+9C", "b1:-JH e4:JS+9C", "3D 2D"),  # G9: 17 kills, 4 doesn't
        ("b4", "b2:9H b3:8C c4:4H", "b1:QH+2H e4:JS+9C", "b1:QH e4:JS+9C", "2H"),  # G9, G11: 9 strips a 2
        ("d2", "b2:TD c2:8D d3:9S d4:8S", "a2:JD+2D+3D d5:JS+2C+3C", "a2:-JD d5:-JS", "3C 2C 3D 2D"),  # G23: d5 first
        ("d2", "b2:TD c2:7D d3:9S d4:3S", "a2:KD+2D+3D d5:KS+2S", "a2:KD d5:KS", "2S 3D 2D"),  # G11, G23
        ("b2", "b4:6C b3:6H d2:2S c2:TD", "b5:JD+2D e2:QS+3C", "b5:JD e2:QS+3C", "2D"),  # G9: each by its own sum
        ("b2", "b4:6C b3:6H d2:4S c2:TD", "b5:JD+2D e2:QS+3C", "b5:JD e2:QS", "3C 2D"),  # G23: e2 before b5
        ("d4", "b4:TS c4:9C d2:6S d3:7S", "a4:QD+2D d1:JH+3H", "a4:QD+2D d1:JH", "3H"),  # G9: each by its own rule
        ("d4", "b4:5D c4:6H d2:6S d3:7S", "a4:QD+2D d1:JH+3H", "a4:QD d1:JH", "3H 2D"),  # G23: d1 before a4
    ],
)
def test_g9_g23_two_lines_at_one_moment(trigger, cells, board, left, mixed) -> None:
    """A corner fires along two lines; what falls is mixed in together, in one shuffle."""
    before = position(cells=cells, board=f"{board} c1:JC", drawn="TC", known_bottom=1)

    followed = play(before, 0, f"place {trigger}")

    assert followed["royals"] == royals(f"{left} c1:JC")
    assert parts(followed, "draw_pile", "known_bottom") == (shuffled(before["draw_pile"] + cards(mixed)), 0)


@pytest.mark.parametrize(
    ("royal", "seat"),
    [
        ("JH", 0),  # G9: red lays the card and red's own royal falls
        ("JS", 0),  # G9: another's
        ("JH", 1),  # G9: black's card
        ("JS", 1),  # G9: black's own
    ],
)
def test_g9_ones_own_family_is_no_exception(royal, seat) -> None:
    """The attack doesn't ask whose card it was."""
    before = position(cells="c2:6C c3:5C", board=f"c1:{royal} a3:JD e3:JC", turn=seat, drawn="2D")

    assert play(before, seat, "place c4")["royals"] == royals(f"c1:-{royal} a3:JD e3:JC")


def test_g9_the_dead_are_left_alone() -> None:
    """Nobody fires at a dead royal; the other line of the corner fires."""
    before = position(cells="b2:6C b3:5C c4:3D d4:8D", board="b1:-JH e4:JS a3:JD e3:JC", drawn="9S")

    followed = play(before, 0, "place b4")

    assert followed["royals"] == royals("b1:-JH e4:-JS a3:JD e3:JC")
    assert followed["draw_pile"] == before["draw_pile"]


def test_g9_the_royal_beside_a_trigger_is_in_no_line_of_it() -> None:
    """c4 is c1's trigger; the royal beside c4, on c5, isn't in that line."""
    before = position(cells="c2:6C c3:5C c4:2H", board="c1:QH c5:JS a3:JD e3:JC", drawn="9S")

    assert play(before, 0, "place c4")["royals"] == before["royals"]


def test_g9_armour_and_return_fire_at_nobody() -> None:
    """Only a card laid on a trigger, moved onto it, or a forced attack fires."""
    full = "b2:TC c2:TD d2:TH b3:9C c3:9D d3:9H b4:8C c4:8D d4:8H"
    before = position(cells=full, board="c1:JS a3:JD e3:JC", drawn="3H")
    assert moves(before, 0) == {"armour a3"}

    assert play(before, 0, "armour a3")["royals"] == royals("c1:JS a3:JD+3H e3:JC")
