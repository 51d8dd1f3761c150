"""The record of an ended game, parsed strictly because a record may have been tampered with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from json import dumps, loads
from typing import Any, Final

from engines import RULESETS
from engines.contract.base import Ruleset
from engines.core.errors import BadRequest
from engines.core.phrase import Phrase
from engines.core.strict_reading import Reader, a_number, repeated_name
from engines.core.types import Json
from engines.table.table_json import RECORD_FORMAT

RECORD_FIELDS: Final = (
    "format",
    "id",
    "ruleset",
    "players",
    "options",
    "position",
    "seed",
    "client_seeds",
    "commitment",
    "seats",
    "actions",
    "outcome",
)
LATER_FIELDS: Final = ("ai_notes",)
"""Fields that records of older versions lack."""
ENTRY_FIELDS: Final = ("version", "seat", "action", "text", "at", "ai")
NOTE_FIELDS: Final = ("level", "seed", "iterations", "view_sha256")
SEAT_KINDS: Final = ("human", "ai", "open")
SEAT_PATTERN: Final = re.compile(r"0|[1-9][0-9]?")
SHA256_PATTERN: Final = re.compile(r"[0-9a-f]{64}")
TIME_OF_UNTIMED_ENTRIES: Final = datetime.fromtimestamp(0, UTC)
TIME_PATTERN: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)


@dataclass(frozen=True)
class Note:
    """A record's note on the AI that chose an action, with all that is needed to repeat the decision."""

    level: str
    seed: str
    iterations: int
    view_sha256: str
    signals: Mapping[int, str]
    """The signals that the AI knew, by seat."""
    budget: Json | None = None
    """The limits of the search (``Budget.as_json``), if the level searches."""
    helper_iterations: int = 0
    """Iterations of the second search that versions before 1.0 ran."""


@dataclass(frozen=True)
class Entry:
    """An action of a record; *version* is the version after it."""

    version: int
    seat: int
    action: Json
    text: str
    at: datetime
    ai: Note | None

    @property
    def before(self) -> int:
        """The version at which the action was taken."""
        return self.version - 1


@dataclass(frozen=True)
class Record:
    """A record with well-formed fields; replay.py checks whether they are consistent."""

    id: str
    ruleset: Ruleset
    players: int
    options: Json
    position: Json | None
    seed: str
    client_seeds: tuple[str, ...]
    commitment: str
    seats: tuple[Json, ...]
    entries: tuple[Entry, ...]
    outcome: Json | None
    ai_notes: str | None = None
    """The last hash of the chain of all AIs' note seals, in hexadecimal (note_seals.py); None in older records."""


