"""Fields of stored dataclasses over versions: what a newer version adds is kept by an older one, and left alone.

Two versions share a store while machines are exchanged one after the other. So that an older one can read what a newer
one writes:

    a field that the layout began with   is always written
    a field that came later              is written where it differs from its default: as long as nobody uses what is
                                         new, the older version sees nothing of it
    a field that isn't known             is kept in ``unknown``, and written again as it was
"""

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from typing import Any, Final

from engines.core.types import Json

UNKNOWN: Final = "unknown"
"""The field that keeps the others."""


def divided(stored: Json, kind: type) -> tuple[Json, Json]:
    """Return the fields of *stored* that the dataclass *kind* has, and the others."""
    names = frozenset(one.name for one in fields(kind)) - {UNKNOWN}
    known = {name: value for name, value in stored.items() if name in names}
    return known, {name: value for name, value in stored.items() if name not in names}


def written(one: Any, always: Collection[str]) -> Json:
    """Return the fields of a dataclass as they are stored: those of *always*, later ones that differ, unknown ones."""
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
