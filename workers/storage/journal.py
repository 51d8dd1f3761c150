"""The stored journal: an entry for each change of a game, and keyframes, which are tables at certain versions.

An entry is a JSON array: the verb, the milliseconds since the game was opened, and the verb's arguments in the order of
``VERB_ARGUMENTS`` without trailing nulls. An AI's note is also an array: its fields in the order of ``NOTE_FIELDS``
without trailing nulls. Version 0 has no entry: the opening is stored with the game, because a stream allocates memory
for dozens of entries with its first one.

A past version is replayed from the keyframe below it, or from the opening, up to the keyframe above or the latest
version. If the replayed table differs from the stored one there, because the engine's rules have changed since,
``UnreadablePast`` is raised. An entry of unknown format raises ``Damaged``.

Fields that a newer version added to an entry are ignored (cross_version_fields.py). If such a field had an effect, the
tables differ, and ``UnreadablePast`` is raised.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import orjson
import structlog

from engines.core.errors import Refusal
from engines.core.types import Json
from engines.table import table_json
from engines.table.journal import redo, reopen
from engines.table.table import Change, Table, rfc3339
from workers.storage import table_codec
from workers.storage.commands import text
from workers.storage.errors import Damaged, Incomplete, Unreadable, UnreadablePast
from workers.storage.table_codec import damaged_if

VERB_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "join": ("seat", "name", "client_seed"),
    "come_back": ("seat", "client_seed"),
    "start": ("level",),
    "act": ("seat", "action", "ai"),
    "signal": ("seat", "signal", "by_ai"),
    "hand_over": ("seat", "level"),
    "abandon": ("by",),
}
"""The arguments of each verb in stored order."""

NOTE_FIELDS: Final = ("level", "iterations", "helper_iterations", "budget")
"""The stored fields of an AI's note, in stored order."""

BUDGET_FIELDS: Final = ("iterations", "seconds", "foresight")
"""The stored fields of the budget in an AI's note, in stored order."""

MAX_VERSION: Final = 2**63 - 1
KEYFRAME_INTERVAL: Final = 32
"""Number of versions from one keyframe to the next."""

MUTABLE_FIELDS: Final = ("version", "status", "updated", "deadline", "seats", "position", "moves", "signals")
"""Table fields that can change.

A keyframe has these, and all fields that aren't in ``table_json.FIRST_LAYOUT_FIELDS``.
"""

IMMUTABLE_FIELDS: Final = table_json.FIRST_LAYOUT_FIELDS - frozenset(MUTABLE_FIELDS)
"""Table fields that never change. A keyframe omits them; the secret seed is one of them."""

REPLAY_ERRORS: Final = (Refusal, ValueError, TypeError, LookupError, AttributeError)
"""Errors that are raised when an entry can be decoded but not applied to its table."""

Fields = Mapping[bytes, bytes]
"""The fields of a stream entry: ``commit``, ``entry`` and perhaps ``keyframe``."""

log: Final = structlog.get_logger(__name__)


# Writing


def opening(change: Change) -> bytes:
    """Encode the opening of a game."""
    return orjson.dumps(change.entry)


