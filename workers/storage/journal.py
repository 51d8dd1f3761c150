"""The journal as it is stored: an entry for each change of a game, and now and then the table itself, a keyframe.

An entry is a JSON array: the verb, the milliseconds since the game was opened, the verb's arguments in the order of
``ARGUMENTS``, those at the end left out that are null. An AI's note is such an array too. Version 0 has none: how the
game was opened is kept with the game. (A stream takes memory for dozens of entries as soon as it has one.)

To know a game at a past version, it is played again from the keyframe below, or from the opening, on to the keyframe
above, or to the last version, where the table is known too. If the two differ, by an engine that has other rules than
the one that played, nobody is shown what never was: ``UnreadablePast``. An entry that no version would have written
so is ``Damaged``.

What a newer version wrote into an entry besides has no effect here (stored_fields.py); had it one, the tables differ.
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
from workers.storage.connection import text
from workers.storage.errors import Damaged, Incomplete, Unreadable, UnreadablePast
from workers.storage.table_codec import damaged_if

ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "join": ("seat", "name", "client_seed"),
    "come_back": ("seat", "client_seed"),
    "start": ("level",),
    "act": ("seat", "action", "ai"),
    "signal": ("seat", "signal", "by_ai"),
    "hand_over": ("seat", "level"),
    "abandon": (),
}
"""The arguments of each verb, in the order in which they are stored."""

NOTE: Final = ("level", "iterations", "helper_iterations", "budget")
BUDGET: Final = ("iterations", "seconds", "foresight")
"""What is stored of an AI's choice, and of its budget, in this order."""

LAST_VERSION: Final = 2**63 - 1
KEYFRAME_INTERVAL: Final = 32
"""So many versions are between two keyframes."""

CHANGING: Final = ("version", "status", "updated", "deadline", "seats", "position", "moves", "signals")
"""What a change may change of a table: all that a keyframe has of it, and fields that came after the layout."""

UNCHANGING: Final = table_json.FIRST_FIELDS - frozenset(CHANGING)
"""What a keyframe hasn't: the secret seed isn't there."""

UNUSABLE: Final = (Refusal, ValueError, TypeError, LookupError, AttributeError)
"""What is raised by an entry that can be read, but not be done."""

Fields = Mapping[bytes, bytes]
"""Of an entry of the stream: ``commit``, ``entry`` and, if it has one, ``keyframe``."""

log: Final = structlog.get_logger(__name__)


# Writing


def opening(change: Change) -> bytes:
    """Write how a game was opened, which its journal begins with."""
    return orjson.dumps(change.entry)


def entry(change: Change) -> bytes:
    """Write the entry of a change."""
    body, table = change.entry, change.table
    since = datetime.fromisoformat(body["at"]) - datetime.fromisoformat(table.created)
    return orjson.dumps([body["verb"], since // timedelta(milliseconds=1), *_values(body)])


def keyframe(table: Table, stored: Json) -> bytes:
    """Write the keyframe of *table*, which *stored* is the JSON of; empty at a version that has none."""
    if table.version == 0 or table.version % KEYFRAME_INTERVAL:
        return b""
    return table_codec.pack({name: value for name, value in stored.items() if name not in UNCHANGING})


def _values(body: Json) -> list[object]:
    values = [body[name] for name in ARGUMENTS[body["verb"]]]
    if body.get("ai") is not None:
        budget = body["ai"].get("budget")
        short = None if budget is None else [budget[name] for name in BUDGET]
        values[-1] = _without_trailing_nulls([*[body["ai"].get(name) for name in NOTE[:-1]], short])
    return _without_trailing_nulls(values)


def _without_trailing_nulls(values: list[object]) -> list[object]:
    """Return *values* without the nulls at the end."""
    while values and values[-1] is None:
        values = values[:-1]
    return values


# Reading


def read_entry(encoded: bytes, created: str) -> Json:
    """Read an entry of a game that was opened at *created*. The inverse of ``entry``.

    Raises ``Damaged``, and ``LookupError`` if there is no such verb.
    """
    with damaged_if((ValueError, TypeError)):
        verb, milliseconds, *values = orjson.loads(encoded)
        at = rfc3339(datetime.fromisoformat(created) + timedelta(milliseconds=milliseconds))
    names = ARGUMENTS[verb]
    body = dict(zip(names, [*values, *[None] * (len(names) - len(values))], strict=False))
    if body.get("ai") is not None:
        note = {name: value for name, value in zip(NOTE, body["ai"], strict=False) if value is not None}
        if "budget" in note:
            note["budget"] = dict(zip(BUDGET, note["budget"], strict=False))
        body["ai"] = note
    return {"verb": verb, "at": at, **body}


def version_of(entry_id: bytes | str) -> int:
    """Return the version of an entry of the stream."""
    return int(text(entry_id).partition("-")[0])


def keyframe_version(version: int) -> int:
    """Return the version from which *version* is replayed: the keyframe at or below it, or 0."""
    return max(0, version) // KEYFRAME_INTERVAL * KEYFRAME_INTERVAL


@dataclass(frozen=True)
class History:
    """What was read of a game to replay some of it: its opening, the table now, and entries from a keyframe on."""

    opening: bytes
    latest: Table
    entries: Sequence[tuple[int, Fields]]
    """By version."""
    end: int = LAST_VERSION
    """Up to here all of them were asked for."""

    @property
    def last(self) -> int:
        """The last version that is known."""
        return max([self.latest.version, *[version for version, _ in self.entries[-1:]]])

    def changes(self) -> Iterator[tuple[Table | None, Change]]:
        """Yield each change after the keyframe that the entries begin with, and the table before it.

        Without one the opening is yielded too; there was no table before it. Raises ``UnreadablePast``, and
        ``Incomplete`` if entries are missing.
        """
        entries = list(self.entries)
        if entries and entries[0][0] > 1:
            table = _keyframe_table(self.latest, *entries.pop(0))
        else:
            opened = _reopened(self.opening, self.latest)
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
    """Do again, one after the other, what *entries* say, which follow on *table*. Raises ``UnreadablePast``."""
    for version, fields in entries:
        change = _redo_entry(table, version, fields)
        if b"keyframe" in fields:
            _compare(change.table, _keyframe_table(table, version, fields))
        yield change
        table = change.table


def _keyframe_table(table: Table, version: int, fields: Fields) -> Table:
    """Return the table of the keyframe at *version*; *table* is the game at another one."""
    rest = {name: value for name, value in table_json.dump(table).items() if name in UNCHANGING}
    with _logging_failures(table.id, version):
        return table_codec.load({**rest, **table_codec.unpack(fields[b"keyframe"])})


def _reopened(encoded: bytes, latest: Table) -> Change:
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
    """Raise ``UnreadablePast`` unless a replay led to the table that is known."""
    if not table_json.is_same(replay, expected):
        log.error("unreadable_past", game_id=replay.id, version=replay.version)
        raise UnreadablePast


@contextmanager
def _logging_failures(game_id: str, version: int) -> Iterator[None]:
    """Say in the log at which version a game can't be read. Raises ``Damaged``, ``UnreadablePast``."""
    try:
        yield
    except Unreadable as error:
        log.error("damaged_game", game_id=game_id, version=version, error=type(error.__cause__ or error).__name__)  # noqa: TRY400  the traceback says no more
        raise
    except UNUSABLE as error:
        log.error("unreadable_past", game_id=game_id, version=version, error=type(error).__name__)  # noqa: TRY400
        raise UnreadablePast from error
