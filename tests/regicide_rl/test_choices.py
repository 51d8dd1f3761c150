"""Masks and what follows from choices, beside the plain models of the rulings."""

from random import Random
from typing import Any

import pytest

import regicide_rl
from engines.core.dealer import SeededDealer
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
