"""Health of the store: its layout, durability and reachability, and the heartbeat of its workers."""

from typing import Final

from redis import Redis
from redis.client import Pipeline

from engines.core.phrase import Phrase
from workers.storage import layout, startup_checks
from workers.storage.commands import run_command, run_pipeline
from workers.storage.errors import StorageUnavailable
from workers.storage.keys import PROBE, WORKER_HEARTBEAT, Keys
from workers.storage.replicas import Replicas
from workers.storage.startup_checks import Durability

MISSING_REPLICAS_PHRASE: Final = Phrase("The storage has fewer replicas now than a move is to reach.")

PROBE_TTL_SECONDS: Final = 60
WORKER_TTL_SECONDS: Final = 3
"""Seconds for which a worker counts as alive after its last heartbeat."""


class StoreHealth:
    """Checks of one store that run while the server serves requests."""

    def __init__(self, redis: Redis, keys: Keys, replicas: Replicas) -> None:
        self._redis, self._keys, self._replicas = redis, keys, replicas

    def check_layout(self) -> None:
        """Check that the store has this version's layout and partition count. Initialise an empty store.

        Raises ``StorageUnavailable``, ``CannotStart``.
        """
        layout.check_layout(self._redis, self._keys)

    def durability(self) -> Durability:
        """Return how durably the store keeps writes. Raises ``StorageUnavailable``, also if replicas are missing."""
        durability = startup_checks.durability(self._redis)
        if durability.replicas < self._replicas.count:
            raise StorageUnavailable(MISSING_REPLICAS_PHRASE)
        return durability

    def probe(self) -> None:
        """Check that the store accepts a write. Raises ``StorageUnavailable``."""
        run_command(lambda: self._redis.set(PROBE, "1", ex=PROBE_TTL_SECONDS))

    def ping(self) -> None:
        """Check that the store replies. Raises ``StorageUnavailable``."""
        run_command(self._redis.ping)

    def has_worker(self) -> bool:
        """Return whether a worker has sent a heartbeat within ``WORKER_TTL_SECONDS``.

        The TTL of the key is cut to that length, because it would be longer after the server's clock was set back.
        """

        def fill(pipe: Pipeline) -> None:
            pipe.pexpire(WORKER_HEARTBEAT, WORKER_TTL_SECONDS * 1000, lt=True)
            pipe.exists(WORKER_HEARTBEAT)

        return bool(run_pipeline(self._redis, fill)[-1])

    def record_worker_heartbeat(self) -> None:
        """Record that a worker is alive. Raises ``StorageUnavailable``."""
        run_command(lambda: self._redis.set(WORKER_HEARTBEAT, "1", ex=WORKER_TTL_SECONDS))
