"""A check of the files that AIs read, such as value networks. It runs when a process starts, before any decision."""

from collections.abc import Iterable

from engines import RULESETS
from engines.core.errors import UnusableFile
from engines.ruleset import Ruleset
from workers.settings import CannotStart


class UnusableAiFile(CannotStart):
    """A file that the AIs of a game need is missing or damaged."""

    status = 2


def check_ai_files(rulesets: Iterable[Ruleset] | None = None) -> None:
    """Check the AI files of *rulesets*, or of all installed rulesets for None. Raises ``UnusableAiFile``."""
    for ruleset in RULESETS.values() if rulesets is None else rulesets:
        try:
            ruleset.check_files()
        except UnusableFile as error:
            raise UnusableAiFile(str(error)) from error