def read_record(text: str) -> Record:
    """Parse a record from JSON text. Raises ``BadRequest``, which names the field."""
    try:
        written = loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number)
        dumps(written, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRequest(Phrase("The record holds half a character: it must be valid Unicode.")) from None
    except ValueError as error:
        raise BadRequest(Phrase("The record is no JSON: {error}.", error=error)) from error
    except RecursionError:
        raise BadRequest(Phrase("The record is nested too deeply.")) from None
    return load_record(written)


def load_record(written: object) -> Record:
    """Read a record from decoded JSON. Raises ``BadRequest``, which names the field."""
    reader = Reader(written, BadRequest, Phrase("the record"))
    reader.keys(RECORD_FIELDS, LATER_FIELDS)
    if reader.integer("format") != RECORD_FORMAT:
        raise reader.refusal("format", Phrase("is {known}: this version reads no other", known=RECORD_FORMAT))
    ruleset = RULESETS[reader.one_of("ruleset", tuple(RULESETS))]
    return Record(
        id=_text(reader, "id"),
        ruleset=ruleset,
        players=reader.integer("players"),
        options=reader.mapping("options"),
        position=_maybe(reader, "position"),
        seed=_sha256(reader, "seed"),
        client_seeds=tuple([_a_text(reader, seed, "client_seeds") for seed in reader.sequence("client_seeds")]),
        commitment=_sha256(reader, "commitment"),
        seats=tuple([_seat(seat, number, ruleset) for number, seat in enumerate(reader.sequence("seats"))]),
        entries=tuple([_entry(entry, number) for number, entry in enumerate(reader.sequence("actions"), start=1)]),
        outcome=_maybe(reader, "outcome"),
        ai_notes=_sha256(reader, "ai_notes") if reader.holds("ai_notes") else None,
    )


def _seat(written: object, number: int, ruleset: Ruleset) -> Json:
    reader = Reader(written, BadRequest, Phrase("the record's seat {number}", number=number))
    reader.keys(("seat", "kind"), ("name", "level", "reserved", *ruleset.seat_options))
    reader.integer("seat", number, number)
    reader.one_of("kind", SEAT_KINDS)
    for field in ("name", "level"):
        if reader.holds(field):
            _text(reader, field)
    return reader.fields


def _entry(written: object, number: int) -> Entry:
    reader = Reader(written, BadRequest, Phrase("the record's action {number}", number=number))
    reader.keys(ENTRY_FIELDS)
    note = _maybe(reader, "ai")
    return Entry(
        version=reader.integer("version", 1),
        seat=reader.integer("seat"),
        action=reader.mapping("action"),
        text=_text(reader, "text"),
        at=_time(reader, "at"),
        ai=None if note is None else _note(note, number),
    )


def _note(written: Json, number: int) -> Note:
    reader = Reader(written, BadRequest, Phrase("the AI of the record's action {number}", number=number))
    reader.keys(NOTE_FIELDS, ("budget", "helper_iterations", "signals"))
    given = reader.mapping("signals") if reader.holds("signals") else {}
    if not all(map(SEAT_PATTERN.fullmatch, given)):
        raise reader.refusal("signals", Phrase("holds a signal per seat, by its number"))
    return Note(
        level=_text(reader, "level"),
        seed=_sha256(reader, "seed"),
        iterations=reader.integer("iterations"),
        view_sha256=_sha256(reader, "view_sha256"),
        signals={int(seat): _a_text(reader, signal, "signals") for seat, signal in given.items()},
        budget=reader.mapping("budget") if reader.holds("budget") else None,
        helper_iterations=reader.integer("helper_iterations", 1) if reader.holds("helper_iterations") else 0,
    )


def _text(reader: Reader, field: str) -> str:
    return _a_text(reader, reader.raw(field), field)


def _a_text(reader: Reader, value: object, field: str) -> str:
    if not isinstance(value, str):
        raise reader.refusal(field, Phrase("is text"))
    return value


def _sha256(reader: Reader, field: str) -> str:
    text = _text(reader, field)
    if not SHA256_PATTERN.fullmatch(text):
        raise reader.refusal(field, Phrase("is 64 digits of lower-case hex"))
    return text


def _time(reader: Reader, field: str) -> datetime:
    """Return the time in *field*; ``TIME_OF_UNTIMED_ENTRIES`` if it is null, as in games played without a clock."""
    if reader.raw(field) is None:
        return TIME_OF_UNTIMED_ENTRIES
    text = _text(reader, field)
    try:
        return datetime.fromisoformat(text if TIME_PATTERN.fullmatch(text) else "")
    except ValueError:
        raise reader.refusal(field, Phrase("is a time in UTC, as in 2026-11-21T12:00:00.000Z")) from None


def _maybe(reader: Reader, field: str) -> Json | None:
    return None if reader.raw(field) is None else reader.mapping(field)


def _object(pairs: list[tuple[str, Any]]) -> Json:
    """Return a JSON object from its key-value *pairs*. Raise ``BadRequest`` if a key occurs twice."""
    if (twice := repeated_name(pairs)) is not None:
        raise BadRequest(
            Phrase("The record is no JSON that can be trusted: {twice!r} is there twice in one object.", twice=twice)
        )
    return dict(pairs)


def _no_number(word: str) -> Json:
    raise BadRequest(Phrase("The record is no JSON: {word} is no number.", word=word))


def _number(word: str) -> float:
    try:
        return a_number(word)
    except ValueError:
        raise BadRequest(Phrase("The record holds a number that is too great: {word}.", word=word)) from None
