"""Random histories of clients of the real web server, and nothing that they took may be left when they have gone.

``python -m tests.http_histories --histories 100000 --seed 1``. In each, some clients connect, send what they have
in pieces, pipeline, close their half, reset, leave, or stop reading, at any turn of the event loop; now and then the
server is stopped meanwhile. Sockets, the event loop, the server, its connections and the places of streams are those
that serve people; the application answers in all the ways that there are. Limits are small, so that each is met.
"""

import asyncio
import socket
import struct
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from secrets import randbelow
from time import monotonic
from typing import Any, Final, cast

import pytest
import structlog
import uvloop
from flask import Response
from structlog.testing import capture_logs
from werkzeug.exceptions import HTTPException

from api.http.overload import ConcurrencyLimiter, wait_for_news
from api.http_server import connection, limits, open_connections, wsgi_server
from api.http_server.limits import ConnectionLimits, Timeouts
from api.http_server.processes import ConnectionCounts, listen
from api.http_server.states import Eviction
from api.http_server.wsgi_server import WsgiServer
from api.problems.errors import REFUSAL_KEY, Overloaded
from workers.asyncio_greenlets import to_thread
from workers.metrics import OPEN_CONNECTIONS, OPEN_STREAMS
from workers.storage.errors import TooManyStreams
from workers.stream_slots import StreamSlots

HISTORIES: Final = 40
"""That one server serves before it is stopped, in the middle of the last."""
SOON: Final = 20.0
"""Seconds within which all is released that clients held who have left."""
RESET: Final = struct.pack("ii", 1, 0)
PATIENT: Final = Timeouts(linger=0.02)
HASTY: Final = Timeouts(*[0.002] * len(Timeouts._fields))
PLACES: Final = 5
LIMITS: Final = ConnectionLimits(connections=9, per_client=6, reserved=2, body=2_000)
SMALL: Final = {
    (wsgi_server, "TICK_SECONDS"): 0.002,
    (wsgi_server, "MAX_BUFFERED_BODY_BYTES"): 3_500,
    (limits, "MAX_DISCARDED_BYTES"): 20_000,
    (limits, "MAX_PIPELINED_REQUESTS"): 4,
    (connection, "PROBE_SECONDS"): 0.001,
    (open_connections, "PROTECTED_CONNECTIONS"): 3,
}
PATHS: Final = (
    "/plain",
    "/body",
    "/refused",
    "/too-large",
    "/large",
    "/poll",
    "/aside",
    "/in-turn",
    "/stream/3",
    "/stream/0",
    "/none",
)
"""/stream/0 never ends, and /poll waits for what never happens."""
HEADS: Final = (
    b"\r\n",
    b"Connection: close\r\n\r\n",
    b"Expect: 100-continue\r\n\r\n",
    b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
)
BROKEN: Final = (
    b"nonsense\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"y" * 40_000,
    b"FROB /plain HTTP/1.1\r\nHost: h\r\n\r\n",
    b"POST /body HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
    b"POST /body HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;" + b"x" * 9_000,
)


class Left(AssertionError):
    """Something is left of clients that have gone, or was never right."""


class Text(list[bytes]):
    """A response as PEP 3333 has it."""

    def close(self) -> None:
        """Nothing is left open."""


class Messages:
    """A response that takes a place for as long as it goes on."""

    def __init__(self, served: "Application", count: int) -> None:
        served.places.acquire("stream")
        self._served, self._count = served, count

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(self._count):
            yield b"x" * 3_000
            await asyncio.sleep(0)
        while not self._count:
            yield b"y" * 9_000
            await asyncio.sleep(0)
            if self._served.rng.random() < 0.1:
                await asyncio.Event().wait()

    def close(self) -> None:
        """Give the place back; that this happens once shows in the gauge."""
        self._served.places.release("stream")


