import pytest

from tests.engines.gridcannon.table import arsenals, cards, grid, moves, play, position
from tests.engines.referee import Json, accepted, apply, ask, legal, new, refusal, view

PILE = "3C 5C 6C 7C 8C 9C TC 2S 4S 5S 6S 8S KC KD"


def full() -> Json:
    """Return a position that has something of everything."""
    return position(
        cells="b2:5H,9S,2H c3:7D b3:6H", board="a3:JD+4H+3H e3:-JC c1:QS+4C+2C", drawn="7S", turn=1, pile=PILE,
        known_bottom=2, arms="X2 AS AD | AH AC", queue="1 X1 switcheroo", recalled="X2 AH AD",
    )  # fmt: skip


@pytest.mark.parametrize("seat", [0, 1, None])
def test_g22_all_but_the_order_of_the_draw_pile(seat) -> None:
    """Every seat and a spectator see the same: the position, its pile a count and what is known at the bottom."""
    laid = full()

    assert view(laid, seat) == laid | {
        "draw_pile": {"count": 14, "bottom": ["KC", "KD"]},  # G22: in order
        "arsenals": arsenals("AD AS X2 | AC AH"),  # referee.md: an order that means nothing is no order
        "recalled": cards("AD AH X2"),  # referee.md
    }


@pytest.mark.parametrize(
    ("known", "bottom"),
    [
        (0, ""),  # G22: nothing is known
        (1, "KD"),  # G22: the last card
        (3, "8S KC KD"),  # G22: top first, as they lie
        (14, PILE),  # G22: all
    ],
)
def test_g22_the_known_bottom(known, bottom) -> None:
    """Exactly so many cards as are known, in the order in which they will be drawn."""
    seen = view(position(pile=PILE, known_bottom=known), 0)

    assert seen["draw_pile"] == {"count": 14, "bottom": cards(bottom)}
    assert seen["known_bottom"] == known


def test_g22_orders_that_mean_something_stay() -> None:
    """Stacks, armour and the queue are in their order."""
    laid = position(
        cells="b2:9H,2S,TC", board="a3:JD+5H+3H+4D e3:JC", queue="1 X2 switcheroo, 0 AS reassignment, 1 AC reassignment"
    )

    seen = view(laid, None)

    assert (seen["grid"], seen["royals"], seen["ploys"]) == (laid["grid"], laid["royals"], laid["ploys"])


@pytest.mark.parametrize("seat", [0, 1, None])
def test_g22_in_the_opening(seat) -> None:
    """The royals set aside are a count, whatever their order; who opens with what is seen."""
    laid = accepted(new(2, {}, "opening", "gridcannon"), "position")

    seen = view(laid, seat)

    assert seen["aside"] == {"count": 10}
    assert seen["draw_pile"] == {"count": len(laid["draw_pile"]), "bottom": []}
    assert seen["opening"] == laid["opening"]
    assert view(laid | {"aside": sorted(laid["aside"]), "draw_pile": sorted(laid["draw_pile"])}, seat) == seen


def test_g22_two_orders_look_alike() -> None:
    """Views, legal actions and refusals don't depend on what nobody knows."""
    one = full()
    other = one | {"draw_pile": one["draw_pile"][11::-1] + one["draw_pile"][12:]}

    for seat in (0, 1):
        assert view(one, seat) == view(other, seat)
        assert legal(one, seat) == legal(other, seat)
        for action in ("draw", "place b2", "declare 3C reassignment", "recall 8S"):
            assert apply(one, seat, action) == apply(other, seat, action)


def test_g22_passed_over_cards_are_seen() -> None:
    """What G16 puts at the bottom is in everybody's view, below what was known before."""
    laid = position(board="a3:-JD e3:JC", pile="AH 6S QH 7C 8C KC", known_bottom=1)

    seen = view(play(laid, 0, "draw"), 1)

    assert seen["draw_pile"] == {"count": 5, "bottom": ["KC", "AH", "6S"]}


def test_g22_after_the_end_the_order_stays_hidden() -> None:
    """A game that is over shows no more of the draw pile than before."""
    laid = position(drawn="9S", cells="b2:2H", turn_limit=17)

    seen = view(play(laid, 0, "place b2"), 0)

    assert seen["draw_pile"] == {"count": 14, "bottom": []}
    assert (seen["phase"], seen["grid"]) == ("over", grid("b2:2H,9S"))


@pytest.mark.parametrize("seat", ["0", 0.5, True, [0]])
def test_g22_a_seat_is_an_integer(seat) -> None:
    """Anything else is a bad request, in every request that has a seat."""
    for extra in ({"op": "view"}, {"op": "legal"}, {"op": "apply", "action": "draw", "seed": "s"}):
        assert refusal(ask({"position": position(), "seat": seat, **extra})) == "bad_request"


def test_g22_a_spectator_only_looks() -> None:
    """``null`` is a seat for ``view`` alone."""
    for extra in ({"op": "legal"}, {"op": "apply", "action": "draw", "seed": "s"}):
        assert refusal(ask({"position": position(), "seat": None, **extra})) == "bad_request"


@pytest.mark.parametrize(("players", "seat"), [(2, 2), (2, 3), (4, 4), (2, -1), (4, -1)])
def test_g22_a_seat_that_does_not_exist(players, seat) -> None:
    """There is nothing to see from there, nothing to do, no counting from the end: one answer to all requests."""
    laid = position(players)

    answers = [
        apply(laid, seat, "draw"),
        *[ask({"op": op, "position": laid, "seat": seat}) for op in ("view", "legal")],
    ]

    assert [refusal(heard) for heard in answers] == ["bad_action"] * 3
    assert answers == [answers[0]] * 3


def test_g22_the_four_see_the_same() -> None:
    """Arsenals are open: what seat 3 holds seat 0 sees."""
    laid = position(4, arms="AH | X2 X1 || AS AC")
    seen = [view(laid, seat) for seat in (0, 1, 2, 3, None)]

    assert all(other == seen[0] for other in seen)
    assert seen[0]["arsenals"] == arsenals("AH | X1 X2 || AC AS", 4)
    assert moves(laid, 2) == set()
