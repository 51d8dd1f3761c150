"""Response schemas as JSON Schema. They are used for ``openapi.yaml`` alone."""

from collections.abc import Mapping
from typing import Final

from api.contract import job_responses
from api.contract.requests import SEAT_FIELDS, SEAT_KINDS, SIGNALS
from api.contract.shared_schemas import (
    ENUMERATIONS,
    FRACTION,
    GAME_STATUS,
    ID,
    LABEL,
    LEVEL,
    OPTIONS,
    PLAYERS,
    RULESET,
    SEAL,
    SEAT,
    SEATS,
    SHA256,
    TIME,
    VERSION,
    ref,
    token,
)
from api.problems.documents import PROBLEM_TYPES
from engines import RULESETS
from engines.contract.suitable_level import ELO, PERCENT
from engines.core.schemas import COUNT, TEXT, many, maybe, one_of, shape, whole
from engines.core.types import Json
from engines.table.table import STATUSES
from workers.readiness import REASON_CODES_WORST_FIRST


def seat_option(field: str) -> Json:
    """Return the schema of the seat option *field*. If several rulesets have it, any of their schemas may apply."""
    items = [
        ruleset.options["properties"][ruleset.seat_options[field]]["items"]
        for ruleset in RULESETS.values()
        if field in ruleset.seat_options
    ]
    words = {"description": "what the seat asked for"}
    return {**items[0], **words} if len(items) == 1 else {"anyOf": items, **words}


GAME_FIELDS: Final[Mapping[str, Json]] = {
    "id": ID,
    "ruleset": RULESET,
    "status": GAME_STATUS,
    "version": VERSION,
    "seats": many(ref("Seat"), 1),
    "to_act": {**SEATS, "description": "who must act now"},
    "may_act": {**SEATS, "description": "who may interrupt"},
    "deadline": maybe(TIME, description="when an AI will act for whoever must; null if nobody is timed"),
    "commitment": {**SHA256, "description": "SHA-256 of the secret seed, which the record reveals"},
    "created": TIME,
    "updated": TIME,
    "you": maybe(SEAT, description="the bearer's seat; null: a spectator, or the host"),
    "view": maybe(ref("View"), description="the game as the bearer may know it; null before the start"),
    "outcome": maybe(ref("Outcome"), description="how the game ended; null while it runs, and if it was abandoned"),
}
COMMITMENT_FIELDS: Final[Mapping[str, Json]] = {
    "id": {"type": "string", "pattern": "^[0-9a-f]{20}$", "description": "for `commitment` of a new game"},
    "commitment": {**SHA256, "description": "SHA-256 of the secret seed, which the record of that game reveals"},
    "expires": {**TIME, "description": "when it can't be used any more"},
}
CREATED_FIELDS: Final[Mapping[str, Json]] = {
    "tokens": {
        "type": "object",
        "propertyNames": {"pattern": "^[0-9]$"},
        "additionalProperties": token("rs", "the seat's"),
        "description": "number of a human seat -> that seat's token",
    },
    "host_token": token("rh", "the host's"),
    "invite": token("ri", "for `join`: lets others into a private game while seats are open"),
}
JOINED_FIELDS: Final[Mapping[str, Json]] = {"seat": SEAT, "token": token("rs", "the seat's")}
RECORD_FIELDS: Final[Mapping[str, Json]] = {
    "format": {"type": "integer", "const": 1},
    "id": ID,
    "ruleset": RULESET,
    "players": PLAYERS,
    "options": OPTIONS,
    "position": maybe(ref("Position"), description="what the game started from, if it wasn't dealt"),
    "seed": {**SHA256, "description": "the secret seed, in hex"},
    "client_seeds": many(TEXT, 1, description="by seat; empty where none was given"),
    "commitment": {**SHA256, "description": "SHA-256 of the secret seed's bytes, as was shown all along"},
    "seats": many(ref("Seat"), 1),
    "actions": many(ref("Recorded"), description="every action, in order"),
    "outcome": maybe(ref("Outcome"), description="null if the game was abandoned"),
    "ai_notes": {**SHA256, "description": "the last link of the chain of what AIs noted, as it was committed"},
}
RECORDED_AI: Final[Json] = shape(
    {
        "level": LEVEL,
        "seed": {"type": "string", "description": "the seed text that it chose by"},
        "iterations": {**COUNT, "description": "so many imagined games; 0 without search"},
        "view_sha256": {**SHA256, "description": "of the view that it chose by: UTF-8 JSON, keys sorted, no spaces"},
        "budget": shape(
            {
                "iterations": whole(1),
                "seconds": {"type": ["number", "null"], "description": "null: as long as it takes"},
                "foresight": whole(1, description="how often imagined games are judged, each time further on"),
            },
            description="how long and how far it might search; absent for an AI that doesn't",
        ),
        "helper_iterations": whole(1, description="so many imagined games of a second search were counted too"),
        "signals": {
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]$"},
            "additionalProperties": one_of(SIGNALS),
            "description": "seat -> the signal that it weighed, if any were given",
        },
    },
    optional=("budget", "helper_iterations", "signals"),
)
RULESET_FIELDS: Final[Mapping[str, Json]] = {
    "name": RULESET,
    "title": TEXT,
    "players": many(PLAYERS, 1, uniqueItems=True),
    "cooperative": {"type": "boolean", "description": "all win or lose together"},
    "options": {"type": "object", "description": "JSON Schema of the options"},
    "seat_options": many(TEXT, uniqueItems=True, description="what a seat may ask for by itself"),
    "actions": many(TEXT, 1, uniqueItems=True, description="the types of action"),
    "levels": many(TEXT, 1, uniqueItems=True, description="how well AIs play, the weakest first"),
    "ratings": {
        "type": "object",
        "additionalProperties": {"type": "number"},
        "description": "level -> Elo points; where all play together, the per cent of games that a team of two wins",
    },
    "scale": {
        **maybe(ref("Scale")),
        "description": "the level that suits a person of a rating; null if the ratings of levels are unknown",
    },
    "about": {"type": "string", "description": "one sentence about the game, in the reader's language"},
    "picture": {
        **maybe(
            shape(
                {
                    "module": {"type": "string", "description": "path of the module that draws the board"},
                    "styles": many(TEXT, description="paths of its style sheets"),
                }
            )
        ),
        "description": "the game's own picture for browsers; null if it has none",
    },
    "lobby": {**maybe(TEXT), "description": "path of the module with its words for the lobby, if it has one"},
    "icon": {**maybe(TEXT), "description": "path of its icon, if it has one"},
}

