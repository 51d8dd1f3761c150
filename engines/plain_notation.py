"""Reading actions and options by what their dataclasses and schemas say, for rulesets that read nothing themselves."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engines.dataclass_schemas import field_schemas, type_of
from engines.errors import BadAction
from engines.notation import LARGEST_ASKED, Reader, read_options, type_of_action
from engines.phrase import Phrase, listed
from engines.position import Action
from engines.types import Json

DIGITS: Final = 9
"""Longer numbers stand for nothing in a game."""


def read_action(written: object, kinds: Sequence[type[Action]]) -> Action:
    """Read an action of one of *kinds*, as an object or as text: its type, then what its fields hold.

    Raises ``BadAction``. It knows spelling, not rules: numbers may be as great as they like.
    """
    by_type = {type_of(kind): kind for kind in kinds}
    if isinstance(written, str):
        return _from_text(written, by_type)
    if not isinstance(written, dict):
        raise BadAction(Phrase("An action is an object with a type, one of {types}; or a text.", types=listed(by_type)))
    name = type_of_action(written, {name: tuple(field_schemas(kind)) for name, kind in by_type.items()})
    schemas = field_schemas(by_type[name])
    return by_type[name](**{field: _value(written[field], field, schema) for field, schema in schemas.items()})


def _from_text(text: str, by_type: Mapping[str, type[Action]]) -> Action:
    name, *words = text.split() or [""]
    kind = by_type.get(name)
    if kind is None:
        raise BadAction(
            Phrase("No action is written {text!r}: it begins with {types}.", text=text, types=listed(by_type))
        )
    schemas = field_schemas(kind)
    values: dict[str, object] = {}
    for field, schema in schemas.items():
        taken = len(words) if schema.get("type") == "array" else 1
        said, words = words[:taken], words[taken:]
        values[field] = _spoken(said, schema)
    if words or None in values.values():
        raise BadAction(Phrase("{text!r} can't be read: write {form}.", text=text, form=" ".join([name, *schemas])))
    return kind(**{field: _value(values[field], field, schema) for field, schema in schemas.items()})


def _spoken(words: Sequence[str], schema: Json) -> object:
    """Return what *words* of a text stand for, or None if there is no word for it."""
    if schema.get("type") == "array":
        return [_spoken([word], schema["items"]) for word in words]
    if not words:
        return None
    word = words[0]
    is_number = len(word) <= DIGITS and word.isascii() and word.removeprefix("-").isdigit()
    return int(word) if is_number and _is_whole(schema) else word


def _is_whole(schema: Json) -> bool:
    return schema.get("type") == "integer" or schema == {"$ref": "#/$defs/Seat"}


def _value(written: object, field: str, schema: Json) -> Any:
    """Return what stands in a field, if it is of the schema's type."""
    if schema.get("type") == "array" and isinstance(written, list):
        return tuple(_value(value, field, schema["items"]) for value in written)
    if _is_whole(schema) and isinstance(written, int) and not isinstance(written, bool):
        return written
    kinds: Mapping[object, type] = {"boolean": bool, "string": str}
    if isinstance(written, kinds.get(schema.get("type", "string"), ())) and not _is_whole(schema):
        return written
    raise BadAction(Phrase("The field {field!r} can't be {written!r}.", field=field, written=written))


def settle_options(written: object, schema: Json) -> Json:
    """Return the options that *schema* knows, each as it is written or by its default. Raises ``BadOptions``.

    It reads whole numbers, booleans and words out of a list; a ruleset with other options reads them itself.
    """
    known: Mapping[str, Json] = schema["properties"]
    reader = read_options(written, tuple(known))
    return {name: _option(reader, name, about) for name, about in known.items()}


def _option(reader: Reader, name: str, about: Json) -> object:
    if not reader.holds(name):
        return about["default"]
    if about.get("type") == "integer":
        return reader.integer(name, about.get("minimum", 0), about.get("maximum", LARGEST_ASKED))
    if about.get("type") == "boolean":
        return reader.boolean(name)
    return reader.one_of(name, about["enum"])
