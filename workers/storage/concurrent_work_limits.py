"""Limits of concurrent work that is expensive: games in which only AIs play, arenas, reviews.

Each client, and for reviews each game, has a list of the work that was started. A process may die before it removes an
entry, so entries are not removed when their work ends. Instead, when the list is full, the states of its entries are
read, and entries that have ended are removed. Therefore the count is correct even after a crash, on a cluster and over
many processes, and only a start costs a round trip. An entry that was admitted but not started counts for
``START_TIMEOUT_SECONDS``.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from redis import Redis
from redis.client import Pipeline

from engines.core.phrase import Phrase
from engines.table.table import ENDED
from workers.storage.commands import run_command, run_pipeline, script, text
from workers.storage.errors import DamagedKey, TooManyGames, TooManyJobs
from workers.storage.keys import Keys, concurrent_work

WORK_LIST_TTL_SECONDS: Final = 30 * 24 * 3600
"""TTL of a list and of the stored creator of a game, in seconds.

It equals the default time after which an idle game is abandoned.
"""

START_TIMEOUT_SECONDS: Final = 30.0
"""Maximum time from the admission of work to its start, in seconds."""

ENDED_TASK_STATUSES: Final = ("finished", "failed", "cancelled")

TOO_MANY_ARENAS: Final = Phrase(
    "{limit} arenas are under way for your address, and more may not be: wait until one has ended, or cancel one."
)
TOO_MANY_REVIEWS: Final = Phrase(
    "{limit} reviews of this game are under way, and more may not be: wait until one has ended."
)

MAX_REVIEWS_PER_GAME: Final = 4
"""Maximum number of concurrent reviews of a game."""

UNKNOWN_CREATOR: Final = ""
"""Creator of a game whose creator is unknown."""


def client_hash(address: str) -> str:
    """Return the hash of a client's address, by which the store identifies the client."""
    return sha256(address.encode()).hexdigest()[:16]


def fairness_group(address: str) -> str:
    """Return the fair-queueing key of an address. Many addresses share a key, so that the key identifies nobody."""
    return client_hash(address)[:4]


class ConcurrentWorkLimits:
    """The running work of each client, counted and limited."""

    def __init__(self, redis: Redis, keys: Keys, clock: Callable[[], datetime]) -> None:
        self._redis, self._keys, self._clock = redis, keys, clock
        self._admit = script(redis, "admit.lua")

    def admit_game(self, client: str, game_id: str, limit: int) -> None:
        """Count a game in which only AIs play, and store the game's creator. A *limit* of 0 means unlimited.

        Raises ``TooManyGames``.
        """
        if limit and not self._try_admit("games", client, game_id, limit, self._keys.game, ENDED):
            raise TooManyGames(limit)
        self.remember(client, game_id)

    def remember(self, client: str, game_id: str) -> None:
        """Store *client* as the creator of a game in which only AIs play, or in which AIs may act for absent people."""
        run_command(lambda: self._redis.set(self._keys.creator(game_id), client, ex=WORK_LIST_TTL_SECONDS))

    def admit_arena(self, client: str, task_id: str, limit: int) -> None:
        """Count an arena. A *limit* of 0 means unlimited. Raises ``TooManyJobs``."""
        if limit and not self._try_admit("arenas", client, task_id, limit, self._keys.task, ENDED_TASK_STATUSES):
            raise TooManyJobs(TOO_MANY_ARENAS, limit)

    def admit_review(self, game_id: str, task_id: str) -> None:
        """Count a review of a game. Raises ``TooManyJobs``."""
        if not self._try_admit("reviews", game_id, task_id, MAX_REVIEWS_PER_GAME, self._keys.task, ENDED_TASK_STATUSES):
            raise TooManyJobs(TOO_MANY_REVIEWS, MAX_REVIEWS_PER_GAME)

    def creator(self, game_id: str) -> str:
        """Return the creator of a game that continues without a person, or ``UNKNOWN_CREATOR`` if none is stored."""
        return self.creators([game_id])[game_id]

    def creators(self, game_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the creators of games that continue without a person, by game."""

        def fill(pipe: Pipeline) -> None:
            for game_id in game_ids:
                pipe.get(self._keys.creator(game_id))

        replies = run_pipeline(self._redis, fill) if game_ids else []
        creators = [UNKNOWN_CREATOR if reply is None else text(reply) for reply in replies]
        return dict(zip(game_ids, creators, strict=True))

    def _try_admit(
        self, kind: str, client: str, item_id: str, limit: int, key_of: Callable[[str], str], ended: Container[str]
    ) -> bool:
        """Count one more item of a kind if fewer than *limit* are running. Return whether it was counted.

        *key_of* returns the key of an item's hash. *ended* has the values of its ``status`` field for ended items.
        """
        name, now = concurrent_work(kind, client), self._clock().timestamp()
        while (known := self._run_admit(name, item_id, limit, now)) is not None:
            started = {text(other): float(since) for other, since in zip(known[::2], known[1::2], strict=True)}
            finished = self._finished_among(started, now, key_of, ended)
            if not finished:
                return False
            run_command(lambda: self._redis.zrem(name, *finished))  # noqa: B023  # it is called within this iteration
        return True

    def _run_admit(self, name: str, item_id: str, limit: int, now: float) -> Any:
        """Run admit.lua. If the list is damaged, delete it and run the script again.

        Returns None if the item is counted. Otherwise returns the counted items, each followed by its time.
        """

        def admit() -> Any:
            return self._admit(keys=[name], args=[item_id, limit, now, WORK_LIST_TTL_SECONDS])

        try:
            return run_command(admit)
        except DamagedKey:
            run_command(lambda: self._redis.delete(name))
            return run_command(admit)

    def _finished_among(
        self, started: Mapping[str, float], now: float, key_of: Callable[[str], str], ended: Container[str]
    ) -> list[str]:
        """Return the items that have ended, and those that were not started within ``START_TIMEOUT_SECONDS``.

        An admission with a time in the future was made before the clock was set back, and counts as expired.
        """

        def fill(pipe: Pipeline) -> None:
            for item_id in started:
                pipe.hget(key_of(item_id), "status")

        statuses: list[Any] = run_pipeline(self._redis, fill)
        return [
            item_id
            for (item_id, since), status in zip(started.items(), statuses, strict=True)
            if (abs(now - since) > START_TIMEOUT_SECONDS if status is None else text(status) in ended)
        ]
