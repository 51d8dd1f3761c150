"""Examples for ``openapi.yaml``, computed by the engines: the first minutes of a game in every ruleset."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from json import dumps
from typing import Any, Final, NamedTuple, TypeVar

from engines import RULESETS
from engines.analysis.puzzles import as_json as puzzle_as_json
from engines.analysis.puzzles import stored_puzzles
from engines.core.dealer import commitment
from engines.core.phrase import english
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table import narration, table_json
from engines.table.seats import Seat
from engines.table.table import Change, Table, rfc3339

Examples = Mapping[str, Json]
"""Examples by name, each with ``summary`` and ``value``."""

Made = TypeVar("Made")

GAME_ID: Final = "5f2b8c0d9e7a41c3b6d2"
REMATCH_ID: Final = "7d1e90a35b4c42f8a6e3"
SEED: Final = sha256(b"an example").digest()
SEAT_TOKENS: Final = (f"rs_{GAME_ID}_{'A' * 43}", f"rs_{GAME_ID}_{'B' * 43}")
REMATCH_TOKEN: Final = f"rs_{REMATCH_ID}_{'A' * 43}"
HOST_TOKEN: Final = f"rh_{GAME_ID}_{'C' * 43}"


def at(minutes: int) -> datetime:
    """Return the time that is *minutes* after the beginning of the examples, which is noon."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC) + timedelta(minutes=minutes)


class ExampleGame:
    """A game of one ruleset: Ana creates it and waits, Ben joins, and the first action is taken."""

    def __init__(self, ruleset: Ruleset) -> None:
        others = min(count for count in ruleset.player_counts if count > 1) - 2
        seats = (Seat("human", "Ana"), Seat("open"), *[Seat("ai", level="adept")] * others)
        opening = Table.open(game_id=GAME_ID, ruleset=ruleset, options={}, seats=seats, seed=SEED, now=at(0))
        self.waiting = opening.table
        self.joining = self.waiting.join(1, "Ben", "", at(1))
        self.started = self.joining.table
        self.mover = self.started.to_act()[0]
        self.legal = narration.legal(self.started, self.mover, english)
        self.move = self.started.act(self.mover, self.legal[0]["action"], at(2))

    def created(self) -> Json:
        """Return the response to Ana, who has created the game."""
        tokens = {"tokens": {"0": SEAT_TOKENS[0]}, "host_token": HOST_TOKEN}
        return {**table_json.resource(self.waiting, 0), **tokens}

    def joined(self) -> Json:
        """Return the response to Ben, who has joined the game."""
        return {**table_json.resource(self.started, 1), "seat": 1, "token": SEAT_TOKENS[1]}

    def turn(self) -> Json:
        """Return the response to the first action."""
        after = self.move.table
        return {
            "version": after.version,
            "status": after.status,
            "outcome": after.outcome,
            "events": self._events(self.move),
            "view": after.view(self.mover),
            "to_act": after.to_act(),
            "may_act": after.may_act(),
        }

    def dry_run(self) -> Json:
        """Return the response to a dry run of the first action."""
        action = self.started.ruleset.parse(self.legal[0]["action"])
        return {"legal": True, **narration.foreseen(self.started, self.mover, action, english)}

    def message(self) -> Json:
        """Return the stream message of the first action."""
        return {name: value for name, value in self.turn().items() if name != "outcome"}

    def happened(self) -> Json:
        """Return all events as the seat that acted first may know them."""
        changes = (self.joining, self.move)
        events = [{"version": change.table.version, **event} for change in changes for event in self._events(change)]
        return {"events": events, "ai_notes": {}}

    def next(self) -> Json:
        """Return the response to Ana, who is the first to ask for the next game."""
        ended = self.started.abandon(at(3)).table
        table = ended.next_game(REMATCH_ID, SEED, 0, at(4)).table
        seat = ended.seat_in_rematch(0)
        return {**table_json.resource(table, seat), "tokens": {str(seat): REMATCH_TOKEN}}

    def record(self) -> Json:
        """Return the record after the host has abandoned the game."""
        line = table_json.line(self.started, self.move.entry)
        return table_json.record(self.move.table.abandon(at(3)).table, [line] if line else [])

    def _events(self, change: Change) -> list[Json]:
        seen = [event.as_json() if self._knows(event.knowers()) else event.public() for event in change.events]
        return [narration.with_text(change.table, event, self.mover, english) for event in seen]

    def _knows(self, knowers: tuple[int, ...]) -> bool:
        return not knowers or self.mover in knowers


def _arena_ruleset() -> Ruleset:
    """Return a ruleset for the example of an arena of two seats: a competitive one, if there is one."""
    for_two = [ruleset for ruleset in RULESETS.values() if 2 in ruleset.player_counts]
    return next((ruleset for ruleset in for_two if not ruleset.cooperative), for_two[0])


ARENA_RULESET: Final = _arena_ruleset()
ARENA_REQUEST: Final[Json] = {"ruleset": ARENA_RULESET.name, "seats": ["expert", "adept"], "games": 200}


