"""Suit powers: hearts, diamonds, clubs, spades, and the enemy's immunity (R4-R9); packets (R21)."""

import pytest

from tests.engines.referee import Json, after, view
from tests.engines.regicide.boards import board, case, shown, spelled

TAVERN = "9H 8H 7H 6H 5H 4H 3H"


@pytest.mark.parametrize(
    ("before", "action", "expected"),
    [
        case("R4: two diamonds draw once", board(["AD 3D TC", ""], tavern=TAVERN), "play AD 3D",
             {"hands": ["TC 9H 7H", "8H 6H"], "tavern": "5H 4H 3H"}),
        case("R4: two clubs double once", board(["AC 4C TC", ""]), "play AC 4C", {"damage": 10}),
        case("R4: two spades shield once", board(["AS 4S TC", ""]), "play AS 4S", {"shield": 5, "damage": 5}),
        case("R4: every suit has the whole value", board(["2C 2D 2S TC", ""], tavern=TAVERN), "play 2C 2D 2S",
             {"hands": ["TC 9H 7H 5H", "8H 6H 4H"], "shield": 6, "damage": 12, "tavern": "3H"}),
        case("R4: the companion's suit has the whole value too", board(["AD 8S TC", ""], tavern=TAVERN), "play 8S AD",
             {"hands": ["TC 9H 7H 5H 3H", "8H 6H 4H"], "shield": 9, "damage": 9}),
        case("R4: hearts go before diamonds, and fill an empty Tavern",
             board(["2H 2D TC", ""], enemy="JC", discard="9S"),
             "play 2H 2D", {"hands": ["TC 9S", ""], "tavern": "", "discard": "", "packets": {"9S": 1}}),
        case("R4: a healed card is drawn after those above it",
             board(["AH 3D TC", ""], enemy="JC", tavern="9H", discard="9S"), "play AH 3D",
             {"hands": ["TC 9H", "9S"], "tavern": "", "discard": "", "packets": {"9S": 1}}),
        case("R5: the played card isn't healed", board(["5H TC", ""], enemy="JC", tavern="9H"), "play 5H",
             {"tavern": "9H", "discard": "", "table": "5H", "packets": {}}),
        case("R5: nor are cards on the table", board(["5H TC", ""], enemy="JC", table="4D 3S", discard="9S"), "play 5H",
             {"tavern": "9S", "discard": "", "table": "4D 3S 5H"}),
        case("R6: no penalty for an empty Tavern", board(["9D TC", ""], tavern="9H 8H"), "play 9D",
             {"hands": ["TC 9H", "8H"], "tavern": ""}),
        case("R6: nor for one that was empty before", board(["9D TC", ""]), "play 9D", {"hands": ["TC", ""]}),
        case("R6: clockwise from the player", board(["6S", "6C", "5D TC", "6D"], turn=2, tavern=TAVERN), "play 5D",
             {"hands": ["6S 7H", "6C 6H", "TC 9H 5H", "6D 8H"], "tavern": "4H 3H"}),
        case("R6: a seat that fills up is skipped from then on",
             board(["AD 4D TS", "2S 3S 4S 5S 6S", "2C 3C 4C 5C 6C 7C"], tavern=TAVERN), "play AD 4D",
             {"hands": ["TS 9H 7H 6H 5H", "2S 3S 4S 5S 6S 8H", "2C 3C 4C 5C 6C 7C"], "tavern": "4H 3H"}),
        case("R6: all hands full, so one is drawn of nine",
             board(["9D 2S 3S 4S 5S 6S 7S", "2C 3C 4C 5C 6C 7C 8C"], tavern=TAVERN), "play 9D",
             {"hands": ["2S 3S 4S 5S 6S 7S 9H", "2C 3C 4C 5C 6C 7C 8C"], "tavern": "8H 7H 6H 5H 4H 3H"}),
        case("R6: solo, up to eight", board(["4D 2S 3S 4S 5S 6S"], tavern=TAVERN), "play 4D",
             {"hands": ["2S 3S 4S 5S 6S 9H 8H 7H"], "tavern": "6H 5H 4H 3H"}),
        case("R6: a Jester drawn is a card drawn", board(["3D TC", "", ""], tavern="X2 9H 8H 7H"), "play 3D",
             {"hands": ["TC X2", "9H", "8H"], "tavern": "7H"}),
        case("R6: an odd card goes to the player", board(["3D TC", "9C"], tavern=TAVERN), "play 3D",
             {"hands": ["TC 9H 7H", "9C 8H"]}),
        case("R6: what was drawn covers the attack", board(["5D", ""], tavern="TC"), "play 5D",
             {"hands": ["TC", ""], "phase": "suffer", "outcome": None}),
        case("R7: clubs double the sum of a pair", board(["4C 4S TC", ""]), "play 4C 4S", {"damage": 16, "shield": 8}),
        case("R7: two A with one of clubs", board(["AC AD TC", ""]), "play AC AD", {"damage": 4}),
        case("R7: they double this play alone", board(["3S TC", ""], table="2C", damage=4), "play 3S", {"damage": 7}),
        case("R7: what was there isn't doubled", board(["2C TC", ""], table="3S", damage=3), "play 2C", {"damage": 7}),
        case("R8: spades add up over seats", board(["2D", "3S TC"], turn=1, table="4S", damage=4, shield=4), "play 3S",
             {"shield": 7, "damage": 7, "phase": "suffer", "turn": 1}),
        case("R8: at exactly 0 the step is skipped", board(["TS", "2C"]), "play TS",
             {"shield": 10, "phase": "play", "turn": 1, "hands": ["", "2C"]}),
        case("R8: below 0 it's 0", board(["KS", "2C"], enemy="QH", castle="KC"), "play KS",
             {"shield": 20, "damage": 20, "phase": "play", "turn": 1}),
        case("R9: clubs act where diamonds don't", board(["3C 3D 3H TC", ""], enemy="JD", tavern="9H", discard="9S"),
             "play 3C 3D 3H", {"damage": 18, "hands": ["TC", ""], "tavern": "9H 9S", "packets": {"9S": 1}}),
        case("R9: spades act where clubs don't", board(["2C 2S TC", ""], enemy="JC"), "play 2C 2S",
             {"damage": 4, "shield": 4}),
        case("R9: diamonds act where hearts don't", board(["2H 2D TC", ""], tavern=TAVERN, discard="9S"), "play 2H 2D",
             {"hands": ["TC 9H 7H", "8H 6H"], "discard": "9S", "packets": {}, "damage": 4}),
        case("R9: hearts act where diamonds don't", board(["2H 2D TC", ""], enemy="JD", tavern="9H", discard="9S"),
             "play 2H 2D", {"hands": ["TC", ""], "tavern": "9H 9S", "discard": "", "damage": 4}),
        case("R9: a companion's suit can be the immune one", board(["AC 6S TC", ""], enemy="JC"), "play AC 6S",
             {"damage": 7, "shield": 7}),
        case("R9: or the companion's alone can act", board(["AS 6C TC", ""], enemy="JC"), "play AS 6C",
             {"damage": 7, "shield": 7}),
        case("R9: against a spades enemy the attack stays whole", board(["TS", "2C"], enemy="JS"), "play TS",
             {"shield": 10, "damage": 10, "phase": "over"}),
        case("R9: a royal's suit can be the immune one", board(["JC TC TD", ""], enemy="QC", castle=""), "play JC",
             {"damage": 10}),
        case("R10: without immunity clubs double", board(["4C TC", ""], enemy="JC", immune=False), "play 4C",
             {"damage": 8}),
        case("R10: without immunity diamonds draw", board(["2D TC", ""], enemy="JD", immune=False, tavern=TAVERN),
             "play 2D", {"hands": ["TC 9H", "8H"]}),
        case("R10: without immunity hearts heal", board(["2H TC", ""], immune=False, discard="9S"), "play 2H",
             {"tavern": "9S", "discard": "", "packets": {"9S": 1}}),
        case("R10: without immunity spades shield", board(["TS", "2C"], enemy="JS", immune=False), "play TS",
             {"shield": 10, "phase": "play", "turn": 1}),
        case("R19: a Queen of diamonds draws fifteen", board(["QD TC", ""], castle="KC", tavern=TAVERN), "play QD",
             {"hands": ["TC 9H 7H 5H 3H", "8H 6H 4H"], "tavern": "", "damage": 15}),
        case("R19: a Jack of hearts heals ten", board(["JH TC TD", ""], enemy="QC", castle="", discard="9S"), "play JH",
             {"tavern": "9S", "packets": {"9S": 1}, "damage": 10}),
        case("R19: a King of spades with an A shields 21", board(["AD KS", "2C"], enemy="KH", castle=""), "play AD KS",
             {"shield": 21, "damage": 21, "phase": "play", "turn": 1}),
    ],
)  # fmt: skip
def test_powers(before: Json, action: str, expected: Json) -> None:
    """Each suit acts once, with the whole value, unless the enemy is immune to it."""
    position = after(before, before["turn"], action)

    assert shown(position, expected) == spelled(expected)


