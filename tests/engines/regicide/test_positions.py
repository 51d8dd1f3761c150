"""What loading a position takes and refuses (docs/referee.md, Position), and the order of errors."""

from typing import Any

import pytest

from tests.engines.referee import Json, apply, ask, legal, refusal, same_actions, view
from tests.engines.regicide.boards import FLIP, YIELD, board, case, lost, plays, same_fields, won

OVER = board(phase="over", outcome=lost("could_not_act", 9))
CHOOSE = board(phase="choose", immune=False, table="X1")


@pytest.mark.parametrize("key", board())
def test_a_missing_key_is_refused(key: str) -> None:
    """Every key is always in a position; the message names the one that isn't."""
    heard = apply({name: value for name, value in board().items() if name != key}, 0, "play TC")

    assert refusal(heard) == "bad_position"
    assert key in heard["error"]["detail"]


@pytest.mark.parametrize("key", ["attack", "seat", "Damage", "", "first_seat"])
def test_an_unknown_key_is_refused(key: str) -> None:
    """A position has no other keys, not even those of a view."""
    heard = apply(board() | {key: 0}, 0, "play TC")

    assert refusal(heard) == "bad_position"
    assert key in heard["error"]["detail"]


WRONG: dict[str, list[Any]] = {
    "ruleset": ["chess", "", "Regicide", None, 1, ["regicide"], {}],
    "players": [0, 3, 5, -1, "2", True, None, 2.5, [2]],
    "phase": ["draw", "", "PLAY", None, 1, ["play"], {}],
    "turn": [2, -1, "0", False, True, None, 0.5, [0]],
    "castle": [None, "QC KC", {}, 2, {"count": 2}, [["QC"]], [None], [5]],
    "enemy": ["", 5, True, ["JH"], {}],
    "damage": ["0", False, True, None, 1.5, [], -1],
    "shield": ["0", False, True, None, 1.5, {}, -1],
    "immune": [0, 1, "true", None, []],
    "table": [None, "", {}, 0, [7], [None], [["9D"]]],
    "tavern": [None, "", {}, 0, {"count": 0, "packets": []}, [7], [["9D"]]],
    "discard": [None, "", {}, 0, [7], [None], [["9D"]]],
    "hands": [
        None,
        {},
        "",
        [],
        [["TC"]],
        [["TC"], [], []],
        ["TC", "9C"],
        [["TC"], None],
        [["TC"], {"count": 0, "packets": []}],
        [["TC", 9], []],
        [["TC", None], []],
    ],
    "packets": [
        None,
        [],
        "",
        0,
        {"TC": "1"},
        {"TC": True},
        {"TC": None},
        {"TC": 1.5},
        {"TC": 0},
        {"TC": -1},
        {"1": ["TC"]},
    ],
    "yielded": [None, {}, False, [], [False], [False] * 3, [0, 0], ["", ""], [None, None]],
    "solo_yield": [0, 1, None, "false", []],
    "jesters_left": ["0", False, None, 0.5, [], -1],
    "flips": ["0", False, None, 0.5, [], -1],
    "outcome": ["", 0, False, [], {}],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
def test_a_wrong_value_is_refused(key: str, value: Any) -> None:
    """Wrong types, `true` for 1 and numbers out of range are `bad_position`, with the field's name."""
    heard = apply(board() | {key: value}, 0, "play TC")

    if (key, value) == ("enemy", "") or value == {"1": ["TC"]}:  # text where a card should be
        assert refusal(heard) in {"bad_position", "bad_card"}
    else:
        assert refusal(heard) == "bad_position"
        assert key in heard["error"]["detail"] or (key, value) == ("players", 3)  # or the message names the hands


@pytest.mark.parametrize(
    "twice",
    [
        case("in one hand", board(["TC TC", ""])),
        case("in two hands", board(["TC", "TC"])),
        case("hand and Tavern", board(["TC", ""], tavern="TC")),
        case("hand and discard pile", board(["TC", ""], discard="TC")),
        case("hand and table", board(["TC", ""], table="TC")),
        case("hand and castle", board(["TC QC", ""])),
        case("hand and enemy", board(["TC JH", ""])),
        case("enemy and castle", board(castle="JH QC")),
        case("twice in the castle", board(castle="QC QC")),
        case("Tavern and discard pile", board(tavern="9D", discard="9D")),
        case("table and discard pile", board(table="9D", discard="9D")),
        case("a Jester on the table and in hand", board(["X1 TC", ""], immune=False, table="X1")),
        case("enemy and discard pile", board(discard="JH")),
    ],
)
def test_a_card_twice_is_refused(twice: Json) -> None:
    """There is one of each card; the message names it."""
    heard = apply(twice, 0, "play TC")

    assert refusal(heard) == "bad_position"
    assert any(card in heard["error"]["detail"] for card in ("TC", "QC", "JH", "9D", "X1"))


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("holder", [0, -1])
def test_r1_a_hand_over_its_limit_is_refused(seats: int, holder: int) -> None:
    """Eight, seven, six and five cards are taken; one more isn't."""
    numbers = [f"{rank}C" for rank in "23456789T"]
    limit = {1: 8, 2: 7, 3: 6, 4: 5}[seats]
    hands = ["AD", "AH", "AS", "2D"][:seats]

    hands[holder] = " ".join(numbers[:limit])
    assert legal(board(hands), 0)

    hands[holder] = " ".join(numbers[: limit + 1])
    assert refusal(apply(board(hands), 0, "yield")) == "bad_position"


@pytest.mark.parametrize("text", ["1Z", "tc", "10C", "T", "TCC", "X3", "X0", " TC", "TC ", "🂪", "1C", "JOKER"])
@pytest.mark.parametrize("place", ["hands", "table", "tavern", "discard", "castle", "enemy"])
def test_a_card_that_is_none_is_named(text: str, place: str) -> None:
    """Positions are canonical: other spellings are `bad_card`, and the message says which."""
    value: Any = {"hands": [["9D", text], []], "enemy": text}.get(place, [text])

    heard = apply(board(["9D", ""]) | {place: value}, 0, "play 9D")

    assert refusal(heard) == "bad_card"
    assert text in heard["error"]["detail"]


@pytest.mark.parametrize(
    "contradiction",
    [
        case("R11: damage at the health of a living Jack", board(damage=20)),
        case("R11: damage over it", board(damage=21)),
        case("R11: of a living Queen", board(enemy="QH", castle="KC", damage=30)),
        case("R11: of a living King", board(enemy="KH", castle="KC", damage=40)),
        case("R10: choose with immunity", CHOOSE | {"immune": True}),
        case("R10: choose with no Jester on the table", CHOOSE | {"table": ["9D"]}),
        case("R10: choose with an empty table", CHOOSE | {"table": []}),
        case("R10: choose, with the Jester in a hand", board(["X1", ""], phase="choose", immune=False)),
        case("R16: play for a seat that could not act", board(["", "TC"], yielded=[False, True])),
        case("R16: at three", board(["TC", "", "TD"], turn=1, yielded=[True, False, True])),
        case("R16: solo", board([""], jesters_left=0, flips=2)),
        case("R16: solo, the yield used up",
             board([""], jesters_left=0, flips=2, solo_yield=True, yielded=[True])),
        case("R13: suffer with nothing to suffer", board(phase="suffer", shield=10)),
        case("R13: suffer with more shield than attack", board(phase="suffer", shield=11)),
        case("R13: suffer with spades that count again", board(phase="suffer", enemy="JS", shield=10, immune=False)),
        case("R13: solo, with nothing to suffer", board(["TC"], phase="suffer", shield=10)),
        case("R14: suffer with a hand that can't cover", board(["9C", "TC"], phase="suffer")),
        case("R14: with an empty hand", board(["", "TC"], phase="suffer")),
        case("R14: a Jester is worth 0", board(["9C X1", "TC"], phase="suffer")),
        case("R14: solo, with no Jester to flip", board(["9C"], phase="suffer", jesters_left=0, flips=2)),
        case("R2: over without an outcome", board(phase="over")),
        case("R2: an outcome in play", board(outcome=lost("could_not_act", 9))),
        case("R2: an outcome in suffer", board(phase="suffer", outcome=lost("could_not_suffer", 9))),
        case("R2: an outcome in choose", CHOOSE | {"outcome": won()}),
        case("R12: no enemy in play", board(enemy=None, castle="")),
        case("R12: no enemy in suffer", board(enemy=None, castle="", phase="suffer")),
        case("R12: no enemy, but a castle", board(enemy=None)),
        case("R12: no enemy, but a castle, when over", OVER | {"enemy": None}),
        case("a number as enemy", board(enemy="9D")),
        case("a Jester as enemy", board(enemy="X1")),
        case("a number in the castle", board(castle="QC 9D")),
        case("a Jester in the castle", board(castle="QC X2")),
        case("R21: a packet of a card in the discard pile", board(discard="9D", packets={"9D": 1})),
        case("R21: a packet of a card on the table", board(table="9D", packets={"9D": 1})),
        case("R21: a packet of the enemy", board(packets={"JH": 1})),
        case("R21: a packet of a card out of play", board(packets={"9D": 1})),
        case("an outcome with too few keys", OVER | {"outcome": {"result": "lost", "reason": "could_not_act"}}),
        case("an outcome with too many", OVER | {"outcome": lost("could_not_act", 9) | {"winner": 0}}),
        case("an outcome that is none", OVER | {"outcome": lost("could_not_act", 9) | {"result": "drawn"}}),
        case("a reason that is none", OVER | {"outcome": lost("boredom", 9)}),
        case("a medal that is none", OVER | {"outcome": lost("could_not_act", 9) | {"medal": "tin"}}),
        case("a count that is no number", OVER | {"outcome": lost("could_not_act", 9) | {"defeated": True}}),
        case("a count over twelve", OVER | {"outcome": lost("could_not_act", 13)}),
    ],
)  # fmt: skip
def test_a_contradiction_is_refused(contradiction: Json) -> None:
    """What can't be is `bad_position`, whatever one asks about it."""
    assert refusal(apply(contradiction, contradiction["turn"], "play TC")) == "bad_position"
    assert refusal(ask({"op": "legal", "position": contradiction, "seat": 0})) == "bad_position"
    assert refusal(ask({"op": "view", "position": contradiction, "seat": None})) == "bad_position"


@pytest.mark.parametrize(
    "valid",
    [
        case("R11: one short of the health", board(damage=19)),
        case("R8: a shield over the attack, to play", board(shield=99)),
        case("R9: a shield that immunity suspends, to suffer", board(enemy="JS", shield=10, phase="suffer")),
        case("R14: solo, a hand that can't cover, a Jester to flip", board(["9C"], phase="suffer")),
        case("R16: an empty hand that may yield", board(["", "TC"])),
        case("R16: solo, an empty hand, a Jester to flip", board([""])),
        case("R16: solo, an empty hand, a yield", board([""], jesters_left=0, flips=2, solo_yield=True)),
        case("R2: others' hands may be empty", board(["TC", "", "", ""])),
        case("R10: a Jester on the table, long ago", board(immune=False, table="X1 9D")),
        case("R10: Jesters at two", board(["X1 X2", ""])),
        case("a small castle", board(castle="")),
        case("the whole pack", board(["TC", ""], enemy="JC", castle="JD JH JS QC QD QH QS KC KD KH KS",
             tavern="2C 3C 4C 5C 6C 7C 8C 9C AC X1 X2 AD AH AS", discard="2D 3D 4D 5D 6D 7D 8D 9D TD 2H 3H 4H 5H 6H",
             table="7H 8H 9H TH 2S 3S 4S 5S 6S 7S 8S 9S TS")),
        case("R21: packets with gaps", board(tavern="9D 8D", packets={"9D": 7, "8D": 3, "TC": 12})),
        case("R19: royals in hand", board(["JC QD KS", ""])),
        case("R15: the option at two", board(solo_yield=True)),
        case("R12: won, the King on the Tavern",
             board(castle="", enemy=None, phase="over", tavern="KS", packets={"KS": 1}, outcome=won())),
    ],
)  # fmt: skip
def test_what_may_be_is_taken(valid: Json) -> None:
    """A position need not hold the whole pack, nor be likely; its view says the same as it."""
    seen = view(valid, 0)

    assert same_fields(
        seen, valid, ["phase", "turn", "enemy", "damage", "shield", "immune", "table", "yielded", "outcome"]
    )
    assert bool(legal(valid, 0)) is (valid["phase"] != "over")


def test_r17_flips_are_for_solo() -> None:
    """With more seats nobody flips: not even where a position pretends that a Jester is left."""
    pretending = board(["TC", "9D"], jesters_left=1)

    assert refusal(apply(board(["TC", "9D"]), 0, FLIP)) == "illegal_action"
    assert refusal(apply(pretending, 0, FLIP)) in {"bad_position", "illegal_action"}


BROKEN = board(damage=20)
MALFORMED = {"type": "dance"}
FOREIGN = {"type": "discard", "cards": ["9D"]}  # well-formed, but not legal in step 1


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        case("an unknown op before all", {"op": "fly", "position": BROKEN, "seat": 0}, "bad_request"),
        case("seat before position",
             {"op": "apply", "position": BROKEN, "seat": "0", "action": MALFORMED}, "bad_request"),
        case("true is no seat", {"op": "legal", "position": BROKEN, "seat": True}, "bad_request"),
        case("no seat", {"op": "legal", "position": BROKEN}, "bad_request"),
        case("a ruleset before options",
             {"op": "new", "ruleset": "chess", "players": 2, "options": {"x": 1}, "seed": "s"},
             "bad_request"),
        case("players before options",
             {"op": "new", "ruleset": "regicide", "players": 9, "options": {"x": 1}, "seed": "s"},
             "bad_request"),
        case("position before game over",
             {"op": "apply", "position": OVER | {"damage": 20}, "seat": 0, "action": MALFORMED, "seed": "s"},
             "bad_position"),
        case("position before action", {"op": "apply", "position": BROKEN, "seat": 0, "action": MALFORMED, "seed": "s"},
             "bad_position"),
        case("position before turn", {"op": "apply", "position": BROKEN, "seat": 1, "action": YIELD, "seed": "s"},
             "bad_position"),
        case("a card in the position before the action's",
             {"op": "apply", "position": board(["1Z", ""]), "seat": 0, "action": MALFORMED, "seed": "s"}, "bad_card"),
        case("game over before a malformed action",
             {"op": "apply", "position": OVER, "seat": 0, "action": MALFORMED, "seed": "s"}, "game_over"),
        case("game over before a bad card",
             {"op": "apply", "position": OVER, "seat": 0, "action": "play 1Z", "seed": "s"}, "game_over"),
        case("game over before a seat that doesn't exist",
             {"op": "apply", "position": OVER, "seat": 7, "action": YIELD, "seed": "s"}, "game_over"),
        case("game over before whose turn it is",
             {"op": "apply", "position": OVER, "seat": 1, "action": YIELD, "seed": "s"}, "game_over"),
        case("malformed before whose turn it is",
             {"op": "apply", "position": board(), "seat": 1, "action": MALFORMED, "seed": "s"}, "bad_action"),
        case("a bad card before whose turn it is",
             {"op": "apply", "position": board(), "seat": 1, "action": "play 1Z", "seed": "s"}, "bad_card"),
        case("a seat that doesn't exist is malformed",
             {"op": "apply", "position": board(), "seat": 2, "action": YIELD, "seed": "s"}, "bad_action"),
        case("below 0 too",
             {"op": "apply", "position": board(), "seat": -1, "action": YIELD, "seed": "s"}, "bad_action"),
        case("to view from there too", {"op": "view", "position": board(), "seat": 2}, "bad_action"),
        case("to ask what is legal there too", {"op": "legal", "position": board(), "seat": -1}, "bad_action"),
        case("the position before the seat to view from", {"op": "view", "position": BROKEN, "seat": 2},
             "bad_position"),
        case("the position before the seat to act there", {"op": "legal", "position": BROKEN, "seat": 2},
             "bad_position"),
        case("a game that is over has its seats", {"op": "legal", "position": OVER, "seat": 7}, "bad_action"),
        case("a choice of no seat before whose turn it is",
             {"op": "apply", "position": CHOOSE, "seat": 1, "action": "choose 2", "seed": "s"}, "bad_action"),
        case("a choice of no seat before its phase",
             {"op": "apply", "position": board(), "seat": 0, "action": "choose 2", "seed": "s"}, "bad_action"),
        case("whose turn it is before what is legal",
             {"op": "apply", "position": board(), "seat": 1, "action": FOREIGN, "seed": "s"}, "not_your_turn"),
        case("then what is legal", {"op": "apply", "position": board(), "seat": 0, "action": FOREIGN, "seed": "s"},
             "illegal_action"),
    ],
)  # fmt: skip
def test_errors_come_in_their_order(request_: Json, code: str) -> None:
    """Each request has two faults or more; the first of docs/referee.md's list is told."""
    assert refusal(ask(request_)) == code


