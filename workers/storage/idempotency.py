"""Idempotency keys: a repeated request gets the first response again and is not executed twice.

The first request with a key claims the key: it stores a string that means "in progress". Only commit.lua replaces the
claim by the response, together with the change. If the first request

  is refused               the claim is released at once: refusals aren't stored
  dies before its commit   the claim expires; until then other requests get ``InProgress``
  dies after its commit    the response is stored

The string is the SHA-256 of the request's body, followed by ``?`` and a random text for a claim, or by a space and the
JSON for a response.

A request that finds a claim blocks on the key's list of wake-ups. A commit or a release pushes one item, which wakes
one waiting request. A request that was woken and finds a response pushes an item for the next request.
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
from workers.storage.commands import run_command, run_pipeline, script
from workers.storage.errors import DamagedKey, InProgress, KeyReused, StorageUnavailable
from workers.storage.keys import Keys, wake_ups
from workers.storage.replicas import Replicas

CLAIM_TTL_SECONDS: Final = 3
"""TTL of a claim, after which a repeated request may run.

If the first request is still running then, commit.lua commits only one of the two.
"""
WAKE_UP_TTL_SECONDS: Final = 10
"""TTL of an unused wake-up."""

CLAIM_WAIT_SECONDS: Final = 2.0
"""Maximum time for which a request waits for the response to a claimed key. Then it gets ``InProgress``."""

DIGEST_LENGTH: Final = 64
"""Length of the SHA-256 of a body in hexadecimal."""


@dataclass(frozen=True)
class Key:
    """An Idempotency-Key with its request."""

    scope: str
    """``<game id>/<seat>``, or ``games/<address>`` for creating a game."""
    text: str
    body_digest: str
    """SHA-256 of the request's body in hexadecimal."""

    def dump(self, answer: Json) -> bytes:
        """Encode a response for the store."""
        return self.body_digest.encode() + b" " + orjson.dumps(answer)

    def read(self, stored: bytes) -> Json | None:
        """Decode a stored response. Return None for a claim. Raises ``KeyReused``, ``DamagedKey``."""
        if stored[DIGEST_LENGTH : DIGEST_LENGTH + 1] != b" ":
            return None
        if stored[:DIGEST_LENGTH] != self.body_digest.encode():
            raise KeyReused
        try:
            return cast(Json, orjson.loads(stored[DIGEST_LENGTH + 1 :]))
        except ValueError as error:
            raise DamagedKey from error


class IdempotencyKeys:
    """The claims and responses of one store."""

    def __init__(self, redis: Redis, keys: Keys, replicas: Replicas, wait_seconds: float = CLAIM_WAIT_SECONDS) -> None:
        self._redis = redis
        self._keys = keys
        self._replicas = replicas
        self._claims = script(redis, "claim.lua")
        self._release = script(redis, "release.lua")
        self._wait_seconds = wait_seconds

    @contextmanager
    def reserve(self, key: Key) -> Iterator[Json | None]:
        """Yield the stored response of *key*. Without one, claim the key while the block runs and yield None.

        If the block raises before its commit, the claim is released. Raises ``KeyReused``, ``InProgress``.
        """
        name, claim = self._keys.answer(key.scope, key.text), f"{key.body_digest}?{token_hex(8)}".encode()
        stored_response = self._claim(key, name, claim)
        try:
            yield stored_response
        except BaseException:
            if stored_response is None:
                with suppress(StorageUnavailable):  # the claim expires anyway
                    self._release_claim(name, claim)
            raise

    def _claim(self, key: Key, name: str, claim: bytes) -> Json | None:
        deadline = monotonic() + self._wait_seconds
        waited = False
        while True:
            stored: Any = run_command(
                partial(self._claims, keys=[name], args=[claim, CLAIM_TTL_SECONDS * 1000, DIGEST_LENGTH])
            )
            if stored is None or stored == claim:  # it is our own claim if the first attempt's reply was lost
                return None
            if stored[DIGEST_LENGTH : DIGEST_LENGTH + 1] == b" ":
                if waited:
                    self._wake_next(name)
                self._replicas.confirm(name)  # the first commit may be on too few replicas
                return key.read(stored)
            left = deadline - monotonic()
            if left <= 0:
                raise InProgress
            run_command(partial(self._redis.blpop, [wake_ups(name)], left))
            waited = True

    def _release_claim(self, name: str, claim: bytes) -> None:
        run_command(lambda: self._release(keys=[name, wake_ups(name)], args=[claim, WAKE_UP_TTL_SECONDS]))

    def _wake_next(self, name: str) -> None:
        def fill(pipe: Pipeline) -> None:
            pipe.lpush(wake_ups(name), "")
            pipe.expire(wake_ups(name), WAKE_UP_TTL_SECONDS)

        run_pipeline(self._redis, fill)
