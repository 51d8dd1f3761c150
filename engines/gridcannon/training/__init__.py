"""Training of Gridcannon's networks for two and for four players, only on games that the teacher plays.

``greedy_games`` continues the training of the network for two players, on other games.
"""

from typing import Any, Final

from engines.ai.value_network import ValueNetwork
from engines.gridcannon import features, value_guide
from engines.gridcannon.policy import OddsAdept
from engines.gridcannon.ruleset import Gridcannon
from engines.gridcannon.training.exploration import explore
from engines.ruleset import SearchGuide
from training.subject import Subject


def _guide(network: ValueNetwork, _: tuple[float, ...]) -> SearchGuide[Any]:
    return value_guide.ValueGuide(lambda _: network)


def _subject(players: int) -> Subject:
    return Subject(
        ruleset=Gridcannon(),
        players=players,
        options={"turn_limit": 300},
        teacher=OddsAdept(),
        explore=explore,
        is_asked=value_guide.is_asked,
        features=features.features,
        feature_count=features.count(players),
        seats=players,
        utilities=(*[1.0] * players, 0.5),
        progress=(0.0,) * (players + 1),
        ending=value_guide.outcome_class,
        guide=_guide,
        ranked=None,
        opening=80,
    )


SUBJECTS: Final = tuple(map(_subject, (2, 4)))
