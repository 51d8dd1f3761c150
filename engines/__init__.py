"""Engines say what is true: the rulesets, as pure values. No I/O, no clock, standard library only."""

from collections.abc import Mapping
from typing import Final

from engines.gridcannon.ruleset import Gridcannon
from engines.regicide.ruleset import Regicide
from engines.ruleset import Ruleset

RULESETS: Final[Mapping[str, Ruleset]] = {
    Regicide.name: Regicide(),
    Gridcannon.name: Gridcannon(),
}
