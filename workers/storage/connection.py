"""Asking a store: what is asked again, and which of its errors mean that it can't be used now (clients.py connects)."""

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any, Final, TypeVar

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import (
    AskError,
    ClusterError,
    InvalidResponse,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    SlotNotCoveredError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from workers.storage.cluster import UNREACHABLE_PREFIX
from workers.storage.errors import StorageUnavailable

T = TypeVar("T")

CONNECTION_ERRORS: Final = (RedisConnectionError, RedisTimeoutError)
"""What the client raises when the server can't be reached."""

UNUSABLE: Final = (
    AskError,
    ClusterError,
    InvalidResponse,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    SlotNotCoveredError,
    TryAgainError,
)
STATES: Final = frozenset(
    ("BUSY", "DENIED", "IOERR", "MISCONF", "NOMASTERLINK", "NOREPLICAS", "REDIRECT", "UNBLOCKED", "UNKILLABLE")
)
"""Codes of other errors that come from the server's state, not from a mistake of ours."""

PIPELINE_PREFIX: Final = "of pipeline caused error: "
"""What redis-py writes before the error of a command in a pipeline, after the command itself."""

CLUSTER_UNREACHABLE: Final = (UNREACHABLE_PREFIX, "All slots are not covered", "startup_nodes could not agree")
"""How the client of a cluster begins to say that none of its servers answers."""


class Script:
    """A script of this folder. It is sent once to each server, and then called by its hash."""

    def __init__(self, redis: Redis, source: str) -> None:
        self.source = source
        self.sha = sha1(source.encode(), usedforsecurity=False).hexdigest()
        self._redis = redis

    def __call__(self, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run it. Its *keys* have one hash tag."""
        try:
            return self._redis.execute_command("EVALSHA", self.sha, len(keys), *keys, *args)
        except NoScriptError:
            return self._redis.eval(self.source, len(keys), *keys, *args)


@cache
def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


NOW: Final = _source("now.lua")
"""How a script begins that has to do with times: by it they are those of the store's own clock."""


def script(redis: Redis, name: str, first: str = "") -> Script:
    """Return the script of the file *name* in this folder, after the lines *first*."""
    return Script(redis, first + _source(name))


def run_command(command: Callable[[], T]) -> T:
    """Ask the server; if the connection breaks, ask once more on a new one.

    *ask* must be safe to do twice: the first try may have been done, and only its answer lost.
    Raises ``StorageUnavailable``.
    """
    try:
        return _translate_errors(command)
    except RedisConnectionError:
        pass
    except RedisTimeoutError as slow:
        raise StorageUnavailable from slow
    try:
        return _translate_errors(command)
    except CONNECTION_ERRORS as away:
        raise StorageUnavailable from away


def run_pipeline(redis: Redis, fill: Callable[[Pipeline], None]) -> list[Any]:
    """Send what *order* puts into a pipeline, in one round trip, and return the answers. Raises ``StorageUnavailable``.

    Each try has a pipeline of its own: one whose connection broke has forgotten its commands.
    """

    def command() -> list[Any]:
        pipe = redis.pipeline(transaction=False)
        fill(pipe)
        return raise_errors(pipe.execute(raise_on_error=False))

    return run_command(command)


def raise_errors(replies: list[Any]) -> list[Any]:
    """Raise the first error among the answers of a pipeline as it came; redis-py would write the command before it."""
    for answer in replies:
        if isinstance(answer, Exception):
            raise answer
    return replies


def overdue(redis: Redis, names: Sequence[str], now: float, limit: int) -> list[str]:
    """Return what is to be looked after, of the sorted sets of *names* together: what has waited longest first."""

    def fill(pipe: Pipeline) -> None:
        for name in names:
            pipe.zrange(name, "-inf", now, byscore=True, offset=0, num=limit, withscores=True)

    found = [one for partition in run_pipeline(redis, fill) for one in partition]
    return [text(name) for name, _ in sorted(found, key=lambda one: one[1])[:limit]]


def _translate_errors(command: Callable[[], T]) -> T:
    try:
        return command()
    except (RedisError, RedisClusterException) as error:
        if is_transient(error):
            raise StorageUnavailable from error
        raise


def is_transient(error: Exception) -> bool:
    """Return whether the error comes from the state of the server: no mistake of ours, and not the connection."""
    if isinstance(error, UNUSABLE):
        return True
    if isinstance(error, RedisClusterException):
        return str(error).startswith(CLUSTER_UNREACHABLE)
    message = str(error).rpartition(PIPELINE_PREFIX)[2]
    return isinstance(error, ResponseError) and message.partition(" ")[0] in STATES


def text(answer: Any) -> str:
    """Return a bulk answer as text."""
    return answer.decode() if isinstance(answer, bytes) else str(answer)
