"""Clients of the Redis-compatible servers (Redis 7 or newer, Valkey), with short timeouts.

One client serves all threads of a process, and the greenlets of its event loop, if it has one (pipelining.py). Its pool
tests a connection before it is used, so that those which were lost when the server restarted are replaced unnoticed.

    a server     its commands go to it.
    Sentinels    each new connection asks them who is the primary now. One to a server that has become a replica breaks
                 with its first write, and the next one goes to the right place.
    a cluster    each command goes to the primary that has its key; the layout is read again when one doesn't answer.
"""

import socket
from copy import copy
from typing import Any, Final, cast

import redis.asyncio.connection as looped
from redis import Redis
from redis.asyncio.retry import Retry as LoopRetry
from redis.asyncio.sentinel import Sentinel as LoopSentinel
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool, SSLConnection, parse_url
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel

from workers.addresses import Address
from workers.settings import CannotStart, Settings
from workers.storage.cluster import Cluster
from workers.storage.pipelining import PipeliningRedis, SharedConnection

CONNECT_TIMEOUT_SECONDS: Final = 1.0
REPLY_TIMEOUT_SECONDS: Final = 4.0
"""Longer than any blocking read that we send."""

SENTINEL_TIMEOUT_SECONDS: Final = 0.5
"""How long one Sentinel may take; then the next is asked."""

KEEP_ALIVE: Final = {"TCP_KEEPIDLE": 4, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3}
"""So that also who waits for a job notices within seconds that a machine has gone without a word."""


def connect(settings: Settings) -> Redis:
    """Return a client of the store, whether or not it is there. Raises ``CannotStart`` if none is named."""
    if settings.redis_url is None:
        raise CannotStart(
            "Set REDIS_URL to the server that keeps the games; `regicide serve` brings a server of its own."
        )
    return client("REDIS_URL", settings.redis_url, **short_timeouts())


def connect_queue(settings: Settings) -> Redis:
    """Return a client of the server that has the queues of jobs. Raises ``CannotStart`` as ``connect``."""
    if settings.queue_url is None:
        return connect(settings)
    return client("REGICIDE_QUEUE_URL", settings.queue_url, **short_timeouts())


def connect_worker(settings: Settings) -> Redis:
    """Return a client for who waits for jobs, as RQ does: it may wait long, and asks again by itself."""
    if settings.queue_url is None and settings.redis_url is None:
        raise CannotStart("A worker needs REDIS_URL.")
    url = settings.queue_url or settings.redis_url or ""
    return client("REGICIDE_QUEUE_URL", url, socket_connect_timeout=CONNECT_TIMEOUT_SECONDS)


def short_timeouts() -> dict[str, Any]:
    """Return the options of a client that says soon that nobody answers."""
    return {
        "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "socket_timeout": REPLY_TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 0),  # it would repeat writes that may have been done: ``call`` knows which
    }


def client(variable: str, url: str, **options: Any) -> Redis:
    """Return a client of the store that *variable* names by *url*. Raises ``CannotStart`` for options that aren't any.

    A cluster's client has the same commands, though it isn't a ``Redis``.
    """
    address = Address.read(url)
    try:
        chosen = parse_url(address.url) | options
        sentinel = {name: chosen.pop(f"sentinel_{name}", None) for name in ("username", "password")}
        if "path" not in chosen:
            chosen |= {"socket_keepalive": True, "socket_keepalive_options": _keep_alive()}
        pool = ConnectionPool(**chosen)
        pool.connection_class(**pool.connection_kwargs)  # reads the options, and doesn't connect
    except (TypeError, ValueError, RedisError) as error:
        raise CannotStart(f"{variable} has an option that can't be read: {error}.") from error
    if address.kind == "server":
        return _of_pools(pool, looped.ConnectionPool(**_for_loop(chosen | looped.parse_url(address.url))))
    return _primary(address, chosen, sentinel) if address.kind == "sentinel" else _cluster(address, chosen)


