"""Commitments: secret seeds that are drawn, and promised by their SHA-256, before there is a game to them.

Whoever sets up a game with one knows the promise before they send their own seed. A seed serves one game: whoever takes
it first, and whoever asks again with the same Idempotency-Key, since nobody may know whether that game was made:

    t0  A takes the seed for the answer to key k     t1  A's process is killed before its commit
    t2  B wants the seed: refused                    t3  A asks again with k: takes the seed again, commits
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
from workers.storage.connection import script
from workers.storage.errors import CommitmentGone
from workers.storage.idempotency import Key
from workers.storage.keys import Keys
from workers.storage.replicas import Replicas

SECONDS: Final = 900
"""How long a seed waits for its game."""

SEED_BYTES: Final = 32


@dataclass(frozen=True)
class Commitment:
    """What is told of a seed: its id, its SHA-256, and when it is given up."""

    id: str
    commitment: str
    expires: datetime

    def as_json(self) -> Json:
        """Return ``{"id", "commitment", "expires"}``."""
        return {"id": self.id, "commitment": self.commitment, "expires": rfc3339(self.expires)}


class Commitments:
    """The seeds in one storage that wait for their games."""

    def __init__(self, redis: Redis, keys: Keys, replicas: Replicas, clock: Callable[[], datetime]) -> None:
        self._keys = keys
        self._replicas = replicas
        self._clock = clock
        self._make = script(redis, "commit_to_seed.lua")
        self._take = script(redis, "take_seed.lua")

    def make(self) -> Commitment:
        """Draw a seed and promise it. Raises ``StorageUnavailable``."""
        seed, promised = secrets.token_bytes(SEED_BYTES), self._keys.new_id()
        self._replicas.run(self._make, [self._keys.commitment(promised)], [seed, SECONDS])
        return Commitment(promised, commitment(seed), self._clock() + timedelta(seconds=SECONDS))

    def take(self, promised: str, key: Key | None) -> bytes:
        """Return the seed of a commitment, for the game that answers *key*, or for one alone if there is none.

        Raises ``CommitmentGone``, ``StorageUnavailable``.
        """
        taker = secrets.token_hex(16) if key is None else self._keys.answer(key.scope, key.text)
        seed: bytes | None = self._replicas.run(self._take, [self._keys.commitment(promised)], [taker])
        if seed is None:
            raise CommitmentGone
        return seed
