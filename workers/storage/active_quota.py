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
from workers.storage.connection import call, pipelined, script, text
from workers.storage.errors import DamagedKey, TooManyGames, TooManyJobs
from workers.storage.keys import Keys, under_way

KEPT_SECONDS: Final = 30 * 24 * 3600
"""How long it is remembered for whom something was begun: games in which nothing happens end then too."""

BEGIN_SECONDS: Final = 30.0
"""How long what was admitted may take to be begun."""

ENDED_TASKS: Final = ("finished", "failed", "cancelled")

ARENAS: Final = Phrase(
    "{limit} arenas are under way for your address, and more may not be: wait until one has ended, or cancel one."
)
REVIEWS: Final = Phrase("{limit} reviews of this game are under way, and more may not be: wait until one has ended.")

MOST_REVIEWS: Final = 4
"""Of one game: as many as hints, of which each seat has one at a time, while the game runs."""

NOBODY: Final = ""
"""Who made a game of which that isn't known."""


def client_of(address: str) -> str:
    """Return how a client is called here: not by its address."""
    return sha256(address.encode()).hexdigest()[:16]


def fairness_group(address: str) -> str:
    """Return with whom an address shares its turns: with so many others that it tells nobody who made a game."""
    return client_of(address)[:4]


class ActiveQuota:
    """What is under way for each client."""

    def __init__(self, redis: Redis, keys: Keys, clock: Callable[[], datetime]) -> None:
        self._redis, self._keys, self._clock = redis, keys, clock
        self._admit = script(redis, "admit.lua")

    def admit_game(self, client: str, game_id: str, limit: int) -> None:
        """Count a game in which only AIs play, and remember whose it is; *limit* 0: any number.

        Raises ``TooManyGames``.
        """
        if limit and not self._admitted("games", client, game_id, limit, self._keys.game, ENDED):
            raise TooManyGames(limit)
        self.remember(client, game_id)

    def remember(self, client: str, game_id: str) -> None:
        """Remember whose a game is that may go on without a person."""
        call(lambda: self._redis.set(self._keys.creator(game_id), client, ex=KEPT_SECONDS))

    def admit_arena(self, client: str, task_id: str, limit: int) -> None:
        """Count an arena; *limit* 0: any number. Raises ``TooManyJobs``."""
        if limit and not self._admitted("arenas", client, task_id, limit, self._keys.task, ENDED_TASKS):
            raise TooManyJobs(ARENAS, limit)

    def admit_review(self, game_id: str, task_id: str) -> None:
        """Count a review of a game. Raises ``TooManyJobs``."""
        if not self._admitted("reviews", game_id, task_id, MOST_REVIEWS, self._keys.task, ENDED_TASKS):
            raise TooManyJobs(REVIEWS, MOST_REVIEWS)

    def creator(self, game_id: str) -> str:
        """Return who made a game that goes on without a person."""
        return self.creators([game_id])[game_id]

    def creators(self, game_ids: Sequence[str]) -> Mapping[str, str]:
        """Return who made these games, which go on without a person."""

        def order(pipe: Pipeline) -> None:
            for game_id in game_ids:
                pipe.get(self._keys.creator(game_id))

        found = pipelined(self._redis, order) if game_ids else []
        return {one: NOBODY if client is None else text(client) for one, client in zip(game_ids, found, strict=True)}

    def _admitted(
        self, kind: str, client: str, one: str, limit: int, key_of: Callable[[str], str], ended: Container[str]
    ) -> bool:
        """Count *one* more of a kind, if fewer than *limit* haven't ended; say whether it was counted."""
        name, now = under_way(kind, client), self._clock().timestamp()
        while (known := self._try_to_admit(name, one, limit, now)) is not None:
            begun = {text(other): float(since) for other, since in zip(known[::2], known[1::2], strict=True)}
            over = self._finished_among(begun, now, key_of, ended)
            if not over:
                return False
            call(lambda: self._redis.zrem(name, *over))  # noqa: B023  it is called here
        return True

    def _try_to_admit(self, name: str, one: str, limit: int, now: float) -> Any:
        """Do what admit.lua promises; a set that is damaged begins anew."""

        def admit() -> Any:
            return self._admit(keys=[name], args=[one, limit, now, KEPT_SECONDS])

        try:
            return call(admit)
        except DamagedKey:
            call(lambda: self._redis.delete(name))
            return call(admit)

    def _finished_among(
        self, begun: Mapping[str, float], now: float, key_of: Callable[[str], str], ended: Container[str]
    ) -> list[str]:
        """Return those that have ended, and those that haven't begun ``BEGIN_SECONDS`` after they were admitted.

        What was admitted in the future was so before the clock was set back.
        """

        def order(pipe: Pipeline) -> None:
            for one in begun:
                pipe.hget(key_of(one), "status")

        found: list[Any] = pipelined(self._redis, order)
        return [
            one
            for (one, since), status in zip(begun.items(), found, strict=True)
            if (abs(now - since) > BEGIN_SECONDS if status is None else text(status) in ended)
        ]
