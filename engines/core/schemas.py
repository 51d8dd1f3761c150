"""Functions that build JSON Schemas (2020-12), for the schemas of rulesets.

Schemas are plain dicts. A named schema is referred to by ``#/$defs/<name>``. Additional keyword arguments (*about*,
*words*) become keywords of the schema, such as ``description``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engines.core.cards import NAMES, RANKS, SUITS
from engines.core.types import Json

TEXT: Final[Json] = {"type": "string"}
BOOLEAN: Final[Json] = {"type": "boolean"}
COUNT: Final[Json] = {"type": "integer", "minimum": 0}
RANK_WORDS: Final = (
    *("ACE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN"),
    *("EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING"),
)
SUIT_WORDS: Final = ("CLUBS", "DIAMONDS", "HEARTS", "SPADES")
NOBODY: Final[Json] = {"type": "null", "description": "nobody's doing"}


def ref(name: str) -> Json:
    """Return a reference to the schema with this name."""
    return {"$ref": f"#/$defs/{name}"}


def shape(properties: Mapping[str, Json], *, optional: Iterable[str] = (), **words: Any) -> Json:
    """Return the schema of an object with exactly these *properties*, of which those in *optional* may be missing."""
    required = [name for name in properties if name not in optional]
    return {
        **words,
        "type": "object",
        "required": required,
        "properties": dict(properties),
        "additionalProperties": False,
    }


def constant(text: str) -> Json:
    """Return the schema that allows only the string *text*."""
    return {"type": "string", "const": text}


def one_of(words: Sequence[str], **about: Any) -> Json:
    """Return the schema of a string that is one of *words*."""
    return {"type": "string", "enum": list(words), **about}


def whole(low: int, high: int | None = None, **about: Any) -> Json:
    """Return the schema of an integer from *low* to *high*; None: no maximum."""
    return {"type": "integer", "minimum": low, **({} if high is None else {"maximum": high}), **about}


def many(schema: Json, low: int = 0, high: int | None = None, **about: Any) -> Json:
    """Return the schema of a list of *low* to *high* entries of *schema*; None: no maximum."""
    bounds = {"minItems": low, "maxItems": high}
    return {"type": "array", "items": schema, **{word: bound for word, bound in bounds.items() if bound}, **about}


def several(schema: Json, low: int = 0, high: int | None = None, **about: Any) -> Json:
    """Return the schema of a list without repetitions."""
    return many(schema, low, high, uniqueItems=True, **about)


def maybe(schema: Json, **about: Any) -> Json:
    """Return a schema that allows null in addition to the values of *schema*."""
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}], **about}
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **choices, **about}


def having(field: str) -> Json:
    """Return a schema that requires *field*."""
    return {"properties": {field: {}}, "required": [field]}


def exactly_one(one: str, other: str) -> Json:
    """Return keywords for the schema of an object that must have exactly one of two optional fields.

    The keywords are ``if``, ``then`` and ``else``, because generators of client code turn a ``oneOf`` into two types
    that lack the object's further fields.
    """
    return {"if": having(one), "then": {"not": having(other)}, "else": having(other)}


def cards(indices: Iterable[int], **about: Any) -> Json:
    """Return the schema of the name of one of these cards. In generated client code ``2C`` is ``TWO_OF_CLUBS``."""
    names = [NAMES[index] for index in indices]
    return one_of(names, **{"x-enum-varnames": [_variable(name) for name in names]}, **about)


def _variable(card: str) -> str:
    """Return a card's name as an identifier: ``TWO_OF_CLUBS``, ``JOKER_1``."""
    rank, suit = card[0], card[1]
    return f"JOKER_{suit}" if rank == "X" else f"{RANK_WORDS[RANKS.index(rank)]}_OF_{SUIT_WORDS[SUITS.index(suit)]}"


def union(what: str, kinds: Mapping[str, Json]) -> dict[str, Json]:
    """Return schemas by name: *what*, a ``oneOf`` with the discriminator ``type``, and one schema for each of *kinds*.

    ``union("Action", {"pick_up": ...})`` has the names ``Action`` and ``PickUpAction``. If *kinds* is empty, *what*
    allows no value.
    """
    named = {f"{camel(kind)}{what}": _typed(kind, schema) for kind, schema in kinds.items()}
    return {what: choice(named), **named}


def choice(names: Iterable[str]) -> Json:
    """Return the schema of exactly one of the named schemas; without names no value is valid."""
    references = [ref(name) for name in names]
    return {"oneOf": references} if references else {"not": {}}


def camel(name: str) -> str:
    """Return ``pick_up`` as ``PickUp``."""
    return "".join(word.capitalize() for word in name.split("_"))


def _typed(kind: str, schema: Json) -> Json:
    properties = {"type": constant(kind), **schema["properties"]}
    return {**schema, "required": ["type", *schema["required"]], "properties": properties}
