"""Fields of stored dataclasses across versions: unknown fields are preserved and have no effect.

Two versions share a store during a rolling update. So that an older version can read what a newer one writes:

  a field of the first layout   is always written
  a later field                 is written only if it differs from its default: as long as a new feature isn't used,
                                older versions find no new field
  an unknown field              is kept in ``unknown``, and written back unchanged
"""

from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, Final

from engines.core.types import Json

UNKNOWN_FIELDS_NAME: Final = "unknown"
"""Name of the field that keeps unknown fields."""


ALWAYS_WRITTEN: Final = object()
"""Replaces the default, in ``_defaults``, of a field that must always be written: no value equals this object."""


def split_fields(stored: Json, kind: Any) -> tuple[Json, Json]:
    """Split *stored* into the fields that the dataclass *kind* has and all others."""
    names = _names(kind)
    known = {name: value for name, value in stored.items() if name in names}
    return known, {name: value for name, value in stored.items() if name not in names}


def to_stored(one: Any, always: frozenset[str]) -> Json:
    """Return the fields of *one*, a dataclass instance, for storage.

    These are the fields in *always*, other fields whose values differ from their defaults, and the unknown fields.
    """
    stored: Json = {}
    kind: Any = type(one)
    for name, default in _defaults(kind, always):
        value = getattr(one, name)
        if value != default:
            stored[name] = value
    stored.update(getattr(one, UNKNOWN_FIELDS_NAME))
    return stored


@cache
def _names(kind: Any) -> frozenset[str]:
    """Return the names of a dataclass's stored fields."""
    return frozenset([one.name for one in fields(kind)]) - {UNKNOWN_FIELDS_NAME}


@cache
def _defaults(kind: Any, always: frozenset[str]) -> tuple[tuple[str, object], ...]:
    """Return each stored field of a dataclass with the value at which the field is omitted."""
    return tuple(
        [
            (one.name, ALWAYS_WRITTEN if one.name in always else _default(one))
            for one in fields(kind)
            if one.name != UNKNOWN_FIELDS_NAME
        ]
    )


def _default(one: Field[Any]) -> object:
    return one.default if one.default_factory is MISSING else one.default_factory()
