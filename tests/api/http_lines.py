"""The web server in a thread of its own, clients that send it bytes, and an application that says what was asked."""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest
import uvloop
from werkzeug.exceptions import HTTPException

from api.http_server import wsgi_server
from api.http_server.limits import ConnectionLimits, Timeouts
from api.http_server.processes import ConnectionCounts, listen
from api.http_server.states import Eviction, State
from api.http_server.wsgi_server import WsgiServer
from api.problems.errors import REFUSAL_KEY, Overloaded

QUICK = Timeouts(first_request=0.3, keep_alive=0.5, head=0.3, body=0.3, write=0.3, linger=0.2)
PATIENT = Timeouts()
LIMITS = ConnectionLimits(connections=40, per_client=20, reserved=0, body=1_000, timeouts=PATIENT)
SOON = 20.0
"""Seconds within which everything here happens."""

Start = Callable[[str, list[tuple[str, str]]], Any]


class Answer(list[bytes]):
    """An answer as PEP 3333 has it."""

    def close(self) -> None:
        """Nothing is left open."""


class Ticks:
    """An answer that goes on: as many messages as it is told to have, of some size, or without end."""

    closed = 0

    def __init__(self, count: int, size: int) -> None:
        self._count, self._size = count, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for n in range(self._count):
            yield b"%d" % n * self._size
            await asyncio.sleep(0)

    def close(self) -> None:
        """Count it."""
        Ticks.closed += 1


def application(environ: dict[str, Any], start: Start) -> Iterable[bytes] | Ticks:
    """Say what was asked; at /unread and /too-large without having read the body."""
    if REFUSAL_KEY in environ:
        error = environ[REFUSAL_KEY]
        start(f"{503 if isinstance(error, Overloaded) else error.code} x", [])
        return Answer([type(error).__name__.encode()])
    path = environ["PATH_INFO"]
    if path.startswith("/ticks/"):
        count, size = map(int, path.removeprefix("/ticks/").split("/"))
        start("200 OK", [("Content-Type", "text/plain")])
        return Ticks(count, size)
    if path == "/large":
        start("200 OK", [])
        return Answer([b"x" * 1_000_000])
    try:
        body = b"" if path in {"/unread", "/too-large"} else environ["wsgi.input"].read()
    except HTTPException as error:
        start(f"{error.code} x", [])
        return Answer([type(error).__name__.encode()])
    except Overloaded:
        start("503 x", [])
        return Answer([b"Overloaded"])
    said = {key: environ[key] for key in sorted(environ) if key.isupper() and key != "SERVER_PORT"}
    text = json.dumps({**said, "body": body.decode("latin-1")}).encode()
    status = {"/none": "204 No Content", "/same": "304 Not Modified", "/too-large": "413 x"}.get(path, "200 OK")
    silent = path in {"/none", "/same"} or environ["REQUEST_METHOD"] == "HEAD"
    start(status, [] if silent else [("Content-Length", str(len(text)))])
    return Answer([] if silent else [text])


class Served:
    """A server in a thread of its own."""

    def __init__(
        self,
        limits: ConnectionLimits,
        listening: socket.socket | None = None,
        counts: ConnectionCounts | None = None,
    ) -> None:
        self.ended = threading.Event()
        self._socket = listening or listen("127.0.0.1", 0)
        self.port = self._socket.getsockname()[1]
        self.server = WsgiServer(application, limits, self.ended.set, counts or ConnectionCounts(1))
        self._begun = threading.Event()
        self._thread = threading.Thread(target=lambda: uvloop.run(self._run()))
        self._thread.start()
        self._begun.wait()

    async def _run(self) -> None:
        self._stop = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._begun.set()
        await self.server.serve(self._socket, self._stop)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Keep its event loop from looking at anything while the block runs."""
        held, released = threading.Event(), threading.Event()

        def hold() -> None:
            held.set()
            assert released.wait(SOON)

        self._loop.call_soon_threadsafe(hold)
        assert held.wait(SOON)
        try:
            yield
        finally:
            released.set()

    def stop(self) -> None:
        """Ask it to end."""
        self._loop.call_soon_threadsafe(self._stop.set)

    def join(self) -> None:
        """Wait until it has."""
        self._thread.join(SOON)
        assert not self._thread.is_alive()
        self._socket.close()

    def connect(self, address: str = "127.0.0.1") -> "Line":
        """Return a connection to it, of a client with this *address*."""
        return Line(self.port, address)

    def states(self) -> list[State]:
        """Return the state of each connection."""
        return [connection.state for connection in list(self.server.connections)]

    def waiting(self) -> list[State]:
        """Return the states of those that wait for their client."""
        return [state for state in self.states() if state.eviction is not Eviction.NEVER]

    def connections(self) -> int:
        """Return how many there are."""
        return len(self.server.connections)


class Line:
    """A client that sends and reads bytes."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SOON, source_address=(address, 0))

    def send(self, data: bytes) -> "Line":
        """Send *data*."""
        self.socket.sendall(data)
        return self

    def read(self, until: bytes) -> bytes:
        """Read up to where *until* ends."""
        said = b""
        while not said.endswith(until):
            part = self.socket.recv(1)
            assert part, said
            said += part
        return said

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Read one answer that has a length."""
        first, *lines = self.read(b"\r\n\r\n").decode("latin-1").split("\r\n")[:-2]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        size, body = int(headers.get("content-length", "0")), b""
        while len(body) < size:
            body += self.socket.recv(size - len(body))
        return int(first.split()[1]), headers, body

    def rest(self) -> bytes:
        """Read until the server ends the connection."""
        return b"".join(iter(lambda: self.socket.recv(65_536), b""))

    def is_ended(self) -> bool:
        """Return whether the server ends it, without a word."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        """End it."""
        self.socket.close()

    def reset(self) -> None:
        """End it at once, and drop what was sent to it."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


@contextmanager
def serving(limits: ConnectionLimits, *shared: Any) -> Iterator[Served]:
    """Serve while the block runs; the socket and the counts may be shared with others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wsgi_server, "TICK_SECONDS", 0.05)
        served = Served(limits, *shared)
        try:
            yield served
        finally:
            if served.server.is_shutting_down is False:
                served.stop()
            served.join()


def said(line: Line) -> dict[str, Any]:
    """Return what the application was asked, of the next answer."""
    status, _, body = line.answer()
    assert status == 200
    return dict(json.loads(body))


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    until, pause = monotonic() + SOON, threading.Event()
    while not holds():
        assert monotonic() < until
        pause.wait(0.01)
