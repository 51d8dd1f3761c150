"""Damage and defeat (R11, R12), suffering (R13) and death (R14)."""

import pytest

from tests.engines.referee import Json, after, apply, legal, refusal, same_actions
from tests.engines.regicide.boards import FLIP, board, case, discards, lost, shown, spelled, won


@pytest.mark.parametrize(("enemy", "health"), [("JS", 20), ("QS", 30), ("KS", 40)])
@pytest.mark.parametrize("spare", [1, 0, -1])
def test_r11_the_enemy_falls_at_its_health(enemy: str, health: int, spare: int) -> None:
    """One short of its health it stands; at it, it goes to the Tavern; over it, to the discard pile (R12)."""
    before = board(["5D TC TH", ""], enemy=enemy, damage=health - 5 - spare, castle="KC")

    position = after(before, 0, "play 5D")

    standing = {"enemy": enemy, "damage": health - 1, "tavern": "", "discard": "", "table": "5D", "phase": "suffer"}
    fallen = {"enemy": "KC", "damage": 0, "table": "", "phase": "play", "castle": "",
              "tavern": enemy if spare == 0 else "", "discard": "5D" if spare == 0 else f"{enemy} 5D"}  # fmt: skip
    expected = standing if spare == 1 else fallen
    assert shown(position, expected) == spelled(expected)


@pytest.mark.parametrize(
    ("before", "action", "expected"),
    [
        case("R12: exact by doubled clubs", board(["5C", "2C"], damage=10, table="TD"), "play 5C",
             {"enemy": "QC", "tavern": "JH", "packets": {"JH": 1}, "discard": "TD 5C"}),
        case("R12: not exact, for the clubs doubled", board(["5C", "2C"], damage=15, table="TD"), "play 5C",
             {"enemy": "QC", "tavern": "", "packets": {}, "discard": "JH TD 5C"}),
        case("R12: exact, for the clubs did not double", board(["5C", "2C"], enemy="JC", damage=15), "play 5C",
             {"enemy": "QC", "tavern": "JC", "discard": "5C"}),
        case("R12: one blow, from 0", board(["KS", "2C"], castle="QC"), "play KS",
             {"enemy": "QC", "tavern": "JH", "discard": "KS", "shield": 0, "damage": 0}),
        case("R12: on top of what lies there", board(["5S", "2C"], damage=15, tavern="9H 8H"), "play 5S",
             {"tavern": "JH 9H 8H", "hands": ["", "2C"]}),
        case("R12: whatever the hands hold",
             board(["5S 2D 3D 4D 6D 7D 8D", "2C 3C 4C 5C 6C 7C 8C"], damage=15), "play 5S",
             {"tavern": "JH", "hands": ["2D 3D 4D 6D 7D 8D", "2C 3C 4C 5C 6C 7C 8C"]}),
        case("R12: diamonds have drawn before it comes on top", board(["5D", "2C"], damage=15, tavern="9H 8H 7H"),
             "play 5D", {"tavern": "JH", "hands": ["9H 7H", "2C 8H"]}),
        case("R12: it isn't drawn by the play that felled it", board(["5D", "2C"], damage=15), "play 5D",
             {"tavern": "JH", "hands": ["", "2C"]}),
        case("R5: the pile is healed before enemy and table go there",
             board(["6H", "2C"], enemy="JS", damage=15, table="4D", discard="9S"), "play 6H",
             {"tavern": "9S", "discard": "JS 4D 6H", "packets": {"9S": 1}}),
        case("R12: heal, then the royal above it", board(["5H", "2C"], enemy="JS", damage=15, discard="9S"), "play 5H",
             {"tavern": "JS 9S", "discard": "5H", "packets": {"9S": 1, "JS": 2}}),
        case("R23: the pile, the enemy, the table as it lies, this play in pack order",
             board(["5S 5D", "2C"], damage=15, table="9D 3S 3H AC", discard="TD 2H"), "play 5S 5D",
             {"discard": "TD 2H JH 9D 3S 3H AC 5D 5S", "table": ""}),
        case("R12: damage and shield 0, immunity back",
             board(["8S", "2C"], damage=15, shield=3, immune=False, table="X1"),
             "play 8S", {"enemy": "QC", "damage": 0, "shield": 0, "immune": True, "castle": "KC"}),
        case("R12: what is over the health is gone", board(["KC", "2C"], castle="QC"), "play KC", {"damage": 0}),
        case("R12: the same seat begins, and suffers nothing", board(["6D", "2S", "8S", "3S"], turn=2, damage=15),
             "play 8S", {"turn": 2, "phase": "play", "hands": ["6D", "2S", "", "3S"], "outcome": None}),
        case("R15: the victor's mark is cleared, the others' stay",
             board(["8S 2C", "2S", "3S"], damage=15, yielded=[True, True, False]), "play 8S",
             {"yielded": [False, True, False]}),
        case("R16: no card left, the other has yielded: lost, with one more defeated",
             board(["8S", "2S"], damage=15, yielded=[False, True]), "play 8S",
             {"phase": "over", "outcome": lost("could_not_act", 10), "enemy": "QC", "castle": "KC"}),
        case("R16: solo, no card left, nothing to flip", board(["8S"], damage=15, jesters_left=0, flips=2), "play 8S",
             {"phase": "over", "outcome": lost("could_not_act", 10)}),
        case("R16: solo, no card left, a Jester to flip", board(["8S"], damage=15, jesters_left=1, flips=1), "play 8S",
             {"phase": "play", "outcome": None}),
        case("R12: a diamond draws the next turn's card",
             board(["8D", "2S"], damage=15, yielded=[False, True], tavern="9H"),
             "play 8D", {"phase": "play", "hands": ["9H", "2S"]}),
    ],
)  # fmt: skip
def test_r12_defeat(before: Json, action: str, expected: Json) -> None:
    """Where the enemy goes and the table after it, who comes next, and who begins."""
    assert shown(after(before, before["turn"], action), expected) == spelled(expected)


