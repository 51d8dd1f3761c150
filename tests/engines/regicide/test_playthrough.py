"""Whole games and wild boards by chance, held against the plain model of the rulings at every step."""

from random import Random

import pytest

from tests.engines.referee import Json, accepted, after, apply, legal, new, same_actions, view
from tests.engines.regicide.boards import LIMITS, PACK, board, everywhere, won
from tests.engines.regicide.model import ATTACK, allowed, attack, may_yield, ruled, worth


def check(position: Json, pack: list[str]) -> None:
    """Hold a position against what is true of every one (R1, R3, R13, R20, R21)."""
    seats = range(position["players"])
    assert everywhere(position) == pack
    assert all(len(hand) <= LIMITS[position["players"]] for hand in position["hands"])
    for seat in (*seats, None):
        seen = view(position, seat)
        assert seen["tavern"]["packets"] == [position["packets"].get(card, 0) for card in position["tavern"]]
        assert seen["attack"] == (attack(position) if position["enemy"] else 0)
        assert seen["hands"] == [
            sorted(hand)
            if seat == other
            else {"count": len(hand), "packets": sorted(position["packets"].get(card, 0) for card in hand)}
            for other, hand in enumerate(position["hands"])
        ]
    for seat in seats:
        assert same_actions(legal(position, seat), allowed(position) if seat == position["turn"] else [])


def played_out(position: Json, dice: Random, seed: str, longest: int = 1000) -> Json:
    """Play *position* to its end, or *longest* steps, by chance; plays are likelier than yields and flips."""
    pack = everywhere(position)
    check(position, pack)
    for step in range(longest):
        actions = legal(position, position["turn"])
        if not actions:
            return position
        plays = [action for action in actions if action["type"] == "play"]
        action = dice.choice(plays if plays and dice.random() < 0.8 else actions)
        expected = ruled(position, action, f"{seed}/{step}")
        position = after(position, position["turn"], action, f"{seed}/{step}")
        assert position == expected
        check(position, pack)
    return position


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(10))
def test_a_game_by_chance_keeps_the_rulings(players: int, seed: int) -> None:
    """From the deal to the end legal actions, positions and views are what the rulings say."""
    options = {"solo_yield": bool(seed % 2), "first_seat": "random"}
    position = accepted(new(players, options, str(seed)), "position")

    end = played_out(position, Random(seed), str(seed))

    assert end["phase"] == "over"
    assert [legal(end, seat) for seat in range(players)] == [[]] * players


def wild(dice: Random) -> Json:
    """Return a valid board, though no game may ever come to it: cards anywhere, marks and wounds at random."""
    players = dice.randint(1, 4)
    cards = dice.sample(PACK, 54)
    royals = [card for card in cards if card[0] in ATTACK][: dice.randint(1, 6)]
    enemy, *castle = sorted(royals, key=lambda card: "JQK".index(card[0]))
    rest = [card for card in cards if card not in royals]
    hands = [[rest.pop() for _ in range(dice.randint(0, LIMITS[players]))] for _ in range(players)]
    table, tavern, discard = (
        [rest.pop() for _ in range(min(len(rest), dice.randint(0, most)))] for most in (5, 12, 20)
    )
    numbered = [card for card in [*tavern, *(card for hand in hands for card in hand)] if dice.random() < 0.4]
    flips = dice.randint(0, 2) if players == 1 else 0
    return board([""] * players) | {
        "hands": hands, "table": table, "tavern": tavern, "discard": discard, "enemy": enemy, "castle": castle,
        "damage": dice.randrange(2 * ATTACK[enemy[0]]), "shield": dice.choice([0, 0, 3, 8, 25]),
        "immune": dice.random() < 0.7, "packets": {card: dice.randint(1, 4) for card in numbered},
        "turn": dice.randrange(players), "yielded": [dice.random() < 0.4 for _ in hands],
        "solo_yield": dice.random() < 0.5, "jesters_left": 2 - flips if players == 1 else 0, "flips": flips,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_wild_boards_keep_the_rulings(seed: int) -> None:
    """Wherever a board comes from, the next five steps are what the rulings say."""
    dice = Random(seed)
    position = wild(dice)
    hand, blow = position["hands"][position["turn"]], attack(position)
    if blow and (worth(hand) >= blow or position["jesters_left"]):
        position["phase"] = dice.choice(["play", "suffer"])
    if not (hand or may_yield(position) or position["jesters_left"]) and position["phase"] == "play":
        position["yielded"] = [False] * position["players"]  # R16: else it could not act
        position["solo_yield"] = True

    played_out(position, dice, str(seed), longest=5)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_a_full_table_beats_a_shielded_king(players: int, seed: int) -> None:
    """From the last King, half beaten and unable to strike, every full table wins by its strongest plays."""
    position = accepted(new(players, {}, str(seed)), "position")
    spare = [card for card in [position["enemy"], *position["castle"]] if card != "KH"]
    position |= {"castle": [], "enemy": "KH", "discard": spare, "damage": 25, "shield": 20}
    pack = everywhere(position)

    while position["phase"] != "over":
        actions = legal(position, position["turn"])
        plays = [action for action in actions if action["type"] == "play"]
        action = max(plays, key=lambda play: worth(play["cards"]), default=actions[0])
        expected = ruled(position, action, "s")
        position = accepted(apply(position, position["turn"], action, "s"), "position")
        assert position == expected
        check(position, pack)

    assert position["outcome"] == won("gold" if players == 1 else None)
