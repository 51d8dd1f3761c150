"""Request schemas: bodies, queries and headers, in marshmallow.

Schemas are for input alone and refuse unknown fields. They validate fields, not rules: options and positions are
checked by the ruleset.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma
from marshmallow import fields

from api.contract.level_names import LEVELS
from api.contract.player_names import check_name
from api.contract.validation import Length, MaxEntries, OneOf, Range, Regexp, Schema, validation_error
from api.language import LANGUAGES
from engines import RULESETS
from engines.core.phrase import Phrase, listed
from engines.table.table import STATUSES
from workers.storage.operator_notice import MAX_NOTICE_LENGTH, ONE_LINE_PATTERN

SIGNALS: Final = tuple(sorted({signal for ruleset in RULESETS.values() for signal in ruleset.signals}))
SEAT_KINDS: Final = ("human", "ai", "open")
SEAT_FIELDS: Final = tuple(sorted({field for ruleset in RULESETS.values() for field in ruleset.seat_options}))
"""Fields of a seat that some ruleset offers as seat options."""
MAX_SEATS: Final = max(max(ruleset.player_counts) for ruleset in RULESETS.values())
"""Maximum number of seats of any ruleset."""
DEFAULT_HINT_LEVEL: Final = "expert"
"""Default level of a hint."""
DEFAULT_REVIEW_LEVEL: Final = "expert"
"""Default level of a review."""
MAX_INTEGER: Final = 2**53 - 1
MAX_PAGE_SIZE: Final = 100
MAX_LISTED_PUZZLES: Final = 200
MAX_PUZZLE_ANSWERS: Final = 16
MAX_WAIT_SECONDS: Final = 25
"""Maximum of the query parameter ``wait``, in seconds."""
MAX_ARENA_GAMES: Final = 1000
"""Maximum number of games of an arena."""
INTEGER_PATTERN: Final = re.compile(r"-?[0-9]{1,18}")
CURSOR_PATTERN: Final = r"^[0-9T:.Z-]{20,30}_[A-Za-z0-9_-]{1,64}\Z"
"""The format of a page cursor: a game's time and id."""
COMMITMENT_ID_PATTERN: Final = r"^[0-9a-f]{20}\Z"
"""The format of a commitment's id."""
CONTROL_CHARACTER_PHRASE: Final = Phrase("Write it without line breaks and other control characters.")
NO_CONTROL_CHARACTERS_PATTERN: Final = r"^[^\x00-\x1f\x7f-\x9f]*\Z"
"""Pattern of a text without control characters. Client seeds are joined by line breaks, so none may contain one."""


class StrictBoolean(fields.Boolean):
    """A JSON boolean. Texts and numbers are refused."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class StrictInteger(fields.Integer):
    """A JSON integer. Texts and fractions are refused."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class QueryInteger(fields.Integer):
    """An integer in a query: digits with an optional minus, and nothing else that ``int()`` would accept."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if not INTEGER_PATTERN.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Object(fields.Dict):
    """A JSON object that is not examined further, because checking each of thousands of keys would take long."""

    def _deserialize(self, value: Any, *_place: Any, **_kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.make_error("invalid", input=value)
        return value


class Seats(fields.List[Any]):
    """A list of seats. A list of more than ``MAX_SEATS`` is refused before any seat is read."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MAX_SEATS:
            raise validation_error(
                Phrase("A table has {most} seats at most, not {count}.", most=MAX_SEATS, count=len(value))
            )
        return super()._deserialize(value, attr, data, **kwargs)


def _name(**kwargs: Any) -> fields.String:
    about = {"description": "1-40 characters that can be seen", "example": "Ana"}
    return fields.String(validate=[Length(1, 40), check_name], metadata=about, **kwargs)


def _level(about: str = "how well the AI plays", **kwargs: Any) -> fields.String:
    return fields.String(validate=OneOf(LEVELS), metadata={"description": about}, **kwargs)


def _client_seed() -> fields.String:
    about = {
        "description": "your part of the shuffle: any text that nobody can foresee, without control characters",
        "pattern": NO_CONTROL_CHARACTERS_PATTERN.replace(r"\Z", "$"),
    }
    return fields.String(
        load_default=None, allow_none=True, validate=[Length(max=200), _without_controls], metadata=about
    )


def _commitment(words: str) -> fields.String:
    about = {"description": words, "pattern": COMMITMENT_ID_PATTERN.replace(r"\Z", "$")}
    return fields.String(load_default=None, allow_none=True, validate=Regexp(COMMITMENT_ID_PATTERN), metadata=about)


def _without_controls(text: str) -> None:
    if not re.match(NO_CONTROL_CHARACTERS_PATTERN, text):
        raise validation_error(CONTROL_CHARACTER_PHRASE)


def _one_line(text: str) -> None:
    if not ONE_LINE_PATTERN.fullmatch(text):
        raise validation_error(CONTROL_CHARACTER_PHRASE)