@pytest.mark.parametrize(
    ("before", "action", "expected"),
    [
        case("R12: overkill", board(["9D 2C", "3C"], damage=35, table="4D", discard="9S"), "play 9D",
             {"tavern": "", "discard": "9S KS 4D 9D", "hands": ["2C", "3C"], "packets": {}}),
        case("R12: exact, so the King lies on the Tavern", board(["5D 2C", "3C"], damage=35, tavern="9H 8H"), "play 5D",
             {"tavern": "KS", "discard": "5D", "hands": ["2C 9H", "3C 8H"], "packets": {"KS": 1}}),
        case("R12: with an empty hand, where nobody might yield", board(["9D", "3C"], damage=35, yielded=[False, True]),
             "play 9D", {"hands": ["", "3C"], "yielded": [False, True]}),
        case("R12: immunity, shield and damage are as for a new enemy",
             board(["9D", "3C"], damage=35, shield=7, immune=False, table="X1 7S"), "play 9D",
             {"damage": 0, "shield": 0, "immune": True, "discard": "KS X1 7S 9D"}),
        case("R12: it's the last castle card that counts", board(["9D", "3C"], enemy="QS", damage=25), "play 9D",
             {"discard": "QS 9D"}),
    ],
)  # fmt: skip
def test_r12_the_last_defeat(before: Json, action: str, expected: Json) -> None:
    """The players have won at once: all of R12 is carried out, there's no enemy and no turn."""
    before = before | {"castle": [], "enemy": before["enemy"] if before["enemy"] != "JH" else "KS"}

    position = after(before, 0, action)

    ending = {"phase": "over", "enemy": None, "castle": "", "table": "", "turn": 0, "outcome": won()}
    assert shown(position, expected | ending) == spelled(expected | ending)
    assert [legal(position, seat) for seat in (0, 1)] == [[], []]
    assert refusal(apply(position, 0, "yield")) == "game_over"


