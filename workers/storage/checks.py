"""Checks of a store when it is begun with: what no waiting mends is said in one sentence, at once.

A store that doesn't answer may still be starting: it is waited for. One that refuses the password is not.
"""

import ssl
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import Any, Final

from redis import Redis
from redis.exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    NoPermissionError,
    RedisClusterException,
    RedisError,
    ResponseError,
)

from workers.addresses import Address
from workers.settings import Settings, UnusableStore
from workers.storage.clients import client, impatient, primaries
from workers.storage.connection import UNUSABLE, call

LOOK_SECONDS: Final = 0.05
"""Between two looks at a store that isn't ready yet."""

REFUSALS: Final = (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    NoPermissionError,
)
OTHER_MODES: Final = {
    ("server", "cluster"): "is part of a cluster: write redis+cluster:// into {variable}",
    ("server", "sentinel"): "is a Sentinel: write redis+sentinel://host:port/NAME into {variable}",
    ("sentinel", "cluster"): "is part of a cluster: write redis+cluster:// into {variable}",
}
"""What to say if an address of one kind leads to a server that runs in another mode."""


@dataclass(frozen=True)
class Condition:
    """How well a store keeps what it is given."""

    durable: bool
    """What was answered survives a crash of the server, and nothing is evicted."""
    replicas: int
    """So many has each primary at least."""
    reasons: tuple[str, ...] = ()
    """Why it isn't durable: settings of the server."""


def check_stores(settings: Settings, seconds: float | None = None) -> None:
    """Return when the stores that the settings name answer. Raises ``UnusableStore``.

    One that doesn't answer is waited for so many *seconds*; without any it may come later.
    """
    named = {"REDIS_URL": settings.redis_url, "REGICIDE_QUEUE_URL": settings.queue_url}
    for variable, url in named.items():
        if url is not None:
            _check(variable, url, monotonic() + (seconds or 0), may_be_away=seconds is None)


def condition(redis: Redis) -> Condition:
    """Look how well a store keeps what it is given. Raises ``StorageUnavailable``."""
    found = [_told(one) for one in call(lambda: primaries(redis))]
    reasons = sorted({reason for told in found for reason in _doubts(told)})
    return Condition(not reasons, min(int(told.get("connected_slaves", 0)) for told in found), tuple(reasons))


def _told(redis: Redis) -> dict[str, Any]:
    told: dict[str, Any] = call(lambda: redis.info("persistence", "memory", "replication"))
    return told


def _doubts(told: dict[str, Any]) -> Iterator[str]:
    if not int(told.get("aof_enabled", 0)):
        yield "appendonly no"
    policy = told.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        yield f"maxmemory-policy {policy}"


def _check(variable: str, url: str, until: float, *, may_be_away: bool) -> None:
    address, pause = Address.read(url), Event()
    with closing(client(variable, url, **impatient())) as redis:
        while (mode := _mode(redis, address, variable)) is None:
            if may_be_away:
                return
            if monotonic() > until:
                raise UnusableStore(f"{address.place} doesn't answer: start it, or let {variable} name another.")
            pause.wait(LOOK_SECONDS)
    other = OTHER_MODES.get((address.kind, mode))
    if other is not None:
        raise UnusableStore(f"{address.place} {other.format(variable=variable)}.")


def _mode(redis: Redis, address: Address, variable: str) -> str | None:
    """Return how the server runs: ``standalone``, ``cluster`` or ``sentinel``; None if it doesn't answer now."""
    try:
        redis.ping()
        told: dict[str, Any] = redis.info("server")
    except (RedisError, RedisClusterException) as error:
        _refuse(variable, address, error)
        return None
    return str(told.get("redis_mode") or told.get("server_mode"))  # the latter is Valkey's word


def _refuse(variable: str, address: Address, error: Exception) -> None:
    """Raise ``UnusableStore`` for an error that no waiting mends."""
    for cause in _causes(error):
        if isinstance(cause, REFUSALS) or "AuthenticationError" in str(cause):  # Sentinels' errors come as text
            raise UnusableStore(f"{address.place} refuses the user or the password that {variable} has.") from error
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise UnusableStore(
                f"{address.place} has a certificate that isn't trusted ({cause.verify_message}): "
                f"?ssl_ca_certs=FILE at the end of {variable} names whom to trust."
            ) from error
        if isinstance(cause, ssl.SSLError):
            raise UnusableStore(f"{address.place} speaks no TLS that is understood: {cause.reason}.") from error
        if isinstance(cause, FileNotFoundError | PermissionError) and address.nodes:
            raise UnusableStore(f"A file that {variable} names for TLS can't be read: {cause.strerror}.") from error
        if isinstance(cause, RedisClusterException) and "Cluster mode is not enabled" in str(cause):
            raise UnusableStore(f"{address.place} is no cluster: let {variable} begin with redis://.") from error
        if isinstance(cause, ResponseError) and not isinstance(cause, UNUSABLE):
            raise UnusableStore(f"{address.place} can't be used: {cause}.") from error


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
