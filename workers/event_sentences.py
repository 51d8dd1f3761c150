"""The sentences of events for viewers; an installed game's faulty ``clause`` is replaced by the default one.

A sentence is written after the move was committed. An error of a game's words must not make a move that was made look
like one that failed, nor hide all events of the game.
"""

from typing import Final

import structlog

from engines.core.phrase import Translator
from engines.core.types import Json
from engines.table import narration
from engines.table.table import Table

log: Final = structlog.get_logger(__name__)

_logged_faults: Final = set[tuple[str, str]]()
"""Ruleset and event type of each error that this process has logged, because every viewer would cause it again."""


def with_text(table: Table, event: Json, reader: int | None, translate: Translator) -> Json:
    """Return *event*, as *reader* may know it, with its text. Log an error of the ruleset's ``clause``."""
    try:
        return {**event, "text": narration.text(table, event, reader, translate)}
    except Exception as error:  # the border to an installed game: its code can raise anything
        fault = table.ruleset_name, event["type"]
        if fault not in _logged_faults:
            _logged_faults.add(fault)
            log.exception("clause_failed", game_id=table.id, ruleset=fault[0], event_type=fault[1], exc_info=error)
        return {**event, "text": narration.default_text(table, event, reader, translate)}
