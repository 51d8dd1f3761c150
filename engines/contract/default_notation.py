"""Default parsers: of actions by their dataclasses, and of options by their JSON Schema."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engines.contract.position import Action
from engines.core.dataclass_schemas import field_schemas, type_of
from engines.core.errors import BadAction
from engines.core.phrase import Phrase, listed
from engines.core.schemas import ref
from engines.core.strict_reading import (
    MAX_NUMBER,
    MAX_OPTION_NUMBER,
    WORD_PATTERN,
    Reader,
    read_options,
    type_of_action,
    words_of,
)
from engines.core.types import Json

NUMBER_PATTERN: Final = re.compile(r"-?[0-9]{1,10}")
"""Pattern of a number in an action. Numbers with more digits are greater than ``MAX_NUMBER``."""
JSON_TYPES: Final[Mapping[object, type]] = {"integer": int, "boolean": bool, "string": str}
"""Python type of a field, by the ``type`` of its schema."""
BOOLEAN_BY_TEXT: Final = {"true": True, "false": False}


def check_readable(kinds: Sequence[type[Action]]) -> None:
    """Raise ``TypeError``, which names the field, for action classes that ``read_action`` can't read."""
    for kind in kinds:
        schemas = field_schemas(kind)
        for field, schema in schemas.items():
            is_last = field == list(schemas)[-1]
            if _kind(schema["items"] if is_last and _is_list(schema) else schema) is None:
                raise TypeError(
                    f"{kind.__name__}.{field} can't be read: a field holds a whole number, a truth value or a word, "
                    "the last one perhaps a tuple of these; for anything else override parse"
                )


def read_action(written: object, kinds: Sequence[type[Action]]) -> Action:
    """Parse an action of one of *kinds*, written as object or as text (type, then fields). Raises ``BadAction``.

    Only the syntax is checked: any number up to ``MAX_NUMBER`` is accepted, and any word.
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
    name, *words = words_of(text) or [""]
    kind = by_type.get(name)
    if kind is None:
        raise BadAction(
            Phrase("No action is written {text!r}: it begins with {types}.", text=text, types=listed(by_type))
        )
    schemas = field_schemas(kind)
    values: dict[str, object] = {}
    for field, schema in schemas.items():
        taken = len(words) if _is_list(schema) else 1
        words_of_field, words = words[:taken], words[taken:]
        values[field] = _spoken(words_of_field, schema)
    if words or None in values.values():
        raise BadAction(Phrase("{text!r} can't be read: write {form}.", text=text, form=" ".join([name, *schemas])))
    return kind(**{field: _value(values[field], field, schema) for field, schema in schemas.items()})


def _spoken(words: Sequence[str], schema: Json) -> object:
    """Convert *words* to the value of a field, None if a word is missing. ``_value`` then checks the type."""
    if _is_list(schema):
        return [_spoken([word], schema["items"]) for word in words]
    if not words:
        return None
    word, kind = words[0], _kind(schema)
    if kind is int and NUMBER_PATTERN.fullmatch(word):
        return int(word)
    return BOOLEAN_BY_TEXT.get(word, word) if kind is bool else word


def _is_list(schema: Json) -> bool:
    return schema.get("type") == "array" and "items" in schema


def _kind(schema: Json) -> type | None:
    """Return the Python type for the values of *schema*, or None if the default notation has none for it."""
    if schema == ref("Seat"):
        return int
    words_of_field = schema.get("type")
    return JSON_TYPES.get(words_of_field) if isinstance(words_of_field, str) else None


def _value(written: object, field: str, schema: Json) -> Any:
    """Return the value of a field; lists become tuples.

    Raises ``BadAction`` unless the value has the schema's type and can be written as text (``_has_text``).
    """
    if _is_list(schema) and isinstance(written, list):
        return tuple([_value(value, field, schema["items"]) for value in written])
    kind = _kind(schema)
    if kind is type(written) and _has_text(written):
        return written
    raise BadAction(Phrase("The field {field!r} can't be {written!r}.", field=field, written=written))


def _has_text(value: object) -> bool:
    if isinstance(value, str):
        return WORD_PATTERN.fullmatch(value) is not None
    return isinstance(value, int) and -MAX_NUMBER <= value <= MAX_NUMBER


def check_resolvable(schema: Json) -> None:
    """Raise ``TypeError``, which names the option, for options that ``resolve_options`` can't read."""
    for name, about in schema.get("properties", {}).items():
        if "default" not in about:
            raise TypeError(f"options {name}: give it a default, or override check_options")
        if "enum" not in about and about.get("type") not in ("integer", "boolean"):
            raise TypeError(
                f"options {name} can't be read: say an enum, or a type that is integer or boolean; "
                "for anything else override check_options"
            )


def resolve_options(written: object, schema: Json) -> Json:
    """Return all options of *schema*, as given or by default. Raises ``BadOptions``.

    Options are integers, booleans and enums; a ruleset with other options overrides ``check_options``.
    """
    known: Mapping[str, Json] = schema.get("properties", {})
    reader = read_options(written, tuple(known))
    return {name: _option(reader, name, about) for name, about in known.items()}


def _option(reader: Reader, name: str, about: Json) -> object:
    if not reader.holds(name):
        return about["default"]
    if "enum" in about:
        return _chosen(reader, name, about["enum"])
    if about["type"] == "integer":
        return reader.integer(name, about.get("minimum", 0), about.get("maximum", MAX_OPTION_NUMBER))
    return reader.boolean(name)


def _chosen(reader: Reader, name: str, choices: Sequence[object]) -> object:
    """Return the value of option *name* if it is one of *choices*. Unlike in Python, 1 does not equal True."""
    written = reader.raw(name)
    if not any(type(choice) is type(written) and choice == written for choice in choices):
        raise reader.refusal(name, Phrase("is one of {choices}", choices=listed([str(choice) for choice in choices])))
    return written
