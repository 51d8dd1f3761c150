"""Jesters: played against immunity (R10); set aside in solo (R17) and what they cost (R18)."""

import pytest

from tests.engines.referee import Json, after, apply, legal, refusal, same_actions, view
from tests.engines.regicide.boards import FLIP, YIELD, board, case, discards, lost, plays, shown, spelled, won

DEEP = "9H 8H 7H 6H 5H 4H 3H 2H AH"


def test_r10_a_jester_skips_damage_and_suffering() -> None:
    """Its power takes immunity; nothing else moves, though the hand could not cover the attack."""
    before = board(["X2 2C", "3C"], damage=4, shield=3, table="4D 3S", tavern="9D", discard="9S", packets={"2C": 1})

    assert after(before, 0, "play X2") == before | {
        "phase": "choose", "immune": False, "table": ["4D", "3S", "X2"], "hands": [["2C"], ["3C"]],
    }  # fmt: skip


@pytest.mark.parametrize("chosen", [0, 1, 2])
def test_r10_any_seat_may_be_named(chosen: int) -> None:
    """The named seat takes the next turn; everything else stays, other seats' yields too."""
    before = board(["5C", "2C", "3C"], phase="choose", turn=1, immune=False, table="X1", yielded=[True, False, True])

    assert after(before, 1, f"choose {chosen}") == before | {"phase": "play", "turn": chosen}


@pytest.mark.parametrize("action", [{"type": "choose", "seat": seat} for seat in (3, -1, "1", True, 1.5, None, [1])])
def test_r10_a_seat_that_does_not_exist_cannot_be_named(action: Json) -> None:
    """Nor can what isn't a number: `bad_action`."""
    before = board(["5C", "2C", "3C"], phase="choose", immune=False, table="X1")

    assert refusal(apply(before, 0, action)) == "bad_action"


def test_r10_spades_of_old_begin_to_count() -> None:
    """Against the Jack of Spades 7S did nothing; the Jester leaves it an attack of 3, for everyone."""
    before = board(["X1 9C", "2D 2C AC", "9D"], enemy="JS", damage=7, shield=7, table="7S")
    assert view(before, None)["attack"] == 10

    position = after(before, 0, "play X1")
    assert (view(position, None)["attack"], position["shield"]) == (3, 7)

    position = after(after(position, 0, "choose 1"), 1, "play 2D")
    assert same_actions(legal(position, 1), discards("2C AC"))


def test_r10_play_goes_on_clockwise_from_the_named_seat() -> None:
    """Seat 2 was named by seat 0; with the attack at 0 seat 3 follows."""
    position = after(board(["X1", "9C", "2D 2C", "9D"], enemy="JS", damage=10, shield=10, table="TS"), 0, "play X1")

    position = after(after(position, 0, "choose 2"), 2, "play 2D")

    assert shown(position, {"turn": 0, "phase": 0, "hands": 0}) == {
        "turn": 3, "phase": "play", "hands": [[], ["9C"], ["2C"], ["9D"]],
    }  # fmt: skip


def test_r10_clubs_of_old_do_not_double() -> None:
    """8C dealt 8 to the Jack of Clubs and still does after the Jester; the next club doubles."""
    position = after(board(["X1", "2C TD"], enemy="JC", damage=8, table="8C"), 0, "play X1")
    assert position["damage"] == 8

    assert after(after(position, 0, "choose 1"), 1, "play 2C")["damage"] == 12


def test_r10_immunity_comes_back_with_the_next_enemy() -> None:
    """The Jester went for the Jack alone; he and the Jester lie in the discard pile."""
    position = after(board(["6S TC", ""], damage=15, immune=False, table="X1 5S", shield=5), 0, "play 6S")

    expected = {"enemy": "QC", "immune": True, "shield": 0, "damage": 0, "discard": "JH X1 5S 6S", "table": ""}
    assert shown(position, expected) == spelled(expected)


def test_r10_a_second_jester_may_be_played() -> None:
    """Even where there is no immunity left to take."""
    position = after(board(["X2 TC", "", ""], immune=False, table="X1"), 0, "play X2")

    assert shown(position, {"phase": 0, "immune": 0, "table": 0}) == {
        "phase": "choose", "immune": False, "table": ["X1", "X2"],
    }  # fmt: skip


def test_r10_a_jester_is_healed_like_any_card() -> None:
    """Out of the discard pile it comes back into the Tavern."""
    assert after(board(["AH TC", ""], enemy="JC", discard="X1"), 0, "play AH")["tavern"] == ["X1"]