@pytest.mark.parametrize(
    ("enemy", "shield", "immune", "attack"),
    [
        ("JH", 0, True, 10),  # R8
        ("JH", 7, True, 3),  # R8
        ("JH", 12, True, 0),  # R8: never below 0
        ("QH", 7, True, 8),  # R8
        ("KH", 7, True, 13),  # R8
        ("KH", 7, False, 13),  # R8: lost immunity to hearts is nothing to spades
        ("JS", 7, True, 10),  # R9: counted, but suspended
        ("KS", 25, True, 20),  # R9
        ("QS", 7, False, 8),  # R10: they begin to count
        ("QS", 15, False, 0),  # R10
    ],
)
def test_r8_the_attack_after_shields(enemy: str, shield: int, attack: int, *, immune: bool) -> None:
    """Spades lower the attack for everyone, unless immunity suspends them; the view says so."""
    before = board(["TC", "9D"], enemy=enemy, shield=shield, immune=immune, castle="")

    assert [view(before, seat)["attack"] for seat in (0, 1, None)] == [attack] * 3


@pytest.mark.parametrize(
    ("hand", "action", "healed"),
    [
        ("3H TC", "play 3H", 3),  # R5
        ("AH 2H TC", "play AH 2H", 3),  # R4: two hearts act once
        ("2H 2S TC", "play 2H 2S", 4),  # R4: with the whole value
        ("AS 3H TC", "play AS 3H", 4),  # R4
        ("TH TC", "play TH", 5),  # R5: no more than there are
    ],
)
def test_r5_up_to_attack_cards_are_healed(hand: str, action: str, healed: int) -> None:
    """That many of five go under the Tavern, the others stay; no card is lost, and all are of one packet."""
    pile = ["9S", "8S", "7S", "6S", "5S"]

    position = after(board([hand, ""], enemy="JC", tavern="2C 2D", discard=" ".join(pile)), 0, action)

    assert position["tavern"][:2] == ["2C", "2D"]
    assert (len(position["tavern"]), len(position["discard"])) == (2 + healed, 5 - healed)
    assert sorted(position["tavern"][2:] + position["discard"]) == sorted(pile)
    assert position["packets"] == dict.fromkeys(position["tavern"][2:], 1)


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_r4_a_heal_can_be_drawn_in_the_same_play(seed: str) -> None:
    """Five of six discards are healed into an empty Tavern, and five are drawn: three and two."""
    pile = {"9S", "8S", "7S", "6S", "5S", "4S"}

    position = after(board(["AH 4D TC", ""], enemy="JC", discard=" ".join(sorted(pile))), 0, "play AH 4D", seed)

    drawn = [*position["hands"][0][1:], *position["hands"][1]]
    assert [len(hand) for hand in position["hands"]] == [4, 2]
    assert (position["tavern"], {*drawn, *position["discard"]}) == ([], pile)
    assert position["packets"] == dict.fromkeys(drawn, 1)


