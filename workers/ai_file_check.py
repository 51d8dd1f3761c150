"""The files that AIs read, such as value networks: checked when a process starts, not at the first decision."""

from collections.abc import Iterable

from engines import RULESETS
from engines.core.errors import UnusableFile
from engines.ruleset import Ruleset
from workers.settings import CannotStart


class UnusableAiFile(CannotStart):
    """A file of a game is missing or damaged."""

    status = 2


def check_ai_files(rulesets: Iterable[Ruleset] | None = None) -> None:
    """Check the files of *rulesets*, of all that are installed if it is None. Raises ``UnusableAiFile``."""
    for ruleset in RULESETS.values() if rulesets is None else rulesets:
        try:
            ruleset.check_files()
        except UnusableFile as error:
            raise UnusableAiFile(str(error)) from error