class Application:
    """Answers in all the ways that there are."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.places = StreamSlots(PLACES)
        self.limiter = ConcurrencyLimiter(rng.choice((0.002, 2.0)))
        self.handling = 0

    def __call__(self, environ: dict[str, Any], start: Any) -> "Iterable[bytes] | Messages":
        self.handling += 1
        try:
            return self._answer(environ, start)
        except HTTPException as error:
            start(f"{error.code} x", [])
        except (Overloaded, TooManyStreams):
            start("503 x", [])
        finally:
            self.handling -= 1
        return Text([b"refused"])

    def _answer(self, environ: dict[str, Any], start: Any) -> "Iterable[bytes] | Messages":
        if REFUSAL_KEY in environ:
            raise environ[REFUSAL_KEY]
        path, status, text = environ["PATH_INFO"], "200 OK", b"text"
        if path.startswith("/stream/"):
            messages = Messages(self, int(path[-1]))
            start(status, [])
            return messages
        if path == "/body":
            text = environ["wsgi.input"].read()
        elif path == "/poll":
            self._poll()
        elif path == "/aside":
            to_thread(lambda: None)
        elif path == "/in-turn":
            self.limiter.run(environ["REMOTE_ADDR"], Response)
        elif path == "/large":
            text = b"z" * 200_000
        start({"/refused": "404 x", "/too-large": "413 x", "/none": "204 x"}.get(path, status), [])
        return Text([b"" if path == "/none" else text])

    def _poll(self) -> None:
        self.places.acquire("poll")
        try:
            wait_for_news(asyncio.Event().wait())
        finally:
            self.places.release("poll")


class Client:
    """One that sends what it has to send as a history wants it."""

    def __init__(self, rng: Random, port: int) -> None:
        self._rng = rng
        self._has_sent_fin = False
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rng.choice((2_048, 262_144)))
        self.socket.bind((f"127.0.0.{rng.randint(2, 4)}", 0))
        self.socket.connect_ex(("127.0.0.1", port))
        self._unsent = b"".join(_request(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 7))))

    def send(self) -> None:
        """Send a piece."""
        size = self._rng.choice((1, 7, 40, 300, 70_000, 70_000))
        with suppress(OSError):
            self._unsent = self._unsent[self.socket.send(self._unsent[:size]) :]

    def read(self) -> None:
        """Read what is there."""
        with suppress(OSError):
            self.socket.recv(self._rng.choice((10, 100_000)))

    def half_close(self) -> None:
        """Send no more."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
            self._has_sent_fin = True

    def reset(self) -> None:
        """Leave at once."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.socket.close()

    def leave(self) -> None:
        """Leave in one way or another. A close after FIN sends nothing, if all is read: ``/poll`` would never end."""
        self._rng.choice((self.reset, self.reset if self._has_sent_fin else self.socket.close))()


def _request(rng: Random) -> bytes:
    if rng.random() < 0.1:
        return rng.choice(BROKEN)
    version, path = rng.choice((b"1.1", b"1.1", b"1.1", b"1.0")), rng.choice(PATHS).encode()
    size = rng.choice((0, 0, 0, 1, 900, 3_000, 30_000))
    head = b"POST %b HTTP/%b\r\nHost: h\r\n" % (path, version)
    if not size:
        return b"GET %b HTTP/%b\r\nHost: h\r\n" % (path, version) + rng.choice(HEADS)
    if version == b"1.1" and rng.random() < 0.4:
        body = b"%x;a=b\r\n%b\r\n0\r\nX: y\r\n\r\n" % (size, b"c" * size)
        return head + b"Transfer-Encoding: chunked\r\n" + rng.choice(HEADS) + body
    promised = size + rng.choice((0, 0, 5))
    return head + b"Content-Length: %d\r\n" % promised + rng.choice(HEADS) + b"b" * size


class Histories:
    """Those of one server."""

    def __init__(self, seed: str) -> None:
        self._rng = Random(seed)
        self._socket = listen("127.0.0.1", 0)
        self._port = self._socket.getsockname()[1]
        self._application = Application(self._rng)
        self._timeouts = self._rng.choice((PATIENT, PATIENT, HASTY))
        self._counts = ConnectionCounts(1)
        limits = LIMITS._replace(timeouts=self._timeouts)
        self._server = WsgiServer(cast(Any, self._application), limits, lambda: None, self._counts)

    async def run(self) -> None:
        """Let them happen, and stop in the middle of the last."""
        failures = list[object]()
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        stop = asyncio.Event()
        serving = asyncio.create_task(self._server.serve(self._socket, stop))
        with capture_logs() as logged:
            for number in range(HISTORIES):
                last = [*await self._history()]
                if number == HISTORIES - 1:
                    stop.set()
                for client in last:
                    client.leave()
                    await self._turns()
                await self._released(serving)
            await asyncio.wait_for(serving, SOON)
        failures += [entry for entry in logged if entry["log_level"] in {"error", "critical"}]
        if failures:
            raise Left(failures)

    async def _history(self) -> list[Client]:
        """Let some clients do as they like; return those that are still there."""
        rng, there = self._rng, list[Client]()
        for _ in range(rng.randint(5, 30)):
            if not there or (len(there) < 12 and rng.random() < 0.25):
                there.append(Client(rng, self._port))
            client = rng.choice(there)
            what = rng.random()
            if what < 0.6:
                client.send()
            elif what < 0.75:
                client.read()
            elif what < 0.82:
                client.half_close()
            elif what < 0.9:
                there.remove(client)
                client.leave()
            await self._turns()
            self._check()
        return there

    async def _turns(self) -> None:
        for _ in range(self._rng.choice((0, 0, 1, 1, 2, 4))):
            await asyncio.sleep(0)

    def _check(self) -> None:
        """Look whether what is counted is what is there."""
        found = self._server.connections
        for one in found:
            waiting = [kind for kind, group in one.groups[0].evictable.items() if one in group]
            if waiting != ([one.state.eviction] if one.state.eviction is not Eviction.NEVER else []):
                raise Left(one.state, waiting)
        kept = sum(len(request.body) for one in found for request in (one._request, *one._requests))
        if kept != self._server.body_bytes or OPEN_CONNECTIONS._value.get() != len(found):
            raise Left(kept, self._left())

    async def _released(self, serving: "asyncio.Task[None]") -> None:
        until = monotonic() + SOON
        while any(self._left().values()) or asyncio.all_tasks() - {asyncio.current_task(), serving}:
            if monotonic() > until:
                raise Left({name: value for name, value in self._left().items() if value}, asyncio.all_tasks())
            await asyncio.sleep(0.001 if self._timeouts is HASTY else 0)

    def _left(self) -> dict[str, object]:
        """Return all that has to be nothing when nobody is there."""
        served, counted = self._server, self._server._clients
        return {
            "connections": [(one.state, one) for one in served.connections],
            "connections, counted": counted.count,
            "clients": counted._groups,
            "unprotected": counted._unprotected,
            "bytes": served.body_bytes,
            "connections, gauge": OPEN_CONNECTIONS._value.get(),
            "connections, shared count": self._counts._counts[0],
            "places": len(self._application.places),
            "streams, gauge": OPEN_STREAMS._value.get(),
            "requests": self._application.handling,
            "waiting": self._application.limiter.waiting.lengths(),
            "in turn": self._application.limiter.is_taken,
        }


@contextmanager
def small_limits() -> Iterator[None]:
    """Let all limits be small while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), value in SMALL.items():
            patch.setattr(module, name, value)
        yield


def play(seed: int, histories: int, progress: bool = False) -> None:
    """Let *histories* happen, or some more. Raises ``Left``."""
    with small_limits():
        for number in range(-(-histories // HISTORIES)):
            try:
                uvloop.run(Histories(f"{seed}/{number}").run())
            except Left as error:
                raise Left(f"seed {seed}, server {number}", *error.args) from error
            if progress and number % 100 == 99:
                print(f"{(number + 1) * HISTORIES:,} histories, nothing left", flush=True)


def main() -> None:
    """Read what is wanted, and do it."""
    parser = ArgumentParser(prog="python -m tests.http_histories", description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=randbelow(1_000_000))
    asked = parser.parse_args()
    print(f"Seed {asked.seed}", flush=True)
    structlog.configure(cache_logger_on_first_use=False)
    began = monotonic()
    play(asked.seed, asked.histories, progress=True)
    print(f"Seed {asked.seed}: {asked.histories:,} histories in {monotonic() - began:.0f} s, nothing left")


if __name__ == "__main__":
    main()
