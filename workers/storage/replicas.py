"""Replicas: an answer may wait until other servers have what it says (``REGICIDE_REPLICAS``).

A primary answers before its replicas have a write. If it dies then, and one of them takes its place, the write is lost,
although somebody was told of it. ``WAIT`` returns when so many replicas have all that was written before on the same
connection. So what must not be lost goes with a mark and a ``WAIT`` after it, in one round trip:

    EVALSHA commit.lua ...    may find that the commit was done before, on a connection that broke, and write nothing
    SET {p07}:mark            always writes, later than whatever was found
    WAIT 1 1000               answers how many replicas have the mark, and so all that came before it
"""

from collections.abc import Callable
from typing import Any, Final

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import AskError, NoScriptError
from redis.exceptions import ConnectionError as RedisConnectionError

from engines.core.phrase import Phrase
from workers.greenlets import to_thread
from workers.storage.clients import primary_of
from workers.storage.cluster import Cluster
from workers.storage.connection import CONNECTION_ERRORS, Script, raise_errors, run_command
from workers.storage.errors import StorageUnavailable

WAIT_MILLISECONDS: Final = 1000
MARK_SECONDS: Final = 60
"""How long a mark is kept that nobody reads."""


TOO_FEW: Final = Phrase(
    "Too few replicas of the storage have the change now, and whether it will last can't be told. Look at the game "
    "again in a second; a request with an Idempotency-Key can simply be repeated."
)


class Replicas:
    """The replicas of one storage, of which *count* must have what is answered."""

    def __init__(self, redis: Redis, count: int) -> None:
        self._redis = redis
        self.count = count

    def run(self, script: Script, keys: list[str], args: list[Any]) -> Any:
        """Run a script and return its answer when the replicas have what it wrote, or found.

        Raises ``StorageUnavailable``, also if too few of them do in time.
        """
        if not self.count:
            return run_command(lambda: script(keys, args))

        def evaluate(name: str, script_or_hash: str) -> Any:
            return self._confirmed(
                keys[0], lambda pipe: pipe.execute_command(name, script_or_hash, len(keys), *keys, *args)
            )

        try:
            return evaluate("EVALSHA", script.sha)
        except NoScriptError:
            return evaluate("EVAL", script.source)

    def confirm(self, key: str) -> None:
        """Return when the replicas have all that was written where *key* is. Raises ``StorageUnavailable``."""
        if self.count:
            self._confirmed(key, lambda _: None)

    def _confirmed(self, key: str, fill: Callable[[Pipeline], object]) -> Any:
        """Send what *order* puts into a pipeline, then wait for the replicas; return the first answer."""

        def attempt() -> list[Any]:
            primary = primary_of(self._redis, key)
            pipe = primary.pipeline(transaction=False)
            fill(pipe)
            pipe.set(_mark(key), "", ex=MARK_SECONDS)
            pipe.execute_command("WAIT", self.count, WAIT_MILLISECONDS)
            try:
                replies = raise_errors(pipe.execute(raise_on_error=False))
            except (AskError, *CONNECTION_ERRORS) as error:
                if isinstance(self._redis, Cluster):
                    self._redis.read_layout()  # the server may have gone, or have given the key to another one
                if isinstance(error, AskError):
                    raise RedisConnectionError(str(error)) from error
                raise
            if replies[-1] < self.count:
                # Perhaps it isn't the primary any more and doesn't know it: who connects anew asks who is.
                primary.connection_pool.disconnect(inuse_connections=False)
                raise StorageUnavailable(TOO_FEW)
            return replies

        return run_command(lambda: to_thread(attempt))[0]


def _mark(key: str) -> str:
    """Return the name of the mark where *key* is: it has the same hash tag."""
    return f"{key[: key.index('}') + 1]}:mark"
