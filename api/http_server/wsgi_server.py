"""The server of a process: accepts connections, limits each client and times out slow connections.

Several processes listen on one socket. A process gives others with fewer connections a short time to accept first.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from typing import Any, Final

import structlog

from api.http_server.connection import Connection
from api.http_server.limits import MAX_BUFFERED_BODY_BYTES, ConnectionLimits
from api.http_server.open_connections import OpenConnections
from api.http_server.processes import ConnectionCounts
from api.http_server.states import State
from workers.asyncio_greenlets import EXECUTOR, GreenletPool
from workers.metrics import OPEN_CONNECTIONS

TICK_SECONDS: Final = 1.0  # interval of checks of all timeouts
GRACEFUL_SHUTDOWN_SECONDS: Final = 4.0  # time for running requests to finish, after a request to stop
IDLER_HEAD_START_SECONDS: Final = 0.003  # time for a process with fewer connections to accept first

log: Final = structlog.get_logger(__name__)


class WsgiServer:
    """Serves a WSGI application on the connections of one listening socket."""

    def __init__(
        self, call: Callable[..., Any], limits: ConnectionLimits, on_stop: Callable[[], None], counts: ConnectionCounts
    ) -> None:
        self.call = call
        self.greenlets = GreenletPool()
        self.limits = limits
        self.date = ""
        self.is_shutting_down = False
        self.connections: set[Connection] = set()
        self.body_bytes = 0  # total bytes of unread request bodies
        self._clients = OpenConnections(limits)
        self._on_stop = on_stop
        self._counts = counts
        self._accept_deferred = False
        self._all_closed = asyncio.Event()

    async def serve(self, listening: socket.socket, shutdown_event: asyncio.Event) -> None:
        """Serve until *shutdown_event*, then finish running requests and return."""
        self._loop, self._socket = asyncio.get_running_loop(), listening
        self._tick()
        await shutdown_event.wait()
        self.is_shutting_down = True
        self._loop.remove_reader(listening)
        listening.close()  # a successor may need the port soon
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
        """Add *count*, which may be negative, to the bytes of unread bodies. Return False above the limit."""
        self.body_bytes += count
        return self.body_bytes <= MAX_BUFFERED_BODY_BYTES

    def on_connection_closed(self, connection: Connection) -> None:
        """Remove a closed connection from all counts."""
        self.connections.remove(connection)
        self._note(connection, -1)
        if self.is_shutting_down and not self.connections:
            self._all_closed.set()
        self._listen()

    def _note(self, connection: Connection, change: int) -> None:
        self._clients.add(connection.groups, change)
        self._counts.note(len(self.connections))
        OPEN_CONNECTIONS.inc(change)

    def _tick(self) -> None:
        """Check all timeouts and renew the ``Date`` header, every ``TICK_SECONDS``."""
        self._loop.call_later(TICK_SECONDS, self._tick)
        self.date = f"Date: {formatdate(usegmt=True)}\r\n"
        for connection in list(self.connections):
            connection.check_timeouts(self._loop.time())
        self._listen()

    def _listen(self) -> None:
        """Accept connections, unless the process is shutting down."""
        if not self.is_shutting_down:
            self._loop.add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        """Accept one connection.

        If another process has fewer connections, wait ``IDLER_HEAD_START_SECONDS`` first, so that it can accept.
        """
        if not self._accept_deferred and self._counts.has_idler_sibling():
            self._accept_deferred = True
            self._loop.remove_reader(self._socket)
            self._loop.call_later(IDLER_HEAD_START_SECONDS, self._listen)
            return
        self._accept_deferred = False
        if self._clients.is_full():
            self._loop.remove_reader(self._socket)  # accepting resumes when a connection is closed
            return
        try:
            accepted, address = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process accepted the connection, or the client has left
        except OSError as error:
            log.error("no_connection_taken", error=error.strerror)  # noqa: TRY400  the traceback says nothing more
            self._loop.remove_reader(self._socket)  # accepting resumes at the next tick
        else:
            self._admit(accepted, address)

    def _admit(self, accepted: socket.socket, address: tuple[Any, ...]) -> None:
        """Create a connection for an accepted socket. Close the socket if there is no room, even by eviction."""
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
        """Close and remove the connection if *task* could not attach it to the event loop."""
        if task.cancelled() or task.exception() is not None:
            accepted.close()
            if connection.state is State.ACCEPTED:
                self.on_connection_closed(connection)
