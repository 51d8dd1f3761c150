"""Additions of ``openapi.yaml`` to every operation: response headers, path parameters and links."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from api.contract import examples
from api.contract.shared_schemas import ID, RULESET
from api.problems.documents import MEDIA_TYPE, PROBLEM_TYPES
from engines.core.schemas import camel, one_of, whole
from engines.core.types import Json

NOT_MODIFIED: Final = {"304": {"description": "It is still what you have."}}
"""The 304 response of public, cacheable resources."""

HEADER_COMPONENTS: Final[Mapping[str, Json]] = {
    "X-Request-Id": {
        "description": "The request's id, in our logs too: yours, if you sent a sane one under this name.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
        "example": "0c9b3f5c8f9e4d51a3b0f9c1d2e3f405",
    },
    "ETag": {
        "description": "The game's version, in quotes: for If-Match and If-None-Match.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
        "example": '"7"',
    },
    "Location": {
        "description": "Where the new resource is.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
        "example": "/v1/games/5f2b8c0d9e7a41c3b6d2",
    },
    "Retry-After": {
        "description": "Seconds after which to try again, if that may help.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 1,
    },
    "WWW-Authenticate": {
        "description": "Which kind of token is asked for (RFC 6750).",
        "required": True,
        "schema": {"type": "string"},
        "example": 'Bearer realm="regicide"',
    },
    "RateLimit-Policy": {
        "description": "How many requests (`q`) of this kind you may make in so many seconds (`w`)."
        " draft-ietf-httpapi-ratelimit-headers-11. Missing where any number is let through.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";q=[0-9]+;w=[0-9]+$'},
        "example": '"requests";q=12000;w=60',
    },
    "RateLimit": {
        "description": "How many of them are left (`r`), and after how many seconds you have all again (`t`).",
        "schema": {"type": "string", "pattern": '^"[a-z]+";r=[0-9]+;t=[0-9]+$'},
        "example": '"requests";r=11999;t=60',
    },
}
ETAG_HEADER_REFERENCE: Final[Json] = {"$ref": "#/components/headers/ETag"}
LOCATION_HEADER_REFERENCE: Final[Json] = {"$ref": "#/components/headers/Location"}

NEXT_GAME_CREATED_RESPONSE: Final[Json] = {
    "201": {
        "description": "The game has been set up, and you sit there.",
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/NextGame"}, "examples": examples.NEXT_GAMES}
        },
        "headers": {"Location": LOCATION_HEADER_REFERENCE},
    }
}
"""The 201 response of ``nextGame``, in addition to its 200 response."""

PATH_PARAMETERS: Final[Mapping[str, Json]] = {
    "game_id": {"description": "The game's `id`.", "schema": ID, "example": "5f2b8c0d9e7a41c3b6d2"},
    "name": {"description": "The ruleset's `name`.", "schema": RULESET},
    "seat": {"description": "A seat's number.", "schema": whole(0, 9), "example": 1},
    "puzzle_id": {"description": "The puzzle's `id`.", "schema": ID, "example": "regicide-20261126001-4"},
    "job_id": {"description": "The job's `id`.", "schema": ID, "example": "8c1f0d6b2a9e4f7780aa"},
    "version": {"description": "A version of the game, past or present.", "schema": whole(0), "example": 3},
    "code": {"description": "The problem's `code`.", "schema": one_of(tuple(PROBLEM_TYPES))},
}

GAME_OPERATIONS: Final = (
    *("getGame", "listActions", "act", "listEvents", "joinGame", "startGame", "abandonGame", "handOver", "signal"),
    *("getRecord", "streamGame", "askHint", "nextGame", "startReview"),
)
"""Ids of the operations on a game."""

FIRST_LEGAL_ACTION_EXPRESSION: Final = "$response.body#/actions/0/action"


def _game_links(game_id: str, *, answer: str, **more: Json) -> Json:
    """Return links to all operations on a game, by operation. *game_id* is the expression for its id in the response.

    *answer* names the field that has the id, for the descriptions ("*answer* says which game."). *more* has, by
    operation, fields that are added to its link or replace those of its link.
    """
    links: Json = {
        operation: {
            "operationId": operation,
            "description": f"{answer} says which game.",
            "parameters": {"path.game_id": game_id},
        }
        for operation in GAME_OPERATIONS
    }
    for operation, words in more.items():
        links[operation] = {**links[operation], **words}
    return links


VERSION_LINKS: Final[Json] = {
    "description": "Read again only what has changed.",
    "parameters": {"path.game_id": "$response.body#/id", "header.If-None-Match": "$response.header.ETag"},
}

JOB_LINKS: Final[Json] = {
    operation: {"operationId": operation, "description": words, "parameters": {"path.job_id": "$response.body#/id"}}
    for operation, words in (("getJob", "See how far it is."), ("cancelJob", "Give it up."))
}

LINKS_BY_RESPONSE: Final[Mapping[tuple[str, str], Json]] = {
    ("createGame", "201"): _game_links("$response.body#/id", answer="The `id`"),
    ("joinGame", "200"): _game_links(
        "$response.body#/id",
        answer="The `id`",
        handOver={
            "description": "Let an AI play on at your seat.",
            "parameters": {"path.game_id": "$response.body#/id", "path.seat": "$response.body#/seat"},
        },
    ),
    ("getGame", "200"): {"getGame": {"operationId": "getGame", **VERSION_LINKS}},
    ("listActions", "200"): {
        "act": {
            "operationId": "act",
            "description": "Any action that is listed can be taken: here, the first.",
            "parameters": {"path.game_id": "$request.path.game_id"},
            "requestBody": FIRST_LEGAL_ACTION_EXPRESSION,
        }
    },
    ("listGames", "200"): {
        "getGame": {
            "operationId": "getGame",
            "description": "Look at a game of the list: here, the first.",
            "parameters": {"path.game_id": "$response.body#/games/0/id"},
        }
    },
    ("askHint", "202"): JOB_LINKS,
    ("startReview", "202"): JOB_LINKS,
    ("startArena", "202"): JOB_LINKS,
    ("listRulesets", "200"): {
        operation: {
            "operationId": operation,
            "description": "Read about a ruleset of the list: here, the first.",
            "parameters": {"path.name": "$response.body#/rulesets/0/name"},
        }
        for operation in ("getRuleset", "getRules")
    },
}
"""Links by operation and status. All parameters of the linked operations, except tokens, are in request or response."""


def operations(paths: Json) -> Iterator[tuple[Json, list[Json]]]:
    """Yield every operation, with the list of the parameters in its path."""
    for item in paths.values():
        for verb, said in item.items():
            if verb != "parameters":
                yield said, item.get("parameters", [])


def add_shared_parts(paths: Json, schemas: Mapping[str, Json]) -> None:
    """Add descriptions of parameters and responses, headers and links to each operation. *paths* is changed."""
    for said, parameters in operations(paths):
        for parameter in parameters:
            parameter.update(PATH_PARAMETERS.get(parameter["name"], {}))
        for status, answer in said["responses"].items():
            answer["description"] = _description(answer, schemas)
            answer["headers"] = {**answer.get("headers", {}), **_headers(status, answer, said["responses"])}
            if links := LINKS_BY_RESPONSE.get((said["operationId"], status)):
                answer["links"] = links


def _description(answer: Json, schemas: Mapping[str, Json]) -> str:
    """Return the description of a response: that of the component to which its schema refers, else its own."""
    for content in answer.get("content", {}).values():
        if "$ref" in content["schema"]:
            return str(schemas[content["schema"]["$ref"].rpartition("/")[2]]["description"])
    return str(answer["description"])


def _headers(status: str, answer: Json, responses: Json) -> Json:
    """Return the headers of one of the *responses* of an operation. Rate-limited operations have ``RateLimit``."""
    names = ["X-Request-Id", *(("RateLimit-Policy", "RateLimit") if "429" in responses else ())]
    if status == "401":
        names.append("WWW-Authenticate")
    if status in ("429", "503") or "in_progress" in _codes(answer):
        names.append("Retry-After")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _codes(answer: Json) -> list[str]:
    return list(answer.get("content", {}).get(MEDIA_TYPE, {}).get("examples", {}))


def codes(paths: Json) -> list[str]:
    """Return the codes of all problems that some operation answers, in the order of ``PROBLEM_TYPES``."""
    found = {code for said, _ in operations(paths) for answer in said["responses"].values() for code in _codes(answer)}
    return [code for code in PROBLEM_TYPES if code in found]


def shared_problems(paths: Json) -> dict[str, Json]:
    """Move the problem responses that several operations share out of *paths*, and return them by component name.

    *paths* is changed: a ``$ref`` takes the place of each of them.
    """
    places: defaultdict[str, list[tuple[Json, str]]] = defaultdict(list)
    for said, _ in operations(paths):
        for status, answer in said["responses"].items():
            if found := _codes(answer):
                unlimited = "" if "RateLimit" in answer["headers"] else "Unlimited"
                places["Or".join(camel(code) for code in found) + unlimited].append((said["responses"], status))
    shared = {name: alike for name, alike in sorted(places.items()) if len(alike) > 1}
    components = {name: alike[0][0][alike[0][1]] for name, alike in shared.items()}
    for name, alike in shared.items():
        for responses, status in alike:
            responses[status] = {"$ref": f"#/components/responses/{name}"}
    return components
