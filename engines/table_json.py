"""How a table is written: for its seats and spectators, as the record of an ended game, and for storage."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from engines import RULESETS
from engines.dealer import commitment
from engines.errors import StillRunning
from engines.phrase import Phrase
from engines.seats import Seat
from engines.table import Table
from engines.types import Json

RECORD_FORMAT: Final = 1

TABLE_FIELDS: Final = tuple([f.name for f in fields(Table) if f.name not in ("seats", "position", "signals")])
"""What of a table is stored as it is."""

SEAT_FIELDS: Final = tuple([f.name for f in fields(Seat)])
"""What of a seat is stored."""


def resource(table: Table, viewer: int | None) -> Json:
    """Return the game as *viewer* sees it: a seat, or None for a spectator (docs/http.md)."""
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
        "outcome": None if table.position is None else table.position.outcome,
    }


def record(table: Table, entries: Sequence[Json]) -> Json:
    """Return the record of an ended game, its secret seed revealed. Raises ``StillRunning``."""
    if table.status not in ("finished", "abandoned"):
        raise StillRunning(Phrase("The record is shown when the game has ended: until then its seed is secret."))
    return {
        "format": RECORD_FORMAT,
        "id": table.id,
        "ruleset": table.ruleset_name,
        "players": len(table.seats),
        "options": table.options,
        "position": table.opening,
        "seed": table.seed,
        "client_seeds": [seat.client_seed for seat in table.seats],
        "commitment": commitment(bytes.fromhex(table.seed)),
        "seats": [seat.as_json(number) for number, seat in enumerate(table.seats)],
        "actions": list(entries),
        "outcome": None if table.position is None else table.position.outcome,
    }


def dump(table: Table) -> Json:
    """Write everything, secrets too, for storage. ``load`` is the inverse."""
    return {
        **{name: getattr(table, name) for name in TABLE_FIELDS},
        "seats": [{name: getattr(seat, name) for name in SEAT_FIELDS} for seat in table.seats],
        "position": None if table.position is None else table.position.dump(),
        "signals": {str(seat): signal for seat, signal in table.signals.items()},
    }


def load(stored: Json) -> Table:
    """Read a stored table."""
    ruleset = RULESETS[stored["ruleset_name"]]
    changed: dict[str, Any] = {
        "seats": tuple(Seat(**seat) for seat in stored["seats"]),
        "position": None if stored["position"] is None else ruleset.load(stored["position"]),
        "signals": {int(seat): signal for seat, signal in stored["signals"].items()},
    }
    return Table(**{**stored, **changed})
