"""A client that shares one connection among the greenlets of an event loop (asyncio_greenlets.py).

Commands that are sent within one iteration of the loop go out in one write, and each greenlet resumes when its own
replies are complete. The server syncs its append-only file once for all commands of a write, so they also share that
delay::

    iteration 1   A reads a game, B commits     one write: HGET ..., EVALSHA ...
    iteration 2   one read: both replies        A resumes, then B

In a thread or a worker the client is redis-py's own, with a pool of blocking connections. Commands that block on the
server use such a connection too, because on the shared one all commands would wait for them. docs/operating.md says
why ``redis.asyncio`` is not used instead.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

import hiredis
from redis import Redis
from redis.asyncio.connection import AbstractConnection as Connecting
from redis.client import Pipeline
from redis.connection import DefaultParser
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from workers.asyncio_greenlets import GreenletTask, current_task, to_thread, wait_for

Command = tuple[Any, ...]
Connect = Callable[[], Connecting]

BLOCKING_COMMANDS: Final = frozenset(("BLPOP", "WAIT", "XREAD"))
"""Commands that may block on the server. They run in a thread, on a connection of their own."""


class PendingReply(NamedTuple):
    """A greenlet that waits for the replies to its commands, with those received so far."""

    task: GreenletTask[Any]
    commands: int
    deadline: float
    """The time of the loop's clock at which waiting for the replies times out."""
    replies: list[Any]


