"""What the contract's answers are made of: seats, versions, tokens, references to components."""

from typing import Final

from engines import RULESETS
from engines.rollouts import LEVELS
from engines.schemas import COUNT, many, one_of
from engines.types import Json

SEAT: Final[Json] = {"type": "integer", "minimum": 0, "description": "a seat's number, clockwise from 0"}
SEATS: Final[Json] = many(COUNT, uniqueItems=True)
VERSION: Final[Json] = {"type": "integer", "minimum": 0, "description": "counts every change of the game"}
TIME: Final[Json] = {"type": "string", "format": "date-time", "description": "RFC 3339, UTC"}
SHA256: Final[Json] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SEAL: Final[Json] = {**SHA256, "description": "HMAC-SHA256 under the game key, which the record reveals"}
ID: Final[Json] = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
RULESET: Final[Json] = one_of(tuple(RULESETS), description="the name of a ruleset")
LEVEL: Final[Json] = one_of(tuple(LEVELS), description="how well the AI plays")
OPTIONS: Final[Json] = {
    "anyOf": [ruleset.options for ruleset in RULESETS.values()],
    "description": "all of them, filled in",
}
PLAYERS: Final[Json] = {"type": "integer", "minimum": 1}
LABEL: Final[Json] = {"type": "string", "description": "what a button would say, in the reader's language"}

SHARE: Final[Json] = {"type": "number", "minimum": 0, "maximum": 1}


def ref(name: str) -> Json:
    """Point at a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def token(kind: str, whose: str) -> Json:
    """Return the schema of a token, whose kind its prefix says."""
    words = f"an opaque bearer token, {whose}; shown here and never again"
    return {"type": "string", "pattern": f"^{kind}_[0-9a-f]{{20}}_[A-Za-z0-9_-]{{43}}$", "description": words}
