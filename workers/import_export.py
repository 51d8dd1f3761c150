"""Export of records from the store and the archive, and import of records into the archive.

A record is identified by the id of its game and counts once. A game may have been archived twice, if a process was
killed after it archived the game and before it deleted it. The ids are kept in memory, about 100 bytes each.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import Final

import orjson

from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table.record_parser import read_record
from engines.table.replay import verify
from engines.table.table import ENDED
from workers.archive import Archive, Reporter, read_lines
from workers.archived_record_format import CannotRestore, compact, expand, read_summary
from workers.retention import read_ended
from workers.storage.errors import NoSuchGame, Unreadable
from workers.storage.store import Store

RECORDS_PER_BATCH: Final = 100
"""Number of records that are written to the archive at a time."""


@dataclass(frozen=True)
class RecordFilter:
    """Selects the records of *ruleset* whose last action was at *since* or later. None selects all."""

    ruleset: str | None = None
    since: datetime | None = None

    def has(self, record: Json) -> bool:
        """Return whether *record* matches. With *since* set, a record without actions or times does not match."""
        if self.ruleset is not None and record["ruleset"] != self.ruleset:
            return False
        if self.since is None:
            return True
        at = record["actions"][-1]["at"] if record["actions"] else None
        return at is not None and datetime.fromisoformat(at) >= self.since


@dataclass
class Imported:
    """Numbers of records that were imported, already archived, or refused."""

    new: int = 0
    known: int = 0
    refused: int = 0


def export_records(
    store: Store | None, archive: Archive | None, record_filter: RecordFilter, report: Reporter
) -> Iterator[bytes]:
    """Yield each matching record once, as JSON, and report unreadable records. Raises ``OSError``.

    The store, if there is one, is read first. Therefore a game that is archived meanwhile is found in the store or in
    the archive.
    """
    seen_ids = set[str]()
    for record, line in chain(
        () if store is None else _stored_records(store, record_filter, report),
        _archived_records(archive, record_filter, report),
    ):
        if record["id"] in seen_ids or not record_filter.has(record):
            continue
        try:
            record_line = expand(line)
        except CannotRestore as reason:
            report(f"Game {record['id']} can't be restored from the archive, and is left out. {reason}")
        else:
            seen_ids.add(record["id"])
            yield record_line


def import_records(lines: Iterable[bytes], archive: Archive, day: date, report: Reporter) -> Imported:
    """Append the valid records of *lines* that the archive doesn't have. Report each refused line.

    Raises ``OSError``.
    """
    counts, seen_ids = Imported(), {record["id"] for record, _ in _archived_records(archive, RecordFilter(), report)}

    def refuse(number: int, why: str) -> None:
        counts.refused += 1
        report(f"Line {number}: {why}")

    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    new = _valid_and_new(numbered, seen_ids, counts, refuse)
    while batch := list(islice(new, RECORDS_PER_BATCH)):
        archive.append([compact(line) for line in batch], day)
        counts.new += len(batch)
    return counts


def _valid_and_new(
    lines: Iterable[tuple[int, bytes]], seen_ids: set[str], counts: Imported, refuse: Callable[[int, str], None]
) -> Iterator[bytes]:
    for number, line in lines:
        try:
            record_line = expand(line)
            record = read_record(record_line.decode())
        except CannotRestore as reason:
            refuse(number, str(reason))
            continue
        except UnicodeDecodeError:
            refuse(number, "It isn't UTF-8.")
            continue
        except BadRequest as refusal:
            refuse(number, refusal.detail)
            continue
        if record.id in seen_ids:
            counts.known += 1
        elif mismatches := verify(record):
            refuse(number, mismatches[0].sentence)
        else:
            seen_ids.add(record.id)
            yield record_line


def _stored_records(store: Store, record_filter: RecordFilter, report: Reporter) -> Iterator[tuple[Json, bytes]]:
    """Yield the parsed record and the line of each stored ended game that changed since the filter's ``since``."""
    earliest = (record_filter.since or datetime.fromtimestamp(0, UTC)).timestamp()
    for partition in store.keys.all():
        for game_id in (game for status in ENDED for game in store.idle.since(partition, status, earliest)):
            try:
                line = read_ended(store, game_id)[1]
            except NoSuchGame:
                continue  # the game was archived after the list was read
            except Unreadable:
                report(f"Game {game_id} can't be read, and is left out.")
            else:
                yield orjson.loads(line), line


def _archived_records(
    archive: Archive | None, record_filter: RecordFilter, report: Reporter
) -> Iterator[tuple[Json, bytes]]:
    """Yield the parsed record and the line, compact or not, of each record archived since ``record_filter.since``."""
    files = [] if archive is None else archive.files(record_filter.since.date() if record_filter.since else date.min)
    for file in files:
        for line in read_lines(file, report):
            try:
                yield read_summary(line), line
            except orjson.JSONDecodeError:
                report(f"{file}: a line is no record, and is left out.")
            except CannotRestore as reason:
                report(f"{file}: a line is left out. {reason}")
