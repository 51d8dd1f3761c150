"""Law 2, of hosted games: the opening and the journal's entries give each version again, and its events."""

from datetime import timedelta
from json import dumps
from typing import Any

import pytest

from api.commands.check_ruleset.generated_games import setups, through_json
from engines import RULESETS
from engines.core.errors import Refusal
from engines.ruleset import Ruleset
from engines.table import table_json
from engines.table.journal import VERBS, redo, reopen
from engines.table.seats import Seat
from engines.table.table import Change, Table
from tests.contract.games import FIRST, IDS, TABLES
from tests.contract.hosted import NOON, Hosting, hostings
from tests.rulesets import Race

EACH = 12
"""Of each kind of table."""


def told(change: Change) -> list[Any]:
    """Return all that there is of a change: what is stored of the table, as text, and who may know which event."""
    events = [(event.as_json(), event.public(), event.knowers()) for event in change.events]
    return [dumps(table_json.dump(change.table)), events, change.entry]


def done_again(before: Table | None, change: Change) -> Change:
    """Return the change that its entry makes, after it has been stored, and *before* too."""
    entry = through_json(change.entry)
    return reopen(entry) if before is None else redo(table_json.load(through_json(table_json.dump(before))), entry)


def assert_replays(hosting: Hosting) -> set[str]:
    """Play a game, hold its replay against it, version by version, and return the verbs that there were."""
    table: Table | None = None
    verbs = set()
    for before, change in hosting.changes():
        again = done_again(table, change)
        assert told(again) == told(change), hosting
        if before is not None and table is not None:
            assert table_json.line(table, again.entry) == table_json.line(before, change.entry)
        table = again.table
        verbs.add(change.entry["verb"])
    return verbs


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_2_a_journal_gives_every_version_again(ruleset: Ruleset, players: int) -> None:
    """Joins, starts, signals, handovers, stand-ins, games that are given up, or begin from a position."""
    for hosting in hostings(ruleset, players, EACH):
        assert_replays(hosting)


def test_2_of_the_smallest_ruleset_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which leaves all to the defaults, and has signals."""
    race = Race()
    monkeypatch.setitem(RULESETS, race.name, race)
    verbs = set[str]()

    for seed in range(6 * EACH):
        setup = setups(race, race.player_counts[seed % len(race.player_counts)])[0]
        verbs |= assert_replays(Hosting(setup, seed, abandoned=seed % 3 == 0))

    assert verbs == {"open", *VERBS} - {"come_back"}


@pytest.mark.parametrize("level", ["expert", "master"])
def test_2_what_a_search_took_is_kept(level: str) -> None:
    """Its iterations, its budget and its helper's: nothing else says so."""
    for seed in range(3):
        assert_replays(Hosting(setups(FIRST, 2)[0], seed, (level,), abandoned=True))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_2_the_next_game_is_an_opening_like_any(ruleset: str) -> None:
    """Its seats wait for those who come back."""
    seats = [Seat("human", "Ana", client_seed="a"), Seat("human", "Ben", client_seed="b")]
    first = Table.open(
        game_id="g", ruleset=RULESETS[ruleset], options={}, seats=seats, seed=bytes(32), now=NOON, turn_seconds=5
    )
    ended = first.table.abandon(NOON + timedelta(seconds=1)).table

    opening = ended.next_game("h", bytes(range(32)), 0, NOON)
    waiting = next(number for number, seat in enumerate(opening.table.seats) if seat.reserved)
    back = opening.table.rejoin(waiting, NOON + timedelta(seconds=2), "once more")

    assert told(done_again(None, opening)) == told(opening)
    assert told(done_again(opening.table, back)) == told(back)
    assert back.table.status == "active"


def test_an_entry_that_cannot_be_done_is_refused() -> None:
    """By the rules, or because there is no such verb."""
    table = Table.open(
        game_id="g", ruleset=FIRST, options={}, seats=[Seat("human")] * 2, seed=bytes(32), now=NOON
    ).table
    at = table.updated

    with pytest.raises(Refusal):
        redo(table, {"verb": "join", "at": at, "seat": 0, "name": "Ben", "client_seed": ""})
    with pytest.raises(KeyError):
        redo(table, {"verb": "view", "at": at, "viewer": 0})
