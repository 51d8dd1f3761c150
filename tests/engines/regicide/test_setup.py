"""Setting out a game: what is dealt (R1), and that anybody can check the deal (R23; docs/fairness.md)."""

import json
from typing import Any

import pytest

from engines import RULESETS
from engines.core.dealer import SeededDealer
from engines.core.errors import BadOptions
from tests.engines.referee import Json, accepted, after, ask, new, refusal
from tests.engines.regicide.boards import LIMITS, PACK, board, case, everywhere, lost, shown
from tests.engines.regicide.dealing import Dealer


def dealt(players: int, seed: str, first_seat: int | str = 0) -> Json:
    """Return what R1 and R23 say that *seed* sets out."""
    dealer = Dealer(seed)
    turn = dealer.below(players) if first_seat == "random" else first_seat
    castle = [card for rank in "JQK" for card in dealer.shuffled([card for card in PACK if card[0] == rank])]
    jesters = {3: ["X1"], 4: ["X1", "X2"]}.get(players, [])
    tavern = dealer.shuffled([card for card in PACK if card[0] not in "JQKX"] + jesters)
    out = players * LIMITS[players]
    return {"enemy": castle[0], "castle": castle[1:], "turn": turn, "tavern": tavern[out:],
            "hands": [tavern[seat:out:players] for seat in range(players)]}  # fmt: skip


@pytest.mark.parametrize("seed", ["seed", "", "0", "ñandú 王", "a" * 300])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_r23_a_deal_follows_from_its_seed(players: int, seed: str) -> None:
    """Jacks, Queens, Kings, then the Tavern are shuffled in one stream of words; one card at a time is dealt."""
    expected = dealt(players, seed)

    assert shown(accepted(new(players, seed=seed), "position"), expected) == expected


@pytest.mark.parametrize("seed", ["rejected 1190343", "rejected 5068852"])
def test_r23_a_word_that_would_favour_small_numbers_is_passed_over(seed: str) -> None:
    """These seeds were searched for: in each a word is at or over k times the whole part of 2**32 / k."""
    expected = dealt(2, seed)

    assert shown(accepted(new(2, seed=seed), "position"), expected) == expected


@pytest.mark.parametrize("seed", ["a", "b", "c", "d", "e", "f"])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_r23_a_random_first_seat_is_asked_before_any_shuffle(players: int, seed: str) -> None:
    """It takes a word, in solo too, so that the deal is another one than without."""
    expected = dealt(players, seed, "random")

    position = accepted(new(players, {"first_seat": "random"}, seed), "position")

    assert shown(position, expected) == expected
    assert position["hands"] != dealt(players, seed)["hands"]


@pytest.mark.parametrize(("players", "first_seat"), [(1, 0), (2, 0), (2, 1), (3, 2), (4, 3)])
def test_r1_a_chosen_first_seat_changes_nothing_else(players: int, first_seat: int) -> None:
    """The deal begins with seat 0 whoever begins to play, and a number takes no word."""
    expected = dealt(players, "seed", first_seat)

    assert shown(accepted(new(players, {"first_seat": first_seat}), "position"), expected) == expected


@pytest.mark.parametrize(
    ("players", "limit", "jesters", "left_over"),
    [
        (1, 8, [], 32),  # R1: both Jesters are set aside
        (2, 7, [], 26),  # R1
        (3, 6, ["X1"], 23),  # R1: the Jester is X1
        (4, 5, ["X1", "X2"], 22),  # R1
    ],
)
def test_r1_numbers_by_the_table(players: int, limit: int, jesters: list[str], left_over: int) -> None:
    """Hand limit, Jesters and the rest of the Tavern, for each number of players."""
    position = accepted(new(players), "position")

    assert [len(hand) for hand in position["hands"]] == [limit] * players
    assert len(position["tavern"]) == left_over
    assert [card for card in everywhere(position) if card[0] == "X"] == jesters
    assert everywhere(position) == sorted([*PACK[:52], *jesters])


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_r1_a_game_begins_with_a_clean_table(players: int) -> None:
    """Everything but the cards has its first value; the keys are those of the position, and no more."""
    expected = board(hands=[""] * players) | dealt(players, "seed")

    assert accepted(new(players), "position") == expected


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_r1_jacks_lie_on_queens_on_kings(players: int) -> None:
    """The castle's ranks come in order, whatever the seed."""
    for seed in range(20):
        position = accepted(new(players, seed=str(seed)), "position")
        assert [card[0] for card in [position["enemy"], *position["castle"]]] == list("JJJJQQQQKKKK")


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("chosen", [True, False])
def test_r15_solo_yield_is_taken_with_any_number_of_players(players: int, *, chosen: bool) -> None:
    """The option is in the position as chosen, and deals no other cards."""
    position = accepted(new(players, {"solo_yield": chosen}), "position")

    assert position == accepted(new(players), "position") | {"solo_yield": chosen}


def test_events_of_a_deal_show_each_card_dealt() -> None:
    """Events of `new` name the royal turned up and each card dealt (docs/referee.md, Event)."""
    heard = new(3)
    position, events = accepted(heard, "position"), heard["events"]

    told = json.dumps(events)

    assert all(isinstance(event["type"], str) for event in events)
    assert [
        card for hand in [*position["hands"], [position["enemy"]]] for card in hand if f'"{card}"' not in told
    ] == []