@pytest.mark.parametrize(
    ("before", "seat", "expected", "allowed"),
    [
        case("R10, R15: one's own mark is cleared, so the other may yield", board(["X1", ""], yielded=[True, False]), 1,
             {"phase": "play", "turn": 1, "yielded": [False, False]}, [YIELD]),
        case("R10, R15: naming oneself, with no card, where one may yield", board(["X1", ""]), 0,
             {"phase": "play", "turn": 0}, [YIELD]),
        case("R10, R16: naming oneself, with no card, where the other has yielded",
             board(["X1", ""], yielded=[False, True]),
             0, {"phase": "over", "outcome": lost("could_not_act", 9)}, []),
        case("R10, R16: the same at three", board(["X1", "2C", "3C"], yielded=[False, True, True]), 0,
             {"phase": "over", "outcome": lost("could_not_act", 9)}, []),
        case("R10: solo, a Jester in hand", board(["X1 5C"]), 0, {"phase": "play", "immune": False, "jesters_left": 2},
             [*plays("5C"), FLIP]),
        case("R10, R17: solo, no card left, a Jester to flip", board(["X1"], jesters_left=1, flips=1), 0,
             {"phase": "play", "hands": [[]]}, [FLIP]),
        case("R10, R16: solo, no card left, nothing to flip", board(["X1"], jesters_left=0, flips=2), 0,
             {"phase": "over", "outcome": lost("could_not_act", 9)}, []),
        case("R10, R15: solo, no card left, but a yield", board(["X1"], jesters_left=0, flips=2, solo_yield=True,
             yielded=[True]), 0, {"phase": "play", "yielded": [False]}, [YIELD]),
    ],
)  # fmt: skip
def test_r10_after_the_choice(before: Json, seat: int, expected: Json, allowed: list[Json]) -> None:
    """The Jester waits for its choice whatever is left; only then may the next turn fail to begin."""
    played = after(before, 0, "play X1")
    assert shown(played, {"phase": 0, "turn": 0, "outcome": 0}) == {"phase": "choose", "turn": 0, "outcome": None}

    position = after(played, 0, {"type": "choose", "seat": seat})

    assert shown(position, expected) == expected
    assert same_actions(legal(position, seat), allowed)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        case("R17: the hand goes, eight come", board(["TC 9C"], tavern=DEEP),
             {"hands": ["9H 8H 7H 6H 5H 4H 3H 2H"], "tavern": "AH", "discard": "9C TC"}),
        case("R23: the hand lies in pack order", board(["TC X1 9C AS KD"], tavern=DEEP, castle="", discard="2D"),
             {"discard": "2D AS 9C TC KD X1"}),
        case("R17: one fewer to flip, one more flipped", board(["TC"], tavern=DEEP, jesters_left=1, flips=1),
             {"jesters_left": 0, "flips": 2}),
        case("R17: it draws against a diamonds enemy", board(["TC"], tavern="9H 8H", enemy="JD"),
             {"hands": ["9H 8H"], "tavern": "", "immune": True}),
        case("R17: immunity that is gone stays gone", board(["TC"], tavern=DEEP, immune=False, table="X1"),
             {"immune": False, "table": "X1"}),
        case("R17: enemy and table are left alone", board(["TC"], tavern=DEEP, damage=9, shield=4, table="5D 4S"),
             {"enemy": "JH", "damage": 9, "shield": 4, "table": "5D 4S", "castle": "QC KC"}),
        case("R17: a short Tavern gives what it has",
             board(["TC 9C 8C"], tavern="9H"), {"hands": ["9H"], "tavern": ""}),
        case("R17: an empty hand may be flipped away", board([""], tavern=DEEP),
             {"hands": ["9H 8H 7H 6H 5H 4H 3H 2H"], "discard": ""}),
        case("R17: step 1 goes on", board(["TC"], tavern=DEEP), {"phase": "play", "turn": 0}),
        case("R17: step 4 goes on", board(["TC"], tavern=DEEP, phase="suffer"), {"phase": "suffer", "turn": 0}),
        case("R15: a flip is no turn, so the mark of a yield stays",
             board(["TC"], tavern=DEEP, solo_yield=True, yielded=[True]), {"yielded": [True], "phase": "play"}),
        case("R14: at step 4 the new hand isn't worth 10, and nothing is left to flip",
             board(["TC"], tavern="9H", phase="suffer", jesters_left=1, flips=1),
             {"phase": "over", "outcome": lost("could_not_suffer", 9), "flips": 2, "hands": ["9H"]}),
        case("R14: the new hand isn't worth 10, but another Jester is left", board(["TC"], tavern="9H", phase="suffer"),
             {"phase": "suffer", "outcome": None, "jesters_left": 1}),
        case("R14: an empty Tavern at step 4", board(["TC"], phase="suffer", jesters_left=1, flips=1),
             {"phase": "over", "outcome": lost("could_not_suffer", 9), "hands": [""]}),
        case("R16: an empty Tavern at step 1", board(["TC"], jesters_left=1, flips=1),
             {"phase": "over", "outcome": lost("could_not_act", 9), "hands": [""]}),
        case("R16: an empty Tavern at step 1, another Jester left", board(["TC"]),
             {"phase": "play", "outcome": None, "hands": [""]}),
        case("R16: an empty Tavern at step 1, but a yield", board(["TC"], jesters_left=1, flips=1, solo_yield=True),
             {"phase": "play", "outcome": None, "hands": [""]}),
        case("R16: an empty Tavern at step 1, a yield used up",
             board(["TC"], jesters_left=1, flips=1, solo_yield=True, yielded=[True]),
             {"phase": "over", "outcome": lost("could_not_act", 9)}),
    ],
)  # fmt: skip
def test_r17_a_flip(before: Json, expected: Json) -> None:
    """Discard the whole hand, draw up to eight; it's neither a play nor a diamond."""
    assert shown(after(before, 0, "flip"), expected) == spelled(expected)