@pytest.mark.parametrize(
    ("before", "action", "packets"),
    [
        case("R21: the first packet is 1", board(["5H TC", ""], enemy="JC", discard="9S"), "play 5H", {"9S": 1}),
        case("R21: one more than the highest, gaps or not",
             board(["5H TC", "2D"], enemy="JC", discard="9S", packets={"2D": 2, "TC": 11}), "play 5H",
             {"2D": 2, "TC": 11, "9S": 12}),
        case("R21: the numbers in `packets` count, not those that once were",
             board(["5H TC", ""], enemy="JC", discard="9S", packets={"5H": 3}), "play 5H", {"9S": 1}),
        case("R21: a played card has no packet any more",
             board(["5S TC", ""], packets={"5S": 3, "TC": 1}), "play 5S", {"TC": 1}),
        case("R21: nor has a discarded one",
             board(["TD TC", ""], phase="suffer", packets={"TD": 3, "TC": 3}), "discard TD", {"TC": 3}),
        case("R21: a drawn card keeps its number",
             board(["2D TC", ""], tavern="9S 8S 7S", packets={"9S": 2, "8S": 1, "7S": 1}), "play 2D",
             {"9S": 2, "8S": 1, "7S": 1}),
        case("R21: a heal of no cards makes no packet", board(["5H TC", ""], enemy="JC", packets={"TC": 4}), "play 5H",
             {"TC": 4}),
        case("R21: nor does one that immunity forbids",
             board(["5H TC", ""], discard="9S", packets={"TC": 4}), "play 5H",
             {"TC": 4}),
        case("R21: a royal on top is a packet of one",
             board(["5S TC", ""], damage=15, tavern="9S", packets={"9S": 6}), "play 5S", {"9S": 6, "JH": 7}),
        case("R21: an empty heal, then the royal: one packet",
             board(["5H TC", ""], enemy="JC", damage=15), "play 5H", {"JC": 1}),
        case("R21: flipping throws numbers away and draws numbers",
             board(["TD 9C"], tavern="9S 8S", packets={"TD": 3, "9S": 2, "8S": 5}), "flip", {"9S": 2, "8S": 5}),
    ],
)  # fmt: skip
def test_r21_packets(before: Json, action: str, packets: dict[str, int]) -> None:
    """What goes under or on the Tavern has a number there and in hands, and nowhere else."""
    assert after(before, 0, action)["packets"] == packets
