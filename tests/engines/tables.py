"""Tables that tests sit down at, and what they ask of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engines import RULESETS
from engines.core.errors import Refusal
from engines.core.types import Json
from engines.table import table_json
from engines.table.seats import Seat
from engines.table.table import Change, Table
from tests.engines.regicide.boards import board

NOON = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
LATER = NOON + timedelta(seconds=10)
SEED = bytes(range(32))
ANA, BEN = Seat("human", name="Ana", client_seed="añá"), Seat("human", name="Ben")
NOVICE, ADEPT = Seat("ai", level="novice"), Seat("ai", level="adept")
FREE = Seat("open")
CHOOSING = board(["TC 9C", "8C 7C", "6C 5C"], phase="choose", table="X1", immune=False)
"""Seat 0 has played a Jester: the others may signal, then it chooses."""


def opened(*seats: Seat, ruleset: str = "regicide", **changes: Any) -> Change:
    """Open a table."""
    about: dict[str, Any] = {"game_id": "g1", "ruleset": RULESETS[ruleset], "options": {}, "seed": SEED, "now": NOON}
    return Table.open(**{**about, "seats": seats, **changes})


def table(*seats: Seat, **changes: Any) -> Table:
    """Return an opened table."""
    return opened(*seats, **changes).table


def events_of(change: Change) -> list[Json]:
    """Return the change's events, all of them told."""
    return [event.as_json() for event in change.events]


def refused(verb: Any, *values: Any) -> Refusal:
    """Return the refusal of a verb that must be refused."""
    with pytest.raises(Refusal) as refusal:
        verb(*values)
    return refusal.value


def ended() -> tuple[Table, list[Json]]:
    """Return a finished game of two and its lines: seat 0 falls to the first blow."""
    game = table(ANA, BEN, position=board(["2C", "8C"]))
    change = game.act(0, "play 2C", LATER)
    return change.table, [line(game, change)]


def line(before: Table, change: Change) -> Json:
    """Return the line of the record that an action adds."""
    written = table_json.line(before, change.entry)
    assert written is not None
    return written
