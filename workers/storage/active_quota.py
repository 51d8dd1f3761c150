"""How much of what costs most is under way: games in which only AIs play, arenas, reviews.

Each client, and for reviews each game, has a list of what was begun for it. Whoever ends something may die before it is
taken out there, so nobody does: when the list is full, it is looked up what of it still is under way. So the count is
right after whatever crash, on a cluster, and over many processes; and it costs nothing but where something begins. What
was written down here and never begun counts for some seconds.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from redis import Redis
from redis.client import Pipeline

from engines.core.phrase import Phrase
from engines.table.table import ENDED
from workers.storage.connection import run_command, run_pipeline, script, text
from workers.storage.errors import TooManyGames, TooManyJobs
from workers.storage.keys import Keys, active_quota

TTL_SECONDS: Final = 30 * 24 * 3600
"""How long it is remembered for whom something was begun: games in which nothing happens end then too."""

START_TIMEOUT_SECONDS: Final = 30.0
"""How long what was admitted may take to be begun."""

ENDED_TASKS: Final = ("finished", "failed", "cancelled")

ARENAS: Final = Phrase(
    "{limit} arenas are under way for your address, and more may not be: wait until one has ended, or cancel one."
)
REVIEWS: Final = Phrase("{limit} reviews of this game are under way, and more may not be: wait until one has ended.")

MAX_REVIEWS: Final = 4
"""Of one game: as many as hints, of which each seat has one at a time, while the game runs."""

UNKNOWN_CREATOR: Final = ""
"""Who made a game of which that isn't known."""


def client_hash(address: str) -> str:
    """Return how a client is called here: not by its address."""
    return sha256(address.encode()).hexdigest()[:16]


def fairness_group(address: str) -> str:
    """Return with whom an address shares its turns: with so many others that it tells nobody who made a game."""
    return client_hash(address)[:4]


class ActiveQuota:
    """What is under way for each client."""

    def __init__(self, redis: Redis, keys: Keys, clock: Callable[[], datetime]) -> None:
        self._redis, self._keys, self._clock = redis, keys, clock
        self._admit = script(redis, "admit.lua")

    def admit_game(self, client: str, game_id: str, limit: int) -> None:
        """Count a game in which only AIs play, and remember whose it is; *limit* 0: any number.

        Raises ``TooManyGames``.
        """
        if limit and not self._try_admit("games", client, game_id, limit, self._keys.game, ENDED):
            raise TooManyGames(limit)
        self.remember(client, game_id)

    def remember(self, client: str, game_id: str) -> None:
        """Remember whose a game is that may go on without a person."""
        run_command(lambda: self._redis.set(self._keys.creator(game_id), client, ex=TTL_SECONDS))

    def admit_arena(self, client: str, task_id: str, limit: int) -> None:
        """Count an arena; *limit* 0: any number. Raises ``TooManyJobs``."""
        if limit and not self._try_admit("arenas", client, task_id, limit, self._keys.task, ENDED_TASKS):
            raise TooManyJobs(ARENAS, limit)

    def admit_review(self, game_id: str, task_id: str) -> None:
        """Count a review of a game. Raises ``TooManyJobs``."""
        if not self._try_admit("reviews", game_id, task_id, MAX_REVIEWS, self._keys.task, ENDED_TASKS):
            raise TooManyJobs(REVIEWS, MAX_REVIEWS)

    def creator(self, game_id: str) -> str:
        """Return who made a game that goes on without a person."""
        return self.creators([game_id])[game_id]

    def creators(self, game_ids: Sequence[str]) -> Mapping[str, str]:
        """Return who made these games, which go on without a person."""

        def fill(pipe: Pipeline) -> None:
            for game_id in game_ids:
                pipe.get(self._keys.creator(game_id))

        replies = run_pipeline(self._redis, fill) if game_ids else []
        return {
            game_id: UNKNOWN_CREATOR if client is None else text(client)
            for game_id, client in zip(game_ids, replies, strict=True)
        }

    def _try_admit(
        self, kind: str, client: str, item_id: str, limit: int, key_of: Callable[[str], str], ended: Container[str]
    ) -> bool:
        """Count *one* more of a kind, if fewer than *limit* haven't ended; say whether it was counted."""
        name, now = active_quota(kind, client), self._clock().timestamp()
        while (
            known := run_command(lambda: self._admit(keys=[name], args=[item_id, limit, now, TTL_SECONDS]))
        ) is not None:
            started = {text(other): float(since) for other, since in zip(known[::2], known[1::2], strict=True)}
            finished = self._finished_among(started, now, key_of, ended)
            if not finished:
                return False
            run_command(lambda: self._redis.zrem(name, *finished))  # noqa: B023  it is called here
        return True

    def _finished_among(
        self, started: Mapping[str, float], now: float, key_of: Callable[[str], str], ended: Container[str]
    ) -> list[str]:
        """Return those that have ended, and those that haven't begun ``BEGIN_SECONDS`` after they were admitted.

        What was admitted in the future was so before the clock was set back.
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