@pytest.mark.parametrize(
    "action",
    [
        *({"type": kind} for kind in (None, 5, True, "", "Play", "signal", "draw", ["play"], {"play": 1})),
        {}, [], 5, True, ["play", "TC"],
        {"cards": ["TC"]},
        *({"type": "play", "cards": value} for value in (None, "TC", {"TC": 1}, 5, [], [5], [None], [["TC"]], [True])),
        *({"type": "play", "cards": value} for value in (["TC", "TC"], ["TC", "tc"], ["TC", "10C"],
        ["TC", "10c", "9C"])),
        *({"type": "discard", "cards": value} for value in ([], ["TC", "TC"], "TC", None)),
        {"type": "play"}, {"type": "discard"}, {"type": "choose"},
        *({"type": "choose", "seat": value} for value in ("0", None, True, False, [0], 0.5, 2, -1)),
        {"type": "yield", "cards": []}, {"type": "yield", "seat": 0}, {"type": "flip_jester", "cards": ["TC"]},
        {"type": "play", "cards": ["TC"], "seat": 0}, {"type": "choose", "seat": 0, "cards": []},
        {"type": "signal", "signal": "eager"},  # R22: signals are none of the engine's business
        "", " ", "dance", "play", "discard", "choose", "choose two", "choose 2", "choose -1", "choose 0 1",
        "choose 0.5",
        "yield now", "yield TC", "flip 1", "play TC TC", "play TC 10c", "discard TC TC",
    ],
    ids=repr,
)  # fmt: skip
def test_malformed_actions(action: Any) -> None:
    """They are refused before anybody asks whose turn it is, or whether they would be legal."""
    assert [refusal(apply(board(["TC 9C", "TD"]), seat, action)) for seat in (0, 1)] == ["bad_action"] * 2


@pytest.mark.parametrize("text", ["1Z", "T", "TCC", "X3", "100H", "1H", "♥T", "HT"])
def test_bad_cards_in_actions_are_named(text: str) -> None:
    """`bad_card` says which text it could not read, in both spellings of an action."""
    for action in (f"play {text}", f"play TC {text}", f"discard {text}", {"type": "play", "cards": ["TC", text]}):
        heard = apply(board(), 0, action)
        assert refusal(heard) == "bad_card"
        assert text in heard["error"]["detail"]


def test_a_refusal_leaves_the_position_as_it_was() -> None:
    """After any number of refused actions the same things are legal."""
    before = board(["TC", "TD"])
    for action in ("play TD", "discard TC", "choose 1", "flip", "play 1Z", "dance"):
        refusal(apply(before, 0, action))

    assert before == board(["TC", "TD"])
    assert same_actions(legal(before, 0), [*plays("TC"), YIELD])
