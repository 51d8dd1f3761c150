"""Validation messages as phrases: marshmallow's own can't be translated."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final, TypeVar

import marshmallow as ma
from marshmallow import fields, validate
from marshmallow.exceptions import SCHEMA

from engines.core.phrase import Phrase, listed

T = TypeVar("T")

MOST_FIELDS: Final = 64
"""More fields has no object that we read."""

UNKNOWN: Final = Phrase("Unknown field.")
MISSING: Final = Phrase("This is missing.")
NOT_NULL: Final = Phrase("This can't be null.")
UNREADABLE: Final = Phrase("Invalid value.")
OBJECT: Final = Phrase("Write an object.")
WRITE: Final = (
    (fields.Boolean, Phrase("Write true or false.")),
    (fields.Integer, Phrase("Write a whole number.")),
    (fields.String, Phrase("Must be a string.")),
    (fields.List, Phrase("Write a list.")),
    ((fields.Mapping, fields.Nested), OBJECT),
    (fields.Field, UNREADABLE),
)
"""By kind of field, what to do instead."""


class Schema(ma.Schema):
    """A schema whose complaints are phrases."""

    error_messages = {"unknown": UNKNOWN, "type": OBJECT}  # type: ignore[dict-item]  # noqa: RUF012  marshmallow

    def load(self, data: Any, **how: Any) -> Any:
        """Read *data*. Of many unknown fields a few are looked at: a refusal names no more, and each takes its time."""
        if isinstance(data, dict) and len(data) > MOST_FIELDS and self.unknown == ma.RAISE:
            known = {field.data_key or name for name, field in self.fields.items()}
            unknown = islice((name for name in data if name not in known), MOST_FIELDS)
            data = {name: data[name] for name in (*(known & data.keys()), *unknown)}
        return super().load(data, **how)

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Let *field_obj* say what it wants, and what is in it."""
        wanted = next(phrase for kind, phrase in WRITE if isinstance(field_obj, kind))
        own = {key: [wanted] for key in field_obj.error_messages}
        field_obj.error_messages = {**own, "required": [MISSING], "null": [NOT_NULL]}
        if isinstance(field_obj, fields.List):
            self.on_bind_field(field_name, field_obj.inner)


def by_field(messages: object) -> dict[str, list[Phrase]]:
    """Flatten marshmallow's ``{"seats": {0: {"level": [...]}}}`` to ``{"seats.0.level": [...]}``."""
    found: dict[str, list[Phrase]] = {}
    _flatten("", messages, found)
    return found


def _flatten(path: str, messages: Any, found: dict[str, list[Phrase]]) -> None:
    if not isinstance(messages, Mapping):
        found[path or "body"] = messages
        return
    for field, deeper in messages.items():
        _flatten(path if field == SCHEMA else f"{path}.{field}".removeprefix("."), deeper, found)


def complaint(phrase: Phrase, field: str = SCHEMA) -> ma.ValidationError:
    """Return what a validator raises."""
    return ma.ValidationError([phrase], field)


def _checked(check: Callable[[T], T], value: T, phrase: Phrase) -> T:
    try:
        return check(value)
    except ma.ValidationError as error:
        raise complaint(phrase) from error


class Length(validate.Length):
    """A text that isn't too long."""

    def __call__(self, value: Any) -> Any:
        return _checked(
            super().__call__, value, Phrase("Write {low} to {high} characters.", low=self.min or 0, high=self.max)
        )


class Range(validate.Range):
    """A number from here to there."""

    def __call__(self, value: Any) -> Any:
        return _checked(
            super().__call__, value, Phrase("Write a number from {low} to {high}.", low=self.min, high=self.max)
        )


class OneOf(validate.OneOf):
    """One of some words."""

    def __call__(self, value: Any) -> Any:
        return _checked(super().__call__, value, Phrase("Write one of {choices}.", choices=listed(self.choices)))


class Regexp(validate.Regexp):
    """A text that we made."""

    def __call__(self, value: Any) -> Any:
        return _checked(super().__call__, value, UNREADABLE)
