"""The rules and the AIs of all games: no network, no storage, standard library only.

``RULESETS`` maps the name of each installed game to its ruleset. ``REJECTED_RULESETS`` lists entry points that have no
usable ruleset. Both are loaded at first use (``engines.contract.catalogue``).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.contract.catalogue import RejectedRuleset
    from engines.ruleset import Ruleset

    RULESETS: Mapping[str, Ruleset]
    REJECTED_RULESETS: tuple[RejectedRuleset, ...]
else:

    def __getattr__(name: str) -> object:
        """Find the rulesets at the first use of ``RULESETS`` or ``REJECTED_RULESETS``, and set both names."""
        if name not in ("RULESETS", "REJECTED_RULESETS"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from engines.contract.catalogue import find  # noqa: PLC0415  the catalogue imports this package

        found = find()
        globals().update(RULESETS=found.rulesets, REJECTED_RULESETS=found.rejected)
        return globals()[name]
