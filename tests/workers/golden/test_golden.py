"""What was stored once can be read: played again it leads to the same table, the same record, the same events."""

from itertools import pairwise

import pytest

from api.commands.check_ruleset.generated_games import through_json
from engines.core.types import Json
from engines.table import table_json
from engines.table.record_parser import load_record
from engines.table.replay import verify
from tests.workers.golden.journals import games, put, read
from workers.storage import journal
from workers.storage.store import Store

OTHER_BUDGET = "ai_budget"
"""What is found where an AI's level had another budget when the game was played, as Regicide's masters had."""

STORED = [pytest.param(game, id=name) for name, game in read()]


@pytest.mark.parametrize("game", STORED)
def test_a_stored_game_is_played_again(store: Store, game: Json):
    """Past every keyframe to the last version; the record is the one that was shown then, and true."""
    table = put(store, game)

    record = through_json(table_json.record(store.games.load(game["id"]), store.history.record(game["id"])))

    assert record == {"ai_notes": record["ai_notes"], **game["record"]}  # the first ones had no chain of notes
    assert verify(load_record(record)) == []
    told = [[event.type for event in snapshot.events] for snapshot in store.history.snapshots(game["id"])]
    assert [as_told_then(types) for types in told] == game["events"]
    assert len(told) == table.version + 1


def as_told_then(types: list[str]) -> list[str]:
    """Return the types of events as layout 2 was first told: that a ploy is drawn goes before its gain only since."""
    pairs = pairwise([*types, "nothing more"])
    return [told for told, following in pairs if (told, following) != ("drawn", "ploy_gained")]


@pytest.mark.parametrize("game", STORED[-len(list(games())) :])
def test_it_would_be_stored_like_this_today(store: Store, game: Json):
    """A new format needs a file of its own: ``python -m tests.workers.golden layout-3``."""
    put(store, game)

    changes = [change for _, change in store.history.changes(game["id"])]

    assert journal.opening(changes[0]).decode() == game["opening"]
    assert [journal.entry(change).decode() for change in changes[1:]] == [entry for entry, *_ in game["journal"]]
