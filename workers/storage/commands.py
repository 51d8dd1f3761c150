"""Commands to a store: retries of broken connections, and errors that mean that the store is unavailable."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
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

from engines.core.phrase import Phrase
from workers.storage.cluster_client import UNREACHABLE_PREFIX
from workers.storage.errors import DamagedKey, StorageUnavailable

T = TypeVar("T")

CONNECTION_ERRORS: Final = (RedisConnectionError, RedisTimeoutError)
"""The client's errors when a server can't be reached."""

UNAVAILABLE_ERRORS: Final = (
    AskError,
    ClusterError,
    InvalidResponse,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    SlotNotCoveredError,
    TryAgainError,
)
SERVER_STATE_CODES: Final = frozenset(
    ("BUSY", "DENIED", "IOERR", "MISCONF", "NOMASTERLINK", "NOREPLICAS", "REDIRECT", "UNBLOCKED", "UNKILLABLE")
)
"""Codes of errors that are caused by the server's state, in addition to the classes in ``UNAVAILABLE_ERRORS``."""

FULL_DISK_PHRASE: Final = Phrase(
    "The storage can't write to its disk, which is full or broken: nothing is lost, and games go on when there is room."
)
FULL_MEMORY_PHRASE: Final = Phrase("The storage's memory is full: nothing is lost, and games go on when there is room.")
NO_PERMISSION_PHRASE: Final = Phrase(
    "The storage's user may not do what is needed: its operator must permit it (the log names the command)."
)
NO_WRITES_PHRASE: Final = Phrase("The storage is a copy that takes no writes: try again when it has a new primary.")
PHRASE_BY_CODE: Final[Mapping[str, Phrase]] = {"MISCONF": FULL_DISK_PHRASE, "IOERR": FULL_DISK_PHRASE}
"""Sentences for error codes with which a server replies. All other codes have the default sentence."""

PHRASE_BY_CLASS: Final[Mapping[type[Exception], Phrase]] = {
    NoPermissionError: NO_PERMISSION_PHRASE,
    OutOfMemoryError: FULL_MEMORY_PHRASE,
    ReadOnlyError: NO_WRITES_PHRASE,
}
"""Sentences for redis-py's error classes whose messages have no code."""

DAMAGED_KEY_PREFIXES: Final = (
    "WRONGTYPE",
    "ERR value is not",
    "ERR hash value is not",
    "value is not",
    "hash value is not",
)
"""Beginnings of errors about a key whose type or value has an unexpected form."""

log: Final = structlog.get_logger(__name__)

PIPELINE_ERROR_PREFIX: Final = "of pipeline caused error: "
"""Text in redis-py's message between the command of a pipeline and the command's error."""

CLUSTER_UNREACHABLE_PREFIXES: Final = (UNREACHABLE_PREFIX, "All slots are not covered", "startup_nodes could not agree")
"""Prefixes of the cluster client's errors when no server replies."""


