"""The level to offer: a person's rating on a ruleset's scale of levels, from the last results on this machine."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import Final

from api.commands.command_base import InvalidInput
from engines.contract.suitable_level import ELO_PER_LOG_ODDS, PERCENT, log_odds, share_of, strength
from regicide_client.types import Scale

PRIOR_STANDARD_DEVIATION: Final = 2.0
"""Standard deviation of the prior of a person's strength, in log-odds: about 350 Elo points."""
MAX_TEAM_PRIOR_MEAN: Final = 2.0
"""Maximum of the prior's mean for teams, in log-odds: a team of two of this strength wins 88 % of its games."""
STRENGTH_STEP: Final = 0.05
"""Distance between two strengths for which the posterior is computed, in log-odds."""
MAX_DISTANCE_FROM_PRIOR: Final = 8.0
"""Maximum distance from the prior's mean of the strengths for which the posterior is computed, in log-odds."""
RATED_PLAYERS: Final = 2
"""Number of players of a game whose result counts for a rating. Other games do not count."""
MAX_STORED_RESULTS: Final = 500
"""Number of results that are stored. The oldest results are dropped."""


@dataclass(frozen=True)
class Result:
    """How a game ended: ``won``, ``lost`` or ``drawn``, at a table with AIs of one level."""

    ruleset: str
    level: str
    players: int
    result: str


@dataclass(frozen=True)
class Standing:
    """The level to offer, the number of games, and the rating with its 95 % interval."""

    level: str
    games: int
    rating: float
    low: float
    high: float


class Results:
    """The results of this person's games, in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @classmethod
    def of_this_user(cls) -> "Results":
        """Return the results in the user's folder for state (``XDG_STATE_HOME``)."""
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        return cls(Path(state) / "regicide" / "results.json")

    def read(self) -> list[Result]:
        """Return all results, the oldest first, or none without a file. Raises ``OSError``, ``InvalidInput``."""
        with suppress(FileNotFoundError):
            try:
                return [Result(**one) for one in json.loads(self.file.read_text("utf-8"))]
            except (TypeError, ValueError) as error:
                raise InvalidInput(
                    f"The results in {self.file} can't be read: delete the file to begin anew."
                ) from error
        return []

    def add(self, result: Result) -> None:
        """Add a result. Raises ``OSError``, ``InvalidInput``."""
        results = [*self.read(), result][-MAX_STORED_RESULTS:]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        written = self.file.with_suffix(".new")
        written.write_text(json.dumps([asdict(one) for one in results], indent=1), "utf-8")
        written.replace(self.file)  # the file is replaced as a whole, so that a reader never finds half a file

    def rated(self, ruleset: str) -> list[Result]:
        """Return the results that count for a rating. Raises ``OSError``, ``InvalidInput``."""
        return [one for one in self.read() if one.ruleset == ruleset and one.players == RATED_PLAYERS]


def standing_of(scale: Scale, played: Sequence[Result]) -> Standing:
    """Return the rating and the level to offer for these results. Without results the lowest level is offered."""
    known = [one for one in played if any(offer["level"] == one.level for offer in scale["offers"])]
    weights = _weights(scale, known)
    low, middle, high = (_rating(_quantile(weights, share), scale) for share in (0.025, 0.5, 0.975))
    lowest, *_ = offers = scale["offers"]
    suits = [
        offer
        for offer in offers
        if (offer["low"] is None or middle >= offer["low"]) and (offer["high"] is None or middle < offer["high"])
    ]
    level = suits[0] if known and suits else lowest
    return Standing(level["level"], len(known), middle, low, high)


def _weights(scale: Scale, played: Sequence[Result]) -> list[tuple[float, float]]:
    """Return pairs of a possible strength (in log-odds) and its weight in the posterior.

    The weight is the prior times the likelihood of the results. The weights don't add up to 1.
    """
    is_team = scale["unit"] == PERCENT
    strengths = {offer["level"]: strength(offer["rating"], cooperative=is_team) for offer in scale["offers"]}
    middle = _first_guess(scale)
    weights = list[tuple[float, float]]()
    for place in range(round(2 * MAX_DISTANCE_FROM_PRIOR / STRENGTH_STEP) + 1):
        own = middle - MAX_DISTANCE_FROM_PRIOR + place * STRENGTH_STEP
        weight = -((own - middle) ** 2) / (2 * PRIOR_STANDARD_DEVIATION**2)
        for one in played:
            weight += log(_likelihood(_chance(own, strengths[one.level], is_team=is_team), one.result))
        weights.append((own, exp(weight)))
    return weights


def _first_guess(scale: Scale) -> float:
    """Return the prior's mean: the strength of a person whom the lowest level suits."""
    aim, lowest = log_odds(scale["target"]), scale["offers"][0]["rating"]
    if scale["unit"] == PERCENT:
        return min(2 * aim - strength(lowest, cooperative=True), MAX_TEAM_PRIOR_MEAN)
    return aim + strength(lowest, cooperative=False)


def _chance(own: float, level: float, *, is_team: bool) -> float:
    """Return the chance to win against an AI of a level, or together with such an AI in a team."""
    return share_of((own + level) / 2 if is_team else own - level)


def _likelihood(won: float, result: str) -> float:
    """Return the likelihood of a result. A draw counts as half a win and half a loss."""
    return {"won": won, "lost": 1 - won}.get(result, sqrt(won * (1 - won)))


def _quantile(weights: Sequence[tuple[float, float]], share: float) -> float:
    """Return the strength below which *share* of the weight lies."""
    left = share * sum(weight for _, weight in weights)
    for own, weight in weights:
        left -= weight
        if left <= 0:
            return own
    return weights[-1][0]


def _rating(own: float, scale: Scale) -> float:
    return 100 * share_of(own) if scale["unit"] == PERCENT else own * ELO_PER_LOG_ODDS