@pytest.mark.parametrize(
    ("hand", "enemy", "allowed"),
    [
        case("R13: one of two tens, not both", "TH TD", board(), "TH|TD"),
        case("R13: a Jester may go along, alone it is too little", "TH X1", board(), "TH|TH X1"),
        case("R13: so may two", "TH X1 X2", board(), "TH|TH X1|TH X2|TH X1 X2"),
        case("R13: all three are just enough", "6C 3C AC", board(), "6C 3C AC"),
        case("R13: the least card may be spare, the greatest not", "9C 5D 2S AH", board(),
             "9C 5D|9C 2S|9C AH|9C 5D 2S|9C 5D AH|9C 2S AH|9C 5D 2S AH"),
        case("R13: a Queen's 15", "TC 9D 8S", board(enemy="QH", castle=""), "TC 9D|TC 8S|9D 8S"),
        case("R13: after shields", "6C 5D 3S", board(shield=4), "6C|6C 5D|6C 3S|5D 3S"),
        case("R13: a last point, with an A", "AC 2D X1", board(shield=9), "AC|2D|AC X1|2D X1"),
        case("R19: royals are worth 10 and 15", "QC JD 5S", board(enemy="QH", castle=""), "QC|QC JD|QC 5S|JD 5S"),
        case("R19: a King is worth 20", "KC JS 9D", board(enemy="KH", castle=""), "KC|KC JS|KC 9D|KC JS 9D"),
        case("R9: suspended shields don't help", "9C AD 2D", board(enemy="JS", shield=9), "9C AD|9C 2D|9C AD 2D"),
        case("R10: they do without immunity", "9C AD", board(enemy="JS", shield=9, immune=False), "9C|AD"),
        case("R13: equal greatest cards", "5C 5D 5H", board(), "5C 5D|5C 5H|5D 5H"),
    ],
)  # fmt: skip
def test_r13_what_may_be_discarded(hand: str, enemy: Json, allowed: str) -> None:
    """The total is at least the attack; without the most valuable card it would be less."""
    before = enemy | {"phase": "suffer", "hands": [hand.split(), ["4H"]]}

    assert same_actions(legal(before, 0), discards(allowed))
    for action in discards(allowed):
        position = after(before, 0, action)
        assert (position["phase"], position["turn"], len(position["discard"])) == ("play", 1, len(action["cards"]))


@pytest.mark.parametrize(
    ("hand", "action"),
    [
        case("R13: too little", "TH 9C", "discard 9C"),
        case("R13: more than the step needs", "TH TD", "discard TH TD"),
        case("R13: a third card that nothing needed", "TH 5D 5S", "discard TH 5D 5S"),
        case("R13: a Jester alone", "TH X1", "discard X1"),
        case("R13: a card of another hand", "TH 9C", "discard TH 4H"),
        case("R13: enough, but not one's own", "TH 9C", "discard TS"),
    ],
)
def test_r13_what_may_not_be_discarded(hand: str, action: str) -> None:
    """Too little, too much, or not in the hand: refused with the ruling's number."""
    heard = apply(board([hand, "4H TS"], phase="suffer"), 0, action)

    assert refusal(heard) == "illegal_action"
    assert heard["error"]["rule"] == "R13"


@pytest.mark.parametrize(
    ("before", "action", "expected"),
    [
        case("R13: the enemy keeps its wounds, others their marks",
             board(["TC 2C", "3C", "4C"], phase="suffer", damage=9, table="9D", yielded=[False, False, True],
             discard="2S"),
             "discard TC",
             {"damage": 9, "table": "9D", "discard": "2S TC", "yielded": [False, False, True], "turn": 1}),
        case("R13: after the last seat the first", board(["2C", "3C", "4C", "TC 9C"], phase="suffer", turn=3),
             "discard 9C TC", {"turn": 0, "phase": "play", "discard": "9C TC", "hands": ["2C", "3C", "4C", ""]}),
        case("R13: it's ok to have an empty hand", board(["TC", "", "2C"], phase="suffer"), "discard TC",
             {"turn": 1, "phase": "play", "outcome": None}),
        case("R13: the hand keeps its order", board(["4S TC 2S 9C 3S", "2D"], phase="suffer"), "discard TC 9C",
             {"hands": ["4S 2S 3S", "2D"]}),
        case("R13: solo, one's own next turn", board(["TC 2C"], phase="suffer"), "discard TC",
             {"turn": 0, "phase": "play", "hands": ["2C"]}),
        case("R16: solo, nothing left after suffering", board(["TC"], phase="suffer", jesters_left=0, flips=2),
             "discard TC", {"phase": "over", "outcome": lost("could_not_act", 9), "discard": "TC"}),
        case("R13: with nothing to suffer the next seat is on turn", board(["2S", "2C", ""], shield=8), "play 2S",
             {"turn": 1, "phase": "play", "hands": ["", "2C", ""]}),
        case("R13: after a yield too", board(["", "2C", ""], shield=12, turn=2), "yield",
             {"turn": 0, "phase": "play", "yielded": [False, False, True]}),
    ],
)  # fmt: skip
def test_r13_after_suffering(before: Json, action: str, expected: Json) -> None:
    """The next seat clockwise begins its turn."""
    assert shown(after(before, before["turn"], action), expected) == spelled(expected)


