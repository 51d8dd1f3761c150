"""Schemas shared by several responses: seats, versions, tokens, references."""

from collections.abc import Mapping
from typing import Any, Final

from api.contract.level_names import LEVELS
from engines import RULESETS
from engines.core.schemas import COUNT, many, one_of
from engines.core.types import Json
from engines.table.table import STATUSES
from workers.storage.tasks import STATUSES as JOB_STATUSES

SEAT: Final[Json] = {"type": "integer", "minimum": 0, "description": "a seat's number, clockwise from 0"}
SEATS: Final[Json] = many(COUNT, uniqueItems=True)
VERSION: Final[Json] = {"type": "integer", "minimum": 0, "description": "counts every change of the game"}
TIME: Final[Json] = {"type": "string", "format": "date-time", "description": "RFC 3339, UTC"}
SHA256: Final[Json] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SEAL: Final[Json] = {**SHA256, "description": "HMAC-SHA256 under the game key, which the record reveals"}
ID: Final[Json] = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
OPTIONS: Final[Json] = {
    "anyOf": [ruleset.options for ruleset in RULESETS.values()],
    "description": "all of them, filled in",
}
PLAYERS: Final[Json] = {"type": "integer", "minimum": 1}
LABEL: Final[Json] = {"type": "string", "description": "what a button would say, in the reader's language"}

FRACTION: Final[Json] = {"type": "number", "minimum": 0, "maximum": 1}


def ref(name: str) -> Json:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


RULESET: Final[Json] = ref("RulesetName")
LEVEL: Final[Json] = ref("Level")
GAME_STATUS: Final[Json] = ref("GameStatus")
JOB_STATUS: Final[Json] = ref("JobStatus")
ENUMERATIONS: Final[Mapping[str, Json]] = {
    "RulesetName": one_of(tuple(RULESETS), description="the name of a ruleset"),
    "Level": one_of(tuple(LEVELS), description="how well the AI plays"),
    "GameStatus": one_of(STATUSES, description="how the game stands"),
    "JobStatus": one_of(JOB_STATUSES, description="how the job stands"),
}
"""Enumerations that are used in several places. Each becomes one type in generated clients."""


def token(kind: str, whose: str) -> Json:
    """Return the schema of a token whose prefix is *kind*. *whose* names its owner in the description."""
    words = f"an opaque bearer token, {whose}; shown here and never again"
    return {"type": "string", "pattern": f"^{kind}_[0-9a-f]{{20}}_[A-Za-z0-9_-]{{43}}$", "description": words}


def plain_numbers(node: Any, named: Mapping[str, Json]) -> Any:
    """Return the schema *node* with each reference to one of the *named* integer schemas replaced by that schema.

    The integers in lists lose their bounds. Client generators would turn named or bounded integers into classes whose
    instances don't equal plain numbers.
    """
    if isinstance(node, list):
        return [plain_numbers(value, named) for value in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).rpartition("/")[2]
    if name in named:
        return {**named[name], **{word: value for word, value in node.items() if word != "$ref"}}
    plain = {word: plain_numbers(value, named) for word, value in node.items()}
    items = plain.get("items")
    if isinstance(items, dict) and items.get("type") == "integer":
        plain["items"] = {word: value for word, value in items.items() if word not in ("minimum", "maximum")}
    return plain
