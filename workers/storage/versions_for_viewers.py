"""Snapshots: a game at one version, with the events that led to it, and each viewer's part of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Self

import orjson

from engines.contract.events import Event
from engines.core.phrase import Translator, english
from engines.table import table_json
from engines.table.table import ENDED, Change, Table
from workers import event_sentences


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A game at one version and the events that led to it."""

    table: Table
    events: Sequence[Event]
    ai_note: str | None = None
    """The seal (an HMAC) of the note of the AI that made the change, or None if no AI made it."""
    _messages: dict[tuple[int | None, Translator], bytes] = field(default_factory=dict, init=False)
    _writing: Lock = field(default_factory=Lock, init=False)

    @classmethod
    def of(cls, change: Change) -> Self:
        """Return the snapshot after a change."""
        return cls(change.table, change.events, table_json.sealed(change.table, change.entry))

    @property
    def version(self) -> int:
        return self.table.version

    @property
    def is_last(self) -> bool:
        """Return whether the game ended at this version."""
        return self.table.status in ENDED

    def message(self, viewer: int | None, speak: Translator = english) -> bytes:
        """Return the JSON message for *viewer*, a seat or None for a spectator.

        The message is encoded once per viewer and language.
        """
        reader = viewer, speak
        if reader not in self._messages:
            with self._writing:
                if reader not in self._messages:
                    self._messages[reader] = orjson.dumps(self._as_json(viewer, speak))
        return self._messages[reader]

    def _as_json(self, viewer: int | None, speak: Translator) -> Mapping[str, object]:
        table, note = self.table, {} if self.ai_note is None else {"ai_note": self.ai_note}
        return {
            "version": table.version,
            "events": [event_sentences.with_text(table, event.seen_by(viewer), viewer, speak) for event in self.events],
            "view": table.view(viewer),
            "to_act": table.to_act(),
            "may_act": table.may_act(),
            "status": table.status,
            **note,
        }
