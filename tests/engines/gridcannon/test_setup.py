from typing import Any

import pytest

from tests.engines.gridcannon.dealing import Dealer, families_of, opening, shuffled
from tests.engines.gridcannon.table import (
    PACK,
    all_cards,
    cards,
    grid,
    lines,
    moves,
    outcome,
    parts,
    play,
    position,
    royals,
)
from tests.engines.referee import Json, accepted, after, apply, ask, legal, new, refusal

EIGHT = "b2:5H c2:9H d2:TD b3:4S d3:8C b4:6S c4:3C d4:2D"


def placing(**fields: Any) -> Json:
    """Return a small opening in which seat 0 has placed and seat 1 must (G5): the QS, beside the 6S on b4."""
    laid = position(
        cells=EIGHT, board="c1:KH", phase="setup", turn=1, turns=0, pile="3D 3H", arms="AH | X1",
        opening=[{"seat": 1, "card": "QS"}], aside=["JD", "JC", "KC"],
    )  # fmt: skip
    return laid | fields


@pytest.mark.parametrize(
    ("players", "options", "seed"),
    [
        (2, {}, "seed"),  # G1-G4, G23: 54 cards, red and black
        (2, {}, ""),  # G23: no seed is a seed too
        (2, {}, "grün ♠"),  # G23: the seed text is UTF-8
        (2, {"families": ["black", "red"]}, "a"),  # G1, G3: who is which decides which royals open
        (2, {"families": [None, "red"]}, "b"),  # G1: what is left
        (2, {"reduced_ploys": True}, "c"),  # G2: 39 cards lie under the grid's deal
        (2, {"reduced_ploys": True, "families": ["black", None]}, "d"),  # G1, G2
        (2, {"reduced_ploys": False, "turn_limit": 0}, "e"),  # G2, G20
        (4, {}, "seed"),  # G1: C, D, H, S
        (4, {}, "another seed"),  # G4: four seats in turn draw
        (4, {"families": ["H", None, "C", None]}, "f"),  # G1: left are D, then S
        (4, {"families": ["S", "H", "D", "C"], "turn_limit": 7}, "g"),  # G1, G20
    ],
)
def test_g1_to_g5_the_opening_card_by_card(players, options, seed) -> None:
    """A new game is the one that anybody can deal again from its seed (G23)."""
    heard = new(players, options, seed, "gridcannon")

    assert accepted(heard, "position") == opening(players, options, seed)[0]


def test_g23_a_word_from_the_uneven_rest_is_passed_over() -> None:
    """This seed's fifteenth word is one that gives no fair number below 39."""
    expected, rejected = opening(2, {}, "pack 512782")

    heard = new(2, {}, "pack 512782", "gridcannon")

    assert rejected == 1
    assert accepted(heard, "position") == expected


@pytest.mark.parametrize("seed", [f"deal {number}" for number in range(12)])
def test_g4_an_ace_or_joker_costs_its_drawer_the_draw(seed) -> None:
    """Whatever the number of ploys drawn, the eight cells are laid and every draw was the next seat's."""
    for players in (2, 4):
        laid = accepted(new(players, {}, seed, "gridcannon"), "position")
        assert laid == opening(players, {}, seed)[0]
        assert laid["grid"]["c3"] == []


def test_g2_reduced_ploys_leaves_three_cards_out() -> None:
    """AC, AD and X2 are in no pile (G2); without the option all 54 cards are in play."""
    reduced = accepted(new(2, {"reduced_ploys": True}, "s", "gridcannon"), "position")
    whole = accepted(new(2, {}, "s", "gridcannon"), "position")

    assert all_cards(whole) == PACK
    assert set(PACK) - set(all_cards(reduced)) == {"AC", "AD", "X2"}


