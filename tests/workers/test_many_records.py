"""A thousand games are archived: each record is true, and each is there once."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from engines.ai.decision import Question, think
from engines.table.seats import Seat
from engines.table.table import ENDED, Change, Table
from tests.workers.stores import Clock, opening
from workers.archive import Archive, read_lines
from workers.archived_record_format import expand, read_summary
from workers.import_export import Imported, RecordFilter, export_records, import_records
from workers.retention import Retention, RetentionCounts
from workers.settings import Settings
from workers.storage.store import Store

LEVEL = "adept"
GAMES = {
    ("regicide", 1): 250,
    ("regicide", 2): 400,
    ("regicide", 4): 250,
    ("gridcannon", 2): 70,
    ("gridcannon", 4): 30,
}


def play(store: Store, ruleset: str, players: int) -> None:
    """Let AIs play a game to its end, by way of the store."""
    change = opening(ruleset, [Seat("ai", level=LEVEL)] * players)(store.now())
    store.games.commit(change, None, enqueue=False)
    table = change.table
    while table.status not in ENDED:
        change = acted(store, table)
        store.games.commit(change, table.version, enqueue=False)
        table = change.table


def acted(store: Store, table: Table) -> Change:
    """Let the first AI act that wants to."""
    for asked in table.pending_ais(store.now()):
        observation = table.observation(asked.seat)
        if observation is None or asked.seat not in (*table.to_act(), *table.may_act()):
            continue
        choice = think(Question(LEVEL, observation))
        if choice.action is not None:
            return table.carry_out(asked.seat, choice, store.now())
    raise AssertionError("nobody acts")


@pytest.mark.long
def test_a_thousand_records_are_true(store: Store, clock: Clock, settings: Settings, tmp_path: Path):
    """As they are exported from the store, and, after they were archived and deleted, from the archive."""
    for (ruleset, players), count in GAMES.items():
        for _ in range(count):
            play(store, ruleset, players)
    lifetimes, archive = Retention(store, settings), Archive(settings.data / "archive")
    before = sorted(export_records(store, archive, RecordFilter(), pytest.fail))
    clock.moment += timedelta(days=30)

    done = RetentionCounts()
    for partition in store.keys.all():
        while step := lifetimes.enforce(partition):
            done += step

    total = sum(GAMES.values())
    assert done == RetentionCounts(archived=total, deleted=total)
    assert store.games.count() == 0
    lines = [line for file in archive.files() for line in read_lines(file, pytest.fail)]
    assert sorted(map(expand, lines)) == before
    assert sorted(export_records(store, archive, RecordFilter(), pytest.fail)) == before
    taken = import_records(lines * 2, Archive(tmp_path / "elsewhere"), clock().date(), pytest.fail)
    assert taken == Imported(new=total, known=total)
    found = Counter((record["ruleset"], record["players"]) for record in map(read_summary, lines))
    assert found == GAMES