def entry(change: Change) -> bytes:
    """Encode the entry of a change."""
    body, table = change.entry, change.table
    since = datetime.fromisoformat(body["at"]) - datetime.fromisoformat(table.created)
    return orjson.dumps([body["verb"], since // timedelta(milliseconds=1), *_values(body)])


def keyframe(table: Table, stored: Json) -> bytes:
    """Encode the keyframe of *table*, whose JSON is *stored*. Return empty bytes at a version without a keyframe."""
    if table.version == 0 or table.version % KEYFRAME_INTERVAL:
        return b""
    return table_codec.pack({name: value for name, value in stored.items() if name not in IMMUTABLE_FIELDS})


def _values(body: Json) -> list[object]:
    values = [body[name] for name in VERB_ARGUMENTS[body["verb"]]]
    if body.get("ai") is not None:
        budget = body["ai"].get("budget")
        short = None if budget is None else [budget[name] for name in BUDGET_FIELDS]
        values[-1] = _without_trailing_nulls([*[body["ai"].get(name) for name in NOTE_FIELDS[:-1]], short])
    return _without_trailing_nulls(values)


def _without_trailing_nulls(values: list[object]) -> list[object]:
    while values and values[-1] is None:
        values = values[:-1]
    return values


# Reading


def read_entry(encoded: bytes, created: str) -> Json:
    """Decode an entry of a game that was opened at *created*. This is the inverse of ``entry``.

    Raises ``Damaged``, and ``LookupError`` for an unknown verb.
    """
    with damaged_if((ValueError, TypeError)):
        verb, milliseconds, *values = orjson.loads(encoded)
        at = rfc3339(datetime.fromisoformat(created) + timedelta(milliseconds=milliseconds))
    names = VERB_ARGUMENTS[verb]
    body = dict(zip(names, [*values, *[None] * (len(names) - len(values))], strict=False))
    if body.get("ai") is not None:
        note = {name: value for name, value in zip(NOTE_FIELDS, body["ai"], strict=False) if value is not None}
        if "budget" in note:
            note["budget"] = dict(zip(BUDGET_FIELDS, note["budget"], strict=False))
        body["ai"] = note
    return {"verb": verb, "at": at, **body}


def version_of(entry_id: bytes | str) -> int:
    """Return the version of a stream entry."""
    return int(text(entry_id).partition("-")[0])


def keyframe_version(version: int) -> int:
    """Return the version of the keyframe at or below *version*, or 0 if there is none."""
    return max(0, version) // KEYFRAME_INTERVAL * KEYFRAME_INTERVAL


@dataclass(frozen=True)
class History:
    """The data for a replay: the opening, the latest table, and entries from a keyframe on."""

    opening: bytes
    latest: Table
    entries: Sequence[tuple[int, Fields]]
    """Pairs of version and stored fields."""
    end: int = MAX_VERSION
    """The last version that was requested from the journal, which may not have it yet."""

    @property
    def last(self) -> int:
        """The last version that is known from the latest table or the entries."""
        return max([self.latest.version, *[version for version, _ in self.entries[-1:]]])

    def changes(self) -> Iterator[tuple[Table | None, Change]]:
        """Yield each change after the first keyframe of the entries, with the table before it.

        Without a keyframe the opening is yielded too, with None as the table before it. Raises ``UnreadablePast``, and
        ``Incomplete`` if entries are missing.
        """
        entries = list(self.entries)
        if entries and entries[0][0] > 1:
            table = _keyframe_table(self.latest, *entries.pop(0))
        else:
            opened = _decode_opening(self.opening, self.latest)
            self._compare(opened.table)
            yield None, opened
            table = opened.table
        for change in replayed(table, entries):
            self._compare(change.table)
            yield table, change
            table = change.table
        if table.version < min(self.end, self.latest.version):
            log.error("incomplete_game", game_id=table.id, version=table.version + 1)
            raise Incomplete

    def _compare(self, replay: Table) -> None:
        if replay.version == self.latest.version:
            _compare(replay, self.latest)


def replayed(table: Table, entries: Iterable[tuple[int, Fields]]) -> Iterator[Change]:
    """Replay *entries*, which follow *table*, and yield the changes.

    Raises ``UnreadablePast``, ``Damaged``, and ``Incomplete`` if an entry is missing.
    """
    for version, fields in entries:
        change = _redo_entry(table, version, fields)
        if b"keyframe" in fields:
            _compare(change.table, _keyframe_table(table, version, fields))
        yield change
        table = change.table


def _keyframe_table(table: Table, version: int, fields: Fields) -> Table:
    """Return the table of the keyframe at *version*. *table* is the same game at any version."""
    rest = {name: value for name, value in table_json.dump(table).items() if name in IMMUTABLE_FIELDS}
    with _logging_failures(table.id, version):
        return table_codec.load({**rest, **table_codec.unpack(fields[b"keyframe"])})


def _decode_opening(encoded: bytes, latest: Table) -> Change:
    with _logging_failures(latest.id, 0):
        with damaged_if((ValueError, TypeError)):
            opening = orjson.loads(encoded)
        return reopen(opening)


def _redo_entry(table: Table, version: int, fields: Fields) -> Change:
    if version != table.version + 1:
        log.error("incomplete_game", game_id=table.id, version=table.version + 1)
        raise Incomplete
    with _logging_failures(table.id, version):
        if b"entry" not in fields:
            raise Damaged
        return redo(table, read_entry(fields[b"entry"], table.created))


def _compare(replay: Table, expected: Table) -> None:
    """Raise ``UnreadablePast`` unless *replay* equals the *expected* table."""
    if not table_json.is_same(replay, expected):
        log.error("unreadable_past", game_id=replay.id, version=replay.version)
        raise UnreadablePast


@contextmanager
def _logging_failures(game_id: str, version: int) -> Iterator[None]:
    """Context manager: if its block can't decode or apply an entry, log the game and version.

    Raises ``Damaged``, ``UnreadablePast``.
    """
    try:
        yield
    except Unreadable as error:
        log.error("damaged_game", game_id=game_id, version=version, error=type(error.__cause__ or error).__name__)  # noqa: TRY400  # a traceback adds nothing
        raise
    except REPLAY_ERRORS as error:
        log.error("unreadable_past", game_id=game_id, version=version, error=type(error).__name__)  # noqa: TRY400
        raise UnreadablePast from error