def _key(least: int = 1) -> fields.String:
    about = {
        "description": "the same key with the same body acts once and is answered alike for 24 hours:"
        f" {least}-200 visible ASCII characters, best a random UUID",
        "example": "5e0fbf2c-6c1c-4b1e-9f0a-0d6a8a3f3c11",
    }
    return fields.String(data_key="Idempotency-Key", metadata=about)


class SeatBase(Schema):
    """A seat of a new game."""

    kind = fields.String(
        required=True,
        validate=OneOf(SEAT_KINDS),
        metadata={"description": "`human`: the creator's own; `open`: anybody may join; `ai`: of that `level`"},
    )
    name = _name(load_default=None, allow_none=True)
    level = _level(load_default=None, allow_none=True)

    @ma.validates_schema
    def fit(self, seat: dict[str, Any], **_kwargs: Any) -> None:
        """Refuse a name of a seat that isn't human, a level of a seat that isn't an AI, and an AI without a level."""
        if seat["name"] is not None and seat["kind"] != "human":
            raise validation_error(Phrase("Only a human seat has a name."), "name")
        if seat["level"] is not None and seat["kind"] != "ai":
            raise validation_error(Phrase("Only an AI has a level."), "level")
        if seat["level"] is None and seat["kind"] == "ai":
            raise validation_error(Phrase("An AI needs a level: {levels}.", levels=listed(LEVELS)), "level")


SeatIn = SeatBase.from_dict(
    {name: fields.Raw(allow_none=True, metadata={"description": "for rulesets that list it"}) for name in SEAT_FIELDS},
    name="SeatIn",
)


class GameIn(Schema):
    """A new game."""

    ruleset = fields.String(required=True, validate=OneOf(RULESETS))
    seats = Seats(fields.Nested(SeatIn), required=True, metadata={"description": "clockwise"})
    options = Object(
        keys=fields.String(), load_default=dict, metadata={"description": "as the ruleset's own JSON Schema says"}
    )
    private = StrictBoolean(load_default=False, metadata={"description": "hidden from all who have no token of it"})
    listed = StrictBoolean(
        load_default=True,
        metadata={"description": "false: in no list of games; whoever has its id may watch it, unless it is private"},
    )
    turn_seconds = StrictInteger(
        load_default=None,
        allow_none=True,
        validate=Range(1, 86_400),
        metadata={"description": "after that long an AI acts for the seat that must"},
    )
    client_seed = _client_seed()
    commitment = _commitment("the `id` of a commitment: the cards are dealt by its seed, and your `client_seed`")
    position = Object(
        keys=fields.String(),
        load_default=None,
        allow_none=True,
        metadata={"description": "a position to start from, in the ruleset's notation"},
    )


class JoinIn(Schema):
    """A request for an open seat."""

    name = _name(required=True)
    seat = StrictInteger(
        load_default=None,
        allow_none=True,
        validate=Range(0, MAX_INTEGER),
        metadata={"description": "any that is open, if left out"},
    )
    client_seed = _client_seed()
    invite = fields.String(
        load_default=None, allow_none=True, metadata={"description": "what the creator of a private game was given"}
    )


class NextIn(Schema):
    """A request for the next game."""

    client_seed = _client_seed()
    commitment = _commitment("the `id` of a commitment, if you are the first to ask: the cards are dealt by its seed")


class LevelIn(Schema):
    """The level of an AI."""

    level = _level(required=True)


class HintIn(Schema):
    """The level and the version of a hint."""

    level = _level(
        f"`{DEFAULT_HINT_LEVEL}`, if left out; for a past decision the level that made it", load_default=None
    )
    version = StrictInteger(
        load_default=None,
        validate=Range(0, MAX_INTEGER),
        metadata={"description": "one at which an AI decided, when the game has ended; if left out, the current one"},
    )


class ReviewIn(Schema):
    """The seat and the level of a review."""

    seat = StrictInteger(
        load_default=None,
        allow_none=True,
        validate=Range(0, MAX_INTEGER),
        metadata={"description": "your own, if left out: only those who have none may choose"},
    )
    level = _level(load_default=DEFAULT_REVIEW_LEVEL)


class ArenaIn(Schema):
    """An arena of AIs."""

    ruleset = fields.String(required=True, validate=OneOf(RULESETS))
    seats = Seats(
        fields.String(validate=OneOf(LEVELS)),
        required=True,
        metadata={"description": "their levels; where they are rivals they change seats from game to game"},
    )
    games = StrictInteger(required=True, validate=Range(1, MAX_ARENA_GAMES))
    options = Object(
        keys=fields.String(), load_default=dict, metadata={"description": "as the ruleset's own JSON Schema says"}
    )
    seed = fields.String(
        load_default=None,
        allow_none=True,
        validate=Length(max=200),
        metadata={"description": "equal seeds give equal games; a random one, if left out"},
    )


class SignalIn(Schema):
    """A signal of some ruleset."""

    signal = fields.String(required=True, validate=OneOf(SIGNALS))


