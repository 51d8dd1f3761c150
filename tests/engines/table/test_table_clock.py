"""Whom a hosted game waits for: which AIs are asked, and how long a person may take."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from engines.core.errors import NoSuchSeat
from engines.table.seats import PendingAi, Seat
from engines.table.table import rfc3339
from tests.engines.regicide.boards import board
from tests.engines.tables import (
    ADEPT,
    ANA,
    BEN,
    CHOOSING,
    FREE,
    LATER,
    NOON,
    NOVICE,
    events_of,
    refused,
    table,
)

# Who is asked


@pytest.mark.parametrize(
    ("seats", "asked"),
    [
        ([NOVICE, ADEPT, ANA], [PendingAi(1, "adept"), PendingAi(0, "novice")]),  # R22: signals before the choice
        ([NOVICE, ADEPT, NOVICE], [PendingAi(1, "adept"), PendingAi(2, "novice"), PendingAi(0, "novice")]),
        ([ANA, BEN, ADEPT], [PendingAi(2, "adept")]),  # people give their own
        ([ADEPT, ANA, BEN], [PendingAi(0, "adept")]),  # nobody waits for a person's signal
        ([ANA, BEN, ANA], []),
    ],
)
def test_ais_are_asked_in_order(seats: Sequence[Seat], asked: list[PendingAi]) -> None:
    """Those with a signal to give, then those that must act."""
    game = table(*seats, position=CHOOSING)

    assert game.pending_ais(NOON) == asked


def test_an_ai_that_has_signalled_is_not_asked_again() -> None:
    """Until the chooser has chosen only the chooser is left."""
    game = table(NOVICE, ADEPT, ANA, position=CHOOSING).signal(1, "eager", NOON, by_ai=True).table

    assert game.pending_ais(NOON) == [PendingAi(0, "novice")]


def test_nobody_is_asked_at_a_table_that_waits() -> None:
    """An AI has nothing to decide before the deal."""
    assert table(NOVICE, FREE).pending_ais(NOON) == []


# The clock


def test_the_clock_runs_for_people_only() -> None:
    """The deadline is set when a person must act, by the deal, too; an AI has none."""
    game = table(ANA, NOVICE, turn_seconds=30, position=board(["9C", "8C 7C"], shield=20))

    assert game.deadline == rfc3339(NOON + timedelta(seconds=30))
    assert game.act(0, "play 9C", LATER).table.deadline is None
    assert table(ANA, NOVICE).deadline is None
    assert table(NOVICE, ANA, turn_seconds=30).deadline is None


def test_time_begins_when_the_cards_are_dealt() -> None:
    """A table that waits has no deadline."""
    game = table(ANA, FREE, turn_seconds=30)

    assert game.deadline is None
    assert game.join(None, "Ben", "", LATER).table.deadline == rfc3339(LATER + timedelta(seconds=30))


def test_an_ai_stands_in_when_time_is_up() -> None:
    """Only then, for those that must act, and the seat stays the player's: it goes on with its own next action."""
    game = table(ANA, BEN, turn_seconds=10, position=board(["9C", "8C 7C"], shield=20))

    assert game.pending_ais(NOON + timedelta(seconds=9, milliseconds=999)) == []
    assert game.pending_ais(LATER) == [PendingAi(0, "adept")]
    acted = game.act(0, "play 9C", LATER, {"level": "adept"}).table
    assert [seat.kind for seat in acted.seats] == ["human", "human"]
    assert acted.deadline == rfc3339(LATER + timedelta(seconds=10))
    assert acted.act(1, "play 8C", LATER).table.version == 2


def test_handing_over_stops_the_clock() -> None:
    """The AI that plays on is asked at once; another seat's handover leaves the clock alone."""
    game = table(ANA, BEN, turn_seconds=10)

    other, own = game.hand_over(1, "adept", LATER), game.hand_over(0, "adept", LATER)

    assert events_of(own) == [{"type": "handed_over", "seat": 0, "level": "adept"}]
    assert (own.table.deadline, own.table.pending_ais(LATER)) == (None, [PendingAi(0, "adept")])
    assert other.table.deadline == game.deadline
    assert own.table.seats[0] == Seat("ai", name="Ana", level="adept", client_seed="añá")
    assert isinstance(refused(game.hand_over, 2, "adept", NOON), NoSuchSeat)


def test_a_signal_leaves_the_clock_alone() -> None:
    """It isn't the chooser's doing."""
    game = table(ANA, BEN, ANA, turn_seconds=10, position=CHOOSING)

    assert game.signal(1, "eager", LATER).table.deadline == game.deadline