@pytest.mark.parametrize(
    ("players", "chosen", "families"),
    [
        (2, [None, None], "red black"),  # G1: in this order
        (2, ["black", None], "black red"),  # G1: left is red
        (2, [None, "red"], "black red"),  # G1
        (2, ["red", "black"], "red black"),  # G1
        (4, [None, None, None, None], "C D H S"),  # G1: in this order
        (4, [None, None, None, "C"], "D H S C"),  # G1: the others take what is left in order
        (4, ["S", None, None, "D"], "S C H D"),  # G1
        (4, [None, "C", None, None], "D C H S"),  # G1
    ],
)
def test_g1_seats_that_do_not_choose_get_what_is_left(players, chosen, families) -> None:
    """Every seat has the family it chose or the first that nobody has."""
    laid = accepted(new(players, {"families": chosen}, "s", "gridcannon"), "position")

    assert laid["families"] == families.split() == families_of(players, chosen)


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (2, {"families": ["red", "red"]}),  # G1: two seats, one family
        (4, {"families": ["H", None, None, "H"]}),  # G1
        (2, {"families": ["C", "S"]}),  # G1: suits are for four
        (4, {"families": ["red", "black", None, None]}),  # G1: colours are for two
        (2, {"families": ["red"]}),  # G1: one entry per seat
        (2, {"families": ["red", "black", None]}),  # G1
        (4, {"families": ["C", "D"]}),  # G1
        (2, {"families": "red"}),  # G1: a list
        (2, {"families": [1, None]}),  # G1: names
        (2, {"families": ["Red", None]}),  # G1: spelled so
        (2, {"reduced_ploys": 1}),  # G2: true or false
        (2, {"reduced_ploys": "yes"}),  # G2
        (2, {"turn_limit": -1}),  # G20: 0 for none
        (2, {"turn_limit": "1000"}),  # G20: a number
        (2, {"turn_limit": 1.5}),  # G20: a whole one
        (2, {"turn_limit": True}),  # G20
        (2, {"colour": "red"}),  # referee.md: no such option
    ],
)
def test_g1_g2_g20_bad_options(players, options) -> None:
    """What an option can't be is refused."""
    assert refusal(new(players, options, "s", "gridcannon")) == "bad_options"


@pytest.mark.parametrize("players", [0, 1, 3, 5, "2", None, True])
def test_g1_two_or_four(players) -> None:
    """Any other number of players is a bad request, and that is said before the options are looked at."""
    request = {"op": "new", "ruleset": "gridcannon", "players": players, "options": {"colour": "red"}, "seed": "s"}

    assert refusal(ask(request)) == "bad_request"


def test_g1_the_catalogue_names_players_and_options() -> None:
    """A client can ask what there is to choose."""
    listed = {entry["name"]: entry for entry in accepted(ask({"op": "rulesets"}), "rulesets")}

    assert listed["gridcannon"]["players"] == [2, 4]
    assert set(listed["gridcannon"]["options"]["properties"]) == {"families", "reduced_ploys", "turn_limit"}


def test_g4_events_name_every_card_dealt() -> None:
    """From the events of ``new`` a dealing can be checked: each card laid, each ploy, each royal set out."""
    heard = new(4, {}, "another seed", "gridcannon")
    laid, told = accepted(heard, "position"), str(heard["events"])

    public = [card for stack in (*laid["grid"].values(), *laid["arsenals"]) for card in stack]
    public += [entry["card"] for entry in laid["opening"]]
    assert [card for card in public if f"'{card}'" not in told] == []
    assert all(isinstance(event["type"], str) for event in heard["events"])


@pytest.mark.parametrize(("players", "seed"), [(2, "walk"), (4, "walk"), (4, "stroll")])
def test_g5_seats_place_in_turn_then_all_is_shuffled(players, seed) -> None:
    """From seat 0 on each places its own; then draw pile and aside are shuffled and seat 0 begins (G5, G23)."""
    laid = accepted(new(players, {}, seed, "gridcannon"), "position")
    together = laid["draw_pile"] + laid["aside"]
    for seat in range(players):
        assert parts(laid, "phase", "turn", "turns") == ("setup", seat, 0)
        assert [entry["seat"] for entry in laid["opening"]] == list(range(seat, players))
        assert laid["draw_pile"] + laid["aside"] == together
        assert [bool(legal(laid, other)) for other in range(players)] == [other == seat for other in range(players)]
        laid = play(laid, seat, legal(laid, seat)[0], f"action {seat}")

    assert parts(laid, "phase", "turn", "turns", "opening", "known_bottom") == ("draw", 0, 1, [], 0)
    assert "aside" not in laid
    assert len(laid["royals"]) == players
    assert laid["draw_pile"] == shuffled(together, f"action {players - 1}")


