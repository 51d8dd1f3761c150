"""Who may know what: public knowledge (R20) and packets (R21)."""

import json

import pytest

from tests.engines.referee import Json, after, apply, ask, legal, refusal, view
from tests.engines.regicide.boards import board, case, lost, shown, won

SECRETS = board(
    ["TH 2C AH X1", "KD 9S 3S", "4S 5C"], turn=1, castle="JD QC KC", enemy="JS", damage=11, shield=7, table="7S 4D",
    tavern="JC 9C 8C 6D 7H 2H", discard="TD 2D X2 AC 8S", yielded=[False, False, True],
    packets={"JC": 11, "2C": 2, "9S": 10, "3S": 2, "8C": 2, "4S": 10},
)  # fmt: skip
PUBLIC = {
    "ruleset": "regicide", "players": 3, "phase": "play", "turn": 1, "castle": {"count": 3}, "enemy": "JS",
    "damage": 11,
    "shield": 7, "immune": True, "table": ["7S", "4D"], "tavern": {"count": 6, "packets": [11, 0, 2, 0, 0, 0]},
    "discard": ["2D", "8S", "AC", "TD", "X2"], "packets": {"2": ["2C", "3S", "8C"], "10": ["4S", "9S"], "11": ["JC"]},
    "yielded": [False, False, True], "solo_yield": False, "jesters_left": 0, "flips": 0, "outcome": None, "attack": 10,
}  # fmt: skip
CLOSED = [
    {"count": 4, "packets": [0, 0, 0, 2]},
    {"count": 3, "packets": [0, 2, 10]},  # ascending as numbers, not as text
    {"count": 2, "packets": [0, 10]},
]
OPEN = [["2C", "AH", "TH", "X1"], ["3S", "9S", "KD"], ["4S", "5C"]]


@pytest.mark.parametrize("seat", [0, 1, 2, None])
def test_r20_a_view_is_all_that_is_public_and_ones_own_hand(seat: int | None) -> None:
    """Own hand sorted as text; other hands as counts and packet numbers; nothing else is missing or added."""
    hands = [OPEN[other] if other == seat else CLOSED[other] for other in range(3)]

    assert view(SECRETS, seat) == PUBLIC | {"hands": hands}


@pytest.mark.parametrize("seat", [0, 1, 2, None])
def test_r20_no_hidden_card_is_in_a_view(seat: int | None) -> None:
    """Cards of packet 0 in other hands, in the Tavern and in the castle appear nowhere, not even as text."""
    text = json.dumps(view(SECRETS, seat))
    others = [card for other, hand in enumerate(SECRETS["hands"]) if other != seat for card in hand]
    hidden = [card for card in [*others, *SECRETS["tavern"], *SECRETS["castle"]] if card not in SECRETS["packets"]]

    assert len(hidden) > 6
    assert [card for card in hidden if card in text] == []


@pytest.mark.parametrize("seat", [0, 1, 2, None])
def test_r20_order_tells_nothing(seat: int | None) -> None:
    """Hands, discard pile and packets may lie in any order: the view is the same."""
    turned = SECRETS | {
        "hands": [hand[::-1] for hand in SECRETS["hands"]],
        "discard": SECRETS["discard"][::-1],
        "packets": dict(reversed(SECRETS["packets"].items())),
    }

    assert json.dumps(view(turned, seat)) == json.dumps(view(SECRETS, seat))


def swapped(position: Json, one: str, other: str) -> Json:
    """Return *position* with two cards in each other's places."""
    text = (
        json.dumps(position).replace(f'"{one}"', '"??"').replace(f'"{other}"', f'"{one}"').replace('"??"', f'"{other}"')
    )
    swap: Json = json.loads(text)
    return swap


SAME_TO = [
    case("R20: seat 1's hand and the Tavern", 0, "KD", "9C"),
    case("R20: two seats' hands", 0, "KD", "5C"),
    case("R20: two places in the Tavern", 1, "9C", "7H"),
    case("R20: two places in the castle", 2, "QC", "KC"),
    case("R20: hands, to a spectator", None, "TH", "KD"),
    case("R20: hand and Tavern, to a spectator", None, "X1", "2H"),
]


