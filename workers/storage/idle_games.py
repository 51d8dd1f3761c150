"""Idle games: the time of each game's last change, and the deletion of games.

Each commit writes its time into an index (commit.lua). Therefore games to abandon or to archive are found without
reading all games, and a changed setting applies to all games at once.
"""

from collections.abc import Sequence

from redis import Redis
from redis.client import Pipeline

from engines.table.table import STATUSES, Table
from workers.storage.commands import run_command, run_pipeline, script, text
from workers.storage.keys import Keys


class IdleGames:
    """The games of one store by status, with the time of their last change."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis = redis
        self._keys = keys
        self._delete = script(redis, "delete.lua")

    def idle_before(self, partition: int, wanted: Sequence[tuple[str, float]], limit: int) -> list[str]:
        """Return a partition's games whose last change is old enough, longest idle first.

        *wanted* has pairs of a status and the latest time of such a game's last change, in epoch seconds. *limit* is
        per status.
        """

        def fill(pipe: Pipeline) -> None:
            for status, latest in wanted:
                pipe.zrange(self._keys.idle(partition, status), "-inf", latest, byscore=True, offset=0, num=limit)

        return [text(game) for games in run_pipeline(self._redis, fill) for game in games] if wanted else []

    def since(self, partition: int, status: str, earliest: float) -> list[str]:
        """Return the games of a partition with *status* that changed at *earliest* (epoch seconds) or later."""
        name = self._keys.idle(partition, status)
        return [text(game) for game in run_command(lambda: self._redis.zrange(name, earliest, "+inf", byscore=True))]

    def newest(self, partition: int, statuses: Sequence[str], limit: int) -> list[str]:
        """Return, for each of *statuses*, the *limit* games of a partition that changed last, the latest first."""

        def fill(pipe: Pipeline) -> None:
            for status in statuses:
                pipe.zrevrange(self._keys.idle(partition, status), 0, limit - 1)

        return [text(game) for games in run_pipeline(self._redis, fill) for game in games]

    def touch(self, game_id: str, now: float) -> None:
        """Set the time of a game's last change to *now*. This postpones its abandonment, archiving and deletion."""
        partition = self._keys.partition(game_id)

        def fill(pipe: Pipeline) -> None:
            for status in STATUSES:
                pipe.zadd(self._keys.idle(partition, status), {game_id: now}, xx=True)

        run_pipeline(self._redis, fill)

    def delete(self, table: Table) -> bool:
        """Delete all keys of a game if it is still at the version of *table*. Return whether it was deleted."""
        keys, partition = self._keys, self._keys.partition(table.id)
        names = [
            keys.game(table.id),
            keys.due(partition),
            keys.retries(partition),
            keys.status_counts(partition),
            keys.public(partition, table.ruleset_name, table.status),
            keys.idle(partition, table.status),
            keys.tokens(table.id),
            keys.journal(table.id),
            keys.next_game(table.id),
            keys.creator(table.id),
            *(keys.hint(table.id, seat) for seat in range(len(table.seats))),
        ]
        args: list[str | int] = [
            table.id,
            table.version,
            f"{table.created}_{table.id}",
            f"{table.ruleset_name}/{table.status}",
        ]
        return bool(run_command(lambda: self._delete(keys=names, args=args)))
