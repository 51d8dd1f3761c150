"""Clients of Redis-compatible servers (Redis 7 or newer, Valkey), with short timeouts.

One client serves all threads of a process and the greenlets of its event loop (pipelined_client.py). Its pool tests a
connection before use, so connections that were lost in a restart of the server are replaced without an error. The store
is one of:

    a server     which receives all commands
    Sentinels    which each new connection asks for the primary; a connection to a server that became a replica breaks
                 at its first write, and the next connection goes to the new primary
    a cluster    where each command goes to the primary of its key; the layout is read again if a primary does not reply
"""

import re
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

from workers.settings import CannotStart, Settings, UnusableStore
from workers.storage.cluster_client import Cluster
from workers.storage.pipelined_client import PipeliningRedis, SharedConnection
from workers.store_addresses import Address

CONNECT_TIMEOUT_SECONDS: Final = 1.0
REPLY_TIMEOUT_SECONDS: Final = 4.0
"""Timeout of a reply, in seconds. Blocking reads wait for a shorter time on the server."""

SENTINEL_TIMEOUT_SECONDS: Final = 0.5
"""Timeout of one Sentinel. After it the next Sentinel is asked."""

KEEP_ALIVE_OPTIONS: Final = {"TCP_KEEPIDLE": 4, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3}
"""TCP keep-alive options, by which a waiting worker notices within seconds that the server's machine is gone."""


def connect(settings: Settings) -> Redis:
    """Return a client of the store, without connecting. Raises ``CannotStart`` if no store is configured."""
    if settings.redis_url is None:
        raise CannotStart(
            "Set REDIS_URL to the server that keeps the games; `regicide serve` brings a server of its own."
        )
    return client("REDIS_URL", settings.redis_url, **short_timeouts())


def connect_queue(settings: Settings) -> Redis:
    """Return a client of the job queues' server, without connecting. Raises ``CannotStart`` without a store."""
    if settings.queue_url is None:
        return connect(settings)
    return client("REGICIDE_QUEUE_URL", settings.queue_url, **short_timeouts())


def connect_worker(settings: Settings) -> Redis:
    """Return a client for RQ's worker. The worker waits for jobs without a read timeout, and reconnects itself."""
    if settings.queue_url is None and settings.redis_url is None:
        raise CannotStart("A worker needs REDIS_URL.")
    url = settings.queue_url or settings.redis_url or ""
    return client("REGICIDE_QUEUE_URL", url, socket_connect_timeout=CONNECT_TIMEOUT_SECONDS)


def short_timeouts() -> dict[str, Any]:
    """Return connection options with short timeouts and without redis-py's retries."""
    return {
        "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "socket_timeout": REPLY_TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 0),  # redis-py would repeat any write, but ``run_command`` only idempotent ones
    }


def client(variable: str, url: str, **options: Any) -> Redis:
    """Return a client for *url*. Errors name the environment variable *variable*.

    Raises ``UnusableStore`` for invalid options.

    A cluster's client has the same commands, although it isn't a ``Redis``.
    """
    address = Address.read(url)
    try:
        chosen = parse_url(address.url) | options
        sentinel = {name: chosen.pop(f"sentinel_{name}", None) for name in ("username", "password")}
        if "path" not in chosen:
            chosen |= {"socket_keepalive": True, "socket_keepalive_options": _keep_alive()}
        pool = ConnectionPool(**chosen)
        pool.connection_class(**pool.connection_kwargs)  # this parses the options without connecting
    except (TypeError, ValueError, RedisError) as error:
        raise UnusableStore(f"{variable} has an option that can't be read: {_option_error(error)}.") from error
    if address.kind == "server":
        return _of_pools(pool, looped.ConnectionPool(**_event_loop_options(chosen | looped.parse_url(address.url))))
    return _primary(address, chosen, sentinel) if address.kind == "sentinel" else _cluster(address, chosen)