class FailedExample(NamedTuple):
    """An example that a ruleset couldn't give, and its error."""

    ruleset_name: str
    error: Exception


FAILED_EXAMPLES: Final = list[FailedExample]()
"""The contract lacks these examples. The web server logs them when it has started."""


def _example(ruleset_name: str, make: Callable[[], Made]) -> Made | None:
    """Return the result of *make*. If it raises, return None and add the error to ``FAILED_EXAMPLES``.

    An example is no reason to serve no game at all. The trial of a game (``trial_game.py``) finds most faults earlier.
    """
    try:
        return make()
    except Exception as error:  # noqa: BLE001  the border to an installed game: its code can raise anything
        FAILED_EXAMPLES.append(FailedExample(ruleset_name, error))
        return None


def _example_games() -> Mapping[str, ExampleGame]:
    """Return the example games by ruleset, of all rulesets that two or more can play."""
    for_several = {name: ruleset for name, ruleset in RULESETS.items() if max(ruleset.player_counts) > 1}
    games = {name: _example(name, partial(ExampleGame, ruleset)) for name, ruleset in for_several.items()}
    return {name: game for name, game in games.items() if game is not None}


EXAMPLE_GAMES: Final = _example_games()


def each(write: Callable[[ExampleGame], Any]) -> Examples:
    """Return an example for every ruleset, by its name. *write* returns the value for the ruleset's example game."""
    values = {name: _example(name, partial(write, game)) for name, game in EXAMPLE_GAMES.items()}
    return {
        name: {"summary": RULESETS[name].title, "value": value} for name, value in values.items() if value is not None
    }


def _new_game(game: ExampleGame) -> Json:
    kinds = [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in game.waiting.seats]
    seats = [{name: value for name, value in seat.items() if value is not None} for seat in kinds]
    return {"ruleset": game.waiting.ruleset_name, "seats": seats, "client_seed": "nobody can foresee this"}


def _against_ai(name: str) -> Json:
    """Return the request for a game with AIs and the maximum number of players."""
    ruleset = RULESETS[name]
    ais = [{"kind": "ai", "level": "adept"}] * (max(ruleset.player_counts) - 1)
    return {"summary": f"{ruleset.title}, with AIs", "value": {"ruleset": name, "seats": [{"kind": "human"}, *ais]}}


NEW_GAME_REQUESTS: Final = {**{f"{name}_ai": _against_ai(name) for name in RULESETS}, **each(_new_game)}
"""Requests for new games. Games that start at once come first, because readers try the first example."""
COMMITMENT: Final[Json] = {
    "id": "3e8d51c07fa24b96d1e0",
    "commitment": commitment(SEED),
    "expires": rfc3339(at(15)),
}
CREATED_GAMES: Final = each(ExampleGame.created)
JOINED_GAMES: Final = each(ExampleGame.joined)
GAMES_SEEN_BY_PLAYER: Final = each(lambda game: table_json.resource(game.started, game.mover))
GAMES_SEEN_BY_HOST: Final = each(lambda game: table_json.resource(game.started, None))
HANDED_OVER_GAMES: Final = each(lambda game: table_json.resource(game.started.hand_over(0, "adept", at(2)).table, 0))
ABANDONED_GAMES: Final = each(lambda game: table_json.resource(game.waiting.abandon(at(2)).table, None))
GAME_LIST: Final = {
    "games": [one["value"] for one in each(lambda game: table_json.resource(game.waiting, None)).values()],
    "next_cursor": None,
}
PAST_VIEWS: Final = each(lambda game: {"version": game.started.version, "view": game.started.view(game.mover)})
POSITIONS: Final = each(
    lambda game: {
        "version": game.started.version,
        "position": None if game.started.position is None else game.started.position.dump(),
    }
)
LEGAL_ACTIONS: Final = each(lambda game: {"version": game.started.version, "actions": game.legal})
ACTION_OBJECTS: Final = each(lambda game: game.legal[0]["action"])
ACTION_TEXTS: Final = each(lambda game: {"text": game.legal[0]["text"]})
ACTION_REQUESTS: Final = {**{f"{name}_text": text for name, text in ACTION_TEXTS.items()}, **ACTION_OBJECTS}
DRY_RUNS: Final = {
    f"{name}_dry_run": {**example, "summary": f"{example['summary']}, with dry_run=true"}
    for name, example in each(ExampleGame.dry_run).items()
}
ACTION_RESPONSES: Final = {**each(ExampleGame.turn), **DRY_RUNS}
EVENTS: Final = each(ExampleGame.happened)
NEXT_GAMES: Final = each(ExampleGame.next)
RECORDS: Final = each(ExampleGame.record)
STREAM_MESSAGES: Final = each(ExampleGame.message)
SERVER_SENT_EVENTS: Final = each(lambda game: {"id": "2", "data": dumps(game.message(), separators=(",", ":"))})

