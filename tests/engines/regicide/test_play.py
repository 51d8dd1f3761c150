"""What may be played, when, and what it is worth (R2, R3, R19); how the cards lie afterwards (R23)."""

import pytest

from tests.engines.referee import Json, after, apply, legal, refusal, same_actions
from tests.engines.regicide.boards import FLIP, YIELD, board, case, discards, lost, plays, won


@pytest.mark.parametrize(
    ("hand", "allowed"),
    [
        case("R3: four 2s are 8, every part of them a set", "2C 2D 2H 2S",
             "2C|2D|2H|2S|2C 2D|2C 2H|2C 2S|2D 2H|2D 2S|2H 2S|2C 2D 2H|2C 2D 2S|2C 2H 2S|2D 2H 2S|2C 2D 2H 2S"),
        case("R3: three 3s are 9, four are 12", "3C 3D 3H 3S",
             "3C|3D|3H|3S|3C 3D|3C 3H|3C 3S|3D 3H|3D 3S|3H 3S|3C 3D 3H|3C 3D 3S|3C 3H 3S|3D 3H 3S"),
        case("R3: two 4s are 8, three are 12", "4D 4H 4S", "4D|4H|4S|4D 4H|4D 4S|4H 4S"),
        case("R3: two 5s are 10, which is allowed", "5D 5S", "5D|5S|5D 5S"),
        case("R3: two 6s are 12", "6D 6S", "6D|6S"),
        case("R3: no set of tens", "TC TD", "TC|TD"),
        case("R3: a pair of A, no set of three A", "AC AD AH", "AC|AD|AH|AC AD|AC AH|AD AH"),
        case("R3: an A with one card of a pair, not with the pair", "AS 2D 2H", "AS|2D|2H|AS 2D|AS 2H|2D 2H"),
        case("R3: an A with a ten, over 10 together", "AS TD", "AS|TD|AS TD"),
        case("R3: two different ranks are no set", "2C 3C 4C 5C", "2C|3C|4C|5C"),
        case("R3: two Jesters aren't played together", "X1 X2", "X1|X2"),
        case("R3: an A never with a Jester, but with a royal", "AC JD QS KH X2", "AC|JD|QS|KH|X2|AC JD|AC QS|AC KH"),
        case("R19: royals of one rank are no set", "JC JD JH", "JC|JD|JH"),
        case("R3: everything at once", "AD 5C 5D 9S KC X1", "AD|5C|5D|9S|KC|X1|5C 5D|AD 5C|AD 5D|AD 9S|AD KC"),
    ],
)  # fmt: skip
def test_r3_what_a_hand_may_play(hand: str, allowed: str) -> None:
    """A card, an A with another card, a set worth 10 or less, or a Jester; and, here, a yield."""
    before = board([hand, "2S"] if "2S" not in hand else [hand, ""], castle="", enemy="JS")

    assert same_actions(legal(before, 0), [*plays(allowed), YIELD])


@pytest.mark.parametrize(
    ("hand", "action"),
    [
        case("R3: a set over 10", "6C 6D", "play 6C 6D"),
        case("R3: three 4s", "4C 4D 4H", "play 4C 4D 4H"),
        case("R3: three 5s", "5C 5D 5H", "play 5C 5D 5H"),
        case("R3: four 3s", "3C 3D 3H 3S", "play 3C 3D 3H 3S"),
        case("R3: an A in a set", "AC 2D 2H", "play AC 2D 2H"),
        case("R3: an A with two other A", "AC AD AH", "play AC AD AH"),
        case("R3: four A", "AC AD AH AS", "play AC AD AH AS"),
        case("R3: two ranks", "2C 3C", "play 2C 3C"),
        case("R3: a run", "2C 3C 4C", "play 2C 3C 4C"),
        case("R3: two Jesters", "X1 X2", "play X1 X2"),
        case("R3: a Jester with a number", "X1 2C", "play X1 2C"),
        case("R3: a Jester with a royal", "X1 KC", "play X1 KC"),
        case("R3: a Jester with a pair", "X1 2C 2D", "play X1 2C 2D"),
        case("R19: two royals", "QC QD", "play QC QD"),
        case("R3: five cards", "2C 2D 2H 2S AC", "play AC 2C 2D 2H 2S"),
        case("R3: one card of the pair is elsewhere", "2C 2D", "play 2C 2H"),
        case("R3: a card in another hand", "2C", "play 9D"),
        case("R3: the enemy itself", "2C", "play JH"),
        case("R3: a card on the table", "2C", "play 7S"),
    ],
)
def test_r3_what_no_hand_may_play(hand: str, action: str) -> None:
    """A play that breaks R3 is well-formed, and refused with the ruling's number."""
    heard = apply(board([hand, "9D"], castle="", table="7S", damage=7, shield=7), 0, action)

    assert refusal(heard) == "illegal_action"
    assert heard["error"]["rule"] == "R3"


