"""The history of games: changes, past versions, snapshots and records, replayed from the journal (journal.py)."""

from redis import Redis
from redis.client import Pipeline

from engines.core.types import Json
from engines.table import table_json
from engines.table.table import Change, Table
from workers.storage import journal
from workers.storage.commands import run_pipeline
from workers.storage.games import load_table
from workers.storage.journal import MAX_VERSION
from workers.storage.keys import Keys
from workers.storage.versions_for_viewers import Snapshot


class GameHistory:
    """Reads the past versions of the games of one store."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._keys = redis, keys

    def changes(self, game_id: str, after: int = -1, limit: int | None = None) -> list[tuple[Table | None, Change]]:
        """Return the changes to versions above *after*, at most *limit*, each with the table before it.

        The opening has None as the table before it. The changes are read in one round trip and replayed from the last
        keyframe before them. The replay is checked against the next keyframe after them. Raises ``UnreadablePast``,
        ``Incomplete``, ``Unreadable``.
        """
        if after >= MAX_VERSION:
            return []
        first, last = journal.keyframe_version(after), MAX_VERSION if limit is None else after + limit
        end = min(MAX_VERSION, journal.keyframe_version(last - 1) + journal.KEYFRAME_INTERVAL)

        def fill(pipe: Pipeline) -> None:
            pipe.hmget(self._keys.game(game_id), "table", "opening")
            pipe.xrange(self._keys.journal(game_id), f"{first}-1", f"{end}-1")

        (encoded, opening), rows = run_pipeline(self._redis, fill)
        if encoded is None:
            return []
        entries = [(journal.version_of(entry_id), fields) for entry_id, fields in rows]
        past = journal.History(opening, load_table(game_id, encoded), entries, end)
        changes = list(past.changes()) if past.last > after else []
        return [(before, change) for before, change in changes if after < change.table.version <= last]

    def table(self, game_id: str, version: int) -> Table | None:
        """Return a game's table at *version*, or None if there is no such version. Raises the errors of ``changes``."""
        return next((change.table for _, change in self.changes(game_id, version - 1, 1)), None)

    def snapshots(self, game_id: str, after: int = -1, limit: int | None = None) -> list[Snapshot]:
        """Return at most *limit* snapshots above version *after*, oldest first. Raises the errors of ``changes``."""
        return [Snapshot.of(change) for _, change in self.changes(game_id, after, limit)]

    def record(self, game_id: str) -> list[Json]:
        """Return the actions of the game's record. Raises the errors of ``changes``."""
        changes = self.changes(game_id)
        lines = [table_json.line(before, change.entry) for before, change in changes if before is not None]
        return [line for line in lines if line is not None]
