"""Records in and out: what has ended, in the store and in the archive, is exported; what others exported is imported.

A record counts once, however often it comes, by the id of its game. Who was killed between archiving a game and
deleting it has archived it twice. The ids of the games that were met are kept meanwhile, 100 bytes or so each.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import Final

import orjson

from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table.record import read_record
from engines.table.replay import verify
from engines.table.table import ENDED
from workers.archive import Archive, Reporter, read
from workers.compact_records import CannotRestore, compact, expand, read_summary
from workers.retention import read_ended
from workers.storage.errors import NoSuchGame, Unreadable
from workers.storage.store import Store

BATCH: Final = 100
"""So many records are written to the archive at a time."""


@dataclass(frozen=True)
class RecordFilter:
    """Which records: of a ruleset, and of games whose last action was then or later; None: any."""

    ruleset: str | None = None
    since: datetime | None = None

    def has(self, record: Json) -> bool:
        """Say whether *record* is wanted. Of a game in which nobody acted nobody knows when that was."""
        if self.ruleset is not None and record["ruleset"] != self.ruleset:
            return False
        if self.since is None:
            return True
        return bool(record["actions"]) and datetime.fromisoformat(record["actions"][-1]["at"]) >= self.since


@dataclass
class Imported:
    """How many records were imported, were there before, were refused."""

    new: int = 0
    known: int = 0
    refused: int = 0


def export_records(
    store: Store, archive: Archive | None, record_filter: RecordFilter, report: Reporter
) -> Iterator[bytes]:
    """Yield each wanted record once, as JSON; *tell* is told of what can't be read. Raises ``OSError``.

    The store comes first: a game that is archived meanwhile is met in the one or in the other.
    """
    seen_ids = set[str]()
    for record, line in chain(_stored(store, record_filter, report), _archived(archive, record_filter, report)):
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
    """Add the records that *lines* are to the archive, unless it has them, or they aren't true.

    *tell* is told of each line that is refused. Raises ``OSError``.
    """
    counts, seen_ids = Imported(), {record["id"] for record, _ in _archived(archive, RecordFilter(), report)}

    def refuse(number: int, why: str) -> None:
        counts.refused += 1
        report(f"Line {number}: {why}")

    new = _valid_and_new(
        ((number, line) for number, line in enumerate(lines, 1) if line.strip()), seen_ids, counts, refuse
    )
    while batch := list(islice(new, BATCH)):
        archive.append([compact(line) for line in batch], day)
        counts.new += len(batch)
    return counts


def _valid_and_new(
    lines: Iterable[tuple[int, bytes]], seen_ids: set[str], counts: Imported, refuse: Callable[[int, str], None]
) -> Iterator[bytes]:
    """Yield the records that are new and true."""
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


def _stored(store: Store, record_filter: RecordFilter, report: Reporter) -> Iterator[tuple[Json, bytes]]:
    """Yield the record of each game in the store that has ended since then, and how it is written."""
    earliest = (record_filter.since or datetime.fromtimestamp(0, UTC)).timestamp()
    for partition in store.keys.all():
        for game_id in (game for status in ENDED for game in store.idle.since(partition, status, earliest)):
            try:
                line = read_ended(store, game_id)[1]
            except NoSuchGame:
                continue  # it is in the archive now
            except Unreadable:
                report(f"Game {game_id} can't be read, and is left out.")
            else:
                yield orjson.loads(line), line


def _archived(archive: Archive | None, record_filter: RecordFilter, report: Reporter) -> Iterator[tuple[Json, bytes]]:
    """Yield what each record tells that the archive has of the days since then, and its line, short or not."""
    files = [] if archive is None else archive.files(record_filter.since.date() if record_filter.since else date.min)
    for file in files:
        for line in read(file, report):
            try:
                yield read_summary(line), line
            except orjson.JSONDecodeError:
                report(f"{file}: a line is no record, and is left out.")
            except CannotRestore as reason:
                report(f"{file}: a line is left out. {reason}")
