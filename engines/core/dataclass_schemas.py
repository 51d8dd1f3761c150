"""JSON Schemas of actions and events, from their dataclasses and docstrings.

A field's annotation defines its schema: ``int``, ``bool``, ``str``, ``tuple[int, ...]``, or for more detail
``Annotated[int, whole(0, 3)]``.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from engines.core.schemas import BOOLEAN, TEXT, many, ref, shape
from engines.core.types import Json

SCHEMA_BY_TYPE: Final[Mapping[object, Json]] = {int: {"type": "integer"}, str: TEXT, bool: BOOLEAN}
"""Schema of a field by its annotation, for annotations that aren't ``Annotated``."""


def type_of(kind: type) -> str:
    """Return the type of an action or event class: ``pick_up`` for ``PickUp``."""
    return _snake_case(kind.__name__)


@cache
def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def object_schema(kind: type) -> Json:
    """Return the schema of a dataclass as an object, without its ``type``; the docstring is the description."""
    return shape(field_schemas(kind), description=summary_line(kind))


def summary_line(kind: type) -> str:
    """Return the first paragraph of a class's docstring, on one line, as Markdown."""
    paragraph = " ".join((declared(kind).__doc__ or "").split("\n\n")[0].split())
    return re.sub(r"(``|\*)(\w+)\1", r"`\2`", paragraph)


def field_schemas(kind: type) -> Mapping[str, Json]:
    """Return the schemas of a dataclass's fields by name.

    A field ``seat`` whose annotation isn't ``Annotated`` has a reference to the schema ``Seat``.
    """
    return _field_schemas(kind)


@cache
def _field_schemas(kind: type) -> Mapping[str, Json]:
    hints = get_type_hints(declared(kind), include_extras=True)
    if "seat" in hints and get_origin(hints["seat"]) is not Annotated:
        hints["seat"] = Annotated[int, ref("Seat")]
    schemas = dict[str, Json]()
    for field in fields(kind):
        try:
            schemas[field.name] = schema_of(hints[field.name])
        except TypeError as unknown:
            raise TypeError(f"{kind.__name__}.{field.name}: {unknown}") from unknown
    return schemas


def schema_of(annotation: Any) -> Json:
    """Return the schema of a field with this annotation. Raises ``TypeError`` for an annotation without a schema."""
    if get_origin(annotation) is Annotated:
        schemas = [dict(about) for about in annotation.__metadata__ if isinstance(about, dict)]
        if schemas:
            return schemas[0]
    entries = get_args(annotation) if get_origin(annotation) is tuple else ()
    if entries and all(entry in (entries[0], ...) for entry in entries):
        return many(schema_of(entries[0]))
    for plain, schema in SCHEMA_BY_TYPE.items():
        if plain is annotation:
            return schema
    raise TypeError(f"{annotation}: annotate the field with its schema, as in Annotated[int, whole(0, 3)]")


def declared(kind: type) -> type:
    """Return *kind*, or the class from its Python source if *kind* is compiled.

    A compiled class has no docstring and no annotations.
    """
    module = sys.modules[kind.__module__]
    if not _is_compiled(module):
        return kind
    source: type = getattr(_interpreted(kind.__module__), kind.__name__)
    return source


def _is_compiled(module: ModuleType) -> bool:
    return str(getattr(module, "__file__", "")).endswith(tuple(EXTENSION_SUFFIXES))


@cache
def _interpreted(name: str) -> ModuleType:
    """Load the Python source of a compiled module as a second module, and return it.

    Only the docstrings and annotations of the second module are used.
    """
    source = Path(str(sys.modules[name].__file__)).with_name(f"{name.rpartition('.')[2]}.py")
    spec = spec_from_file_location(name, source)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(source)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
