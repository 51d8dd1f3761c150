"""JSON forms of a table: for viewers, as the record of an ended game, and for storage."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from engines import RULESETS
from engines.core.cross_version_fields import split_fields, to_stored
from engines.core.dealer import commitment
from engines.core.errors import StillRunning
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table.note_seals import chain, seal, view_hash
from engines.table.seats import Seat
from engines.table.table import ENDED, Table

RECORD_FORMAT: Final = 1

FIRST_LAYOUT_FIELDS: Final = frozenset(
    (
        *("id", "ruleset_name", "options", "seats", "seed", "created", "updated", "status", "version", "private"),
        *("group", "turn_seconds", "deadline", "opening", "position", "moves", "signals"),
    )
)
"""Fields of a table in the first layout of the store. They are always written (cross_version_fields.py)."""

STORED_TYPES: Final[dict[str, type]] = {
    **dict.fromkeys(("id", "ruleset_name", "seed", "created", "updated", "status", "group"), str),
    **dict.fromkeys(("version", "moves"), int),
    "options": dict,
}
"""Types of stored fields that ``load`` checks; it raises ``TypeError`` for other types."""

NOTE_ORDER: Final = ("level", "seed", "iterations", "view_sha256", "budget", "helper_iterations", "signals")
"""Fields of the AI note in a record, in this order; missing fields are left out."""


def resource(table: Table, viewer: int | None) -> Json:
    """Return the game as *viewer* may know it, a seat or None for a spectator (docs/http.md)."""
    return {
        "id": table.id,
        "ruleset": table.ruleset_name,
        "status": table.status,
        "version": table.version,
        "seats": [seat.as_json(number) for number, seat in enumerate(table.seats)],
        "to_act": table.to_act(),
        "may_act": table.may_act(),
        "deadline": table.deadline,
        "commitment": commitment(bytes.fromhex(table.seed)),
        "created": table.created,
        "updated": table.updated,
        "you": viewer,
        "view": table.view(viewer),
        "outcome": table.outcome,
    }


def line(before: Table, entry: Json) -> Json | None:
    """Return the record's line for a journal entry that was applied to *before*; None if the entry is not an action."""
    if entry["verb"] != "act":
        return None
    seat, action = entry["seat"], before.ruleset.parse(entry["action"])
    played = {"version": before.version + 1, "seat": seat, "action": action.as_json(), "text": str(action)}
    return {**played, "at": entry["at"], "ai": None if entry["ai"] is None else noted(before, seat, entry["ai"])}


def noted(before: Table, seat: int, ai: Json) -> Json:
    """Return a record's note on the AI of *seat*: *ai*, the journal's note, and values computed from *before*.

    The computed values are the AI's seed, the signals that it knew, and the hash of its view. The view is hashed in the
    format of this server version, as ``verify`` does.
    """
    observation = before.observation(seat)
    if observation is None:
        return ai
    heard = {str(giver): observation.signals[giver] for giver in sorted(observation.signals)}
    follows = {
        "seed": observation.seed,
        "view_sha256": view_hash(observation.view),
        **({"signals": heard} if heard else {}),
    }
    note = {**ai, **follows}
    return {name: note[name] for name in NOTE_ORDER if name in note}


def sealed(table: Table, entry: Json) -> str | None:
    """Return the seal of the AI's note in *entry*, the journal entry of *table*'s version; None if no AI acted."""
    return None if entry.get("ai") is None else _seal(table.key, {**entry, "version": table.version})


def _seal(key: bytes, line: Json) -> str:
    note = line["ai"]
    work = note["iterations"], note.get("helper_iterations", 0)
    return seal(key, line["version"], line["seat"], note["level"], work)


def record(table: Table, entries: Sequence[Json]) -> Json:
    """Return the record of an ended game, with its secret seed. Raises ``StillRunning``."""
    if table.status not in ENDED:
        raise StillRunning(Phrase("The record is shown when the game has ended: until then its seed is secret."))
    promised, key = commitment(bytes.fromhex(table.seed)), table.key
    return {
        "format": RECORD_FORMAT,
        "id": table.id,
        "ruleset": table.ruleset_name,
        "players": len(table.seats),
        "options": table.options,
        "position": table.opening,
        "seed": table.seed,
        "client_seeds": [seat.client_seed for seat in table.seats],
        "commitment": promised,
        "seats": [seat.as_json(number) for number, seat in enumerate(table.seats)],
        "actions": list(entries),
        "outcome": table.outcome,
        "ai_notes": chain(promised, [_seal(key, line) for line in entries if line["ai"] is not None]),
    }


def dump(table: Table) -> Json:
    """Return all fields of the table, including secrets, for storage. ``load`` is the inverse."""
    return {
        **to_stored(table, FIRST_LAYOUT_FIELDS),
        "seats": [seat.dump() for seat in table.seats],
        "position": None if table.position is None else table.position.dump(),
        "signals": {str(seat): signal for seat, signal in table.signals.items()},
    }


def load(stored: Json) -> Table:
    """Read a stored table; unknown fields are preserved and have no effect.

    Unknown fields in the position are refused, because each may stand for a new rule. Raises ``BadPosition``,
    ``BadCard``, ``TypeError``, ``ValueError``, ``LookupError``, ``AttributeError``.
    """
    known, unknown = split_fields(stored, Table)
    for name, kind in STORED_TYPES.items():
        if not isinstance(stored.get(name, kind()), kind):
            raise TypeError(name)
    ruleset = RULESETS[stored["ruleset_name"]]
    changed: dict[str, Any] = {
        "seats": tuple(Seat.load(seat) for seat in stored["seats"]),
        "position": None if stored["position"] is None else ruleset.load(stored["position"]),
        "signals": {int(seat): signal for seat, signal in stored["signals"].items()},
        "unknown": unknown,
    }
    return Table(**{**known, **changed})


def is_same(one: Table, other: Table) -> bool:
    """Return whether two tables are equal, apart from unknown fields."""
    return dump(_without_unknown_fields(one)) == dump(_without_unknown_fields(other))


def _without_unknown_fields(table: Table) -> Table:
    return replace(table, unknown={}, seats=tuple(replace(seat, unknown={}) for seat in table.seats))
