"""The rulesets of this repository, without those that are installed beside it: for tests of what these do."""

from collections.abc import Mapping
from typing import Final

from engines import RULESETS
from engines.ruleset import Ruleset

OWN_RULESETS: Final[Mapping[str, Ruleset]] = {
    name: ruleset for name, ruleset in RULESETS.items() if type(ruleset).__module__.startswith("engines.")
}
