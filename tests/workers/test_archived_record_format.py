"""Compact records: small, and what is restored is what was shortened, byte by byte; all else is refused."""

import gzip
from datetime import timedelta
from itertools import islice
from pathlib import Path

import orjson
import pytest

from engines import RULESETS
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table import table_json
from engines.table.seats import Seat
from engines.table.table import Table
from tests.contract.hosted import NOON, Hosting, ai_turn, hostings
from workers.archive import Archive
from workers.archived_record_format import OMITTED_FIELD_DEFAULTS, CannotRestore, compact, expand, read_summary
from workers.import_export import Imported, RecordFilter, export_records, import_records
from workers.storage.store import Store

TABLES = [(ruleset, players) for ruleset in RULESETS.values() for players in ruleset.player_counts]
IDS = [f"{ruleset.name}-{players}" for ruleset, players in TABLES]
LEVELS = [(ruleset, level) for ruleset in RULESETS.values() for level in ruleset.levels]


def ais_game(ruleset: Ruleset, players: int, level: str) -> bytes:
    """Return the record, as it is written, of a game that AIs of *level* play; those who search don't play it out."""
    last = 10**6 if ruleset.levels[level].budget is None else 12
    seats = [Seat("ai", level=level)] * players
    change = Table.open(game_id="a" * 16, ruleset=ruleset, options={}, seats=seats, seed=bytes(32), now=NOON)
    table, lines = change.table, list[Json | None]()
    while table.status == "active":
        now = NOON + timedelta(milliseconds=table.version**2)
        turns = (done for asked in table.pending_ais(now) if (done := ai_turn(table, asked, now)))
        change = next(turns) if table.version < last else table.abandon(now)
        lines.append(table_json.line(table, change.entry))
        table = change.table
    return orjson.dumps(table_json.record(table, [line for line in lines if line]))


def hosted_game(hosting: Hosting) -> bytes:
    """Return the record, as it is written, of a game in which people come and go."""
    return orjson.dumps(hosting.record())


@pytest.fixture(scope="module")
def record() -> bytes:
    """Play a game of Regicide."""
    return ais_game(RULESETS["regicide"], 2, "adept")


def changed(line: bytes, **fields: object) -> bytes:
    """Return the record *line* made short, with other *fields*."""
    return orjson.dumps({**orjson.loads(compact(line)), **fields})


@pytest.mark.parametrize(("ruleset", "level"), LEVELS, ids=[f"{ruleset.name}-{level}" for ruleset, level in LEVELS])
def test_a_game_of_ais_comes_back_byte_by_byte(ruleset: Ruleset, level: str):
    """Of every level: what they saw, and where their chances came from, follows from the game."""
    written = ais_game(ruleset, 2, level)
    short = compact(written)

    assert expand(short) == written
    assert read_summary(short)["id"] == read_summary(written)["id"]
    notes = [entry["ai"] for entry in read_summary(short)["actions"]]
    assert {note["level"] for note in notes} == {level}
    assert [name for note in notes for name in OMITTED_FIELD_DEFAULTS if name in note] == []


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_a_game_of_people_comes_back_byte_by_byte(ruleset: Ruleset, players: int):
    """They signal, leave their seat to AIs and abandon the game; there is nothing that is left out of what they do."""
    for hosting in islice(hostings(ruleset, players, 5), 0, None, 2):  # some are abandoned, or begin from a position
        written = hosted_game(hosting)
        short = compact(written)

        assert short != written
        assert expand(short) == written


@pytest.mark.parametrize(
    ("ruleset", "players", "most"),
    [("regicide", 2, 2000), ("regicide", 4, 2000), ("gridcannon", 2, 6000), ("gridcannon", 4, 6000)],
)
def test_a_compact_record_is_small(ruleset: str, players: int, most: int):
    """Compressed alone, though an archive compresses some together: the goals of the archive, in bytes."""
    assert len(gzip.compress(compact(ais_game(RULESETS[ruleset], players, "adept")))) <= most


def test_what_is_written_otherwise_stays_as_it_is(record: bytes):
    """Spaces, and another order of fields, are part of what somebody imported."""
    spaced = record.replace(b'{"format":1,', b'{"format": 1,')

    assert (compact(spaced), expand(spaced)) == (spaced, spaced)
    assert expand(record) == record
    assert expand(b"nonsense") == b"nonsense"


def broken(record: bytes) -> list[tuple[bytes, str]]:
    """Return compact records that can't be restored, and a word of the reason."""
    whole = read_summary(compact(record))
    first, *rest = whole["actions"]
    return [
        (changed(record, archive_format=2), "format 2"),
        (changed(record, sha256="0" * 64), "isn't what was archived"),
        (changed(record, record=None), "without its actions"),
        (changed(record, record={**whole, "actions": None}), "without its actions"),
        (changed(record, record={**whole, "actions": [None, *rest]}), "action 1"),
        (changed(record, record={**whole, "ruleset": "chess"}), "ruleset"),
        (changed(record, record={**whole, "actions": rest}), "can't be replayed"),
        (changed(record, record={**whole, "outcome": {"result": "won"}}), "the game ended with"),
        (changed(record, record={**whole, "actions": [{**first, "seat": 9}, *rest]}), "seats 0 to 1"),
        (changed(record, record={**whole, "seed": "1" * 64}), "commitment"),
    ]


def test_what_can_not_be_restored_is_refused(record: bytes):
    """With a sentence that says why: rules may have changed, or somebody has changed the file."""
    for short, reason in broken(record):
        with pytest.raises(CannotRestore, match=reason):
            expand(short)


def test_export_and_import_leave_out_what_can_not_be_restored(record: bytes, store: Store, tmp_path: Path):
    """They say so, and go on; a second copy that is whole counts."""
    for number, (short, _) in enumerate(broken(record)):
        archive, told_of = Archive(tmp_path / str(number)), list[str]()
        archive.append([short, compact(record)], NOON.date())
        elsewhere = Archive(tmp_path / f"elsewhere-{number}")

        assert list(export_records(store, archive, RecordFilter(), told_of.append)) == [record]
        taken = import_records([short, compact(record)], elsewhere, NOON.date(), told_of.append)

        assert taken == Imported(new=1, refused=1)
        assert len(told_of) == 2
        assert told_of[1].startswith("Line 1: ")
        assert list(export_records(store, elsewhere, RecordFilter(), pytest.fail)) == [record]


def test_an_archive_of_whole_records_is_read(record: bytes, store: Store, tmp_path: Path):
    """As they were written before there were short ones."""
    archive = Archive(tmp_path)
    archive.append([record], NOON.date())

    assert list(export_records(store, archive, RecordFilter(ruleset="regicide"), pytest.fail)) == [record]
    assert list(export_records(store, archive, RecordFilter(ruleset="gridcannon"), pytest.fail)) == []


def test_records_without_a_clock(record: bytes, store: Store, tmp_path: Path):
    """Those of an arena are exported, but by no time."""
    told = orjson.loads(record)
    untimed = orjson.dumps({**told, "actions": [{**entry, "at": None} for entry in told["actions"]]})
    archive = Archive(tmp_path)
    archive.append([compact(untimed)], NOON.date())

    assert list(export_records(store, archive, RecordFilter(), pytest.fail)) == [untimed]
    assert list(export_records(store, archive, RecordFilter(since=NOON - timedelta(days=9)), pytest.fail)) == []
