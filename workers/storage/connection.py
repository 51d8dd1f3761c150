"""The connection to the Redis-compatible server (Redis 7 or newer, Valkey), with short timeouts.

One client serves all threads of a process. Its pool tests a connection before it is used, so that those which were lost
when the server restarted are replaced unnoticed. (A connection for each thread would save 40 µs a command, where a
durable write takes some 2 ms, and wouldn't be tested.)
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.commands.core import Script
from redis.exceptions import ClusterDownError, OutOfMemoryError, ReadOnlyError, ResponseError, TryAgainError
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as TooSlow
from redis.retry import Retry

from workers.settings import CannotStart, Settings
from workers.storage.errors import StorageUnavailable

T = TypeVar("T")

CONNECT_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 4.0
"""Longer than any blocking read that we send."""

AWAY: Final = (Unreachable, TooSlow)
"""What the client raises when the server can't be reached."""

TAKES_NO_WRITES: Final = (ReadOnlyError, OutOfMemoryError, ClusterDownError, TryAgainError)
STATES: Final = ("MISCONF", "NOREPLICAS", "READONLY", "OOM")
"""How other errors begin that come from the server's state, not from a mistake of ours."""


def connect(settings: Settings) -> Redis:
    """Return a client of the settings' server, whether or not it is there. Raises ``CannotStart`` if none is named."""
    if settings.redis_url is None:
        raise CannotStart(
            "Set REDIS_URL to the server that keeps the games; `regicide serve` brings a server of its own."
        )
    return Redis.from_url(
        settings.redis_url,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),  # the client would repeat writes that may have been done: ``call`` knows which
    )


def script(redis: Redis, name: str, first: str = "") -> Script:
    """Return the script of the file *name* in this folder, after the lines *first*.

    It is sent once and then called by its hash.
    """
    return redis.register_script(first + Path(__file__).with_name(name).read_text(encoding="utf-8"))


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
    except AWAY as away:
        raise StorageUnavailable from away


def pipelined(redis: Redis, order: Callable[[Pipeline], None]) -> list[Any]:
    """Send what *order* puts into a pipeline, in one round trip, and return the answers. Raises ``StorageUnavailable``.

    Each try has a pipeline of its own: one whose connection broke has forgotten its commands.
    """

    def ask() -> list[Any]:
        pipe = redis.pipeline(transaction=False)
        order(pipe)
        return pipe.execute()

    return call(ask)


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
    except TAKES_NO_WRITES as state:
        raise StorageUnavailable from state
    except ResponseError as error:
        if str(error).startswith(STATES):
            raise StorageUnavailable from error
        raise


def text(answer: Any) -> str:
    """Return a bulk answer as text."""
    return answer.decode() if isinstance(answer, bytes) else str(answer)
