"""A client of a cluster: each command goes to the primary of its key.

Threads use redis-py's client. Greenlets of a loop (pipelined_client.py) share one connection to each primary, and use
redis-py's client only to map keys to primaries. The layout of the cluster, which primary has which keys, is read again
if a primary doesn't reply or redirects a key.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any, Final

from redis import Redis, RedisCluster
from redis.asyncio.connection import AbstractConnection as Connecting
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import AskError, MovedError, RedisClusterException, RedisError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from workers.asyncio_greenlets import GreenletTask, current_task, to_thread
from workers.storage.pipelined_client import BLOCKING_COMMANDS, Command, PipeliningRedis, SharedConnection
from workers.store_addresses import Address

UNREACHABLE_PREFIX: Final = "Redis Cluster cannot be connected"
"""Prefix of redis-py's error when no known server replies."""

KEY_INDEX_BY_COMMAND: Final[Mapping[str, int]] = {"EVAL": 3, "EVALSHA": 3}
"""Index of the first key in a command's arguments, where it isn't 1."""

KEYLESS_COMMANDS: Final = frozenset(("PING",))
"""Commands without a key."""

ConnectTo = Callable[[str, int], Connecting]


class Cluster:
    """A cluster's client that reads the layout at its first use, and again after an attempt without a reply.

    The client has the commands of ``RedisCluster``. Unlike that class it can be constructed while the cluster is
    unreachable.
    """

    def __init__(self, address: Address, options: dict[str, Any], connect: ConnectTo, timeout: float) -> None:
        self._nodes = address.nodes
        self._options = options
        self._lock = Lock()
        self._client: RedisCluster | None = None
        self._on_loop = LoopClusterClient(self)
        self._on_loop.shared_connection = ClusterConnections(self, connect, timeout)

    def __getattr__(self, name: str) -> Any:
        """Return the method *name* of redis-py's client or, in a greenlet, that of ``LoopClusterClient``."""
        if name.startswith("__"):
            raise AttributeError(name)
        if current_task() is not None:
            return getattr(self._on_loop, name)

        def command(*args: Any, **options: Any) -> Any:
            with self._reset_if_unreachable() as cluster:
                return getattr(cluster, name)(*args, **options)

        return command

    def node_of(self, key: str | None) -> ClusterNode:
        """Return the primary of *key*, or any primary for None. Raises redis-py's errors."""
        client = self._client or to_thread(self.connected)
        node: ClusterNode = client.get_primaries()[0] if key is None else client.get_node_from_key(key)
        return node

    def node_client(self, node: ClusterNode) -> Redis:
        """Return a client of one server, for threads."""
        found: Redis = self.connected().get_redis_connection(node)
        return found

    def primaries(self) -> list[ClusterNode]:
        nodes: list[ClusterNode] = self.connected().get_primaries()
        return nodes

    def read_layout(self) -> None:
        """Read the layout of the cluster again."""
        with self._reset_if_unreachable() as cluster:
            cluster.nodes_manager.initialize()

    def close(self) -> None:
        self._on_loop.shared_connection.close()
        if self._client is not None:
            self._client.close()

    def connected(self) -> RedisCluster:
        """Return redis-py's client with a known layout. Raises one of ``CONNECTION_ERRORS``."""
        client = self._client
        if client is None:
            with self._lock:
                client = self._client = self._client or self._connect()
        return client

    @contextmanager
    def _reset_if_unreachable(self) -> Iterator[RedisCluster]:
        """Yield redis-py's client. If no server replies, discard it, so that the next use starts anew."""
        try:
            yield self.connected()
        except RedisClusterException as error:
            if str(error).startswith(UNREACHABLE_PREFIX):
                self._client = None
            raise

    def _connect(self) -> RedisCluster:
        nodes = [ClusterNode(host, port) for host, port in self._nodes]
        try:
            return RedisCluster(
                startup_nodes=nodes,
                require_full_coverage=False,  # covered slots are served even if other slots are not covered
                retry=Retry(NoBackoff(), 0),
                **self._options,
            )
        except IndexError as error:
            raise RedisConnectionError("The cluster is being made: no server of it has a slot yet.") from error


class LoopClusterClient(PipeliningRedis):
    """The commands of a cluster for greenlets of a loop. Blocking commands run in a thread."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._cluster = cluster

    def execute_command(self, *args: Any, **options: Any) -> Any:
        if args[0] in BLOCKING_COMMANDS:
            return to_thread(lambda: self._cluster.execute_command(*args, **options))
        return super().execute_command(*args, **options)


class ClusterConnections(SharedConnection):
    """The connections of a loop to the servers of a cluster."""

    def __init__(self, cluster: Cluster, connect: ConnectTo, timeout: float) -> None:
        self._cluster = cluster
        self._connect_to = connect
        self._timeout = timeout
        self._connections: dict[tuple[str, int], SharedConnection] = {}

    def execute(self, task: GreenletTask[Any], commands: Sequence[Command]) -> list[Any]:
        """Return the replies to *commands*, including errors. The servers are asked one after the other.

        Raises one of ``CONNECTION_ERRORS``.
        """
        replies: list[Any] = [None] * len(commands)
        try:
            for connection, numbers in self._by_connection(commands).items():
                found = connection.execute(task, [commands[number] for number in numbers])
                for number, reply in zip(numbers, found, strict=True):
                    replies[number] = reply
        except (RedisConnectionError, RedisTimeoutError):
            self._read_layout()
            raise
        moved = next((reply for reply in replies if isinstance(reply, AskError | MovedError)), None)
        if moved is not None:
            self._read_layout()
            raise RedisConnectionError(str(moved))
        return replies

    def close(self) -> None:
        """Close the connections. Any thread may call this."""
        for connection in self._connections.values():
            connection.close()

    def _by_connection(self, commands: Sequence[Command]) -> dict[SharedConnection, list[int]]:
        """Return the indexes of the commands, grouped by the connection that sends them."""
        found: dict[SharedConnection, list[int]] = {}
        for number, command in enumerate(commands):
            key = None if command[0] in KEYLESS_COMMANDS else command[KEY_INDEX_BY_COMMAND.get(command[0], 1)]
            node = self._cluster.node_of(key)
            address = (node.host, node.port)
            connection = self._connections.get(address)
            if connection is None:
                connection = self._connections[address] = SharedConnection(
                    partial(self._connect_to, *address), self._timeout
                )
            found.setdefault(connection, []).append(number)
        return found

    def _read_layout(self) -> None:
        """Read the layout again if a server replies, so that a repeated command goes to the right primary."""
        with suppress(RedisError, RedisClusterException):
            to_thread(self._cluster.read_layout)
