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
from workers.archive import Archive, Tell, read
from workers.compact_records import CannotRestore, restored, shortened, told
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


def exported(store: Store, archive: Archive | None, wanted: RecordFilter, tell: Tell) -> Iterator[bytes]:
    """Yield each wanted record once, as JSON; *tell* is told of what can't be read. Raises ``OSError``.

    The store comes first: a game that is archived meanwhile is met in the one or in the other.
    """
    met = set[str]()
    for record, line in chain(_stored(store, wanted, tell), _archived(archive, wanted, tell)):
        if record["id"] in met or not wanted.has(record):
            continue
        try:
            whole = restored(line)
        except CannotRestore as reason:
            tell(f"Game {record['id']} can't be restored from the archive, and is left out. {reason}")
        else:
            met.add(record["id"])
            yield whole


def import_records(lines: Iterable[bytes], archive: Archive, day: date, tell: Tell) -> Imported:
    """Add the records that *lines* are to the archive, unless it has them, or they aren't true.

    *tell* is told of each line that is refused. Raises ``OSError``.
    """
    done, met = Imported(), {record["id"] for record, _ in _archived(archive, RecordFilter(), tell)}

    def refuse(number: int, why: str) -> None:
        done.refused += 1
        tell(f"Line {number}: {why}")

    new = _valid_and_new(((number, line) for number, line in enumerate(lines, 1) if line.strip()), met, done, refuse)
    while batch := list(islice(new, BATCH)):
        archive.append([shortened(line) for line in batch], day)
        done.new += len(batch)
    return done


def _valid_and_new(
    lines: Iterable[tuple[int, bytes]], met: set[str], done: Imported, refuse: Callable[[int, str], None]
) -> Iterator[bytes]:
    """Yield the records that are new and true."""
    for number, line in lines:
        try:
            whole = restored(line)
            record = read_record(whole.decode())
        except CannotRestore as reason:
            refuse(number, str(reason))
            continue
        except UnicodeDecodeError:
            refuse(number, "It isn't UTF-8.")
            continue
        except BadRequest as refusal:
            refuse(number, refusal.detail)
            continue
        if record.id in met:
            done.known += 1
        elif found := verify(record):
            refuse(number, found[0].sentence)
        else:
            met.add(record.id)
            yield whole


def _stored(store: Store, wanted: RecordFilter, tell: Tell) -> Iterator[tuple[Json, bytes]]:
    """Yield the record of each game in the store that has ended since then, and how it is written."""
    earliest = (wanted.since or datetime.fromtimestamp(0, UTC)).timestamp()
    for partition in store.keys.all():
        for game_id in (game for status in ENDED for game in store.idle.since(partition, status, earliest)):
            try:
                line = read_ended(store, game_id)[1]
            except NoSuchGame:
                continue  # it is in the archive now
            except Unreadable:
                tell(f"Game {game_id} can't be read, and is left out.")
            else:
                yield orjson.loads(line), line


def _archived(archive: Archive | None, wanted: RecordFilter, tell: Tell) -> Iterator[tuple[Json, bytes]]:
    """Yield what each record tells that the archive has of the days since then, and its line, short or not."""
    files = [] if archive is None else archive.files(wanted.since.date() if wanted.since else date.min)
    for file in files:
        for line in read(file, tell):
            try:
                yield told(line), line
            except orjson.JSONDecodeError:
                tell(f"{file}: a line is no record, and is left out.")
            except CannotRestore as reason:
                tell(f"{file}: a line is left out. {reason}")