@pytest.mark.parametrize(
    ("players", "options"),
    [
        case("R1: no such seat", 2, {"first_seat": 2}),
        case("R1: no such seat in solo", 1, {"first_seat": 1}),
        case("R1: below 0", 2, {"first_seat": -1}),
        case("R1: true is no number", 2, {"first_seat": True}),
        case("R1: false is no number", 2, {"first_seat": False}),
        case("R1: digits are no number", 2, {"first_seat": "1"}),
        case("R1: another word", 2, {"first_seat": "youngest"}),
        case("R1: a list", 2, {"first_seat": [0]}),
        case("R1: a fraction", 2, {"first_seat": 0.5}),
        case("R15: 1 is not true", 1, {"solo_yield": 1}),
        case("R15: text is not true", 1, {"solo_yield": "true"}),
        case("R15: null is not false", 1, {"solo_yield": None}),
        case("unknown option", 2, {"jesters": 2}),
        case("a good one and an unknown one", 2, {"first_seat": 1, "First_seat": 1}),
    ],
)
def test_options_that_are_refused(players: int, options: Json) -> None:
    """An option that doesn't exist, or has no such value, is `bad_options`."""
    assert refusal(new(players, options)) == "bad_options"


@pytest.mark.parametrize("options", [[], ["first_seat"], "random", 1, True])
def test_options_are_an_object(options: Any) -> None:
    """Options that are no object are `bad_options`."""
    request = {"op": "new", "ruleset": "regicide", "players": 2, "options": options, "seed": "s"}

    assert refusal(ask(request)) == "bad_options"


@pytest.mark.parametrize("players", [0, 5, -1, True, "2", None, [2], 1.5])
def test_r1_player_counts_that_are_refused(players: Any) -> None:
    """One to four may play; anything else is `bad_request`, even with bad options."""
    request = {"op": "new", "ruleset": "regicide", "players": players, "options": {"jesters": 2}, "seed": "s"}

    assert refusal(ask(request)) == "bad_request"


@pytest.mark.parametrize("players", [0, 5, 9, -1])
def test_r1_player_counts_that_new_refuses(players: int) -> None:
    """To programs that call it, in a sentence."""
    with pytest.raises(BadOptions) as refused:
        RULESETS["regicide"].new(players, {}, SeededDealer("s"))
    assert refused.value.detail == f"Regicide is for 1 to 4 players, not {players}."


@pytest.mark.parametrize(
    "pile", ["3C", "3C 9S", "3C 9S 2D", "KC 3C X1 9S 2D AS", "9S 8S 7S 6S 5S 4S 3S 2S 2C 3C 4C 5C"]
)
@pytest.mark.parametrize("action", ["play AH", "play 4H", "play AH 4H", "play TH"])
@pytest.mark.parametrize("seed", ["s", "another seed"])
def test_r23_a_heal_follows_from_its_seed(pile: str, action: str, seed: str) -> None:
    """The pile is shuffled, oldest card first; the first go under the Tavern, the rest is the pile."""
    before = board(["AH 4H TH TC", ""], enemy="JD", castle="QC", tavern="8D 6D", discard=pile)
    shuffled = Dealer(seed).shuffled(pile.split())
    healed = {"play AH": 1, "play 4H": 4, "play AH 4H": 5, "play TH": 10}[action]
    expected = {"tavern": ["8D", "6D", *shuffled[:healed]], "discard": shuffled[healed:],
                "packets": dict.fromkeys(shuffled[:healed], 1)}  # fmt: skip

    assert shown(after(before, 0, action, seed), expected) == expected


def test_r23_the_heal_shuffles_the_pile_as_it_lay() -> None:
    """Cards discarded together lie in pack order; then the Jack, then the table as it lies (R23)."""
    position = board(["TC 9C 3S 5D", "5H KD"], damage=8, table="8S", discard="2D", phase="suffer")

    position = after(position, 0, "discard 9C 3S")
    assert position["discard"] == ["2D", "3S", "9C"]
    position = after(position, 1, "play KD")
    pile = ["2D", "3S", "9C", "JH", "8S", "KD"]
    assert (position["discard"], position["enemy"], position["turn"]) == (pile, "QC", 1)

    position = after(position, 1, "play 5H", "heal")
    shuffled = Dealer("heal").shuffled(pile)
    assert (position["tavern"], position["discard"]) == (shuffled[:5], shuffled[5:])
    assert position["outcome"] == lost("could_not_suffer", 10)


def test_r9_an_immune_enemy_leaves_the_pile_unshuffled() -> None:
    """Hearts against a hearts enemy don't so much as shuffle."""
    pile = "9S 8S 7S 6S 5S 4S 3S 2S"

    assert after(board(["AH TC", ""], discard=pile), 0, "play AH")["discard"] == pile.split()


def test_one_seed_one_game() -> None:
    """The same seed gives the same answer, events included; another seed another deal."""
    assert new(4, seed="same") == new(4, seed="same")
    assert new(4, seed="same") != new(4, seed="other")
