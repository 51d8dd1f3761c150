"""A client whose commands, sent from greenlets of an event loop (greenlets.py), share one connection of that loop.

What several requests ask in one turn of the loop goes out in one write, and each goes on when its own answers are
there. The server writes its log once for all that it reads in one go, so that they share the disk's delay too::

    turn 1   A asks for a game, B commits      one write: HGET ..., EVALSHA ...
    turn 2   one read: the game, the commit    on with A, then on with B

From anywhere else, a thread or a worker, it is redis-py's own client, with a pool of connections that block. So do
commands that block on the server: on a shared connection everybody else would wait behind them.
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
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ReadOnlyError, RedisError
from redis.exceptions import TimeoutError as TooSlow

from workers.greenlets import Task, aside, current, wait_for

Command = tuple[Any, ...]
Connect = Callable[[], Connecting]

BLOCKING: Final = frozenset(("BLPOP", "WAIT", "XREAD"))
"""Commands that may block: on a connection of their own, in a thread."""


class Asked(NamedTuple):
    """Commands whose answers somebody waits for."""

    by: Task[Any]
    commands: int
    """How many."""
    until: float
    """The loop's time at which they are given up."""
    answers: list[Any]


class PipelinedConnection(asyncio.Protocol):
    """One open connection: commands out in the order in which they came, answers in."""

    def __init__(self, connection: Connecting, patience: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._writer, connection._writer = connection._writer, None  # noqa: SLF001  it is ours now
        self._patience = patience
        self._reader = hiredis.Reader(protocolError=Unreachable, replyError=DefaultParser.parse_error)
        self._asked: deque[Asked] = deque()
        self._unsent: list[bytes] = []
        self._transport = cast(asyncio.Transport, cast(asyncio.StreamWriter, self._writer).transport)
        self._transport.set_protocol(self)
        self._timer: asyncio.TimerHandle | None = None
        self.is_open = True

    def ask(self, task: Task[Any], commands: Sequence[Command]) -> list[Any]:
        """Send *commands* at the end of this turn of the loop; return the answers, errors among them.

        Raises what ``AWAY`` has: then it isn't known whether they were done.
        """
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent += [hiredis.pack_command(command) for command in commands]
        asked = Asked(task, len(commands), self._loop.time() + self._patience, [])
        self._asked.append(asked)
        if self._timer is None:
            self._timer = self._loop.call_at(asked.until, self._look)
        task.pause()
        return asked.answers

    def data_received(self, data: bytes) -> None:
        """Let those go on whose answers are complete."""
        self._reader.feed(data)
        while self._asked:
            try:
                answer = self._reader.gets()
            except Unreachable as nonsense:
                return self.close(nonsense)
            if answer is False:
                return None
            if isinstance(answer, hiredis.PushNotification):
                continue  # of the server's own accord
            asked = self._asked[0]
            asked.answers.append(answer)
            if len(asked.answers) == asked.commands:
                self._asked.popleft()
                asked.by.switch()
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everybody who waits."""
        self.close(Unreachable("Connection closed by server.") if exc is None else Unreachable(str(exc)))

    def close(self, reason: RedisError) -> None:
        """Close it, and raise *reason* where somebody waits for an answer."""
        self.is_open = False
        self._transport.abort()
        if self._timer is not None:
            self._timer.cancel()
        waiting, self._asked = self._asked, deque()
        for asked in waiting:
            asked.by.throw(reason)

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self.is_open:
            self._transport.write(b"".join(unsent))

    def _look(self) -> None:
        """Give the server up if it has been silent for too long."""
        self._timer = None
        if not self._asked:
            return None
        until = self._asked[0].until
        if until <= self._loop.time():
            return self.close(TooSlow("Timeout reading from the server."))
        self._timer = self._loop.call_at(until, self._look)
        return None


class SharedConnection:
    """The line of one loop to one server; it is opened when it is needed, and again when it has broken."""

    def __init__(self, connect: Connect, patience: float) -> None:
        self._connect = connect
        self._patience = patience
        self._line: PipelinedConnection | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[PipelinedConnection] | None = None

    def ask(self, task: Task[Any], commands: Sequence[Command]) -> list[Any]:
        """Return the answers to *commands*, errors among them. Raises what ``AWAY`` has."""
        line = self._line
        if line is None or not line.is_open or self._loop is not task.loop:
            line = wait_for(self._opened())
        answers = line.ask(task, commands)
        if any(isinstance(answer, ReadOnlyError) for answer in answers):
            # It was the primary once. Who connects anew asks the Sentinels, if there are any.
            line.close(Unreachable("The server takes no writes any more."))
        return answers

    def close(self) -> None:
        """Close the line, from whatever thread."""
        if self._line is not None and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._line.close, Unreachable("Closed."))

    async def _opened(self) -> PipelinedConnection:
        """Return the open line: all who need one at a time wait for the same."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._opening, self._line = loop, None, None
        if self._line is None or not self._line.is_open:
            if self._opening is None or self._opening.done():
                self._opening = loop.create_task(self._open())
            self._line = await asyncio.shield(self._opening)
        return self._line

    async def _open(self) -> PipelinedConnection:
        """Let redis-py connect and log in; then take over its connection."""
        connection = self._connect()
        await connection.connect()
        return PipelinedConnection(connection, self._patience)


class PipeliningRedis(Redis):
    """A client of one server, or of the primary that Sentinels know, for threads and for greenlets of a loop."""

    switchboard: SharedConnection

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send one command and return its answer."""
        task = current()
        if task is None:
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]  # redis-py's
        if args[0] in BLOCKING:
            return aside(partial(self.execute_command, *args, **options))
        (answer,) = self.switchboard.ask(task, [args])
        if isinstance(answer, RedisError):
            raise answer
        return self.understood(args[0], answer, options)

    def understood(self, name: str, answer: Any, options: dict[str, Any]) -> Any:
        """Return an answer as redis-py would."""
        callback = self.response_callbacks.get(name)
        if callback is None:
            return answer
        options.pop("keys", None)
        return callback(answer, **options)

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:  # noqa: FBT001, FBT002  redis-py's
        """Return a pipeline; that of a loop's greenlet goes over the shared connection."""
        return SharedPipeline(self, transaction, shard_hint)

    def close(self) -> None:
        """Close all connections."""
        self.switchboard.close()
        super().close()


class SharedPipeline(Pipeline):
    """A pipeline over the shared connection, from a greenlet of a loop; elsewhere one like any other."""

    def __init__(self, client: PipeliningRedis, transaction: bool, shard_hint: Any) -> None:  # noqa: FBT001  redis-py's
        super().__init__(client.connection_pool, client.response_callbacks, transaction, shard_hint)
        self._client = client
        self._is_transaction = transaction

    def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002  redis-py's
        """Send the commands and return their answers, errors among them unless *raise_on_error*."""
        task, client = current(), self._client
        commands = [command for command, _ in self.command_stack]
        if task is None or not commands:
            return super().execute(raise_on_error)
        if raise_on_error or self._is_transaction or any(command[0] in BLOCKING for command in commands):
            return aside(partial(super().execute, raise_on_error))
        answers = client.switchboard.ask(task, commands)
        return [
            answer if isinstance(answer, RedisError) else client.understood(command[0], answer, options)
            for answer, (command, options) in zip(answers, self.command_stack, strict=True)
        ]