@pytest.mark.parametrize("phase", ["play", "suffer"])
def test_r17_both_jesters_may_be_flipped_in_a_row(phase: str) -> None:
    """Twice the hand goes; a third time there's nothing to flip."""
    position = after(board(["TC 9C"], tavern=f"{DEEP} 9S 8S", phase=phase), 0, FLIP)
    assert FLIP in legal(position, 0)

    position = after(position, 0, FLIP)

    expected = {"jesters_left": 0, "flips": 2, "phase": phase, "tavern": "", "hands": ["AH 9S 8S"],
                "discard": "9C TC 2H 3H 4H 5H 6H 7H 8H 9H"}  # fmt: skip
    assert shown(position, expected) == spelled(expected)
    assert FLIP not in legal(position, 0)
    assert refusal(apply(position, 0, FLIP)) == "illegal_action"


def test_r17_flips_at_both_steps_of_one_turn() -> None:
    """One at the start of step 1, one at the start of step 4, and the discard is the player's own."""
    position = after(board(["9C"], tavern="5S 4D TD TS"), 0, FLIP)
    assert position["hands"] == [["5S", "4D", "TD", "TS"]]

    position = after(position, 0, "play 5S")
    assert same_actions(legal(position, 0), [*discards("TD|TS|4D TD|4D TS"), FLIP])


def test_r17_nobody_flips_while_there_is_nothing_to_suffer() -> None:
    """With the attack at 0 step 4 never begins: a new turn does, at step 1."""
    position = after(board(["TS 2C"], tavern=DEEP), 0, "play TS")

    assert (position["phase"], position["turn"]) == ("play", 0)
    assert same_actions(legal(position, 0), [*plays("2C"), FLIP])


@pytest.mark.parametrize(
    ("before", "medal"),
    [
        case("R18: no flip", board(["9D"], jesters_left=2, flips=0), "gold"),
        case("R18: one flip", board(["9D"], jesters_left=1, flips=1), "silver"),
        case("R18: two flips", board(["9D 2C"], jesters_left=0, flips=2), "bronze"),
        case("R18: two players", board(["9D", ""]), None),
        case("R18: four players", board(["9D", "", "2C", ""]), None),
    ],
)
def test_r18_medals(before: Json, medal: str | None) -> None:
    """A solo win has a medal by its flips; other wins have none."""
    position = after(before | {"enemy": "KS", "damage": 35, "castle": []}, 0, "play 9D")

    assert (position["phase"], position["outcome"]) == ("over", won(medal))


@pytest.mark.parametrize("flips", [0, 2])
def test_r18_a_lost_game_has_no_medal(flips: int) -> None:
    """However many Jesters were flipped, or none could be."""
    before = board(["9D", "2C"]) if flips == 0 else board(["9D 2C"], jesters_left=0, flips=flips)

    assert after(before, 0, "play 9D")["outcome"] == lost("could_not_suffer", 9)
