"""Games that a process can't read: those of a newer version, or damaged ones. ``/readyz`` says how many there are."""

from typing import Final

from redis import Redis
from redis.client import Pipeline

from workers.storage.connection import NOW, run_command, run_pipeline, script
from workers.storage.keys import UNREADABLE, passed
from workers.storage.store_time import StoreTime

TTL_SECONDS: Final = 75.0
"""A little longer than the sweeper leaves a game alone at most: what still can't be read is seen again meanwhile."""

MAX_PASSES: Final = 40
"""So often a turn is passed on before the sweeper is left to ask again."""

PASSES_TTL_SECONDS: Final = 10
"""How long it is counted."""


class UnreadableGames:
    """The games of one store that somebody can't read."""

    def __init__(self, redis: Redis, time: StoreTime) -> None:
        self._redis, self._time = redis, time
        self._script = script(redis, "unreadable.lua", NOW)

    def note(self, game_id: str) -> None:
        """Remember a game. Raises ``StorageUnavailable``."""
        self._run(game_id)

    def count(self) -> int:
        """Return how many games somebody couldn't read just now. Raises ``StorageUnavailable``."""
        return self._run("")

    def may_pass_on(self, game_id: str, version: int) -> bool:
        """Count that somebody passes on a turn, and say whether they may: another one may still read the game."""
        name = passed(game_id, version)

        def fill(pipe: Pipeline) -> None:
            pipe.incr(name)
            pipe.expire(name, PASSES_TTL_SECONDS)

        return int(run_pipeline(self._redis, fill)[0]) <= MAX_PASSES

    def _run(self, game_id: str) -> int:
        args = [self._time.argument(), TTL_SECONDS, game_id]
        return int(run_command(lambda: self._script(keys=[UNREADABLE], args=args)))
