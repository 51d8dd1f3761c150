"""Exploration in Gridcannon's training games, by the odds of actions."""

from math import exp
from random import Random
from typing import Final

from engines.gridcannon.actions import Declare
from engines.gridcannon.evaluation import OddsEvaluation
from engines.gridcannon.policy import worth_after
from engines.gridcannon.rules import GridcannonPosition
from engines.ruleset import Action

DECLARE_PROBABILITY: Final = 0.25
"""Probability of declaring a random ploy, if any may be declared."""
RANDOM_ACTION_PROBABILITY: Final = 0.2
"""Probability of taking a random required action."""
CHOICE_TEMPERATURE: Final = 0.4
"""Temperature of the choice among required actions, which are all but declaring and recalling ploys.

The probability of an action is proportional to (the seat's odds of winning after it) ^ (1 / CHOICE_TEMPERATURE).
"""


def explore(position: GridcannonPosition, seat: int, rng: Random) -> Action:
    """Return an exploratory action of *seat*, which must act."""
    legal = position.legal(seat)
    if position.ploys:
        return rng.choice([action for action in legal if not isinstance(action, Declare)])
    if position.arsenals[seat] and rng.random() < DECLARE_PROBABILITY:
        declarations = [action for action in legal if isinstance(action, Declare)]
        if declarations:
            return rng.choice(declarations)
    required_actions = position.required_actions()
    if len(required_actions) == 1 or rng.random() < RANDOM_ACTION_PROBABILITY:
        return rng.choice(required_actions)
    evaluation = OddsEvaluation(position, seat)
    worths = [worth_after(position, evaluation, action) for action in required_actions]
    return rng.choices(required_actions, [exp((worth - max(worths)) / CHOICE_TEMPERATURE) for worth in worths])[0]
