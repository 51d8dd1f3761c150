"""Masks and what follows from choices, beside the plain models of the rulings."""

from random import Random
from typing import Any

import pytest

import regicide_rl
from engines import RULESETS
from engines.core.dealer import SeededDealer
from tests.engines.referee import Json
from tests.engines.regicide.boards import board
from tests.regicide_rl.reference import IDS, TABLES, choices_of

CHOICES = 900
"""Number of choices compared per table: more than 5,000 in all."""


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_choices_are_those_of_the_rulings(ruleset: str, players: int) -> None:
    """At every choice of games by chance: who chooses, the mask, and the position that follows (R13, G14)."""
    compared, game = 0, 0
    while compared < CHOICES:
        compared += compare_game(ruleset, players, game)
        game += 1


def compare_game(ruleset: str, players: int, game: int) -> int:
    """Play a game by chance; return its number of choices."""
    rng = Random(game)
    options: dict[str, Any] = {"solo_yield": bool(game % 2)} if ruleset == "regicide" else {"turn_limit": 150}
    env = regicide_rl.env(ruleset, players, options)
    env.reset(seed=game)
    model = choices_of(env.position)
    choices = 0
    while not env.terminations[env.agent_selection]:
        assert env.agent_selection == f"player_{model.seat()}"
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = {env.text(index): index for index in mask.nonzero()[0].tolist()}
        assert legal.keys() == model.legal(), env.position
        text = rng.choice(sorted(legal))
        env.episode.dealer = SeededDealer(f"{game}/{choices}")  # by which the model shuffles too
        model.choose(text, f"{game}/{choices}")
        env.step(legal[text])
        assert env.position == model.position
        choices += 1
    return choices


@pytest.mark.parametrize(
    ("position", "legal"),
    [
        (board(["2S 3C", "4C"], shield=10**9 - 1, enemy="KH"), {"play 3C", "yield"}),  # R8: 2S would pass the limit
        (board(["7H 3C", "4C"], enemy="JC", packets={"3C": 10**9}, discard="9C"), {"play 3C", "yield"}),  # R21
        (board(["9C 8C", "4C"], phase="suffer", packets={"9C": 10**9}), {"discard 9C", "discard 8C"}),
        (board(["9C", ""], phase="choose", immune=False, table="X1", packets={"9C": 10**9}), {"choose 0", "choose 1"}),
        (board(["2C 3C"], phase="suffer"), {"flip"}),  # R14: the hand can't cover the blow
        (board(["2C TC"], phase="suffer"), {"flip", "discard 2C", "discard TC"}),
    ],
)
def test_choices_at_given_positions(position: Json, legal: set[str]) -> None:
    """Where a number may pass its limit, and where a hand can't cover."""
    assert choices_at(position) == legal


def test_no_turn_passes_the_limit() -> None:
    """G6: the last turn there can be ends in no other; a ploy changes no turn."""
    env = regicide_rl.env("gridcannon", 2)
    env.reset(seed=2)
    while env.position["phase"] != "draw" or not any(env.position["arsenals"]):
        env.step(int(env.observe(env.agent_selection)["action_mask"].nonzero()[0][-1]))
    turn = next(seat for seat, arsenal in enumerate(env.position["arsenals"]) if arsenal)
    position = env.position | {"turns": 10**9, "turn": turn, "turn_limit": 0, "phase": "draw", "drawn": None}
    listed = RULESETS["gridcannon"].load(position).legal(turn)

    assert choices_at(position) == {str(action) for action in listed}


def choices_at(position: Json) -> set[str]:
    """Return the texts of the legal choices."""
    env = regicide_rl.env(position["ruleset"], position["players"])
    env.reset(options={"position": position})
    mask = env.observe(env.agent_selection)["action_mask"]
    return {env.text(index) for index in mask.nonzero()[0].tolist()}
