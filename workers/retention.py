"""How long a game is kept: one that nothing happens in is given up, one that has ended is archived and deleted.

What is archived is on the disk before anything is deleted, and deleted is what still is as it was archived. So whoever
is killed between the two leaves a game that the next one archives once more: at least once, never not at all.

    t0  A writes the record      t1  A is killed
    t2  B writes it again        t3  B deletes the game      whoever reads the archive counts it once
"""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from operator import add
from time import monotonic
from typing import Final, Self

import orjson
import structlog

from engines.core.errors import GameOver
from engines.table import table_json
from engines.table.table import ENDED, Table
from workers import turns
from workers.archive import Archive
from workers.compact_records import shortened
from workers.metrics import ARCHIVED, DELETED, GIVEN_UP
from workers.settings import Settings
from workers.storage.errors import NoSuchGame, StaleVersion, Unreadable
from workers.storage.store import Store

BATCH: Final = 20
"""So many games of one status are looked after at a time."""

UNLIMITED: Final = float("inf")

log: Final = structlog.get_logger(__name__)


@dataclass
class RetentionCounts:
    """What became of games."""

    given_up: int = 0
    archived: int = 0
    deleted: int = 0
    unreadable: int = 0
    """So many were left alone."""

    def __bool__(self) -> bool:
        return any(astuple(self))

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, astuple(self), astuple(other)))


class Retention:
    """Looks after the games of a store whose time is up, by the settings."""

    def __init__(self, store: Store, settings: Settings) -> None:
        days = timedelta(days=settings.keep_ended_days)
        self._store = store
        self._archive = None if settings.archive_folder is None else Archive(settings.archive_folder)
        self._kept = {
            "waiting": timedelta(hours=settings.keep_waiting_hours),
            "active": timedelta(days=settings.keep_idle_days),
            **dict.fromkeys(ENDED, days),
        }

    def look_after(self, partition: int, seconds: float = UNLIMITED) -> RetentionCounts:
        """Give up, archive and delete some games of *partition*, if their time is up.

        It begins with no other after *seconds*. Raises ``StorageUnavailable``, and ``OSError`` if the archive can't be
        written: then nothing is deleted.
        """
        done, until, now = RetentionCounts(), monotonic() + seconds, self._store.now()
        for game_id in self._overdue(partition, now, ("waiting", "active")):
            self._give_up(game_id, done)
        ended = list[tuple[Table, bytes]]()
        for game_id in self._overdue(partition, now, ENDED):
            if ended and monotonic() > until:
                break
            found = self._ended(game_id, done)
            ended.extend([] if found is None else [found])
        if ended and self._archive is not None:
            self._archive.append([record for _, record in ended], now.date())
            done.archived = len(ended)
            ARCHIVED.inc(len(ended))
        done.deleted = sum(self._delete(table) for table, _ in ended)
        return done

    def _overdue(self, partition: int, now: datetime, statuses: tuple[str, ...]) -> list[str]:
        """Return games of *statuses* whose time is up."""
        wanted = [(status, (now - kept).timestamp()) for status in statuses if (kept := self._kept[status])]
        return self._store.idle.until(partition, wanted, BATCH)

    def _give_up(self, game_id: str, done: RetentionCounts) -> None:
        """Abandon a game, unless something happens in it just now."""
        try:
            table = self._store.games.load(game_id)
            turns.change(self._store, table, Table.abandon, expected=table.version)
        except (NoSuchGame, StaleVersion, GameOver):
            return
        except Unreadable as error:
            self._put_off(game_id, error, done)
            return
        done.given_up += 1
        GIVEN_UP.inc()
        log.info("given_up", game_id=game_id, version=table.version + 1)

    def _ended(self, game_id: str, done: RetentionCounts) -> tuple[Table, bytes] | None:
        """Return an ended game and its record, short; None if it can't be read, or somebody has deleted it."""
        try:
            if self._archive is None:
                return self._store.games.load(game_id), b""
            table, record = read_ended(self._store, game_id)
            return table, shortened(record)
        except NoSuchGame:
            return None
        except Unreadable as error:
            self._put_off(game_id, error, done)
            return None

    def _delete(self, table: Table) -> bool:
        is_deleted = self._store.idle.delete(table)
        if is_deleted:
            DELETED.inc()
            log.info("deleted", game_id=table.id, version=table.version, archived=self._archive is not None)
        return is_deleted

    def _put_off(self, game_id: str, error: Exception, done: RetentionCounts) -> None:
        """Leave alone what can't be read: it isn't lost, and the others go on."""
        done.unreadable += 1
        log.error("unreadable_game", game_id=game_id, error=type(error).__name__)
        self._store.idle.put_off(game_id, self._store.now().timestamp())


def read_ended(store: Store, game_id: str) -> tuple[Table, bytes]:
    """Return an ended game and its record as JSON. Raises ``NoSuchGame``, ``Unreadable``."""
    table, lines = store.games.load(game_id), store.history.record(game_id)
    if len(lines) != table.moves:  # it was deleted between the two
        raise NoSuchGame
    return table, orjson.dumps(table_json.record(table, lines))