class ActionIn(Schema):
    """An action object, ``{"text": "..."}`` or an entry of the legal actions. The ruleset reads it."""

    class Meta:
        """Unknown fields are kept for the ruleset."""

        unknown = ma.INCLUDE

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Return the object unchanged, for the ruleset to read."""
        return data if isinstance(data, dict) else super().load(data, **kwargs)


class ActQuery(Schema):
    """Whether the action is a dry run."""

    dry_run = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        load_default=False,
        metadata={"description": "ask whether the action is legal, and what follows; changes and reveals nothing"},
    )


class ActHeaders(Schema):
    """Preconditions of an action."""

    if_match = fields.String(
        data_key="If-Match",
        metadata={"description": "act only if the game is still at this version", "example": '"7"'},
    )
    idempotency_key = _key()


class GameHeaders(Schema):
    """The version that the client has."""

    if_none_match = fields.String(
        data_key="If-None-Match",
        metadata={"description": "answer 304 if the game is still at this version", "example": '"7"'},
    )


def _seconds_to_wait(what: str) -> QueryInteger:
    """Return the field ``wait`` of a query. Its description is "seconds to wait", followed by *what*."""
    return QueryInteger(
        load_default=0, validate=Range(0, MAX_WAIT_SECONDS), metadata={"description": f"seconds to wait {what}"}
    )


class GameQuery(Schema):
    """Time to wait for a new version."""

    wait = _seconds_to_wait("for a version that isn't in `If-None-Match`, before a 304")


class BannerIn(Schema):
    """The operator's notice."""

    text = fields.String(
        required=True,
        allow_none=True,
        validate=[Length(1, MAX_NOTICE_LENGTH), _one_line],
        metadata={"description": "what all tables show; null: nothing"},
    )


class PuzzlesQuery(Schema):
    """Filter and length of the list of puzzles."""

    ruleset = fields.String(validate=OneOf(RULESETS), metadata={"description": "those of one game"})
    grade = QueryInteger(validate=Range(1, 3), metadata={"description": "1, 2, 3: so many moves, 3 for more too"})
    limit = QueryInteger(
        load_default=20, validate=Range(1, MAX_LISTED_PUZZLES), metadata={"description": "maximum number of puzzles"}
    )


class PuzzleOfTheDayQuery(Schema):
    """Ruleset of the puzzle of the day."""

    ruleset = fields.String(validate=OneOf(RULESETS), metadata={"description": "any, unless said"})


class PuzzleAnswersIn(Schema):
    """A solver's answers."""

    actions = fields.List(
        fields.Raw(),
        load_default=list,
        validate=MaxEntries(MAX_PUZZLE_ANSWERS),
        metadata={"description": "all answers so far, each in any form in which an action may be sent"},
    )
    give_up = StrictBoolean(load_default=False, metadata={"description": "show the whole solution"})

    @ma.validates_schema
    def check_answers(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Refuse a body with neither answers nor ``give_up``."""
        if not data["actions"] and not data["give_up"]:
            raise validation_error(Phrase("Send the answers so far, or give_up."), "actions")


class RulesQuery(Schema):
    """Language of the rules."""

    lang = fields.String(
        validate=OneOf(LANGUAGES), metadata={"description": "of the text, whatever `Accept-Language` says"}
    )


class PastQuery(Schema):
    """Seat whose view is shown."""

    seat = QueryInteger(
        validate=Range(0, 9), metadata={"description": "after the end: show what this seat saw, not the bearer"}
    )


class JobQuery(Schema):
    """Time to wait for the end of a job."""

    wait = _seconds_to_wait("for the job's end, before it is shown as it stands")


class StreamHeaders(Schema):
    """Version after which a stream resumes."""

    last_event_id = fields.String(
        data_key="Last-Event-ID",
        metadata={
            "description": "the last version that you heard of; what is no version counts as none",
            "example": "7",
        },
    )


class SecretKeyHeaders(Schema):
    """A secret Idempotency-Key. A repeated request returns tokens, so the key must not be guessable."""

    idempotency_key = _key(22)


class GamesQuery(Schema):
    """Filter and page of public games."""

    status = fields.String(validate=OneOf(STATUSES), metadata={"description": "only those that are so"})
    ruleset = fields.String(validate=OneOf(RULESETS), metadata={"description": "only those of this ruleset"})
    limit = QueryInteger(
        load_default=20, validate=Range(1, MAX_PAGE_SIZE), metadata={"description": "how many at most"}
    )
    cursor = fields.String(
        validate=Regexp(CURSOR_PATTERN),
        metadata={"description": "the `next_cursor` of the page before", "pattern": CURSOR_PATTERN.replace(r"\Z", "$")},
    )


class EventsQuery(Schema):
    """Range of events."""

    after = QueryInteger(
        load_default=-1, validate=Range(-1, MAX_INTEGER), metadata={"description": "the last version that you know"}
    )
    limit = QueryInteger(
        validate=Range(1, MAX_PAGE_SIZE),
        metadata={"description": "how many versions to tell; none is cut in two"},
    )
