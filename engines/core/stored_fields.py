"""Fields of stored dataclasses across versions: unknown fields are preserved and have no effect.

Two versions share a store during a rolling update. So that an older one can read what a newer one writes:

    a field of the first layout   is always written
    a later field                 is written if it differs from its default: while nobody uses what is new, the older
                                  version sees nothing of it
    an unknown field              is kept in ``unknown``, and written back unchanged
"""

from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, Final

from engines.core.types import Json

UNKNOWN: Final = "unknown"
"""Name of the field that keeps unknown fields."""


ALWAYS: Final = object()
"""Stands in for the default of a field that is always written: no value equals it."""


def split_fields(stored: Json, kind: Any) -> tuple[Json, Json]:
    """Split *stored* into the fields that the dataclass *kind* has and all others."""
    names = _names(kind)
    known = {name: value for name, value in stored.items() if name in names}
    return known, {name: value for name, value in stored.items() if name not in names}


def to_stored(one: Any, always: frozenset[str]) -> Json:
    """Return a dataclass's fields for storage: those of *always*, later ones unless default, unknown ones."""
    stored: Json = {}
    kind: Any = type(one)
    for name, default in _defaults(kind, always):
        value = getattr(one, name)
        if value != default:
            stored[name] = value
    stored.update(getattr(one, UNKNOWN))
    return stored


@cache
def _names(kind: Any) -> frozenset[str]:
    """Return the names of a dataclass's stored fields."""
    return frozenset([one.name for one in fields(kind)]) - {UNKNOWN}


@cache
def _defaults(kind: Any, always: frozenset[str]) -> tuple[tuple[str, object], ...]:
    """Return the stored fields of a dataclass, each with the value that isn't written."""
    return tuple(
        [(one.name, ALWAYS if one.name in always else _default(one)) for one in fields(kind) if one.name != UNKNOWN]
    )


def _default(one: Field[Any]) -> object:
    return one.default if one.default_factory is MISSING else one.default_factory()
