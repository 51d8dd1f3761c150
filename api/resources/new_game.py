"""The body of ``POST /v1/games`` as a new table: seats, options and seeds."""

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from api.contract.level_names import check_level
from api.contract.requests import SEAT_FIELDS
from api.contract.validation import UNKNOWN_FIELD_PHRASE
from api.problems.errors import Invalid
from engines import RULESETS
from engines.core.phrase import Phrase, listed
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table.seats import Seat, merge_seat_options
from engines.table.table import Change, Table
from workers.storage.commitments import SEED_BYTES

OPTIONS_OF_POSITION_PHRASE: Final = Phrase(
    "A position brings its own options: leave out `options` and what seats ask for."
)


def new_game(
    body: Mapping[str, Any], game_id: str, group: str, admit: Callable[[Change], Change], take: Callable[[str], bytes]
) -> Callable[[datetime], Change]:
    """Return a function that creates the table of *body*.

    *group* is the key by which AI turns are queued fairly. *admit* raises a refusal if the client has too many games.
    *take* returns the seed of a commitment, or raises a refusal. Raises ``Invalid``. The returned function may raise
    ``Invalid``, ``BadOptions``, ``BadPosition`` or ``BadCard``.
    """
    ruleset = RULESETS[body["ruleset"]]
    seats = _seats(ruleset, body)
    if body["position"] is not None and (body["options"] or any(seat.asks for seat in seats)):
        raise Invalid({"position": [OPTIONS_OF_POSITION_PHRASE]})
    options = _options(ruleset, body["options"], seats)
    promised: str | None = body["commitment"]

    def opened(now: datetime) -> Change:
        if promised is None:
            return admit(opened_by(secrets.token_bytes(SEED_BYTES), now))
        # This checks a game with another seed first, because a refusal must not use up the promised seed.
        admit(opened_by(bytes(SEED_BYTES), now))
        return opened_by(take(promised), now)

    def opened_by(seed: bytes, now: datetime) -> Change:
        return Table.open(
            game_id=game_id,
            ruleset=ruleset,
            options=options,
            seats=seats,
            seed=seed,
            now=now,
            private=body["private"],
            listed=body["listed"],
            group=group,
            turn_seconds=body["turn_seconds"],
            position=body["position"],
        )

    return opened


def _seats(ruleset: Ruleset, body: Mapping[str, Any]) -> list[Seat]:
    """Return the seats. The first human seat gets the creator's client seed."""
    seats = body["seats"]
    if len(seats) not in ruleset.player_counts:
        counts = listed(ruleset.player_counts)
        complaint = Phrase(
            "{game} has {counts} seats, not {count}.", game=ruleset.title, counts=counts, count=len(seats)
        )
        raise Invalid({"seats": [complaint]})
    own = next((number for number, seat in enumerate(seats) if seat["kind"] == "human"), None)
    if own is None and body["client_seed"] is not None:
        raise Invalid({"client_seed": [Phrase("It belongs to your first human seat, and there is none.")]})
    return [
        _seat(ruleset, number, seat, (body["client_seed"] or "") if number == own else "")
        for number, seat in enumerate(seats)
    ]


def _seat(ruleset: Ruleset, number: int, seat: Mapping[str, Any], client_seed: str) -> Seat:
    asks = {field: seat[field] for field in SEAT_FIELDS if seat.get(field) is not None}
    unknown = {f"seats.{number}.{field}": [UNKNOWN_FIELD_PHRASE] for field in asks if field not in ruleset.seat_options}
    if unknown:
        raise Invalid(unknown)
    check_level(ruleset, seat["level"], f"seats.{number}.level")
    return Seat(seat["kind"], seat["name"], seat["level"], client_seed, asks)


def _options(ruleset: Ruleset, options: Json, seats: list[Seat]) -> Json:
    """Return the options, including those of seats. An option that is given in both places is refused."""
    for field, option in ruleset.seat_options.items():
        if option in options and any(field in seat.asks for seat in seats):
            complaint = Phrase("Give either this or the `{field}` of seats, not both.", field=field)
            raise Invalid({f"options.{option}": [complaint]})
    return merge_seat_options(ruleset, options, seats)
