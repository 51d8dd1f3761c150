"""Retention: abandon games in which nothing happens, archive and delete games that have ended.

A record is on the disk before its game is deleted, and a game is deleted only if it hasn't changed since. If a process
is killed between the two steps, the game is archived again: each record is archived at least once.

  t0  A writes the record      t1  A is killed
  t2  B writes it again        t3  B deletes the game      readers of the archive count it once
"""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from functools import partial
from operator import add
from time import monotonic
from typing import Final, Self

import orjson
import structlog

from engines.core.errors import GameOver
from engines.table import table_json
from engines.table.seats import INACTIVITY
from engines.table.table import ENDED, Table
from workers import game_commands
from workers.archive import Archive
from workers.archived_record_format import compact
from workers.metrics import GAMES_ARCHIVED, GAMES_DELETED, GAMES_GIVEN_UP
from workers.settings import Settings
from workers.storage.errors import NoSuchGame, RulesetMissing, StaleVersion, Unreadable
from workers.storage.store import Store

MAX_GAMES_PER_BATCH: Final = 20
"""Maximum number of games of one status that one call of ``enforce`` handles."""

UNLIMITED_SECONDS: Final = float("inf")

log: Final = structlog.get_logger(__name__)


@dataclass
class RetentionCounts:
    """Numbers of games that retention abandoned, archived, deleted or couldn't read."""

    given_up: int = 0
    archived: int = 0
    deleted: int = 0
    unreadable: int = 0
    """Number of games that were skipped because they can't be read."""

    def __bool__(self) -> bool:
        return any(astuple(self))

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, astuple(self), astuple(other)))


class Retention:
    """Enforces the retention times of the settings on one store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        days = timedelta(days=settings.keep_ended_days)
        self._store = store
        self._archive = None if settings.archive_folder is None else Archive(settings.archive_folder)
        self._ttls = {
            "waiting": timedelta(hours=settings.keep_waiting_hours),
            "active": timedelta(days=settings.keep_idle_days),
            **dict.fromkeys(ENDED, days),
        }

    def enforce(self, partition: int, seconds: float = UNLIMITED_SECONDS) -> RetentionCounts:
        """Enforce the retention periods in *partition*: abandon unfinished games, archive and delete ended ones.

        One call handles a limited number of games. After *seconds* it reads no further ended games.
        Raises ``StorageUnavailable``. Raises ``OSError`` if the archive can't be written; then no game is deleted.
        """
        counts, deadline, now = RetentionCounts(), monotonic() + seconds, self._store.now()
        for game_id in self._overdue(partition, now, ("waiting", "active")):
            self._give_up(game_id, counts)
        ended = list[tuple[Table, bytes]]()
        for game_id in self._overdue(partition, now, ENDED):
            if ended and monotonic() > deadline:
                break
            archivable = self._ended(game_id, counts)
            ended.extend([] if archivable is None else [archivable])
        if ended and self._archive is not None:
            self._archive.append([record for _, record in ended], now.date())
            counts.archived = len(ended)
            GAMES_ARCHIVED.inc(len(ended))
        counts.deleted = sum(self._delete(table) for table, _ in ended)
        return counts

    def _overdue(self, partition: int, now: datetime, statuses: tuple[str, ...]) -> list[str]:
        """Return at most ``MAX_GAMES_PER_BATCH`` games of each of *statuses* whose retention period ended by *now*."""
        limits = [(status, (now - ttl).timestamp()) for status in statuses if (ttl := self._ttls[status])]
        return self._store.idle.idle_before(partition, limits, MAX_GAMES_PER_BATCH)

    def _give_up(self, game_id: str, counts: RetentionCounts) -> None:
        """Abandon a game, unless it changes concurrently."""
        try:
            table = self._store.games.load(game_id)
            game_commands.change(self._store, table, partial(Table.abandon, by=INACTIVITY), expected=table.version)
        except (NoSuchGame, StaleVersion, GameOver):
            return
        except Unreadable as error:
            self._defer(game_id, error, counts)
            return
        counts.given_up += 1
        GAMES_GIVEN_UP.inc()
        log.info("given_up", game_id=game_id, version=table.version + 1)

    def _ended(self, game_id: str, counts: RetentionCounts) -> tuple[Table, bytes] | None:
        """Return an ended game and its compact record (empty without an archive).

        Returns None if the game can't be read or was deleted meanwhile.
        """
        try:
            if self._archive is None:
                return self._store.games.load(game_id), b""
            table, record = read_ended(self._store, game_id)
            return table, compact(record)
        except NoSuchGame:
            return None
        except Unreadable as error:
            self._defer(game_id, error, counts)
            return None

    def _delete(self, table: Table) -> bool:
        is_deleted = self._store.idle.delete(table)
        if is_deleted:
            GAMES_DELETED.inc()
            log.info("deleted", game_id=table.id, version=table.version, archived=self._archive is not None)
        return is_deleted

    def _defer(self, game_id: str, error: Exception, counts: RetentionCounts) -> None:
        """Postpone an unreadable game, so that others are handled. Count and log it unless its ruleset is missing."""
        if not isinstance(error, RulesetMissing):
            counts.unreadable += 1
            log.error("unreadable_game", game_id=game_id, error=type(error).__name__)
        self._store.idle.touch(game_id, self._store.now().timestamp())


def read_ended(store: Store, game_id: str) -> tuple[Table, bytes]:
    """Return an ended game and its record as JSON. Raises ``NoSuchGame``, ``Unreadable``."""
    table, lines = store.games.load(game_id), store.history.record(game_id)
    if len(lines) != table.moves:  # the game was deleted between the two reads
        raise NoSuchGame
    return table, orjson.dumps(table_json.record(table, lines))
