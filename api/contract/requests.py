"""Request schemas: bodies, queries and headers that may be sent, by marshmallow.

Schemas are for input alone, and refuse unknown fields. They know fields, not rules: whether options or a position make
sense, a ruleset says.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma
from marshmallow import fields

from api.contract.fields import Length, OneOf, Range, Regexp, Schema, complaint
from api.contract.names import check_name
from api.language import LANGUAGES
from engines import RULESETS
from engines.contract.default_levels import LEVELS
from engines.core.phrase import Phrase, listed
from engines.table.table import STATUSES

SIGNALS: Final = tuple(sorted({signal for ruleset in RULESETS.values() for signal in ruleset.signals}))
KINDS: Final = ("human", "ai", "open")
SEAT_FIELDS: Final = tuple(sorted({field for ruleset in RULESETS.values() for field in ruleset.seat_options}))
"""What a seat of some ruleset may ask for by itself."""
MAX_SEATS: Final = max(max(ruleset.player_counts) for ruleset in RULESETS.values())
"""Of a table of any ruleset."""
HINT_LEVEL: Final = "expert"
"""Who is asked for a hint if nobody is named."""
REVIEW_LEVEL: Final = "expert"
"""Who reviews a game if nobody is named."""
LARGEST: Final = 2**53 - 1
PAGE: Final = 100
LONGEST_WAIT: Final = 25
"""Seconds."""
GAMES: Final = 1000
"""Of an arena, at most."""
DIGITS: Final = re.compile(r"-?[0-9]{1,18}")
CURSOR: Final = r"^[0-9T:.Z-]{20,30}_[A-Za-z0-9_-]{1,64}\Z"
"""A game's time and id, as the storage writes them."""
COMMITMENT: Final = r"^[0-9a-f]{20}\Z"
"""The id of a commitment, as the storage writes it."""
NO_CONTROLS: Final = r"^[^\x00-\x1f\x7f-\x9f]*\Z"
"""A text without control characters: client seeds are joined by line breaks."""


class StrictBoolean(fields.Boolean):
    """A JSON boolean: no text, no number."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **how: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **how)


class StrictInteger(fields.Integer):
    """A JSON integer: no text, no 1.5."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **how: Any) -> int:
        if not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **how)


class QueryInteger(fields.Integer):
    """A whole number in a query: digits, perhaps a minus, nothing that int() would forgive besides."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **how: Any) -> int:
        if not DIGITS.fullmatch(value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **how)


class Object(fields.Dict):
    """A JSON object as it is: its keys are texts, and to look at each would take long where there are thousands."""

    def _deserialize(self, value: Any, *_place: Any, **_how: Any) -> Any:
        if not isinstance(value, dict):
            raise self.make_error("invalid", input=value)
        return value


class Seats(fields.List[Any]):
    """A list of seats; one that is longer than any table is refused before a seat is read."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **how: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MAX_SEATS:
            raise complaint(Phrase("A table has {most} seats at most, not {count}.", most=MAX_SEATS, count=len(value)))
        return super()._deserialize(value, attr, data, **how)


def _name(**how: Any) -> fields.String:
    about = {"description": "1-40 characters that can be seen", "example": "Ana"}
    return fields.String(validate=[Length(1, 40), check_name], metadata=about, **how)


def _level(about: str = "how well the AI plays", **how: Any) -> fields.String:
    return fields.String(validate=OneOf(LEVELS), metadata={"description": about}, **how)


def _client_seed() -> fields.String:
    about = {
        "description": "your part of the shuffle: any text that nobody can foresee, without control characters",
        "pattern": NO_CONTROLS.replace(r"\Z", "$"),
    }
    return fields.String(load_default=None, allow_none=True, validate=[Length(max=200), _uncontrolled], metadata=about)


def _commitment(words: str) -> fields.String:
    about = {"description": words, "pattern": COMMITMENT.replace(r"\Z", "$")}
    return fields.String(load_default=None, allow_none=True, validate=Regexp(COMMITMENT), metadata=about)


def _uncontrolled(text: str) -> None:
    if not re.match(NO_CONTROLS, text):
        raise complaint(Phrase("Write it without line breaks and other control characters."))


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
        validate=OneOf(KINDS),
        metadata={"description": "`human`: the creator's own; `open`: anybody may join; `ai`: of that `level`"},
    )
    name = _name(load_default=None, allow_none=True)
    level = _level(load_default=None, allow_none=True)

    @ma.validates_schema
    def fit(self, seat: dict[str, Any], **_how: Any) -> None:
        """A name is a person's, a level an AI's."""
        if seat["name"] is not None and seat["kind"] != "human":
            raise complaint(Phrase("Only a human seat has a name."), "name")
        if seat["level"] is not None and seat["kind"] != "ai":
            raise complaint(Phrase("Only an AI has a level."), "level")
        if seat["level"] is None and seat["kind"] == "ai":
            raise complaint(Phrase("An AI needs a level: {levels}.", levels=listed(LEVELS)), "level")


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
    """Taking an open seat."""

    name = _name(required=True)
    seat = StrictInteger(
        load_default=None,
        allow_none=True,
        validate=Range(0, LARGEST),
        metadata={"description": "any that is open, if left out"},
    )
    client_seed = _client_seed()
    invite = fields.String(
        load_default=None, allow_none=True, metadata={"description": "what the creator of a private game was given"}
    )


