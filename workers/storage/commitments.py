"""Commitments: secret seeds that are drawn, and published as a SHA-256, before their game exists.

The creator of a game receives the commitment before sending their own seed. A secret seed serves one game: it goes to
the first request, and again to a request with the same Idempotency-Key, because the first attempt may have failed:

  t0  A takes the seed with key k     t1  A's process is killed before its commit
  t2  B wants the seed: refused       t3  A repeats the request with k: takes the seed again, commits
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from redis import Redis

from engines.core.dealer import commitment
from engines.core.types import Json
from engines.table.table import rfc3339
from workers.storage.commands import script
from workers.storage.errors import CommitmentGone
from workers.storage.idempotency import Key
from workers.storage.keys import Keys
from workers.storage.replicas import Replicas

TTL_SECONDS: Final = 900
"""TTL of a seed, in seconds, whether or not a game has taken it."""

SEED_BYTES: Final = 32


@dataclass(frozen=True)
class Commitment:
    """A commitment: its id, the SHA-256 of the seed, and the time when it expires."""

    id: str
    commitment: str
    expires: datetime

    def as_json(self) -> Json:
        """Return ``{"id", "commitment", "expires"}``."""
        return {"id": self.id, "commitment": self.commitment, "expires": rfc3339(self.expires)}


class Commitments:
    """The secret seeds of one store that were drawn before their game."""

    def __init__(self, redis: Redis, keys: Keys, replicas: Replicas, clock: Callable[[], datetime]) -> None:
        self._keys = keys
        self._replicas = replicas
        self._clock = clock
        self._make = script(redis, "commit_to_seed.lua")
        self._take = script(redis, "take_seed.lua")

    def make(self) -> Commitment:
        """Draw a seed and return its commitment. Raises ``StorageUnavailable``."""
        seed, promised = secrets.token_bytes(SEED_BYTES), self._keys.new_id()
        self._replicas.run(self._make, [self._keys.commitment(promised)], [seed, TTL_SECONDS])
        return Commitment(promised, commitment(seed), self._clock() + timedelta(seconds=TTL_SECONDS))

    def take(self, promised: str, key: Key | None) -> bytes:
        """Take the seed of a commitment for the request with *key*. Without a key it can be taken only once.

        Raises ``CommitmentGone``, ``StorageUnavailable``.
        """
        taker = secrets.token_hex(16) if key is None else self._keys.answer(key.scope, key.text)
        seed: bytes | None = self._replicas.run(self._take, [self._keys.commitment(promised)], [taker])
        if seed is None:
            raise CommitmentGone
        return seed