@pytest.mark.parametrize(
    ("hand", "action", "damage"),
    [
        case("R3: an A is 1", "AS TC TD", "play AS", 1),
        case("R3: two A", "AS AD TC TD", "play AS AD", 2),
        case("R3: an A and a nine", "AS 9D TC TD", "play AS 9D", 10),
        case("R3: an A and a ten", "AS TD TC TS", "play AS TD", 11),
        case("R3: a pair", "5D 5S TC TD", "play 5D 5S", 10),
        case("R3: three of a rank", "2D 2H 2S TC TD", "play 2H 2D 2S", 6),
        case("R3: four of a rank, with clubs", "2C 2D 2H 2S TC TD", "play 2C 2D 2H 2S", 16),
        case("R3: a ten", "TD TC TS", "play TD", 10),
        case("R19: a Jack", "JS TC TD", "play JS", 10),
        case("R19: a Queen", "QS TC TD", "play QS", 15),
        case("R19: a King", "KS TC TD", "play KS", 20),
        case("R19: an A and a Jack", "AD JD TC TD", "play AD JD", 11),
        case("R19: an A and a King", "AD KS TC TD", "play AD KS", 21),
        case("R19: a Jack of clubs", "JC TC TD", "play JC", 20),
        case("R19: an A of clubs lends a Queen its power", "AC QS TC TD", "play AC QS", 32),
        case("R3: a Jester", "X1 TC TD", "play X1", 0),
    ],
)
def test_r3_the_attack_value_is_the_sum(hand: str, action: str, damage: int) -> None:
    """Values add up, R19's for royals; clubs double the sum (R7). The King of Hearts takes them all."""
    assert after(board([hand, ""], castle="", enemy="KH"), 0, action)["damage"] == damage


@pytest.mark.parametrize(
    ("hand", "action", "left", "table"),
    [
        case("R23: a pair lies in pack order", "TC 3S 3D TD", "play 3S 3D", "TC TD", "9D 2C 3D 3S"),
        case("R23: an A lies before its card", "TC 8D AS TD", "play 8D AS", "TC TD", "9D 2C AS 8D"),
        case("R23: an A lies before a royal", "JD AS TC TD", "play JD AS", "TC TD", "9D 2C AS JD"),
        case("R23: four suits", "TC 2S 2H 2D AC TD", "play 2S 2D 2H", "TC AC TD", "9D 2C 2D 2H 2S"),
        case("R10: a Jester lies there too", "TC X2 TD", "play X2", "TC TD", "9D 2C X2"),
    ],
)
def test_r23_played_cards_lie_on_the_table_in_pack_order(hand: str, action: str, left: str, table: str) -> None:
    """The cards of one play lie in pack order, after older ones; the hand keeps its order."""
    position = after(board([hand, ""], enemy="QS", table="9D 2C", castle=""), 0, action)

    assert (position["table"], position["hands"][0]) == (table.split(), left.split())


