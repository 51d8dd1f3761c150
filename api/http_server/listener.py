"""Who listens: accepts connections, keeps each client to its limits, ends those that take too long.

Several processes listen at one socket; whoever has time takes the next connection.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from typing import Any, Final

import structlog

from api.http_server.clients import Clients
from api.http_server.connection import Connection
from api.http_server.limits import MAX_BUFFERED_BODY_BYTES, ConnectionLimits
from api.http_server.processes import ConnectionCounts
from api.http_server.states import State
from workers.greenlets import EXECUTOR, GreenletPool
from workers.metrics import CONNECTIONS

TICK_SECONDS: Final = 1.0  # between two looks at all connections
GRACEFUL_SHUTDOWN_SECONDS: Final = 4.0  # so long requests may take to be answered when the process is asked to end
ACCEPT_DEFER_SECONDS: Final = 0.003  # so long a process that has fewer connections may take to accept one

log: Final = structlog.get_logger(__name__)


class Listener:
    """Answers whoever connects to a socket, by a WSGI application (``connection.Connection``)."""

    def __init__(
        self, call: Callable[..., Any], limits: ConnectionLimits, on_stop: Callable[[], None], counts: ConnectionCounts
    ) -> None:
        self.call = call
        self.greenlets = GreenletPool()
        self.limits = limits
        self.date = ""
        self.is_shutting_down = False
        self.connections: set[Connection] = set()
        self.body_bytes = 0  # of bodies that are kept
        self._clients = Clients(limits)
        self._on_stop = on_stop
        self._counts = counts
        self._accept_deferred = False
        self._all_closed = asyncio.Event()

    async def serve(self, listening: socket.socket, shutdown_event: asyncio.Event) -> None:
        """Answer until *shutdown_event*; then let what is asked be answered, and return."""
        self._loop, self._socket = asyncio.get_running_loop(), listening
        self._tick()
        await shutdown_event.wait()
        self.is_shutting_down = True
        self._loop.remove_reader(listening)
        listening.close()  # whoever comes after us may need the place before the last response is written
        ending = self._loop.run_in_executor(EXECUTOR, self._on_stop)
        for connection in list(self.connections):
            connection.go_on()
        if not self.connections:
            self._all_closed.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACEFUL_SHUTDOWN_SECONDS):
                await ending
                await self._all_closed.wait()

    def reserve_body_bytes(self, count: int) -> bool:
        """Count bytes of bodies that are kept, negative when they are released; False if there are too many."""
        self.body_bytes += count
        return self.body_bytes <= MAX_BUFFERED_BODY_BYTES

    def on_connection_closed(self, connection: Connection) -> None:
        """Count it no more."""
        self.connections.remove(connection)
        self._note(connection, -1)
        if self.is_shutting_down and not self.connections:
            self._all_closed.set()
        self._listen()

    def _note(self, connection: Connection, change: int) -> None:
        self._clients.add(connection.groups, change)
        self._counts.note(len(self.connections))
        CONNECTIONS.inc(change)

    def _tick(self) -> None:
        """Look at all connections, again and again, and at what time it is."""
        self._loop.call_later(TICK_SECONDS, self._tick)
        self.date = f"Date: {formatdate(usegmt=True)}\r\n"
        for connection in list(self.connections):
            connection.check_timeouts(self._loop.time())
        self._listen()

    def _listen(self) -> None:
        """Accept connections, unless they are to end."""
        if not self.is_shutting_down:
            self._loop.add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        """Accept one connection. If a sibling has fewer, wait ``ACCEPT_DEFER_SECONDS`` so that it can accept first."""
        if not self._accept_deferred and self._counts.has_idler_sibling():
            self._accept_deferred = True
            self._loop.remove_reader(self._socket)
            self._loop.call_later(ACCEPT_DEFER_SECONDS, self._listen)
            return
        self._accept_deferred = False
        if self._clients.is_full():
            self._loop.remove_reader(self._socket)  # until one ends
            return
        try:
            accepted, address = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process has it, or nobody
        except OSError as error:
            log.error("no_connection_taken", error=error.strerror)  # noqa: TRY400  where it was raised says nothing
            self._loop.remove_reader(self._socket)  # until the next look
        else:
            self._admit(accepted, address)

    def _admit(self, accepted: socket.socket, address: tuple[Any, ...]) -> None:
        """Make a connection of a socket; if no other can be evicted where there is no room, refuse it."""
        groups = self._clients.groups_of(address[0])
        if not self._clients.make_room(groups):
            return accepted.close()
        accepted.settimeout(0)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(self, groups, address)
        self.connections.add(connection)
        self._note(connection, 1)
        attaching = self._loop.create_task(self._loop.connect_accepted_socket(lambda: connection, accepted))
        return attaching.add_done_callback(lambda task: self._attached(task, connection, accepted))

    def _attached(self, task: "asyncio.Task[Any]", connection: Connection, accepted: socket.socket) -> None:
        """Count a connection no more that couldn't be attached to the loop."""
        if task.cancelled() or task.exception() is not None:
            accepted.close()
            if connection.state is State.ACCEPTED:
                self.on_connection_closed(connection)