class NextIn(Schema):
    """Playing once more."""

    client_seed = _client_seed()
    commitment = _commitment("the `id` of a commitment, if you are the first to ask: the cards are dealt by its seed")


class LevelIn(Schema):
    """Which AI."""

    level = _level(required=True)


class HintIn(Schema):
    """Whose opinion is wanted, and of what."""

    level = _level(f"`{HINT_LEVEL}`, if left out; for a past decision the level that made it", load_default=None)
    version = StrictInteger(
        load_default=None,
        validate=Range(0, LARGEST),
        metadata={"description": "one at which an AI decided, when the game has ended; if left out, the current one"},
    )


class ReviewIn(Schema):
    """Whose decisions are looked at once more, and by which AI."""

    seat = StrictInteger(
        load_default=None,
        allow_none=True,
        validate=Range(0, LARGEST),
        metadata={"description": "your own, if left out: only those who have none may choose"},
    )
    level = _level(load_default=REVIEW_LEVEL)


class ArenaIn(Schema):
    """AIs that are to play each other."""

    ruleset = fields.String(required=True, validate=OneOf(RULESETS))
    seats = Seats(
        fields.String(validate=OneOf(LEVELS)),
        required=True,
        metadata={"description": "their levels; where they are rivals they change seats from game to game"},
    )
    games = StrictInteger(required=True, validate=Range(1, GAMES))
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
    """An action object of the ruleset, ``{"text": "..."}``, or an entry of the legal actions: the ruleset reads it."""

    class Meta:
        """Which fields there are, the ruleset knows."""

        unknown = ma.INCLUDE

    def load(self, data: Any, **how: Any) -> Any:
        """Return an object as it is: the ruleset reads its fields."""
        return data if isinstance(data, dict) else super().load(data, **how)


class ActQuery(Schema):
    """Whether to act at all."""

    dry_run = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        load_default=False,
        metadata={"description": "ask whether the action is legal, and what follows; changes and reveals nothing"},
    )


class ActHeaders(Schema):
    """Preconditions of a move."""

    if_match = fields.String(
        data_key="If-Match",
        metadata={"description": "act only if the game is still at this version", "example": '"7"'},
    )
    idempotency_key = _key()


class GameHeaders(Schema):
    """What a reader has already."""

    if_none_match = fields.String(
        data_key="If-None-Match",
        metadata={"description": "answer 304 if the game is still at this version", "example": '"7"'},
    )


class GameQuery(Schema):
    """How long to wait for news."""

    wait = QueryInteger(
        load_default=0,
        validate=Range(0, LONGEST_WAIT),
        metadata={"description": "seconds to wait for a version that isn't in `If-None-Match`, before a 304"},
    )


class RulesQuery(Schema):
    """Which language to read in."""

    lang = fields.String(
        validate=OneOf(LANGUAGES), metadata={"description": "of the text, whatever `Accept-Language` says"}
    )


class PastQuery(Schema):
    """Whose eyes to look back with."""

    seat = QueryInteger(
        validate=Range(0, 9), metadata={"description": "after the end: show what this seat saw, not the bearer"}
    )


class JobQuery(Schema):
    """How long to wait for the end."""

    wait = QueryInteger(
        load_default=0,
        validate=Range(0, LONGEST_WAIT),
        metadata={"description": "seconds to wait for the job's end, before it is shown as it stands"},
    )


class StreamHeaders(Schema):
    """Where a reader was when the line broke."""

    last_event_id = fields.String(
        data_key="Last-Event-ID",
        metadata={
            "description": "the last version that you heard of; what is no version counts as none",
            "example": "7",
        },
    )


class SecretKeyHeaders(Schema):
    """A key to create or join once, however often it is asked. Whoever repeats it gets tokens: nobody may guess it."""

    idempotency_key = _key(22)


class GamesQuery(Schema):
    """Which public games to list."""

    status = fields.String(validate=OneOf(STATUSES), metadata={"description": "only those that are so"})
    ruleset = fields.String(validate=OneOf(RULESETS), metadata={"description": "only those of this ruleset"})
    limit = QueryInteger(load_default=20, validate=Range(1, PAGE), metadata={"description": "how many at most"})
    cursor = fields.String(
        validate=Regexp(CURSOR),
        metadata={"description": "the `next_cursor` of the page before", "pattern": CURSOR.replace(r"\Z", "$")},
    )


class EventsQuery(Schema):
    """From where on, and how much."""

    after = QueryInteger(
        load_default=-1, validate=Range(-1, LARGEST), metadata={"description": "the last version that you know"}
    )
    limit = QueryInteger(
        validate=Range(1, PAGE),
        metadata={"description": "how many versions to tell; none is cut in two"},
    )