def test_g5_one_royal_placed_is_no_shuffle() -> None:
    """While royals wait the draw pile, aside and the arsenals lie still; the turn is the next seat's."""
    queue = [{"seat": 0, "card": "KH"}, {"seat": 1, "card": "QS"}]
    before = placing(royals={}, turn=0, opening=queue)

    followed = play(before, 0, "royal c1")

    assert followed == before | {"royals": royals("c1:KH"), "turn": 1, "opening": queue[1:]}


def test_g7_in_the_opening_slots_taken_before_are_taken() -> None:
    """Seat 1 can't use the slot in which seat 0 has just placed: the 6S on b4 has a4 left."""
    assert moves(placing(royals=royals("b5:KH")), 1) == lines("royal a4")


def test_g19_the_first_turn_may_refresh_too() -> None:
    """Few cards: after the opening's shuffle comes a second one out of the same stream of words."""
    dealer = Dealer("few")
    expected = dealer.shuffle(dealer.shuffle(["3D", "3H", "JD", "JC", "KC"]))

    followed = play(placing(), 1, "royal b5", "few")

    assert parts(followed, "phase", "turn", "turns", "draw_pile") == ("draw", 0, 1, expected)
    assert followed["grid"] == grid(EIGHT)


def test_g19_more_than_ten_cards_are_shuffled_once() -> None:
    """With eleven cards the opening ends in one shuffle."""
    pile = cards("2C 2H 2S 3D 3H 3S 4C 4D")
    before = placing(draw_pile=pile)

    assert play(before, 1, "royal b5")["draw_pile"] == shuffled(pile + before["aside"])


def test_g19_nothing_to_draw_after_the_opening() -> None:
    """Neither draw pile nor aside nor anything to take up: exhausted in the first turn."""
    followed = play(placing(draw_pile=[], aside=[]), 1, "royal b5")

    assert parts(followed, "phase", "turn", "turns", "outcome") == ("over", 0, 1, outcome("exhausted"))
    assert "aside" not in followed


@pytest.mark.parametrize(
    ("seat", "action", "code"),
    [
        (0, "royal b5", "not_your_turn"),  # G5: seat 1 places
        (0, "draw", "not_your_turn"),  # G5: in setup everything by another than who places
        (0, "declare AH reassignment", "not_your_turn"),  # G5, G14
        (0, "recall AH", "not_your_turn"),  # G5
        (0, "force b4", "not_your_turn"),  # G5
        (1, "draw", "illegal_action"),  # G5: a royal waits
        (1, "place c3", "illegal_action"),  # G5
        (1, "return", "illegal_action"),  # G5
        (1, "declare X1 switcheroo", "illegal_action"),  # G5, G14: no ploys yet
        (1, "declare X1 forced_attack", "illegal_action"),  # G5, G14: though c4 is a trigger
        (1, "royal c1", "illegal_action"),  # G7: taken
        (1, "royal d1", "illegal_action"),  # G7: not the most similar
    ],
)
def test_g5_refused_in_the_opening(seat, action, code) -> None:
    """In `setup` its seat places its royal, and nothing else happens."""
    assert refusal(apply(placing(), seat, action)) == code


def test_g5_same_seed_same_position() -> None:
    """One seed gives one shuffle; another gives another."""
    before = placing(draw_pile=cards("2C 2H 2S 3D 3H 3S 4C 4D"))

    assert after(before, 1, "royal b5", "x") == after(before, 1, "royal b5", "x")
    assert after(before, 1, "royal b5", "x") != after(before, 1, "royal b5", "y")
