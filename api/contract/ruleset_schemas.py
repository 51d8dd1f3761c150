"""The JSON schemas of all rulesets as components of ``openapi.yaml``.

A ruleset's ``View`` becomes ``RegicideView``. ``View`` is the union of all views, with ``ruleset`` as discriminator.
The actions and events of one ruleset have the discriminator ``type``. A recorded event is an event with its version:
``RegicideRecordedDrawnEvent`` in addition to ``RegicideDrawnEvent``.
"""

from collections.abc import Mapping
from typing import Any, Final

from api.contract.shared_schemas import ref
from engines import RULESETS
from engines.core.phrase import join_or
from engines.core.schemas import camel, choice, constant, maybe, whole
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table.seats import EVENT_SCHEMA

COMPONENT_PREFIX: Final = "#/components/schemas/"
SHARED_SCHEMA_PREFIX: Final = "Table"
"""Prefix of components that belong to every ruleset."""

NO_FIELDS: Final[Mapping[str, Json]] = {}
EVENT_SCHEMA_NAME: Final = "Event"
RECORDED_EVENT_SCHEMA_NAME: Final = "RecordedEvent"
VERSION_MADE_SCHEMA: Final = whole(0, description="the version that it made")
EVENT_TEXT_SCHEMA: Final[Json] = {"type": "string", "description": "what happened, as a sentence for its reader"}


def prefix(ruleset: Ruleset) -> str:
    """Return the prefix of a ruleset's components."""
    return camel(ruleset.name)


def components() -> dict[str, Json]:
    """Return every schema of every ruleset, and their unions."""
    found = _named_components(SHARED_SCHEMA_PREFIX, EVENT_SCHEMA)
    for ruleset in RULESETS.values():
        found |= _named_components(prefix(ruleset), ruleset.schemas)
    names = [prefix(ruleset) for ruleset in RULESETS.values()]
    return {
        **found,
        "View": _by_ruleset("View"),
        "Position": _by_ruleset("Position"),
        "Outcome": {"anyOf": [ref(f"{name}Outcome") for name in names]},
        "Action": {"anyOf": [ref(f"{name}Action") for name in names]},
        **{
            event: {"anyOf": [ref(f"{name}{event}") for name in (SHARED_SCHEMA_PREFIX, *names)]}
            for event in (EVENT_SCHEMA_NAME, RECORDED_EVENT_SCHEMA_NAME)
        },
    }


def _by_ruleset(name: str) -> Json:
    mapping = {ruleset.name: COMPONENT_PREFIX + prefix(ruleset) + name for ruleset in RULESETS.values()}
    choices = [{"$ref": target} for target in mapping.values()]
    return {"oneOf": choices, "discriminator": {"propertyName": "ruleset", "mapping": mapping}}


def _named_components(start: str, schemas: Mapping[str, Json]) -> dict[str, Json]:
    """Return a ruleset's schemas under their component names, with discriminators in the unions."""
    schemas = {**schemas, **_as_sent_events(schemas)}
    named = {name: _with_component_references(schema, start) for name, schema in schemas.items()}
    for union in {"Action", EVENT_SCHEMA_NAME, RECORDED_EVENT_SCHEMA_NAME} & set(schemas):
        members = [part["$ref"].removeprefix("#/$defs/") for part in schemas[union].get("oneOf", ())]
        kinds = {
            schemas[member]["properties"]["type"]["const"]: COMPONENT_PREFIX + start + member for member in members
        }
        named[union] |= {"discriminator": {"propertyName": "type", "mapping": kinds}} if kinds else {}
    return {start + name: schema for name, schema in named.items()}


def _as_sent_events(schemas: Mapping[str, Json]) -> dict[str, Json]:
    """Return each event schema with ``text``, and a second schema of it that has ``version`` too."""
    names = [part["$ref"].removeprefix("#/$defs/") for part in schemas[EVENT_SCHEMA_NAME].get("oneOf", ())]
    sent = {name: _with_field(schemas[name], last={"text": EVENT_TEXT_SCHEMA}) for name in names}
    recorded = {
        f"Recorded{name}": _with_field(event, first={"version": VERSION_MADE_SCHEMA}) for name, event in sent.items()
    }
    return {RECORDED_EVENT_SCHEMA_NAME: choice(recorded), **sent, **recorded}