def _option_error(error: Exception) -> str:
    """Return what redis-py found wrong, without its own names."""
    unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    return f"there is no option {unknown[1]}" if unknown else str(error).rstrip(".")


def _of_pools(pool: ConnectionPool, of_loops: looped.ConnectionPool) -> Redis:
    """Return a client that uses *pool* in threads, and connections made by *of_loops* in greenlets."""
    timeout = pool.connection_kwargs.get("socket_timeout") or REPLY_TIMEOUT_SECONDS
    found = PipeliningRedis(connection_pool=pool)
    found.auto_close_connection_pool = True  # nothing else uses the pool
    found.shared_connection = SharedConnection(of_loops.make_connection, timeout)
    return found


def _event_loop_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return *options* for connections of an event loop, without redis-py's retries."""
    return options | {"retry": LoopRetry(NoBackoff(), 0)}


def _keep_alive() -> dict[int, int]:
    """Return the keep-alive options that this system supports."""
    return {getattr(socket, name): value for name, value in KEEP_ALIVE_OPTIONS.items() if hasattr(socket, name)}


def _common_node_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return *options* for clients of several servers: without host and port, and with ``ssl=True`` for TLS."""
    rest = {name: value for name, value in options.items() if name not in ("host", "port", "connection_class")}
    return rest | ({"ssl": True} if options.get("connection_class") is SSLConnection else {})


class ThreadSafeSentinel(Sentinel):
    """Sentinels that may be asked by several threads concurrently."""

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Return the address of the primary. Raises one of ``CONNECTION_ERRORS``.

        redis-py reorders its list of Sentinels in two steps, in which two threads may lose an entry. Therefore each
        call reorders a copy.
        """
        asked = copy(self)
        asked.sentinels = list(self.sentinels)
        found: tuple[str, int] = Sentinel.discover_master(asked, service_name)
        self.sentinels = asked.sentinels
        return found


def _primary(address: Address, options: dict[str, Any], account: dict[str, str | None]) -> Redis:
    """Return a client of the primary that the Sentinels know. *account* has the Sentinels' user and password."""
    chosen = _common_node_options(options)
    own = {name: value for name, value in chosen.items() if name.startswith(("ssl", "socket_keepalive"))}
    own |= {"socket_connect_timeout": SENTINEL_TIMEOUT_SECONDS, "socket_timeout": SENTINEL_TIMEOUT_SECONDS, **account}
    own["retry"] = Retry(NoBackoff(), 0)
    # redis-py's methods have no types
    sentinels = ThreadSafeSentinel(address.nodes, sentinel_kwargs=own)  # type: ignore[no-untyped-call]
    found: Redis = sentinels.master_for(address.service, **chosen)  # type: ignore[no-untyped-call]
    loop_sentinel = LoopSentinel(address.nodes, sentinel_kwargs=_event_loop_options(own))
    loop_client = loop_sentinel.master_for(address.service, **_event_loop_options(chosen))
    return _of_pools(found.connection_pool, loop_client.connection_pool)


def _cluster(address: Address, options: dict[str, Any]) -> Redis:
    chosen = {name: value for name, value in _common_node_options(options).items() if name not in ("db", "retry")}
    kind = looped.SSLConnection if chosen.get("ssl") else looped.Connection
    own = _event_loop_options({name: value for name, value in chosen.items() if name != "ssl"})
    timeout = options.get("socket_timeout") or REPLY_TIMEOUT_SECONDS
    return cast(Redis, Cluster(address, chosen, lambda host, port: kind(host=host, port=port, **own), timeout))


def primary_of(redis: Redis, key: str) -> Redis:
    """Return a client of the one server that has *key*, for threads."""
    return redis.node_client(redis.node_of(key)) if isinstance(redis, Cluster) else redis


def primaries(redis: Redis) -> list[Redis]:
    """Return a client of each primary, for threads."""
    return [redis.node_client(node) for node in redis.primaries()] if isinstance(redis, Cluster) else [redis]
