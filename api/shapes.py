"""What is answered, as JSON Schema and by example: documentation for ``openapi.yaml``, nothing is computed from it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from api.problems import KINDS, MEDIA_TYPE, document
from api.schemas import KINDS as SEAT_KINDS
from api.schemas import SEAT_FIELDS, SIGNALS
from engines.opponents import LEVELS
from engines.ruleset import Json
from engines.table import STATUSES
from workers.errands import STATUSES as JOB_STATUSES

TEXT: Final[Json] = {"type": "string"}
WHOLE: Final[Json] = {"type": "integer"}
SEAT: Final[Json] = {"type": "integer", "minimum": 0}
VERSION: Final[Json] = {"type": "integer", "minimum": 0, "description": "counts every change of the game"}
TIME: Final[Json] = {"type": "string", "format": "date-time"}
TOKEN: Final[Json] = {"type": "string", "description": "an opaque bearer token; shown here and never again"}


def ref(name: str) -> Json:
    """Point at a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def shape(properties: Mapping[str, Json], *, optional: Iterable[str] = (), **words: Any) -> Json:
    """Return the schema of an object that has all *properties* but, perhaps, the *optional* ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": dict(properties), **words}


def maybe(schema: Json) -> Json:
    """Return *schema* or null."""
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def many(schema: Json) -> Json:
    """Return a list of *schema*."""
    return {"type": "array", "items": schema}


VIEW: Final = {"type": "object", "description": "the game as the bearer may know it, in the ruleset's notation"}

GAME_FIELDS: Final[Mapping[str, Json]] = {
    "id": TEXT,
    "ruleset": TEXT,
    "status": {"type": "string", "enum": list(STATUSES)},
    "version": VERSION,
    "seats": many(ref("Seat")),
    "to_act": {**many(SEAT), "description": "who must act now"},
    "may_act": {**many(SEAT), "description": "who may interrupt"},
    "deadline": {**maybe(TIME), "description": "when an AI will act for whoever must"},
    "commitment": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of the secret seed"},
    "created": TIME,
    "updated": TIME,
    "you": {**maybe(SEAT), "description": "the bearer's seat; null: a spectator, or the host"},
    "view": {**maybe(VIEW), "description": "the game as the bearer may know it; null before the start"},
    "outcome": {"type": ["object", "null"], "description": "how the game ended"},
}
CREATED_FIELDS: Final[Mapping[str, Json]] = {
    "tokens": {"type": "object", "additionalProperties": TOKEN, "description": "seat number -> that seat's token"},
    "host_token": TOKEN,
    "invite": {"type": "string", "description": "lets others join a private game while seats are open"},
}
JOINED_FIELDS: Final[Mapping[str, Json]] = {"seat": SEAT, "token": TOKEN}
RECORD_FIELDS: Final[Mapping[str, Json]] = {
    "format": {"const": 1},
    "id": TEXT,
    "ruleset": TEXT,
    "players": WHOLE,
    "options": {"type": "object"},
    "position": {"type": ["object", "null"]},
    "seed": {"type": "string", "description": "the secret seed, in hex"},
    "client_seeds": many(TEXT),
    "commitment": TEXT,
    "seats": many(ref("Seat")),
    "actions": many(ref("Recorded")),
    "outcome": {"type": ["object", "null"]},
}
RULESET_FIELDS: Final[Mapping[str, Json]] = {
    "name": TEXT,
    "title": TEXT,
    "players": many(WHOLE),
    "cooperative": {"type": "boolean"},
    "options": {"type": "object", "description": "JSON Schema of the options"},
    "seat_options": {**many(TEXT), "description": "what a seat may ask for by itself"},
    "actions": {**many(TEXT), "description": "the types of action"},
    "levels": {**many(TEXT), "description": "how well AIs play"},
}

SHARE: Final[Json] = {"type": "number", "minimum": 0, "maximum": 1}
JOB_FIELDS: Final[Mapping[str, Json]] = {
    "id": TEXT,
    "kind": {"type": "string", "description": "what is done, and so what the result is: `hint` or `arena`"},
    "status": {"type": "string", "enum": list(JOB_STATUSES)},
    "progress": SHARE,
    "result": {"oneOf": [ref("Hint"), ref("ArenaResult"), {"type": "null"}], "description": "once it has finished"},
    "problem": {**maybe(ref("Problem")), "description": "if it has failed"},
}

COMPONENTS: Final[Mapping[str, Json]] = {
    "Seat": shape(
        {
            "seat": SEAT,
            "kind": {"type": "string", "enum": list(SEAT_KINDS)},
            "name": TEXT,
            "level": {"type": "string", "enum": list(LEVELS)},
            **{field: {} for field in SEAT_FIELDS},
        },
        optional=("name", "level", *SEAT_FIELDS),
    ),
    "Game": shape(GAME_FIELDS),
    "CreatedGame": shape({**GAME_FIELDS, **CREATED_FIELDS}, optional=("invite",)),
    "JoinedGame": shape({**GAME_FIELDS, **JOINED_FIELDS}),
    "Games": shape({"games": many(ref("Game")), "next_cursor": maybe(TEXT)}),
    "Action": {"type": "object", "required": ["type"], "properties": {"type": TEXT}},
    "Actions": shape({"version": VERSION, "actions": many(shape({"action": ref("Action"), "text": TEXT}))}),
    "Event": shape({"version": VERSION, "type": TEXT, "seat": maybe(SEAT)}, optional=("version", "seat")),
    "Events": shape({"events": many(ref("Event"))}),
    "Message": shape(
        {
            "version": VERSION,
            "events": many(ref("Event")),
            "view": maybe(VIEW),
            "to_act": many(SEAT),
            "may_act": many(SEAT),
            "status": {"type": "string", "enum": list(STATUSES)},
        },
        description="a version of a game, as a stream tells it",
    ),
    "PastView": shape({"version": VERSION, "view": maybe(VIEW)}),
    "Turn": shape({"version": VERSION, "events": many(ref("Event")), "view": VIEW, "to_act": many(SEAT)}),
    "Rehearsed": shape({"legal": {"const": True}}),
    "Recorded": shape(
        {
            "version": VERSION,
            "seat": SEAT,
            "action": ref("Action"),
            "text": TEXT,
            "at": TIME,
            "ai": {
                "type": ["object", "null"],
                "description": "which AI chose it: level, seed, iterations, view_sha256,"
                " and the signals that it weighed, if any were given (R22)",
            },
        }
    ),
    "Record": shape(RECORD_FIELDS),
    "Ruleset": shape(RULESET_FIELDS),
    "Rulesets": shape({"rulesets": many(ref("Ruleset"))}),
    "Job": shape(JOB_FIELDS),
    "Hint": shape(
        {
            "version": VERSION,
            "actions": {
                **many(shape({"action": maybe(ref("Action")), "text": TEXT, "value": SHARE, "visits": WHOLE})),
                "description": "best first; `value` is the estimated chance to win, `visits` how many imagined games"
                " it rests on (0: untried, and taken to be a little worse than the others); a null action is to wait",
            },
            "why": {"type": "string", "description": "one sentence on the best of them"},
        }
    ),
    "ArenaResult": shape(
        {
            "ruleset": TEXT,
            "options": {"type": "object"},
            "seed": TEXT,
            "games": WHOLE,
            "seats": many(ref("Rate")),
            "mean_score": {"type": ["number", "null"], "description": "how far a team came; null among rivals"},
            "outcomes": {
                "type": "object",
                "additionalProperties": WHOLE,
                "description": "how often games ended in which way: medals, reasons",
            },
            "turns": shape({"median": WHOLE, "p99": WHOLE}, description="actions in a game"),
            "seconds": {"type": "number", "description": "from the request to the end"},
        }
    ),
    "Rate": shape(
        {
            "seat": {**SEAT, "description": "whose place in the request it is"},
            "level": {"type": "string", "enum": list(LEVELS)},
            "wins": WHOLE,
            "draws": WHOLE,
            "rate": SHARE,
            "low": {**SHARE, "description": "where the Wilson 95 % interval begins"},
            "high": {**SHARE, "description": "where it ends"},
        }
    ),
    "StartedJob": shape({**JOB_FIELDS, "job_token": TOKEN}),
    "Signal": {"type": "string", "enum": list(SIGNALS)},
    "Alive": shape({"status": {"const": "ok"}}),
    "Ready": shape({"storage": {"const": True}, "worker": {"const": True}}),
    "Explanation": shape({"code": TEXT, "status": WHOLE, "title": TEXT, "explanation": TEXT}),
    "Problem": shape(
        {
            "type": {"type": "string", "format": "uri-reference", "description": "a path that explains the problem"},
            "title": TEXT,
            "status": WHOLE,
            "detail": {"type": "string", "description": "a sentence for a person"},
            "code": {"type": "string", "enum": list(KINDS)},
            "rule": {"type": "string", "description": "the ruling that forbids it, as in R13"},
            "version": VERSION,
            "errors": {"type": "object", "additionalProperties": many(TEXT), "description": "field -> messages"},
            "retry_after": {"type": "integer", "description": "seconds"},
        },
        optional=("rule", "version", "errors", "retry_after"),
    ),
}

SEEN: Final[Json] = {
    "id": "5f2b8c0d9e7a41c3b6d2",
    "ruleset": "regicide",
    "status": "waiting",
    "version": 0,
    "seats": [{"seat": 0, "kind": "human", "name": "Ana"}, {"seat": 1, "kind": "open"}],
    "to_act": [],
    "may_act": [],
    "deadline": None,
    "commitment": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "created": "2026-11-21T12:00:00.000Z",
    "updated": "2026-11-21T12:00:00.000Z",
    "you": 0,
    "view": None,
    "outcome": None,
}
ABANDONED: Final[Json] = {**SEEN, "status": "abandoned", "version": 1, "you": None}
CREATED: Final[Json] = {**SEEN, "tokens": {"0": "rs_..."}, "host_token": "rh_..."}
JOINED: Final[Json] = {**SEEN, "version": 1, "you": 1, "seat": 1, "token": "rs_..."}
JOB: Final[Json] = {
    "id": "8c1f0d6b2a9e4f7780aa",
    "kind": "hint",
    "status": "queued",
    "progress": 0.0,
    "result": None,
    "problem": None,
}
HINTED: Final[Json] = {
    **JOB,
    "status": "finished",
    "progress": 1.0,
    "result": {
        "version": 7,
        "actions": [
            {"action": {"type": "play", "cards": ["5C"]}, "text": "play 5C", "value": 0.62, "visits": 812},
            {"action": {"type": "yield"}, "text": "yield", "value": 0.44, "visits": 31},
        ],
        "why": "Seat 0 plays 5♣ for 5; the enemy takes 10: 2 left: an estimated 62% to win, against 44% for yield.",
    },
}
ARENA: Final[Json] = {**JOB, "kind": "arena", "job_token": "rj_..."}

PROBLEMS: Final[Mapping[str, Json]] = {
    code: {"summary": str(kind.title), "value": document({"code": code, "detail": str(kind.explanation)})}
    for code, kind in KINDS.items()
}


def problem_responses(codes: Iterable[str]) -> dict[int, dict[str, Any]]:
    """Return what ``alt_response`` needs for each status among *codes*: every code is an example of it."""
    by_status: defaultdict[int, list[str]] = defaultdict(list)
    for code in dict.fromkeys(codes):
        by_status[KINDS[code].status].append(code)
    return {
        status: {
            "schema": ref("Problem"),
            "content_type": MEDIA_TYPE,
            "description": " / ".join(str(KINDS[code].title) for code in alike),
            "examples": {code: {"$ref": f"#/components/examples/{code}"} for code in alike},
        }
        for status, alike in sorted(by_status.items())
    }
