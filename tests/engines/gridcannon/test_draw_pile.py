import pytest

from tests.engines.gridcannon.dealing import Dealer, shuffled
from tests.engines.gridcannon.table import arsenals, cards, grid, outcome, parts, play, position
from tests.engines.referee import apply, refusal

# Every cell is full of 8s, 9s and 10s, so that a 3 can't be laid; five cards lie below the top two.
DEEP = "b2:4C,5C,9C c2:9D d2:9H b3:9S,8C c3:4D,4H,5H,8D d3:8H b4:8S c4:6C,6D,TD,TC d4:TH"
UP = cards("4C 4D 4H 6C 6D")  # G23: cell by cell b2 c2 d2 b3 c3 d3 b4 c4 d4, each from the bottom
TOP_TWO = "b2:5C,9C c2:9D d2:9H b3:9S,8C c3:5H,8D d3:8H b4:8S c4:TD,TC d4:TH"
LOW = "b2:4C,5C,7C d4:2H"


@pytest.mark.parametrize(
    ("count", "drawn", "action", "mixed", "shuffles"),
    [
        # G19: what the draw pile holds when the next turn begins, the two Kings under the numbers counted
        (8, "3H", "armour a3", "", "refresh"),  # 10
        (9, "3H", "armour a3", "", ""),  # 11
        (8, "3S", "return", "3S", "mix"),  # 10 and the one returned: 11
        (7, "3S", "return", "3S", "mix refresh"),  # 9 and one: two shuffles out of one stream of words
        (0, "3S", "return", "3S", "mix refresh"),  # few
    ],
)
def test_g19_g23_when_the_pile_runs_low(count, drawn, action, mixed, shuffles) -> None:
    """Mixing in comes first, then the new turn takes up all but the top two of every cell."""
    before = position(cells=DEEP, drawn=drawn, pile=count, known_bottom=1)
    dealer, pile = Dealer("low"), before["draw_pile"]
    if "mix" in shuffles:
        pile = dealer.shuffle(pile + cards(mixed))
    if "refresh" in shuffles:
        pile = dealer.shuffle(pile + UP)

    followed = play(before, 0, action, "low")

    assert parts(followed, "draw_pile", "known_bottom") == (pile, 0 if shuffles else 1)
    assert followed["grid"] == grid(TOP_TWO if "refresh" in shuffles else DEEP)
    assert parts(followed, "phase", "turn", "turns", "outcome") == ("draw", 1, 18, None)


def test_g19_the_card_just_laid_is_on_top() -> None:
    """It is one of the top two: the card under the card under it goes."""
    before = position(cells=LOW, drawn="9S", pile=8, known_bottom=3)

    followed = play(before, 0, "place b2")

    assert followed["grid"] == grid("b2:7C,9S d4:2H")
    assert parts(followed, "draw_pile", "known_bottom") == (shuffled(before["draw_pile"] + cards("4C 5C")), 0)


@pytest.mark.parametrize(
    ("pile", "refreshed"),
    [
        ("AS 2C 2D 2S 3C 3D 3H 3S 4D KD KC", True),  # G19: 10 are left when the next turn begins
        ("AS 2C 2D 2S 3C 3D 3H 3S 4D 4H KD KC", False),  # G19: 11
    ],
)
def test_g19_after_an_ace(pile, refreshed) -> None:
    """A turn that ends with an ace in the arsenal ends like any other."""
    before = position(cells=LOW, pile=pile, known_bottom=3)
    rest = before["draw_pile"][1:]

    followed = play(before, 0, "draw")

    assert parts(followed, "phase", "turn", "arsenals") == ("draw", 1, arsenals("AS"))
    expected = (shuffled([*rest, "4C"]), 0) if refreshed else (rest, 3)
    assert parts(followed, "draw_pile", "known_bottom") == expected
    assert followed["grid"] == grid("b2:5C,7C d4:2H" if refreshed else LOW)


@pytest.mark.parametrize("count", [8, 9])
def test_g19_after_a_royal(count) -> None:
    """A turn that ends with a royal placed too."""
    before = position(cells=LOW, drawn="QS", pile=count)

    followed = play(before, 1, "royal b1")

    pile = before["draw_pile"]
    assert followed["draw_pile"] == (shuffled([*pile, "4C"]) if count == 8 else pile)


@pytest.mark.parametrize(
    ("count", "refreshed"),
    [
        (8, False),  # G11, G19: 10, and one that is stripped: 11
        (7, True),  # G11, G19: 9 and one
    ],
)
def test_g19_after_armour_is_stripped(count, refreshed) -> None:
    """Two shuffles in one action: what fell, then what was taken up (G23)."""
    before = position(cells="c2:9C,8C,TC c3:2S", board="c1:JH+5H a3:JD e3:JC", drawn="9S", pile=count)
    dealer = Dealer("s")
    pile = dealer.shuffle([*before["draw_pile"], "5H"])
    if refreshed:
        pile = dealer.shuffle([*pile, "9C"])

    followed = play(before, 0, "place c4")

    assert parts(followed, "draw_pile", "known_bottom") == (pile, 0)


