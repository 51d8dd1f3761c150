"""Idempotency keys: a request that is sent again gets the first answer again, and isn't carried out twice.

The first request with a key claims it: it writes a string that says "in progress". Only commit.lua turns the claim into
the answer, together with the change itself. So, if the first request

    is refused               the claim is released at once: refusals aren't remembered
    dies before its commit   the claim expires; until then others are answered ``InProgress``
    dies after its commit    the answer is there

The string holds ``<SHA-256 of the body>``, then ``?<mark>`` for a claim or `` <JSON>`` for an answer.

A request that finds a claim waits: it blocks on a list, the key's wake-ups. When the first has committed, or released
the claim, it adds one item, which wakes one who waits. Whoever is woken, and finds an answer, adds one for the next.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from time import monotonic
from typing import Any, Final, cast

import orjson
from redis import Redis
from redis.client import Pipeline

from engines.core.types import Json
from workers.storage.connection import call, pipelined, script
from workers.storage.errors import DamagedKey, InProgress, KeyReused, StorageUnavailable
from workers.storage.keys import Keys, wake_ups
from workers.storage.replicas import Replicas

CLAIM_SECONDS: Final = 3
"""How long whoever sends a request again waits for one that died. Should it live, and take longer: commit.lua knows."""
WAKE_UP_SECONDS: Final = 10
"""How long a wake-up is kept that nobody takes."""

WAIT_SECONDS: Final = 2.0
DIGEST: Final = 64
"""How long the hex SHA-256 of a body is."""


@dataclass(frozen=True)
class Key:
    """An Idempotency-Key with its request."""

    scope: str
    """Whose key it is: ``<game id>/<seat>``, or ``games/<address>`` for creating one."""
    text: str
    body: str
    """Hex SHA-256 of the request's body."""

    def written(self, answer: Json) -> bytes:
        """Return what is stored when *answer* was given."""
        return self.body.encode() + b" " + orjson.dumps(answer)

    def read(self, stored: bytes) -> Json | None:
        """Return the answer that is stored, or None if it is a claim. Raises ``KeyReused``, ``DamagedKey``."""
        if stored[DIGEST : DIGEST + 1] != b" ":
            return None
        if stored[:DIGEST] != self.body.encode():
            raise KeyReused
        try:
            return cast(Json, orjson.loads(stored[DIGEST + 1 :]))
        except ValueError as error:
            raise DamagedKey from error


class IdempotencyKeys:
    """The claims and answers in one storage."""

    def __init__(self, redis: Redis, keys: Keys, replicas: Replicas, wait_seconds: float = WAIT_SECONDS) -> None:
        self._redis = redis
        self._keys = keys
        self._replicas = replicas
        self._claims = script(redis, "claim.lua")
        self._release = script(redis, "release.lua")
        self._wait_seconds = wait_seconds

    @contextmanager
    def claimed(self, key: Key) -> Iterator[Json | None]:
        """Give the answer that *key* already has, or None: then it is claimed as long as the block runs.

        A block that ends in an error, its commit not made, leaves the key as if it had never come. Raises
        ``KeyReused``, ``InProgress``.
        """
        name, claim = self._keys.answer(key.scope, key.text), f"{key.body}?{token_hex(8)}".encode()
        known = self._claim(key, name, claim)
        try:
            yield known
        except BaseException:
            if known is None:
                with suppress(StorageUnavailable):  # it expires
                    self._give_back(name, claim)
            raise

    def _claim(self, key: Key, name: str, claim: bytes) -> Json | None:
        deadline = monotonic() + self._wait_seconds
        waited = False
        while True:
            found: Any = call(partial(self._claims, keys=[name], args=[claim, CLAIM_SECONDS * 1000, DIGEST]))
            if found is None or found == claim:  # ours already, if the first try's answer was lost
                return None
            if found[DIGEST : DIGEST + 1] == b" ":
                if waited:
                    self._wake_next(name)
                self._replicas.confirm(name)  # the first time they may have been too few
                return key.read(found)
            left = deadline - monotonic()
            if left <= 0:
                raise InProgress
            call(partial(self._redis.blpop, [wake_ups(name)], left))
            waited = True

    def _give_back(self, name: str, claim: bytes) -> None:
        call(lambda: self._release(keys=[name, wake_ups(name)], args=[claim, WAKE_UP_SECONDS]))

    def _wake_next(self, name: str) -> None:
        """Wake the next who waits."""

        def order(pipe: Pipeline) -> None:
            pipe.lpush(wake_ups(name), "")
            pipe.expire(wake_ups(name), WAKE_UP_SECONDS)

        pipelined(self._redis, order)
