"""Who listens: takes connections, gives each address its share of them, ends those that take too long.

Several processes listen at one socket; whoever has time takes the next connection.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from typing import Final, NamedTuple

import structlog

from api.http_server.answers import Application
from api.http_server.connection import Connection
from api.http_server.processes import Tally
from api.http_server.shares import Deadlines, Guest, Share
from api.networks import network_of
from workers.greenlets import THREADS, Crew
from workers.metrics import CONNECTIONS

LOOK_SECONDS: Final = 1.0
"""Between two looks at all connections."""
END_SECONDS: Final = 4.0
"""How long requests may take to be answered when the process is asked to end."""
POLITE_SECONDS: Final = 0.003
"""So long a process that has fewer connections may take to take one."""
MOST_BYTES: Final = 64 << 20
"""So much is kept, in all, of bodies that aren't read yet."""

log: Final = structlog.get_logger(__name__)


class Limits(NamedTuple):
    """How much a process takes."""

    connections: int
    """In all."""
    share: int
    """Of one address."""
    body: int
    """Bytes of one body."""
    deadlines: Deadlines = Deadlines()


class Listener:
    """Answers whoever connects to a socket, by a WSGI application, on an event loop.

    Who comes when an address has its share, or the process all it takes, gets the place of the connection that has
    waited longest for its client. Only where each has something to answer, nobody else is taken.
    """

    def __init__(self, call: Application, limits: Limits, end: Callable[[], None], tally: Tally) -> None:
        self.call = call
        self.crew = Crew()
        self.body_limit = limits.body
        self.deadlines = limits.deadlines
        self.date = ""
        self.is_ending = False
        self._limits = limits
        self._end = end
        self._tally = tally
        self._was_polite = False
        self._bytes = 0
        self._connections: set[Guest] = set()
        self._shares: dict[str, Share] = {}
        self._is_listening = False
        self._beginning: set[asyncio.Task[None]] = set()
        self._nobody = asyncio.Event()

    async def serve(self, listening: socket.socket, asked_to_end: asyncio.Event) -> None:
        """Answer until that is *asked_to_end*; then let what is asked be answered, and return."""
        loop = self._loop = asyncio.get_running_loop()
        self._socket = listening
        self._look()
        await asked_to_end.wait()
        self._stop_listening()
        self._socket.close()  # whoever comes after us may need the place before the last answer is given
        self.is_ending = True
        ending = loop.run_in_executor(THREADS, self._end)
        await asyncio.gather(*self._beginning)
        for connection in list(self._connections):
            connection.end()
        if not self._connections:
            self._nobody.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await ending
                await self._nobody.wait()

    def keep(self, count: int) -> bool:
        """Count bytes of bodies that are kept, negative when they are let go; False if there are too many."""
        self._bytes += count
        return self._bytes <= MOST_BYTES

    def gone(self, connection: Guest) -> None:
        """It has ended."""
        share = connection.share
        self._connections.discard(connection)
        self._tally.note(len(self._connections))
        if self.is_ending and not self._connections:
            self._nobody.set()
        share.count -= 1
        CONNECTIONS.dec()
        if not share.count:
            self._shares.pop(share.network, None)
        self._listen()

    def _look(self) -> None:
        """Look at all connections, again and again, and at what time it is."""
        self._loop.call_later(LOOK_SECONDS, self._look)
        now = self._loop.time()
        self.date = f"Date: {formatdate(usegmt=True)}\r\n"
        for connection in list(self._connections):
            connection.look(now)
        self._listen()

    def _listen(self) -> None:
        """Take connections, unless they are to end."""
        if not self._is_listening and not self.is_ending:
            self._loop.add_reader(self._socket, self._accept)
            self._is_listening = True

    def _stop_listening(self) -> None:
        self._loop.remove_reader(self._socket)
        self._is_listening = False

    def _accept(self) -> None:
        """Take one connection; let another process have it that has fewer, unless it doesn't take it soon."""
        if not self._was_polite and self._tally.has_more():
            self._was_polite = True
            self._stop_listening()
            self._loop.call_later(POLITE_SECONDS, self._listen)
            return None
        self._was_polite = False
        if len(self._connections) >= self._limits.connections and not self._make_room():
            return self._stop_listening()
        try:
            line, client = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return None  # another process has it, or nobody
        except OSError as error:
            log.error("no_connection_taken", error=error.strerror)  # noqa: TRY400  where it was raised says nothing
            return self._stop_listening()  # until the next look
        share = self._share_of(client[0])
        if share.count >= self._limits.share and not share.give_up_longest():
            return line.close()
        line.settimeout(0)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        beginning = self._loop.create_task(self._begin(Connection(self, self._loop, share, client), line))
        self._beginning.add(beginning)
        return beginning.add_done_callback(self._beginning.discard)

    async def _begin(self, connection: Connection, line: socket.socket) -> None:
        connection.share.count += 1
        self._connections.add(connection)
        self._tally.note(len(self._connections))
        CONNECTIONS.inc()
        try:
            await self._loop.connect_accepted_socket(lambda: connection, line)
        except OSError:  # it has ended already
            line.close()
            self.gone(connection)

    def _share_of(self, address: str) -> Share:
        network = network_of(address)
        return self._shares.setdefault(network, Share(network))

    def _make_room(self) -> bool:
        """End the connection that has waited longest for its client, of the address that has most of them."""
        most = max(self._shares.values(), key=lambda share: len(share.idle), default=None)
        return most is not None and most.give_up_longest()
