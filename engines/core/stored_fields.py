"""Fields of stored dataclasses across versions: unknown fields are preserved and have no effect.

Two versions share a store during a rolling update. So that an older one can read what a newer one writes:

    a field of the first layout   is always written
    a later field                 is written if it differs from its default: while nobody uses what is new, the older
                                  version sees nothing of it
    an unknown field              is kept in ``unknown``, and written back unchanged
"""

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from typing import Any, Final

from engines.core.types import Json

UNKNOWN: Final = "unknown"
"""Name of the field that keeps unknown fields."""


def split_fields(stored: Json, kind: type) -> tuple[Json, Json]:
    """Split *stored* into the fields that the dataclass *kind* has and all others."""
    names = frozenset(one.name for one in fields(kind)) - {UNKNOWN}
    known = {name: value for name, value in stored.items() if name in names}
    return known, {name: value for name, value in stored.items() if name not in names}


def to_stored(one: Any, always: Collection[str]) -> Json:
    """Return a dataclass's fields for storage: those of *always*, later ones unless default, unknown ones."""
    stored: Json = {
        each.name: value
        for each in fields(one)
        if each.name != UNKNOWN
        for value in (getattr(one, each.name),)
        if each.name in always or value != _default(each)
    }
    return {**stored, **getattr(one, UNKNOWN)}


def _default(one: Field[Any]) -> object:
    return one.default if one.default_factory is MISSING else one.default_factory()
