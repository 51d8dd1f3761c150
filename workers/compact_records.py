"""Records as the archive keeps them: without what follows from the game when it is replayed.

Of each AI's action a record shows a seed, and the hash of what the seat saw: 128 digits that nothing compresses, most
of its bytes. Both follow from the game. A short record is a JSON object: ``archive_format``, the ``sha256`` of the
record as ``GET /v1/games/{id}/record`` wrote it, and the ``record`` without these. What is restored must have that
hash.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import orjson

from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table.record import load_record
from engines.table.replay import Mismatch, replay
from engines.table.table import Table
from engines.table.table_json import noted

ARCHIVE_FORMAT: Final = 1

LEFT_OUT: Final[Mapping[str, str]] = {"seed": "0" * 64, "view_sha256": "0" * 64}
"""What is left out of an AI's note, and what stands for it while the game is replayed."""

EXPECTED: Final = ("ai_seed", "ai_view")
"""What such a replay finds wrong, of course."""


class CannotRestore(ValueError):
    """A short record doesn't lead to the record that it was made of; the message is a sentence."""


def shortened(line: bytes) -> bytes:
    """Return the record *line* made short; one that wouldn't be restored byte by byte, as it is."""
    record = orjson.loads(line)
    for entry in record["actions"]:
        if entry["ai"] is not None:
            entry["ai"] = {name: value for name, value in entry["ai"].items() if name not in LEFT_OUT}
    short = {"archive_format": ARCHIVE_FORMAT, "sha256": sha256(line).hexdigest(), "record": record}
    try:
        _restored(short)
    except CannotRestore:
        return line
    return orjson.dumps(short)


def told(line: bytes) -> Json:
    """Return what *line* tells without a replay. Raises ``orjson.JSONDecodeError``, ``CannotRestore``."""
    written = orjson.loads(line)
    return _record(written) if _is_short(written) else written


def restored(line: bytes) -> bytes:
    """Return the record that *line* was made of; what isn't short as it is. Raises ``CannotRestore``."""
    try:
        written = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    return _restored(written) if _is_short(written) else line


def _is_short(written: object) -> bool:
    return isinstance(written, dict) and "archive_format" in written


def _record(short: Json) -> Json:
    """Return what a short record has of its record. Raises ``CannotRestore``."""
    if short["archive_format"] != ARCHIVE_FORMAT:
        raise CannotRestore(f"It is archived in format {short['archive_format']}: this version reads {ARCHIVE_FORMAT}.")
    record = short.get("record")
    if not isinstance(record, dict) or not isinstance(record.get("actions"), list):
        raise CannotRestore("It is archived without its actions.")
    return record


def _restored(short: Json) -> bytes:
    """Replay the game and put in what follows from it. Raises ``CannotRestore``."""
    record, found = _record(short), list[Mismatch]()
    before = _tables(record, found)
    wrong = [finding.sentence for finding in found if finding.code not in EXPECTED]
    actions = [
        entry if entry["ai"] is None else {**entry, "ai": noted(table, entry["seat"], entry["ai"])}
        for entry, table in zip(record["actions"], before, strict=False)
    ]
    line = orjson.dumps({**record, "actions": actions})
    if sha256(line).hexdigest() != short.get("sha256"):
        why = f"The game can't be replayed as it was: {wrong[0]}" if wrong else "It isn't what was archived."
        raise CannotRestore(why)
    return line


def _tables(record: Json, found: list[Mismatch]) -> list[Table]:
    """Return the game before each action, as far as it can be replayed. Raises ``CannotRestore``."""
    try:
        actions = [_filled(entry) for entry in record["actions"]]
        read = load_record({**record, "actions": actions})
    except BadRequest as refusal:
        raise CannotRestore(refusal.detail) from refusal
    return [played.before for played in replay(read, found) if played.entry is not None]


def _filled(entry: object) -> object:
    """Return an action with something for what is left out of its AI's note; what is no action as it is."""
    if isinstance(entry, dict) and isinstance(entry.get("ai"), dict):
        return {**entry, "ai": {**LEFT_OUT, **entry["ai"]}}
    return entry