def _of_pools(pool: ConnectionPool, of_loops: looped.ConnectionPool) -> Redis:
    """Return a client for threads, by one pool, and for greenlets of a loop, by how the other one connects."""
    timeout = pool.connection_kwargs.get("socket_timeout") or REPLY_TIMEOUT_SECONDS
    found = PipeliningRedis(connection_pool=pool)
    found.auto_close_connection_pool = True  # nobody else has it
    found.shared_connection = SharedConnection(of_loops.make_connection, timeout)
    return found


def _for_loop(options: dict[str, Any]) -> dict[str, Any]:
    """Return *options* as connections of an event loop take them: they are tried once too."""
    return options | {"retry": LoopRetry(NoBackoff(), 0)}


def _keep_alive() -> dict[int, int]:
    """Return what of it this system knows."""
    return {getattr(socket, name): value for name, value in KEEP_ALIVE.items() if hasattr(socket, name)}


def _of_any_node(options: dict[str, Any]) -> dict[str, Any]:
    """Return *options* as clients of several servers take them: without a host, and with TLS as a flag."""
    rest = {name: value for name, value in options.items() if name not in ("host", "port", "connection_class")}
    return rest | ({"ssl": True} if options.get("connection_class") is SSLConnection else {})


# Sentinels


class Sentinels(Sentinel):
    """Some Sentinels, asked by several threads at once."""

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Return where the primary is, and ask first next time who knew it. Raises what ``AWAY`` has.

        redis-py changes the order of the list in two steps, in which two threads may lose one of the Sentinels: so each
        does that to a list of its own.
        """
        asked = copy(self)
        asked.sentinels = list(self.sentinels)
        found: tuple[str, int] = Sentinel.discover_master(asked, service_name)
        self.sentinels = asked.sentinels
        return found


def _primary(address: Address, options: dict[str, Any], account: dict[str, str | None]) -> Redis:
    """Return a client of the primary that Sentinels know; *account* is what they want to be told themselves."""
    chosen = _of_any_node(options)
    own = {name: value for name, value in chosen.items() if name.startswith(("ssl", "socket_keepalive"))}
    own |= {"socket_connect_timeout": SENTINEL_TIMEOUT_SECONDS, "socket_timeout": SENTINEL_TIMEOUT_SECONDS, **account}
    own["retry"] = Retry(NoBackoff(), 0)
    sentinels = Sentinels(address.nodes, sentinel_kwargs=own)  # type: ignore[no-untyped-call]  # redis-py's
    found: Redis = sentinels.master_for(address.service, **chosen)  # type: ignore[no-untyped-call]
    loop_sentinel = LoopSentinel(address.nodes, sentinel_kwargs=_for_loop(own))
    return _of_pools(
        found.connection_pool, loop_sentinel.master_for(address.service, **_for_loop(chosen)).connection_pool
    )


# A cluster


def _cluster(address: Address, options: dict[str, Any]) -> Redis:
    """Return a client of a cluster."""
    chosen = {name: value for name, value in _of_any_node(options).items() if name not in ("db", "retry")}
    kind = looped.SSLConnection if chosen.get("ssl") else looped.Connection
    own = _for_loop({name: value for name, value in chosen.items() if name != "ssl"})
    timeout = options.get("socket_timeout") or REPLY_TIMEOUT_SECONDS
    return cast(Redis, Cluster(address, chosen, lambda host, port: kind(host=host, port=port, **own), timeout))


def primary_of(redis: Redis, key: str) -> Redis:
    """Return a client of the one server that has *key*, for threads."""
    return redis.node_client(redis.node_of(key)) if isinstance(redis, Cluster) else redis


def primaries(redis: Redis) -> list[Redis]:
    """Return a client of each server that takes writes, for threads."""
    return [redis.node_client(node) for node in redis.primaries()] if isinstance(redis, Cluster) else [redis]
