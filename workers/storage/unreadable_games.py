"""Games that a process can't read: written by a newer version, or damaged. ``/readyz`` reports their number."""

from typing import Final

from redis import Redis
from redis.client import Pipeline

from workers.storage.commands import NOW_SCRIPT, run_command, run_pipeline, script
from workers.storage.keys import UNREADABLE_GAMES, unreadable_turn_requeues
from workers.storage.store_time import StoreTime

TTL_SECONDS: Final = 75.0
"""TTL of an entry. It is a little longer than the sweeper's longest interval, to keep an unreadable game listed."""

MAX_TURN_PASSES: Final = 40
"""Maximum number of times that a turn is requeued for another worker. Then only the sweeper retries the turn."""

PASSES_TTL_SECONDS: Final = 10
"""TTL of a turn's count of requeues, in seconds after its last requeue."""


class UnreadableGames:
    """The unreadable games of one store."""

    def __init__(self, redis: Redis, time: StoreTime) -> None:
        self._redis, self._time = redis, time
        self._script = script(redis, "unreadable.lua", NOW_SCRIPT)

    def note(self, game_id: str) -> None:
        """Record a game as unreadable. Raises ``StorageUnavailable``."""
        self._run(game_id)

    def count(self) -> int:
        """Return the number of unreadable games. Raises ``StorageUnavailable``."""
        return self._run("")

    def may_pass_to_other_worker(self, game_id: str, version: int) -> bool:
        """Count one requeue of a turn for another worker. Return whether the limit allows it.

        Raises ``StorageUnavailable``.
        """
        name = unreadable_turn_requeues(game_id, version)

        def fill(pipe: Pipeline) -> None:
            pipe.incr(name)
            pipe.expire(name, PASSES_TTL_SECONDS)

        return int(run_pipeline(self._redis, fill)[0]) <= MAX_TURN_PASSES

    def _run(self, game_id: str) -> int:
        args = [self._time.argument(), TTL_SECONDS, game_id]
        return int(run_command(lambda: self._script(keys=[UNREADABLE_GAMES], args=args)))
