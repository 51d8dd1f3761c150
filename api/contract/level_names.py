"""The names of AI levels: those of all games, and the check that a game has a level."""

from typing import Final

from api.problems.errors import Invalid
from engines import RULESETS
from engines.contract.levels import level_names
from engines.core.phrase import Phrase, listed
from engines.ruleset import Ruleset

LEVELS: Final = level_names(ruleset.levels for ruleset in RULESETS.values())
"""The levels of all installed games, the weakest first."""


def check_level(ruleset: Ruleset, level: str | None, field: str = "level") -> None:
    """Raise an ``Invalid`` that names *field* if the ruleset has no such level. None is allowed."""
    if level is not None and level not in ruleset.levels:
        complaint = Phrase(
            "{game} has no level {level}: it has {levels}.",
            game=ruleset.title,
            level=level,
            levels=listed(list(ruleset.levels)),
        )
        raise Invalid({field: [complaint]})