class PipelinedConnection(asyncio.Protocol):
    """An open connection that sends commands and receives replies in order."""

    def __init__(self, connection: Connecting, timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._writer, connection._writer = connection._writer, None  # noqa: SLF001  # this object takes it over
        self._timeout = timeout
        self._reader = hiredis.Reader(protocolError=RedisConnectionError, replyError=DefaultParser.parse_error)
        self._pending: deque[PendingReply] = deque()
        self._unsent: list[bytes] = []
        self._transport = cast(asyncio.Transport, cast(asyncio.StreamWriter, self._writer).transport)
        self._transport.set_protocol(self)
        self._timer: asyncio.TimerHandle | None = None
        self.is_open = True

    def execute(self, task: GreenletTask[Any], commands: Sequence[Command]) -> list[Any]:
        """Send *commands* at the end of this iteration of the loop. Return their replies, including errors.

        Raises one of ``CONNECTION_ERRORS``. Then it is unknown whether the commands were executed.
        """
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent += [hiredis.pack_command(command) for command in commands]
        pending = PendingReply(task, len(commands), self._loop.time() + self._timeout, [])
        self._pending.append(pending)
        if self._timer is None:
            self._timer = self._loop.call_at(pending.deadline, self._check_timeout)
        task.pause()
        return pending.replies

    def data_received(self, data: bytes) -> None:
        """Resume the greenlets whose replies are complete."""
        self._reader.feed(data)
        while self._pending:
            try:
                reply = self._reader.gets()
            except RedisConnectionError as nonsense:
                return self.close(nonsense)
            if reply is False:
                return None
            if isinstance(reply, hiredis.PushNotification):
                continue  # a push message is not a reply
            pending = self._pending[0]
            pending.replies.append(reply)
            if len(pending.replies) == pending.commands:
                self._pending.popleft()
                pending.task.switch()
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        """Raise an error in all waiting greenlets."""
        self.close(RedisConnectionError("Connection closed by server." if exc is None else str(exc)))

    def close(self, reason: RedisError) -> None:
        """Close the connection and raise *reason* in all waiting greenlets."""
        self.is_open = False
        self._transport.abort()
        if self._timer is not None:
            self._timer.cancel()
        waiting, self._pending = self._pending, deque()
        for pending in waiting:
            pending.task.throw(reason)

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self.is_open:
            self._transport.write(b"".join(unsent))

    def _check_timeout(self) -> None:
        """Close the connection if the oldest reply is overdue. Otherwise check again at the deadline of that reply."""
        self._timer = None
        if not self._pending:
            return None
        deadline = self._pending[0].deadline
        if deadline <= self._loop.time():
            return self.close(RedisTimeoutError("Timeout reading from the server."))
        self._timer = self._loop.call_at(deadline, self._check_timeout)
        return None


class SharedConnection:
    """The connection of one loop to one server. It is opened on demand, and again after it broke."""

    def __init__(self, connect: Connect, timeout: float) -> None:
        self._connect = connect
        self._timeout = timeout
        self._connection: PipelinedConnection | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[PipelinedConnection] | None = None

    def execute(self, task: GreenletTask[Any], commands: Sequence[Command]) -> list[Any]:
        """Return the replies to *commands*, including errors. Raises one of ``CONNECTION_ERRORS``."""
        connection = self._connection
        if connection is None or not connection.is_open or self._loop is not task.loop:
            connection = wait_for(self._opened())
        replies = connection.execute(task, commands)
        if any(isinstance(reply, ReadOnlyError) for reply in replies):
            # The server has become a replica. A new connection finds the new primary through the Sentinels, if there
            # are any.
            connection.close(RedisConnectionError("The server takes no writes any more."))
        return replies

    def close(self) -> None:
        """Close the connection. Any thread may call this."""
        if self._connection is not None and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._connection.close, RedisConnectionError("Closed."))

    async def _opened(self) -> PipelinedConnection:
        """Return the open connection. Concurrent callers share one attempt to open it."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._opening, self._connection = loop, None, None
        if self._connection is None or not self._connection.is_open:
            if self._opening is None or self._opening.done():
                self._opening = loop.create_task(self._open())
            self._connection = await asyncio.shield(self._opening)
        return self._connection

    async def _open(self) -> PipelinedConnection:
        """Let redis-py connect and authenticate, then take over the connection."""
        connection = self._connect()
        await connection.connect()
        return PipelinedConnection(connection, self._timeout)


class PipeliningRedis(Redis):
    """A client of one server, or of a primary known to Sentinels, for threads and for greenlets of a loop."""

    shared_connection: SharedConnection

    def execute_command(self, *args: Any, **options: Any) -> Any:
        task = current_task()
        if task is None:
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]  # redis-py's method has no types
        if args[0] in BLOCKING_COMMANDS:
            return to_thread(partial(self.execute_command, *args, **options))
        (reply,) = self.shared_connection.execute(task, [args])
        if isinstance(reply, RedisError):
            raise reply
        return self.apply_response_callback(args[0], reply, options)

    def apply_response_callback(self, name: str, reply: Any, options: dict[str, Any]) -> Any:
        """Convert a reply as redis-py does."""
        callback = self.response_callbacks.get(name)
        if callback is None:
            return reply
        options.pop("keys", None)
        return callback(reply, **options)

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:  # noqa: FBT001, FBT002  # redis-py's signature
        """Return a pipeline. In a greenlet it uses the shared connection, if it can."""
        return SharedPipeline(self, transaction, shard_hint)

    def close(self) -> None:
        self.shared_connection.close()
        super().close()


class SharedPipeline(Pipeline):
    """A pipeline that uses the shared connection in a greenlet, if it can.

    It can't in a transaction, with ``raise_on_error`` or with a blocking command: then redis-py executes the pipeline
    on a connection of its pool, in a thread.
    """

    def __init__(self, client: PipeliningRedis, transaction: bool, shard_hint: Any) -> None:  # noqa: FBT001  # redis-py's signature
        super().__init__(client.connection_pool, client.response_callbacks, transaction, shard_hint)
        self._client = client
        self._transaction = transaction

    def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002  # redis-py's signature
        """Send the commands and return the replies. Without *raise_on_error* the replies include errors."""
        task, client = current_task(), self._client
        commands = [command for command, _ in self.command_stack]
        if task is None or not commands:
            return super().execute(raise_on_error)
        if raise_on_error or self._transaction or any(command[0] in BLOCKING_COMMANDS for command in commands):
            return to_thread(partial(super().execute, raise_on_error))
        replies = client.shared_connection.execute(task, commands)
        return [
            reply if isinstance(reply, RedisError) else client.apply_response_callback(command[0], reply, options)
            for reply, (command, options) in zip(replies, self.command_stack, strict=True)
        ]
