"""Compact records, the archive's format: without the fields that a replay of the game restores.

The record of each AI action has a seed and a hash of the seat's view. These 128 hexadecimal digits look random, and are
most of a record's compressed size (docs/operating.md has the figures), but both follow from the game. A compact record
is a JSON object of ``archive_format``, the ``sha256`` of the full record as ``GET /v1/games/{id}/record`` writes it,
and the ``record`` without these fields. The expanded record must have that hash.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import orjson

from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table.record_parser import load_record
from engines.table.replay import Mismatch, replay
from engines.table.table import Table
from engines.table.table_json import noted

ARCHIVE_FORMAT: Final = 1

OMITTED_FIELD_DEFAULTS: Final[Mapping[str, str]] = {"seed": "0" * 64, "view_sha256": "0" * 64}
"""The fields omitted from an AI's note, with the placeholders that stand for them during the replay."""

EXPECTED_MISMATCH_CODES: Final = ("ai_seed", "ai_view")
"""Mismatches that the placeholders cause."""


class CannotRestore(ValueError):
    """Raised if a compact record does not expand to its original. The message is a sentence."""


def compact(line: bytes) -> bytes:
    """Return the record *line* in compact form. A line that would expand to other bytes is returned unchanged."""
    record = orjson.loads(line)
    for entry in record["actions"]:
        if entry["ai"] is not None:
            entry["ai"] = {name: value for name, value in entry["ai"].items() if name not in OMITTED_FIELD_DEFAULTS}
    compacted = {"archive_format": ARCHIVE_FORMAT, "sha256": sha256(line).hexdigest(), "record": record}
    try:
        _expand(compacted)
    except CannotRestore:
        return line
    return orjson.dumps(compacted)


def read_summary(line: bytes) -> Json:
    """Return the record of *line* without a replay. The record of a compact line lacks the omitted fields.

    Raises ``orjson.JSONDecodeError``, ``CannotRestore``.
    """
    stored = orjson.loads(line)
    return _checked_record(stored) if _is_compact(stored) else stored


def expand(line: bytes) -> bytes:
    """Return the full record of *line*. A line that isn't compact is returned unchanged. Raises ``CannotRestore``."""
    try:
        stored = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    return _expand(stored) if _is_compact(stored) else line


def _is_compact(stored: object) -> bool:
    return isinstance(stored, dict) and "archive_format" in stored


def _checked_record(compacted: Json) -> Json:
    """Return the field ``record`` of a compact record. Raises ``CannotRestore`` if format or actions are wrong."""
    if compacted["archive_format"] != ARCHIVE_FORMAT:
        raise CannotRestore(
            f"It is archived in format {compacted['archive_format']}: this version reads {ARCHIVE_FORMAT}."
        )
    record = compacted.get("record")
    if not isinstance(record, dict) or not isinstance(record.get("actions"), list):
        raise CannotRestore("It is archived without its actions.")
    return record


def _expand(compacted: Json) -> bytes:
    """Replay the game and restore the omitted fields. Raises ``CannotRestore``."""
    record, mismatches = _checked_record(compacted), list[Mismatch]()
    before = _tables(record, mismatches)
    unexpected = [finding.sentence for finding in mismatches if finding.code not in EXPECTED_MISMATCH_CODES]
    actions = [
        entry if entry["ai"] is None else {**entry, "ai": noted(table, entry["seat"], entry["ai"])}
        for entry, table in zip(record["actions"], before, strict=False)
    ]
    line = orjson.dumps({**record, "actions": actions})
    if sha256(line).hexdigest() != compacted.get("sha256"):
        why = f"The game can't be replayed as it was: {unexpected[0]}" if unexpected else "It isn't what was archived."
        raise CannotRestore(why)
    return line


def _tables(record: Json, mismatches: list[Mismatch]) -> list[Table]:
    """Return the table before each action, as far as the record can be replayed. Raises ``CannotRestore``.

    The mismatches that the replay finds are appended to *mismatches*.
    """
    try:
        actions = [_with_placeholders(entry) for entry in record["actions"]]
        read = load_record({**record, "actions": actions})
    except BadRequest as refusal:
        raise CannotRestore(refusal.detail) from refusal
    return [played.before for played in replay(read, mismatches) if played.entry is not None]


def _with_placeholders(entry: object) -> object:
    """Return an action with placeholders in its AI's note. Return any other value unchanged."""
    if isinstance(entry, dict) and isinstance(entry.get("ai"), dict):
        return {**entry, "ai": {**OMITTED_FIELD_DEFAULTS, **entry["ai"]}}
    return entry