@pytest.mark.parametrize(
    ("before", "allowed"),
    [
        case("R2: step 1", board(["9C TD", ""]), [*plays("9C|TD"), YIELD]),
        case("R2: step 4", board(["9C TD", ""], phase="suffer"), discards("TD|TD 9C")),
        case("R2: choose", board(["9C TD", ""], phase="choose", immune=False, table="X1"),
             [{"type": "choose", "seat": 0}, {"type": "choose", "seat": 1}]),
        case("R2: over", board(["9C TD", ""], phase="over", outcome=lost("could_not_act", 9)), []),
        case("R2: over and won", board(["9C", ""], phase="over", castle="", enemy=None, outcome=won()), []),
        case("R17: solo, step 1", board(["9C TD"]), [*plays("9C|TD"), FLIP]),
        case("R17: solo, step 4", board(["9C TD"], phase="suffer"), [*discards("TD|TD 9C"), FLIP]),
        case("R16: an empty hand may still yield", board(["", "2C"]), [YIELD]),
    ],
)  # fmt: skip
def test_r2_each_phase_has_its_actions(before: Json, allowed: list[Json]) -> None:
    """The seat on turn may do what its phase says; every other seat may do nothing."""
    assert same_actions(legal(before, 0), allowed)
    assert [legal(before, seat) for seat in range(1, before["players"])] == [[]] * (before["players"] - 1)


@pytest.mark.parametrize(
    ("before", "actions"),
    [
        case("R2: step 1", board(["9C TD", ""]), ["discard TD", "choose 1", "flip"]),
        case("R2: step 4", board(["9C TD", ""], phase="suffer"), ["play TD", "yield", "choose 1", "flip"]),
        case("R2: choose", board(["9C TD", ""], phase="choose", immune=False, table="X1"),
             ["play TD", "yield", "discard TD", "flip"]),
        case("R2: solo, step 1", board(["9C TD"]), ["discard TD", "choose 0", "yield"]),
        case("R2: solo, choose",
             board(["9C TD"], phase="choose", immune=False, table="X1"), ["flip", "play TD", "yield"]),
    ],
)  # fmt: skip
def test_r2_actions_of_another_phase_are_illegal(before: Json, actions: list[str]) -> None:
    """They are well-formed and on turn, but not allowed now."""
    assert [refusal(apply(before, 0, action)) for action in actions] == ["illegal_action"] * len(actions)


@pytest.mark.parametrize("phase", ["play", "suffer", "choose"])
@pytest.mark.parametrize("action", ["play TD", "yield", "discard TD", "choose 1", "flip"])
def test_r2_anything_by_another_seat_is_out_of_turn(phase: str, action: str) -> None:
    """Whose turn it is goes before what is legal, in every phase and for every action."""
    before = board(["9C TH", "TD"], phase=phase, immune=False, table="X1")

    assert refusal(apply(before, 1, action)) == "not_your_turn"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("play 3D 3S", {"type": "play", "cards": ["3D", "3S"]}),
        ("play 3S 3D", {"type": "play", "cards": ["3D", "3S"]}),  # a set: order doesn't matter
        ("play 3s 3d", {"type": "play", "cards": ["3D", "3S"]}),  # lower case is read
        ("play 10H", {"type": "play", "cards": ["TH"]}),  # and 10 for T
        ("play 10h", {"type": "play", "cards": ["th"]}),
        ("play x1", {"type": "play", "cards": ["X1"]}),
        ("play as 10h", {"type": "play", "cards": ["10H", "AS"]}),
        ("yield", {"type": "yield"}),
    ],
)
def test_text_and_json_are_one_action(text: str, action: Json) -> None:
    """An action does the same in both spellings (docs/referee.md, Action)."""
    before = board(["3D 3S TH AS X1", "9C"])

    assert apply(before, 0, text) == apply(before, 0, action)
    assert "position" in apply(before, 0, text)


def test_the_other_texts_are_read_too() -> None:
    """`discard`, `choose` and `flip` have a text form as well."""
    suffering = board(["TD 9C"], phase="suffer")
    choosing = board(["TD", "9C"], phase="choose", immune=False, table="X1")

    assert apply(suffering, 0, "discard td 9c") == apply(suffering, 0, discards("TD 9C")[0])
    assert apply(suffering, 0, "flip") == apply(suffering, 0, FLIP)
    assert apply(choosing, 0, "choose 1") == apply(choosing, 0, {"type": "choose", "seat": 1})