@pytest.mark.parametrize(("seat", "one", "other"), SAME_TO)
def test_r20_what_a_seat_cannot_tell_apart_looks_the_same(seat: int | None, one: str, other: str) -> None:
    """Hidden cards of packet 0 in each other's places change nothing that the seat is shown or told."""
    twin = swapped(SECRETS, one, other)
    twin["packets"] = SECRETS["packets"]

    assert view(twin, seat) == view(SECRETS, seat)
    if seat is not None:
        assert legal(twin, seat) == legal(SECRETS, seat)
        for action in (f"play {one}", f"play {other}", "discard JH", "choose 0", "flip"):
            assert apply(twin, seat, action) == apply(SECRETS, seat, action)
            assert refusal(apply(twin, seat, action)) in {"illegal_action", "not_your_turn"}


@pytest.mark.parametrize(
    ("before", "attack"),
    [
        case("R8: a shield", board(shield=4), 6),
        case("R8: over the attack", board(shield=40), 0),
        case("R9: suspended", board(enemy="QS", castle="", shield=40), 15),
        case("R10: counting again", board(enemy="QS", castle="", shield=4, immune=False), 11),
        case("R12: no enemy", board(castle="", enemy=None, phase="over", outcome=won()), 0),
        case("R14: a lost game's enemy", board(phase="over", shield=4, outcome=lost("could_not_act", 9)), 6),
    ],
)
def test_r20_the_attack_is_in_the_view(before: Json, attack: int) -> None:
    """It's the enemy's after shields, 0 when there is no enemy."""
    assert [view(before, seat)["attack"] for seat in (0, 1, None)] == [attack] * 3


def test_r21_a_card_loses_its_packet_when_all_may_see_it() -> None:
    """Played, discarded or defeated, it isn't listed any more; what's hidden of its packet still is."""
    before = board(["5S TC", "9D"], tavern="8H 7H", packets={"5S": 2, "TC": 2, "8H": 2, "7H": 1})
    position = after(before, 0, "play 5S")
    assert view(position, 1)["packets"] == {"1": ["7H"], "2": ["8H", "TC"]}

    position = after(position, 0, "discard TC")

    assert shown(view(position, 1), {"packets": 0, "hands": 0, "discard": 0}) == {
        "packets": {"1": ["7H"], "2": ["8H"]}, "hands": [{"count": 0, "packets": []}, ["9D"]], "discard": ["TC"],
    }  # fmt: skip


def test_r21_a_drawn_royal_is_known_to_all() -> None:
    """A packet of one: everybody knows who drew the Jack."""
    before = board(["2D TC", "9D"], enemy="QC", castle="KC", tavern="JH 9H", packets={"JH": 1})

    seen = view(after(before, 0, "play 2D"), 1)

    assert seen["packets"] == {"1": ["JH"]}
    assert seen["hands"] == [{"count": 2, "packets": [0, 1]}, ["9D", "9H"]]


def test_r21_a_heal_shows_its_cards_and_not_their_order() -> None:
    """Seeds that lay the same cards under the Tavern in another order give the same view."""
    before = board(["TH TC", "9D"], enemy="JC", discard="2S 3S 4S 5S 6S")

    healed = [after(before, 0, "play TH", seed) for seed in "abcdef"]

    assert len({tuple(position["tavern"]) for position in healed}) > 1
    assert {json.dumps(view(position, 0)) for position in healed} == {json.dumps(view(healed[0], 0))}
    assert view(healed[0], 1)["packets"] == {"1": ["2S", "3S", "4S", "5S", "6S"]}
    assert view(healed[0], 1)["tavern"] == {"count": 5, "packets": [1, 1, 1, 1, 1]}


def test_r20_a_game_that_is_over_keeps_its_secrets() -> None:
    """Other hands stay closed in a view (docs/referee.md, View: what a seat may know)."""
    over = SECRETS | {"phase": "over", "outcome": lost("could_not_suffer", 8)}

    assert view(over, 0)["hands"] == [OPEN[0], *CLOSED[1:]]
    assert view(over, None)["castle"] == {"count": 3}


def test_r20_a_solo_view_shows_flips_left() -> None:
    """Flips are public, the Tavern's order isn't, to its only player either."""
    seen = view(board(["9C 2C"], tavern="8H 7H", jesters_left=1, flips=1, solo_yield=True, yielded=[True]), 0)

    expected = {"jesters_left": 1, "flips": 1, "solo_yield": True, "yielded": [True], "hands": [["2C", "9C"]],
                "tavern": {"count": 2, "packets": [0, 0]}, "players": 1}  # fmt: skip
    assert shown(seen, expected) == expected


@pytest.mark.parametrize("seat", ["0", True, 1.5, [0]])
def test_a_view_is_asked_for_a_seat_or_nobody(seat: object) -> None:
    """A seat that is neither an integer nor null is `bad_request`."""
    assert refusal(ask({"op": "view", "position": board(), "seat": seat})) == "bad_request"
