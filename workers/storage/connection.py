"""Asking a store: what is asked again, and which of its errors mean that it can't be used now (clients.py connects)."""

from collections.abc import Callable, Sequence
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
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as TooSlow

from workers.storage.cluster import NOBODY
from workers.storage.errors import DamagedKey, StorageUnavailable

T = TypeVar("T")

CONNECTION_ERRORS: Final = (Unreachable, TooSlow)
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

DAMAGE: Final = ("WRONGTYPE", "ERR value is not", "ERR hash value is not", "value is not", "hash value is not")
"""How errors begin that say that a key has another type, or another form of value, than is written there."""

log: Final = structlog.get_logger(__name__)

IN_PIPELINE: Final = "of pipeline caused error: "
"""What redis-py writes before the error of a command in a pipeline, after the command itself."""

NO_CLUSTER: Final = (NOBODY, "All slots are not covered", "startup_nodes could not agree")
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


def call(ask: Callable[[], T]) -> T:
    """Ask the server; if the connection breaks, ask once more on a new one.

    *ask* must be safe to do twice: the first try may have been done, and only its answer lost.
    Raises ``StorageUnavailable``.
    """
    try:
        return _ask(ask)
    except Unreachable:
        pass
    except TooSlow as slow:
        raise StorageUnavailable from slow
    try:
        return _ask(ask)
    except CONNECTION_ERRORS as away:
        raise StorageUnavailable from away


def pipelined(redis: Redis, order: Callable[[Pipeline], None]) -> list[Any]:
    """Send what *order* puts into a pipeline, in one round trip, and return the answers. Raises ``StorageUnavailable``.

    Each try has a pipeline of its own: one whose connection broke has forgotten its commands.
    """

    def ask() -> list[Any]:
        pipe = redis.pipeline(transaction=False)
        order(pipe)
        return checked(pipe.execute(raise_on_error=False))

    return call(ask)


def checked(answers: list[Any]) -> list[Any]:
    """Raise the first error among the answers of a pipeline as it came; redis-py would write the command before it."""
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def overdue(redis: Redis, names: Sequence[str], now: float, limit: int) -> list[str]:
    """Return what is to be looked after, of the sorted sets of *names* together: what has waited longest first."""

    def order(pipe: Pipeline) -> None:
        for name in names:
            pipe.zrange(name, "-inf", now, byscore=True, offset=0, num=limit, withscores=True)

    found = [one for partition in pipelined(redis, order) for one in partition]
    return [text(name) for name, _ in sorted(found, key=lambda one: one[1])[:limit]]


def _ask(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except (RedisError, RedisClusterException) as error:
        if is_transient(error):
            raise StorageUnavailable from error
        if _is_of_damage(error):
            log.exception("damaged_key", exc_info=error)
            raise DamagedKey from error
        raise


def is_transient(error: Exception) -> bool:
    """Return whether the error comes from the state of the server: no mistake of ours, and not the connection."""
    if isinstance(error, UNUSABLE):
        return True
    if isinstance(error, RedisClusterException):
        return str(error).startswith(NO_CLUSTER)
    said = str(error).rpartition(IN_PIPELINE)[2]
    return isinstance(error, ResponseError) and said.partition(" ")[0] in STATES


def _is_of_damage(error: Exception) -> bool:
    """Return whether the error says that a key has another type, or another form of value, than its commands expect."""
    return isinstance(error, ResponseError) and str(error).rpartition(IN_PIPELINE)[2].startswith(DAMAGE)


def text(answer: Any) -> str:
    """Return a bulk answer as text. Raises ``DamagedKey`` if it is none."""
    try:
        return answer.decode() if isinstance(answer, bytes) else str(answer)
    except UnicodeDecodeError as error:
        log.exception("damaged_key", exc_info=error)
        raise DamagedKey from error