def test_g19_a_ploy_begins_no_turn() -> None:
    """In mid-turn a low pile stays as low as it is: the joker is mixed in, nothing is taken up."""
    before = position(cells=LOW, pile=1, queue="0 X1 switcheroo")

    followed = play(before, 0, "switch a3 e3")

    assert parts(followed, "draw_pile", "grid") == (shuffled([*before["draw_pile"], "X1"]), before["grid"])
    assert parts(followed, "turn", "turns") == (0, 17)


def test_g19_a_draw_leaves_a_low_pile_alone() -> None:
    """Only the beginning of a turn refreshes; the last card may be drawn and the pile be empty."""
    before = position(cells=LOW, pile="9S")

    followed = play(before, 0, "draw")

    assert parts(followed, "draw_pile", "drawn", "phase", "grid") == ([], "9S", "place", before["grid"])


def test_g19_from_nothing_but_what_is_taken_up() -> None:
    """An empty pile and one card under two: the game goes on with that one card."""
    before = position(cells=LOW, drawn="9S", pile="")

    followed = play(before, 0, "place c2")

    assert parts(followed, "draw_pile", "phase", "turn", "outcome") == (["4C"], "draw", 1, None)
    assert play(followed, 1, "draw")["drawn"] == "4C"


@pytest.mark.parametrize(
    ("fields", "action", "left"),
    [
        ({"drawn": "9S", "pile": ""}, "place c2", {"grid": grid("b2:4C,5C c2:9S")}),  # G19
        ({"pile": "AS"}, "draw", {"arsenals": arsenals("AS")}),  # G19: an ace was the last card
        ({"drawn": "KH", "pile": ""}, "royal a2", {}),  # G19
    ],
)
def test_g19_exhausted(fields, action, left) -> None:
    """Nothing to draw and nothing to take up: a draw. The turn has begun and counts."""
    followed = play(position(cells="b2:4C,5C", **fields), 0, action)

    assert parts(followed, "phase", "outcome", "turn", "turns") == ("over", outcome("exhausted"), 1, 18)
    assert parts(followed, "draw_pile", "drawn") == ([], None)
    assert {name: followed[name] for name in left} == left
    assert refusal(apply(followed, 1, "draw")) == "game_over"


def test_g19_exhausted_passes_seats_that_are_out() -> None:
    """`turn` names the living seat that had nothing to draw."""
    before = position(4, board="c5:JC a3:-JD c1:-JH e3:JS", drawn="9S", pile="")

    assert parts(play(before, 0, "place b2"), "turn", "turns", "phase") == (3, 18, "over")


@pytest.mark.parametrize(
    ("pile", "known"),
    [
        ("", 0),  # G21: fewer than two cards: nothing to shuffle
        ("9D", 1),  # G21: two
        ("9D KD", 2),  # G21, G22: what was known no longer is
    ],
)
def test_g21_mixing_into_few(pile, known) -> None:
    """What is mixed in is put at the bottom and the whole pile is shuffled."""
    before = position(cells=LOW, drawn="9S", pile=pile, known_bottom=known, queue="1 AS reassignment")

    followed = play(before, 1, "reassign d4 d3")

    assert parts(followed, "draw_pile", "known_bottom") == (shuffled([*before["draw_pile"], "AS"]), 0)


def test_g21_every_action_has_its_own_dealer() -> None:
    """One seed, one stream of words: the second action begins its stream anew."""
    before = position(cells=LOW, queue="0 AS reassignment, 1 AD reassignment")

    once = play(before, 0, "reassign d4 d3", "x")
    twice = play(once, 1, "reassign d3 d4", "x")

    assert once["draw_pile"] == shuffled([*before["draw_pile"], "AS"], "x")
    assert twice["draw_pile"] == shuffled([*once["draw_pile"], "AD"], "x")


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        ({"drawn": "9S"}, "place b2"),  # G21: a card laid that strips nothing
        ({"drawn": "KH"}, "royal e4"),  # G21: a royal placed beside the 2H
        ({"arms": "AS |"}, "declare AS reassignment"),  # G21: a declaration
        ({"queue": "0 AS reassignment"}, "recall AS"),  # G21: a recall
    ],
)
def test_g21_no_shuffle_where_nothing_is_mixed_in(fields, action) -> None:
    """The pile lies as it lay, and what was known of it stays known."""
    before = position(cells=LOW, known_bottom=4, **fields)

    followed = play(before, 0, action)

    assert parts(followed, "draw_pile", "known_bottom") == parts(before, "draw_pile", "known_bottom")