QUEUED_HINT_JOB: Final[Json] = {
    "id": "8c1f0d6b2a9e4f7780aa",
    "kind": "hint",
    "status": "queued",
    "progress": 0.0,
    "ahead": 2,
    "result": None,
    "partial": None,
    "problem": None,
}
REMATCH_STATES: Final[Examples] = {
    "nobody": {"summary": "Nobody has asked", "value": {"id": None, "asked": []}},
    "one": {"summary": "Seat 0 waits", "value": {"id": QUEUED_HINT_JOB["id"], "asked": [0]}},
}


def _finished_hint(game: ExampleGame) -> Json:
    thoughts = ({"value": 0.62, "visits": 812}, {"value": 0.44, "visits": 31})
    actions = [{**one, **thought} for one, thought in zip(game.legal, thoughts, strict=False)]
    hint = {
        "version": game.started.version,
        "actions": actions,
        "why": f"An estimated 62% to win by {actions[0]['text']}.",
    }
    return {**QUEUED_HINT_JOB, "status": "finished", "progress": 1.0, "ahead": None, "result": hint}


def _finished_review(game: ExampleGame) -> Json:
    """Return the finished job of a review with a mistake."""
    done, better = game.legal[0], game.legal[-1]
    decision = {
        "version": game.started.version,
        "text": done["text"],
        "label": done["label"],
        "best": better["text"],
        "best_label": better["label"],
        "chance": 0.41,
        "best_chance": 0.63,
        "loss": 0.22,
        "kind": "blunder",
        "why": f"{better['label']}: an estimated 63% to win, against 41% for “{done['label']}”.",
    }
    review = {"seat": game.mover, "level": "expert", "accuracy": 0.364, "decisions": [decision]}
    ended = {"status": "finished", "progress": 1.0, "ahead": None}
    return {**QUEUED_HINT_JOB, "kind": "review", **ended, "result": review}


CANCELLED_JOB: Final[Json] = {**QUEUED_HINT_JOB, "status": "cancelled", "ahead": None}
FINISHED_HINTS: Final = each(_finished_hint)
QUEUED_ARENA_JOB: Final[Json] = {
    **QUEUED_HINT_JOB,
    "kind": "arena",
    "job_token": f"rj_{QUEUED_HINT_JOB['id']}_{'D' * 43}",
}
FINISHED_ARENA_JOB: Final[Json] = {
    **QUEUED_HINT_JOB,
    "kind": "arena",
    "status": "finished",
    "progress": 1.0,
    "ahead": None,
    "result": {
        "ruleset": ARENA_RULESET.name,
        "options": ARENA_RULESET.check_options(2, {}),
        "seed": "5b0c1f0e9d7a4c21",
        "games": 200,
        "seats": [
            {"seat": 0, "level": "expert", "wins": 150, "draws": 0, "rate": 0.75, "low": 0.69, "high": 0.805},
            {"seat": 1, "level": "adept", "wins": 50, "draws": 0, "rate": 0.25, "low": 0.195, "high": 0.31},
        ],
        "mean_score": None,
        "outcomes": {"won": 200},
        "turns": {"median": 41, "p99": 77},
        "seconds": 380.2,
    },
}
QUEUED_REVIEW_JOB: Final[Json] = {**QUEUED_HINT_JOB, "kind": "review"}
REVIEWS_ASKED: Final[Examples] = {
    "own": {"summary": "One's own seat", "value": {}},
    "watched": {"summary": "A seat of a public game", "value": {"seat": 0, "level": "master"}},
}
FINISHED_REVIEWS: Final = {f"{name}_review": one for name, one in each(_finished_review).items()}
FINISHED_JOBS: Final[Examples] = {
    **FINISHED_HINTS,
    **FINISHED_REVIEWS,
    "arena": {"summary": "An arena", "value": FINISHED_ARENA_JOB},
}

PUZZLES_BY_RULESET: Final = {
    name: puzzles for name, ruleset in RULESETS.items() if (puzzles := _example(name, partial(stored_puzzles, ruleset)))
}
PUZZLE_BY_RULESET: Final[Examples] = {
    name: {"summary": RULESETS[name].title, "value": value}
    for name, puzzles in PUZZLES_BY_RULESET.items()
    if (value := _example(name, partial(puzzle_as_json, puzzles[0], english))) is not None
}
PUZZLE_OF_THE_DAY: Final[Examples] = {
    name: {**example, "value": {"day": "2026-12-24", **example["value"]}} for name, example in PUZZLE_BY_RULESET.items()
}
PUZZLE_LIST: Final[Json] = {"puzzles": [example["value"] for example in PUZZLE_BY_RULESET.values()]}
OPERATOR_OVERVIEW: Final[Json] = {
    "games": {"regicide": {"waiting": 1, "active": 3, "finished": 12, "abandoned": 2}},
    "latest": [],
    "load": {"one_minute": 0.42, "processors": 2},
    "ais_waiting": 0,
    "overdue": 0,
    "store": {"bytes": 1_803_288},
    "ready": True,
    "reasons": [],
    "banner": None,
}
PUZZLE_ANSWERS: Final[Json] = {"give_up": True}
PUZZLE_RESULT: Final[Json] = {"right": True, "solved": False, "line": []}
