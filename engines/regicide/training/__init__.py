"""Training of Regicide's networks by self-play of greedy players, for each number of players."""

from random import Random
from typing import Any, Final

from engines.ai import one_step
from engines.ai.value_network import ValueNetwork
from engines.regicide import features, value_guide
from engines.regicide.ruleset import Regicide
from engines.regicide.tables import ENEMIES
from engines.ruleset import SearchGuide
from training.subject import Ranked, Subject

WORLDS_PER_DECISION: Final = 3
"""Number of worlds that are sampled for each decision of a greedy player."""
REGICIDE: Final = Regicide()


def _subject(players: int) -> Subject:
    def guide(network: ValueNetwork, utilities: tuple[float, ...]) -> SearchGuide[Any]:
        return value_guide.ValueGuide(lambda _: network, (utilities,) * (players + 1))

    def ranked(position: Any, seat: int, guide: SearchGuide[Any], rng: Random) -> Ranked:
        return [*one_step.ranked(REGICIDE.worlds(position.view(seat)), seat, guide, rng, WORLDS_PER_DECISION)]

    utilities = value_guide.UTILITIES[players]
    return Subject(
        ruleset=REGICIDE,
        players=players,
        options={},
        teacher=REGICIDE.levels["adept"].policy,
        explore=None,
        is_asked=lambda _: True,
        features=features.features,
        feature_count=features.count(players),
        seats=0,
        utilities=utilities,
        progress=tuple([min(1.0, place / ENEMIES) for place in range(len(utilities))]),
        ending=value_guide.outcome_class,
        guide=guide,
        ranked=ranked,
        opening=40,
    )


SUBJECTS: Final = tuple(map(_subject, (1, 2, 3, 4)))
