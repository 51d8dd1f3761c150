"""Replication: a response may wait until replicas have the write (``REGICIDE_REPLICAS``).

A primary replies before its replicas have a write. If the primary dies and a replica takes over, a confirmed write is
lost. ``WAIT`` returns once a number of replicas have everything that was written before on the same connection. A
write is followed by a mark and a ``WAIT``, in one round trip:

  EVALSHA commit.lua ...    writes nothing if the commit was already made on a connection that then broke
  SET {p07}:mark            always writes, after everything that the script found
  WAIT 1 1000               returns how many replicas have the mark, and therefore everything before it
"""

from collections.abc import Callable
from typing import Any, Final

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import AskError
from redis.exceptions import ConnectionError as RedisConnectionError

from engines.core.phrase import Phrase
from workers.asyncio_greenlets import to_thread
from workers.storage.clients import primary_of
from workers.storage.cluster_client import Cluster
from workers.storage.commands import CONNECTION_ERRORS, Script, raise_errors, run_command
from workers.storage.errors import StorageUnavailable

WAIT_MILLISECONDS: Final = 1000
MARK_TTL_SECONDS: Final = 60
"""TTL of a mark, which is never read."""


TOO_FEW_REPLICAS_PHRASE: Final = Phrase(
    "Too few replicas of the storage have the change now, and whether it will last can't be told. Look at the game "
    "again in a second; a request with an Idempotency-Key can simply be repeated."
)


class Replicas:
    """The replicas of one store, of which *count* must have a write before it is confirmed."""

    def __init__(self, redis: Redis, count: int) -> None:
        self._redis = redis
        self.count = count

    def run(self, script: Script, keys: list[str], args: list[Any]) -> Any:
        """Run a script and return its reply once the replicas have everything that it wrote or found.

        Raises ``StorageUnavailable``, also if too few replicas confirm in time.
        """
        if not self.count:
            return run_command(lambda: script(keys, args))

        def evaluate(*command: str) -> Any:
            return self._confirmed(keys[0], lambda pipe: pipe.execute_command(*command, len(keys), *keys, *args))

        return script.evaluate_with(evaluate)

    def confirm(self, key: str) -> None:
        """Wait until the replicas have all writes in the partition of *key*. Raises ``StorageUnavailable``."""
        if self.count:
            self._confirmed(key, lambda _: None)

    def _confirmed(self, key: str, fill: Callable[[Pipeline], object]) -> Any:
        """Send what *fill* puts into a pipeline, wait for the replicas, and return the first reply."""

        def attempt() -> list[Any]:
            primary = primary_of(self._redis, key)
            pipe = primary.pipeline(transaction=False)
            fill(pipe)
            pipe.set(_mark(key), "", ex=MARK_TTL_SECONDS)
            pipe.execute_command("WAIT", self.count, WAIT_MILLISECONDS)
            try:
                replies = raise_errors(pipe.execute(raise_on_error=False))
            except (AskError, *CONNECTION_ERRORS) as error:
                if isinstance(self._redis, Cluster):
                    self._redis.read_layout()  # the server may be gone, or the key may have moved
                if isinstance(error, AskError):
                    raise RedisConnectionError(str(error)) from error
                raise
            if replies[-1] < self.count:
                # The server may be a former primary that still acts as one. A new connection looks up the primary.
                primary.connection_pool.disconnect(inuse_connections=False)
                raise StorageUnavailable(TOO_FEW_REPLICAS_PHRASE)
            return replies

        return run_command(lambda: to_thread(attempt))[0]


def _mark(key: str) -> str:
    """Return the name of a mark in the slot of *key*: it has the hash tag of *key*, or *key* itself as the tag."""
    tag = key[: key.index("}") + 1] if "}" in key else f"{{{key}}}"
    return f"{tag}:mark"