def _with_field(event: Json, *, first: Mapping[str, Json] = NO_FIELDS, last: Mapping[str, Json] = NO_FIELDS) -> Json:
    properties = {**first, **event["properties"], **last}
    return {**event, "required": [*first, *event["required"], *last], "properties": properties}


def _with_component_references(node: Any, start: str) -> Any:
    """Return a schema whose references point to components."""
    if isinstance(node, dict):
        if "$ref" in node:
            return {**node, "$ref": node["$ref"].replace("#/$defs/", COMPONENT_PREFIX + start)}
        return {key: _with_component_references(value, start) for key, value in node.items()}
    return [_with_component_references(value, start) for value in node] if isinstance(node, list) else node


def requests(schemas: Mapping[str, Json]) -> dict[str, Json]:
    """Return the schemas of bodies, for each ruleset: new games, arenas and actions. *schemas* has the general ones."""
    found: dict[str, Json] = {
        "GameIn": _by_ruleset("GameIn"),
        "ArenaIn": _by_ruleset("ArenaIn"),
        "ActionIn": {
            "anyOf": [ref("TextAction"), ref("LegalAction"), ref("Action")],
            "description": "An action: as text, as an object, or a whole entry of those that are listed.",
        },
    }
    for ruleset in RULESETS.values():
        start = prefix(ruleset)
        found[f"{start}GameIn"] = _game_in(ruleset, schemas["GameIn"])
        found[f"{start}ArenaIn"] = _body_of_ruleset(ruleset, schemas["ArenaIn"], {})
        found |= {f"{start}{name}": seat for name, seat in _seats_in(ruleset, schemas["SeatIn"]).items()}
    return found


def _game_in(ruleset: Ruleset, game_in: Json) -> Json:
    start = prefix(ruleset)
    position = maybe(ref(f"{start}Position"), description="start from here; it brings its own options")
    seats = {**game_in["properties"]["seats"], "items": ref(f"{start}SeatIn")}
    return _body_of_ruleset(ruleset, game_in, {"position": position, "seats": seats})


def _body_of_ruleset(ruleset: Ruleset, body: Json, more: Mapping[str, Json]) -> Json:
    """Return a body's schema for one ruleset, with the ruleset's options and numbers of seats."""
    fields = {**body["properties"], **more, "ruleset": constant(ruleset.name), "options": ruleset.options}
    counts, seats = ruleset.player_counts, fields["seats"]
    words = f"{seats['description']}: exactly {join_or(counts)} of them"
    fields["seats"] = {**seats, "minItems": min(counts), "maxItems": max(counts), "description": words}
    return {**body, "properties": fields}


def _name_and_level_by_kind(name: Json, any_level: Json) -> dict[str, Json]:
    level = {key: value for key, value in any_level.items() if key != "default"}
    level |= {"type": "string", "enum": [one for one in level["enum"] if one is not None]}
    nothing = {"type": "null"}
    return {
        "human": {"name": name, "level": nothing},
        "ai": {"level": level, "name": nothing},
        "open": {"name": nothing, "level": nothing},
    }


def _seats_in(ruleset: Ruleset, seat_in: Json) -> dict[str, Json]:
    """Return the schemas of a seat by kind: people have names, AIs have levels, and all have the seat options."""
    start, fields = prefix(ruleset), seat_in["properties"]
    asked = {
        field: {**ruleset.options["properties"][option]["items"], "description": "of the seat's own choice"}
        for field, option in ruleset.seat_options.items()
    }
    kinds = _name_and_level_by_kind(fields["name"], fields["level"])
    mapping = {kind: f"{COMPONENT_PREFIX}{start}{camel(kind)}SeatIn" for kind in kinds}
    found: dict[str, Json] = {
        "SeatIn": {
            "oneOf": [{"$ref": target} for target in mapping.values()],
            "discriminator": {"propertyName": "kind", "mapping": mapping},
        }
    }
    for kind, own in kinds.items():
        found[f"{camel(kind)}SeatIn"] = {
            "type": "object",
            "required": ["kind", "level"] if kind == "ai" else ["kind"],
            "properties": {"kind": constant(kind), **own, **asked},
            "additionalProperties": False,
        }
    return found
