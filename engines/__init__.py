"""Rules and AIs of all games. No I/O, no clock but a search's deadline, standard library only."""

from collections.abc import Mapping
from typing import Final

from engines.gridcannon.ruleset import Gridcannon
from engines.regicide.ruleset import Regicide
from engines.ruleset import Ruleset

RULESETS: Final[Mapping[str, Ruleset]] = {
    Regicide.name: Regicide(),
    Gridcannon.name: Gridcannon(),
}