class Script:
    """A Lua script of this folder. It is sent to each server once, and called by its hash afterwards."""

    def __init__(self, redis: Redis, source: str) -> None:
        self.source = source
        self.sha = sha1(source.encode(), usedforsecurity=False).hexdigest()
        self._redis = redis

    def __call__(self, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run the script. All *keys* must have the same hash tag."""
        return self.evaluate_with(lambda *command: self._redis.execute_command(*command, len(keys), *keys, *args))

    def evaluate_with(self, evaluate: Callable[[str, str], T]) -> T:
        """Call *evaluate* with ``EVALSHA`` and the hash; if the server has no such script, by ``EVAL``."""
        try:
            return evaluate("EVALSHA", self.sha)
        except NoScriptError:
            return evaluate("EVAL", self.source)

    def read(self, keys: Sequence[Sequence[str]], args: Sequence[Any]) -> list[Any]:
        """Run the script, which must not write, with each list of *keys*, in one round trip; return the replies.

        Each list of keys must have one hash tag. Raises ``StorageUnavailable``.
        """

        def evaluate(*command: str) -> list[Any]:
            # redis-py refuses pipe.evalsha in a cluster's pipeline
            return run_pipeline(
                self._redis, lambda pipe: [pipe.execute_command(*command, len(one), *one, *args) for one in keys]
            )

        return self.evaluate_with(evaluate)


@cache
def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


NOW_SCRIPT: Final = _source("now.lua")
"""Lua code that is put before scripts that need the time of the store's own clock."""


def script(redis: Redis, name: str, first: str = "") -> Script:
    """Return the script in the file *name* of this folder, preceded by the Lua code *first*."""
    return Script(redis, first + _source(name))


def run_command(command: Callable[[], T]) -> T:
    """Run *command*. If the connection breaks, run it once more on a new connection.

    *command* must be idempotent, because the first attempt may have been executed although its reply was lost. Raises
    ``StorageUnavailable``.
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


def run_pipeline(redis: Redis, fill: Callable[[Pipeline], object]) -> list[Any]:
    """Send what *fill* puts into a pipeline, in one round trip, and return the replies. Raises ``StorageUnavailable``.

    Each attempt has its own pipeline, because a pipeline whose connection broke has dropped its commands.
    """

    def command() -> list[Any]:
        pipe = redis.pipeline(transaction=False)
        fill(pipe)
        return raise_errors(pipe.execute(raise_on_error=False))

    return run_command(command)


def raise_errors(replies: list[Any]) -> list[Any]:
    """Return *replies*, or raise the first error among them.

    The error is raised unchanged. redis-py itself would add the command to the message.
    """
    for answer in replies:
        if isinstance(answer, Exception):
            raise answer
    return replies


def overdue(redis: Redis, names: Sequence[str], now: float, limit: int) -> list[str]:
    """Return the members of the sorted sets *names* that are due at *now*, longest overdue first."""

    def fill(pipe: Pipeline) -> None:
        for name in names:
            pipe.zrange(name, "-inf", now, byscore=True, offset=0, num=limit, withscores=True)

    found = [one for partition in run_pipeline(redis, fill) for one in partition]
    return [text(name) for name, _ in sorted(found, key=lambda one: one[1])[:limit]]


def _translate_errors(command: Callable[[], T]) -> T:
    try:
        return command()
    except (RedisError, RedisClusterException) as error:
        if is_server_state_error(error):
            raise StorageUnavailable(_phrase(error)) from error
        if _is_of_damage(error):
            log.exception("damaged_key", exc_info=error)
            raise DamagedKey from error
        raise


def is_server_state_error(error: Exception) -> bool:
    """Return whether an error comes from the state of the server, not from the command or the connection."""
    if isinstance(error, UNAVAILABLE_ERRORS):
        return True
    if isinstance(error, RedisClusterException):
        return str(error).startswith(CLUSTER_UNREACHABLE_PREFIXES)
    message = str(error).rpartition(PIPELINE_ERROR_PREFIX)[2]
    return isinstance(error, ResponseError) and message.partition(" ")[0] in SERVER_STATE_CODES


def _phrase(error: Exception) -> Phrase | None:
    """Return the sentence for a transient error, or None for errors with the default sentence."""
    for kind, phrase in PHRASE_BY_CLASS.items():  # redis-py removes the code from the messages of these errors
        if isinstance(error, kind):
            return phrase
    return PHRASE_BY_CODE.get(str(error).rpartition(PIPELINE_ERROR_PREFIX)[2].partition(" ")[0])


def _is_of_damage(error: Exception) -> bool:
    """Return whether the error says that a key's value has another type or form than the command expects."""
    return isinstance(error, ResponseError) and str(error).rpartition(PIPELINE_ERROR_PREFIX)[2].startswith(
        DAMAGED_KEY_PREFIXES
    )


def text(answer: Any) -> str:
    """Return a reply as text. Raises ``DamagedKey`` if the bytes of the reply aren't UTF-8."""
    try:
        return answer.decode() if isinstance(answer, bytes) else str(answer)
    except UnicodeDecodeError as error:
        log.exception("damaged_key", exc_info=error)
        raise DamagedKey from error
