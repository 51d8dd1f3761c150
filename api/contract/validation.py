"""Schemas and validators whose messages are phrases, because marshmallow's own messages can't be translated."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final, TypeVar

import marshmallow as ma
from marshmallow import fields, validate
from marshmallow.exceptions import SCHEMA

from engines.core.phrase import Phrase, listed

T = TypeVar("T")

MAX_FIELDS: Final = 64
"""Maximum number of unknown fields of an object in a request that are examined."""

UNKNOWN_FIELD_PHRASE: Final = Phrase("Unknown field.")
MISSING_FIELD_PHRASE: Final = Phrase("This is missing.")
NOT_NULL_PHRASE: Final = Phrase("This can't be null.")
INVALID_VALUE_PHRASE: Final = Phrase("Invalid value.")
OBJECT_EXPECTED_PHRASE: Final = Phrase("Write an object.")
PHRASE_BY_FIELD_CLASS: Final = (
    (fields.Boolean, Phrase("Write true or false.")),
    (fields.Integer, Phrase("Write a whole number.")),
    (fields.String, Phrase("Must be a string.")),
    (fields.List, Phrase("Write a list.")),
    ((fields.Mapping, fields.Nested), OBJECT_EXPECTED_PHRASE),
    (fields.Field, INVALID_VALUE_PHRASE),
)
"""Sentences that say how to correct a value, by kind of field."""


class Schema(ma.Schema):
    """A schema whose validation messages are phrases."""

    error_messages = {"unknown": UNKNOWN_FIELD_PHRASE, "type": OBJECT_EXPECTED_PHRASE}  # type: ignore[dict-item]  # noqa: RUF012  marshmallow's form

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Return the validated *data*. Only the first ``MAX_FIELDS`` unknown fields are examined.

        A refusal names even fewer fields (``api.problems.errors.MAX_NAMED_FIELDS``).
        """
        if isinstance(data, dict) and len(data) > MAX_FIELDS and self.unknown == ma.RAISE:
            known = {field.data_key or name for name, field in self.fields.items()}
            unknown = islice((name for name in data if name not in known), MAX_FIELDS)
            data = {name: data[name] for name in (*(known & data.keys()), *unknown)}
        return super().load(data, **kwargs)

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Set the messages of *field_obj* and of its elements."""
        wanted = next(phrase for kind, phrase in PHRASE_BY_FIELD_CLASS if isinstance(field_obj, kind))
        own = {key: [wanted] for key in field_obj.error_messages}
        field_obj.error_messages = {**own, "required": [MISSING_FIELD_PHRASE], "null": [NOT_NULL_PHRASE]}
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


def validation_error(phrase: Phrase, field: str = SCHEMA) -> ma.ValidationError:
    """Return the error that a validator of *field* raises, with *phrase* as its message."""
    return ma.ValidationError([phrase], field)


def _check(check: Callable[[T], T], value: T, phrase: Phrase) -> T:
    try:
        return check(value)
    except ma.ValidationError as error:
        raise validation_error(phrase) from error


class Length(validate.Length):
    """Validator of a text's length, with an error message that can be translated."""

    def __call__(self, value: Any) -> Any:
        return _check(
            super().__call__, value, Phrase("Write {low} to {high} characters.", low=self.min or 0, high=self.max)
        )


class MaxEntries(validate.Length):
    """Validator of a list's length, with an error message that can be translated."""

    def __init__(self, most: int) -> None:
        super().__init__(max=most)

    def __call__(self, value: Any) -> Any:
        return _check(super().__call__, value, Phrase("Send at most {most} entries.", most=self.max))


class Range(validate.Range):
    """Validator of a number's range, with an error message that can be translated."""

    def __call__(self, value: Any) -> Any:
        return _check(
            super().__call__, value, Phrase("Write a number from {low} to {high}.", low=self.min, high=self.max)
        )


class OneOf(validate.OneOf):
    """Validator that a text is one of some words, with an error message that can be translated."""

    def __call__(self, value: Any) -> Any:
        return _check(super().__call__, value, Phrase("Write one of {choices}.", choices=listed(self.choices)))


class Regexp(validate.Regexp):
    """Validator of texts that this server made, such as cursors, with an error message that can be translated."""

    def __call__(self, value: Any) -> Any:
        return _check(super().__call__, value, INVALID_VALUE_PHRASE)