REASONS_SCHEMA: Final = {**many(ref("Reason")), "description": "what is wrong with the server, the worst first"}

PUZZLE_FIELDS: Final[Mapping[str, Json]] = {
    "id": ID,
    "ruleset": RULESET,
    "grade": whole(1, 3, description="how many moves must be found; 3: three or more"),
    "seat": {**SEAT, "description": "the solver's, who moves first"},
    "position": ref("Position"),
    "goal": {"type": "string", "description": "a word for programs: win, fell"},
    "goal_text": TEXT,
    "moves": whole(1, description="how many moves must be found"),
}

COMPONENTS: Final[Mapping[str, Json]] = {
    **ENUMERATIONS,
    "TextAction": shape(
        {"text": {"type": "string", "description": "one line, as `GET .../actions` spells it: `play 3D 3S`"}},
        description="An action as text.",
    ),
    "Seat": shape(
        {
            "seat": SEAT,
            "kind": one_of(SEAT_KINDS),
            "name": {"type": "string", "description": "the person's, if one sits or sat there; an AI has one too"},
            "level": {**LEVEL, "description": "how well the AI plays that sits there"},
            "reserved": {"type": "boolean", "description": "open, but only for who sat there in the game before"},
            **{field: seat_option(field) for field in SEAT_FIELDS},
        },
        optional=("name", "level", "reserved", *SEAT_FIELDS),
        description="A place at the table, as everybody may know it.",
    ),
    "Game": shape(
        {**GAME_FIELDS, "notice": {**TEXT, "description": "what the operator tells all tables; absent if nothing"}},
        optional=("notice",),
        description="The game as the bearer may see it.",
    ),
    "Notice": shape(
        {"notice": maybe(TEXT, description="null: it was taken back")},
        description="The operator's notice has changed, as a stream tells it.",
    ),
    "Operator": shape(
        {
            "games": {
                "type": "object",
                "additionalProperties": shape(dict.fromkeys(STATUSES, COUNT)),
                "description": "the number of games by ruleset and status",
            },
            "latest": many(ref("OperatorGame"), description="those that changed last, private ones too"),
            "load": shape(
                {"one_minute": {"type": "number"}, "processors": whole(1)},
                description="of the machine that answers: processes that ran or waited, on average",
            ),
            "ais_waiting": {**COUNT, "description": "jobs that people wait for"},
            "overdue": {**COUNT, "description": "games that the sweeper is to look after now"},
            "store": shape({"bytes": COUNT}, description="the memory that it takes"),
            "ready": {"type": "boolean"},
            "reasons": REASONS_SCHEMA,
            "banner": maybe(TEXT),
        },
        description="How the server is.",
    ),
    "OperatorGame": shape(
        {
            "id": ID,
            "ruleset": RULESET,
            "status": GAME_STATUS,
            "version": VERSION,
            "updated": TIME,
            "seats": many(TEXT, description="their names"),
        },
        description="A game, as its operator sees it: nothing of anybody's cards.",
    ),
    "Banner": shape({"banner": maybe(TEXT)}, description="What all tables show."),
    "Commitment": shape(COMMITMENT_FIELDS, description="The promise of a secret seed, for one game."),
    "CreatedGame": shape(
        {**GAME_FIELDS, **CREATED_FIELDS},
        optional=("invite",),
        description="The game as its creator's first own seat sees it, and every token: they are shown here alone.",
    ),
    "NextGame": shape(
        {**GAME_FIELDS, "tokens": CREATED_FIELDS["tokens"], "invite": CREATED_FIELDS["invite"]},
        optional=("invite",),
        description="The game that the same seats play next, as your seat sees it, and your token there.",
    ),
    "JoinedGame": shape(
        {**GAME_FIELDS, **JOINED_FIELDS}, description="The game as the new seat sees it, and the seat's token."
    ),
    "Games": shape(
        {"games": many(ref("Game")), "next_cursor": maybe(TEXT, description="null: this is the last page")},
        description="A page of public games, as a spectator sees them.",
    ),
    "LegalAction": shape(
        {"action": ref("Action"), "text": TEXT, "label": LABEL},
        description="One action in both spellings, and in words.",
    ),
    "Actions": shape(
        {"version": VERSION, "actions": many(ref("LegalAction"))},
        description="Everything that the bearer's seat may do at that version.",
    ),
    "Events": shape(
        {
            "events": many(ref("RecordedEvent")),
            "ai_notes": {
                "type": "object",
                "propertyNames": {"pattern": "^[0-9]+$"},
                "additionalProperties": SEAL,
                "description": "version -> the seal of what the AI noted that made it; keep it for `regicide verify`",
            },
        },
        description="What happened, in order, as the bearer may know it.",
    ),
    "Message": shape(
        {
            "version": VERSION,
            "events": many(ref("Event"), description="what made the version, as the bearer may know it"),
            "view": maybe(ref("View"), description="null before the start"),
            "to_act": GAME_FIELDS["to_act"],
            "may_act": GAME_FIELDS["may_act"],
            "status": GAME_STATUS,
            "ai_note": {**SEAL, "description": "the seal of what the AI noted that made it; keep it for `verify`"},
        },
        optional=("ai_note",),
        description="A version of a game, as a stream tells it.",
    ),
    "PastView": shape(
        {"version": VERSION, "view": maybe(ref("View"), description="null before the start")},
        description="The game as the bearer knew it at that version.",
    ),
    "PastPosition": shape(
        {"version": VERSION, "position": maybe(ref("Position"), description="null before the start")},
        description="The whole position at that version, hidden cards included.",
    ),
    "Rematch": shape(
        {
            "id": maybe(ID, description="the next game's; null while nobody has asked"),
            "asked": many(SEAT, description="the seats of this game whose people have asked to play again"),
        },
        description="Who has asked to play again.",
    ),
    "Turn": shape(
        {
            "version": {**VERSION, "description": "the version that the action made"},
            "status": GAME_STATUS,
            "outcome": GAME_FIELDS["outcome"],
            "events": many(ref("Event"), 1, description="what happened, as your seat may know it"),
            "view": ref("View"),
            "to_act": GAME_FIELDS["to_act"],
            "may_act": GAME_FIELDS["may_act"],
        },
        description="The action has been taken.",
    ),
    "Rehearsed": shape(
        {
            "legal": {"type": "boolean", "const": True},
            "events": many(ref("Foreseen"), description="what follows for sure from what your seat knows"),
            "certain": {"type": "boolean", "description": "that is all: no card is drawn, nothing hidden turns up"},
        },
        description="The action would be accepted.",
    ),
    "Foreseen": {
        "type": "object",
        "required": ["type", "seat", "text"],
        "properties": {
            "type": TEXT,
            "seat": maybe(SEAT, description="whose doing it is, or whose loss"),
            "text": {"type": "string", "description": "what happens, as a sentence for its reader"},
        },
        "description": "An event that will happen, with its fields but for those that luck decides.",
    },
    "Recorded": shape(
        {
            "version": {**VERSION, "description": "the version that it made"},
            "seat": SEAT,
            "action": ref("Action"),
            "text": TEXT,
            "at": TIME,
            "ai": {"oneOf": [RECORDED_AI, {"type": "null"}], "description": "which AI chose it; null: a person did"},
        },
        description="One action of a record.",
    ),
    "GameRecord": shape(RECORD_FIELDS, description="All of an ended game: whoever has it can replay and check it."),
    "Ruleset": shape(RULESET_FIELDS, description="What there is to know before a game."),
    "Scale": shape(
        {
            "unit": {
                **one_of((ELO, PERCENT)),
                "description": "of ratings. `elo`: of games between a person and a level that differ by d points the "
                "stronger wins 1 / (1 + 10^(-d/400)). `percent`: a team of two equals wins so many per cent of games, "
                "and a person and a level at the mean of the log-odds, ln(p / (100 - p)), of both",
            },
            "target": {**FRACTION, "description": "the share of games to win at the level that is offered"},
            "offers": many(ref("Offer"), 1, description="the levels, the weakest first"),
        },
        description="Which level suits a person.",
    ),
    "Offer": shape(
        {
            "level": LEVEL,
            "rating": {"type": "number"},
            "low": {"type": ["number", "null"], "description": "null: no limit"},
            "high": {"type": ["number", "null"], "description": "null: no limit"},
        },
        description="A level, for persons whose rating is at least `low` and below `high`.",
    ),
    "Rulesets": shape({"rulesets": many(ref("Ruleset"), 1)}, description="The games that can be played."),
    "Lesson": shape(
        {
            "name": {"type": "string", "description": "its own in the ruleset"},
            "title": TEXT,
            "before": {"type": "string", "description": "what to look at, and what to do"},
            "after": {"type": "string", "description": "what has been seen"},
            "players": {"type": "integer", "minimum": 1, "description": "seats of the position"},
            "position": ref("Position"),
            "solution": many(TEXT, 1, description="the actions of seat 0, in turn"),
            "if_wrong": {**TEXT, "description": "why another action isn't the one that is asked for"},
        },
        optional=("if_wrong",),
        description="A small position that shows one thing of a game.",
    ),
    "Lessons": shape({"lessons": many(ref("Lesson"))}, description="Small positions to learn a game by."),
    "Puzzle": shape(
        {**PUZZLE_FIELDS}, description="A position with a goal that one way alone leads to, without the answer."
    ),
    "PuzzleOfTheDay": shape(
        {
            "day": {"type": "string", "format": "date", "description": "the date in UTC whose puzzle it is"},
            **PUZZLE_FIELDS,
        },
        description="The puzzle of a date, without the answer.",
    ),
    "Puzzles": shape({"puzzles": many(ref("Puzzle"))}, description="Puzzles, the easiest first."),
    "PuzzleStep": shape(
        {"seat": SEAT, "action": ref("Action"), "text": TEXT}, description="An action that the server plays."
    ),
    "PuzzleAnswer": shape(
        {
            "right": {"type": "boolean", "description": "every answer was the only one that keeps the goal"},
            "solved": {"type": "boolean", "description": "nothing is left to find"},
            "line": many(ref("PuzzleStep"), description="what is played after the last answer"),
            "note": {**TEXT, "description": "why a wrong answer has no refutation in `line`"},
        },
        optional=("note",),
        description="What became of a solver's answers.",
    ),
    "Alive": shape({"status": {"type": "string", "const": "ok"}}, description="The web server lives."),
    "Ready": shape(
        {
            "storage": {"type": "boolean", "const": True},
            "durable": {"type": "boolean", "description": "what was answered survives a crash of the storage"},
            "worker": {"type": "boolean", "const": True},
            "reasons": REASONS_SCHEMA,
        },
        description="Storage and a worker can be reached.",
    ),
    "Reason": shape(
        {"code": one_of(REASON_CODES_WORST_FIRST, description="stable: what a program goes by"), "detail": TEXT},
        description="Something that is wrong with the server.",
    ),
    "Explanation": shape(
        {"code": one_of(tuple(PROBLEM_TYPES)), "status": COUNT, "title": TEXT, "explanation": TEXT},
        description="What a problem's code means.",
    ),
    **job_responses.COMPONENTS,
    "Problem": shape(
        {
            "type": {"type": "string", "format": "uri-reference", "description": "a path that explains the problem"},
            "title": TEXT,
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string", "description": "a sentence for a person"},
            "code": one_of(tuple(PROBLEM_TYPES), description="stable: what a program goes by"),
            "rule": {"type": "string", "description": "the ruling that forbids it, as in R13"},
            "version": VERSION,
            "errors": {"type": "object", "additionalProperties": many(TEXT, 1), "description": "field -> messages"},
            "retry_after": {"type": "integer", "minimum": 0, "description": "seconds"},
            "reasons": REASONS_SCHEMA,
        },
        optional=("rule", "version", "errors", "retry_after", "reasons"),
        description="An RFC 9457 problem: what was wrong, for programs (`code`) and for people (`detail`).",
    ),
}