DEAD = {"phase": "over", "outcome": lost("could_not_suffer", 9)}
ALIVE = {"phase": "suffer", "outcome": None}


@pytest.mark.parametrize(
    ("before", "action", "expected"),
    [
        case("R14: nine against ten", board(["2D 9C", "TC"]), "play 2D", DEAD | {"hands": ["9C", "TC"], "table": "2D"}),
        case("R14: ten against ten", board(["2D 9C AC", "TC"]), "play 2D", ALIVE),
        case("R14: a Jester is worth 0", board(["2D 9C X1", "TC"]), "play 2D", DEAD | {"hands": ["9C X1", "TC"]}),
        case("R14: two Jesters too", board(["2D X1 X2", "TC"]), "play 2D", DEAD),
        case("R14: the enemy stays as it is", board(["8D", "TC"], damage=3, shield=2), "play 8D",
             DEAD | {"enemy": "JH", "damage": 11, "shield": 2, "castle": "QC KC", "discard": ""}),
        case("R14: after a yield", board(["9C", "TC"]), "yield", DEAD | {"hands": ["9C", "TC"]}),
        case("R14: a yield with an empty hand", board(["", "TC"]), "yield", DEAD),
        case("R14: the shield of this play helps", board(["2S 8C", "TC"]), "play 2S", ALIVE),
        case("R14: a suspended shield doesn't", board(["2S 9C", "TC"], enemy="JS"), "play 2S", DEAD),
        case("R14: royals count their worth", board(["2D JC", "TC"]), "play 2D", ALIVE),
        case("R14: a Queen's 15", board(["2D TC 4C", "9C"], enemy="QH", castle="KC KD"), "play 2D", DEAD),
        case("R14: what diamonds drew for others doesn't help", board(["2D", ""], tavern="9H TC"), "play 2D",
             DEAD | {"hands": ["9H", "TC"]}),
        case("R14: at three, one seat's death is everybody's", board(["2C", "2D", "TC"], turn=1), "play 2D", DEAD),
        case("R14: solo, a Jester is left", board(["2D 9C"]), "play 2D", ALIVE | {"hands": ["9C"]}),
        case("R14: solo, an empty hand, a Jester is left", board(["2D"], jesters_left=1, flips=1), "play 2D", ALIVE),
        case("R14: solo, none is left", board(["2D 9C"], jesters_left=0, flips=2), "play 2D", DEAD),
        case("R14: solo, a Jester in the hand is no Jester to flip",
             board(["2D X1"], jesters_left=0, flips=2), "play 2D",
             DEAD),
        case("R14: solo, after a yield", board(["9C"], jesters_left=0, flips=2, solo_yield=True), "yield", DEAD),
    ],
)  # fmt: skip
def test_r14_death(before: Json, action: str, expected: Json) -> None:
    """A hand that isn't worth the attack loses the game at once, with nothing discarded."""
    assert shown(after(before, before["turn"], action), expected) == spelled(expected)


@pytest.mark.parametrize("hand", ["2D 9C", "2D", "2D 9C X1"])
def test_r14_solo_only_a_flip_can_help(hand: str) -> None:
    """Where the hand can't cover and a Jester is left, flipping is the only legal action."""
    position = after(board([hand], jesters_left=1, flips=1), 0, "play 2D")

    assert legal(position, 0) == [FLIP]
    assert refusal(apply(position, 0, f"discard {hand.removeprefix('2D').strip() or '2D'}")) == "illegal_action"


@pytest.mark.parametrize(("castle", "defeated"), [("", 11), ("KC", 10), ("JC JD JS QC QD QH QS KC KD KH KS", 0)])
def test_r14_the_defeated_are_counted(castle: str, defeated: int) -> None:
    """Twelve less the castle and the enemy still there, whatever lies elsewhere."""
    assert after(board(["9D", "TC"], castle=castle), 0, "play 9D")["outcome"] == lost("could_not_suffer", defeated)
