"""One connection of a client: requests in, one after the other, and their responses out.

It is always in one ``State``, which ``_set_state`` alone changes. A request is answered as soon as its head is there.
Where the application reads the body, its greenlet waits for it; where it doesn't, because it refuses, say, what still
comes is dropped, up to a limit. Who has left isn't answered, and what is done for them ends where it waits.
"""

import asyncio
from collections import deque
from functools import partial
from io import BytesIO
from math import inf
from typing import Any, Final, Protocol, cast

import structlog
from werkzeug.exceptions import BadRequest, ClientDisconnected, RequestTimeout

from api.errors import Overloaded
from api.http_server.clients import ClientConnections
from api.http_server.limits import (
    MAX_DISCARDED_BYTES,
    MAX_PIPELINED_REQUESTS,
    MIN_BODY_BYTES_PER_SECOND,
    ConnectionLimits,
)
from api.http_server.parser import RequestParser
from api.http_server.peer import PROBE_SECONDS, Peer
from api.http_server.request import Body, PendingBody, Request
from api.http_server.responses import CHUNKED, CONTINUE, Application, Headers, StreamingBody, head, length
from api.http_server.states import RECEIVING, WAITING, Eviction, State
from workers.greenlets import Crew, Task, current

UNREAD: Final = frozenset((408, 413, 414, 431))
"""Who is told so may go on sending a body that isn't read to its end: the connection ends."""

log: Final = structlog.get_logger(__name__)


class Server(Protocol):
    """What a connection knows of the server (``listener.Listener``)."""

    call: Application
    greenlets: Crew
    """In which requests are handled."""
    date: str
    """The line of the head that says what time it is."""
    is_shutting_down: bool
    limits: ConnectionLimits

    def reserve_body_bytes(self, count: int) -> bool:
        """Count bytes of bodies that are kept, negative when they are released; False if there are too many."""

    def on_connection_closed(self, connection: "Connection") -> None:
        """Count it no more."""


class Connection(asyncio.Protocol):
    """One connection, on the thread of its event loop."""

    _transport: asyncio.Transport
    _peer: Peer

    def __init__(self, server: Server, client: ClientConnections, address: tuple[Any, ...]) -> None:
        self.client = client
        self.state = State.ACCEPTED
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._address = address
        self._parser = RequestParser(self)
        self._requests: deque[Request] = deque()
        """Those whose heads are there, and that wait for those before them."""
        self._request = self._parser.incoming
        """The one that is answered; between two, the one before."""
        self._request.keep_alive = True
        self._handler: Task[Any] | None = None
        """The greenlet in which the application runs."""
        self._stream: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        """Set while nothing that was written waits for the client to read."""
        self._writable.set()
        self._deadline = inf
        self._discarded_bytes = 0
        self._eof_received = False

    def _set_state(self, state: State) -> None:
        """Enter *state*, with its deadline and its place in the order of eviction; ``CLOSED`` is final."""
        if self.state is state or self.state is State.CLOSED:
            return
        self.client.move(self, self.state.eviction, state.eviction)
        self.state = state
        self._deadline = inf if state.timeout is None else self._loop.time() + self._timeout()

    def _timeout(self) -> float:
        return cast(float, getattr(self._server.limits.timeouts, str(self.state.timeout)))

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(0)
        self._peer = Peer(self._transport)
        self._set_state(State.NEW)

    def data_received(self, data: bytes) -> None:
        """Parse what the client sends, and go on with what is complete."""
        if self.state is State.LINGERING:
            self._discard(len(data))
        elif self.state is not State.CLOSED:
            self._parser.feed(data)
        self._on_input()

    def eof_received(self) -> bool:
        """Read no more; what is complete is answered, unless the client has left."""
        self._eof_received = True
        self._parser.finish(ClientDisconnected())
        self._check_presence()
        self._on_input()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  why doesn't matter
        """Release what it holds."""
        self._close()

    def pause_writing(self) -> None:
        """Write no more until the client reads."""
        self._writable.clear()
        if self.state is State.STREAMING:
            self._set_state(State.STALLED)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._writable.set()
        if self.state is State.STALLED:
            self._set_state(State.STREAMING)
        elif self.state is State.WRITING:
            self._go_on()

    # What the parser calls

    def on_request(self, request: Request) -> None:
        """Let the request be answered, after those before it."""
        request.refusal = request.refusal or request.find_error()
        if len(self._requests) == MAX_PIPELINED_REQUESTS:
            request.refusal = BadRequest()
        request.keep_alive &= request.refusal is None
        self._requests.append(request)

    def on_body(self, request: Request, part: bytes) -> None:
        """Keep a part of the body while the application may read it, and no more than that ever does."""
        if request.body_truncated:
            return self._discard(len(part))
        kept = part[: self._server.limits.body + 1 - len(request.body)]
        request.body += kept
        if not self._server.reserve_body_bytes(len(kept)):
            request.refusal, request.body_truncated = Overloaded(), True
        elif len(request.body) > self._server.limits.body:
            request.body_truncated = True
        return self._extend_deadline(len(part))

    # What the listener calls

    def check_timeouts(self, now: float) -> None:
        """End what has taken too long, or what nobody waits for; who reads a body is told so."""
        if self._deadline > now:
            self._check_presence()
        elif self.state is State.READING_BODY:
            self._parser.finish(RequestTimeout())
            self._on_input()
        else:
            self._close()

    def shutdown(self) -> None:
        """Close it, at once or with the response that is being made."""
        if self.state.eviction is Eviction.FIRST:
            self._close()
        elif self.state is State.DISCARDING:
            self._go_on()

    def evict(self) -> None:
        """Close it, so that another can be accepted."""
        self._close()

    # What is done

    def _on_input(self) -> None:
        """Do what can be done now that more has come: go on with the request, or with the next."""
        request = self._request
        if self.state is State.READING_BODY and (request.is_complete or request.body_truncated):
            self._set_state(State.HANDLING)
            cast("Task[Any]", self._handler).switch()
        elif self.state in WAITING:
            self._go_on()
        self._update_flow_control()

    def _go_on(self) -> None:
        """Enter the state that follows a response: let it be read, drop the rest of its request, begin the next."""
        request = self._request
        is_last = self._is_last(request)
        if self.state is State.CLOSED:
            return
        if not self._writable.is_set():
            self._set_state(State.WRITING)
        elif not (is_last or request.is_complete or self._discarded_bytes > MAX_DISCARDED_BYTES):
            self._set_state(State.DISCARDING)
        elif is_last or not request.is_complete:
            self._linger()
        elif self._requests:
            self._begin_next()
        else:
            self._discarded_bytes = 0
            self._set_state(State.READING_HEAD if self._parser.is_in_head else State.IDLE)
        self._update_flow_control()

    def _is_last(self, request: Request) -> bool:
        """Return whether the connection ends with the response to *request*."""
        is_finished = self._parser.is_finished and not self._requests
        return is_finished or self._server.is_shutting_down or not request.keep_alive

    def _begin_next(self) -> None:
        """Handle the request that came first, unless its client has left."""
        has_left = self._peer.has_left()
        if has_left:
            self._close()
        elif has_left is None:
            self._set_state(State.PROBING)
            self._loop.call_later(PROBE_SECONDS, self._go_on)
        else:
            self._request = self._requests.popleft()
            self._discarded_bytes = 0
            self._set_state(State.HANDLING)
            self._server.greenlets.do(partial(self._run_application, self._request))

    def _run_application(self, request: Request) -> None:
        """Call the application, in a greenlet, and write its response."""
        begun: list[tuple[str, Headers]] = []
        body: Body = BytesIO(request.body) if request.is_complete else PendingBody(request, self.wait_for_body)
        server: tuple[Any, ...] = self._transport.get_extra_info("sockname")

        def start(status: str, headers: Headers, _exc_info: object = None) -> None:
            begun.append((status, headers))

        self._handler = current()
        try:
            response: Any = self._server.call(request.environ(self._address, server, body), start)
            status, headers = int(begun[-1][0][:3]), begun[-1][1]
            if hasattr(response, "__aiter__"):
                return self._start_stream(request, status, headers, response)
            try:
                self._write(request, status, headers, b"".join(response))
            finally:
                response.close()
        except Exception:
            log.exception("connection_failed")
            self._close()
        finally:
            self._handler = None

    def wait_for_body(self, request: Request) -> None:
        """Wait until the body is there, or too much of it. Raises what is wrong with it."""
        if self.state is State.CLOSED:
            raise ClientDisconnected
        if request.expects_continue and not (request.is_complete or request.body):
            self._transport.write(self._peer.unsent(CONTINUE))
        request.expects_continue = False
        if not (request.is_complete or request.body_truncated):
            self._set_state(State.READING_BODY)
            cast("Task[Any]", self._handler).pause()
        if request.refusal is not None:
            raise request.refusal

    def _write(self, request: Request, status: int, headers: Headers, text: bytes) -> None:
        """Write a whole response."""
        if self.state is State.CLOSED:
            return
        first = self._head(request, status, headers, length(status, request.method, headers, text))
        self._transport.write(first + text)
        self._complete_response(request)

    def _head(self, request: Request, status: int, headers: Headers, framing: str) -> bytes:
        """Return what is to be sent of the head of a response; the connection ends with it if it says so."""
        leaves_body = not request.is_complete and (status in UNREAD or request.expects_continue)
        request.keep_alive = not (leaves_body or self._is_last(request))
        persistence = f"Connection: {'keep-alive' if request.keep_alive else 'close'}\r\n"
        return self._peer.unsent(head(status, headers, self._server.date, framing, persistence))

    def _start_stream(self, request: Request, status: int, headers: Headers, body: StreamingBody) -> None:
        """Write a response as it comes. *body* is closed in any case: a task that is cancelled early never runs."""
        if self.state is State.CLOSED:
            return body.close()
        is_chunked = request.version == "1.1"
        request.keep_alive &= is_chunked
        self._set_state(State.STREAMING)
        self._transport.write(self._head(request, status, headers, CHUNKED if is_chunked else ""))
        self._stream = self._loop.create_task(self._write_stream(body, is_chunked=is_chunked))
        return self._stream.add_done_callback(partial(self._end_stream, request, body))

    async def _write_stream(self, body: StreamingBody, *, is_chunked: bool) -> None:
        write = self._transport.write
        async for text in body:
            write(b"%x\r\n%b\r\n" % (len(text), text) if is_chunked else text)
            await self._writable.wait()
        if is_chunked:
            write(b"0\r\n\r\n")

    def _end_stream(self, request: Request, body: StreamingBody, stream: "asyncio.Task[None]") -> None:
        """Release what the stream held, however it ended."""
        self._stream = None
        body.close()
        if stream.cancelled():
            return
        error = stream.exception()
        if error is None:
            self._complete_response(request)
        else:
            log.error("connection_failed", exc_info=error)
            self._close()

    def _complete_response(self, request: Request) -> None:
        """Keep no more of the request; go on when the application has returned."""
        self._release_body(request)
        request.body_truncated = True
        self._set_state(State.WRITING)
        self._loop.call_soon(self._go_on)

    def _linger(self) -> None:
        """Write no more; read on for a time from who may still send, so that it reads the response."""
        while self._requests:
            self._release_body(self._requests.pop())
        if self._eof_received:
            self._close()
        elif self.state is not State.LINGERING:
            self._set_state(State.LINGERING)
            self._transport.write_eof()

    def _close(self) -> None:
        """Release what it holds, and end whatever waits for this client."""
        before = self.state
        if before is State.CLOSED:
            return
        self._set_state(State.CLOSED)
        self._transport.abort()
        for request in (self._request, *self._requests):
            self._release_body(request)
        self._requests.clear()
        self._server.on_connection_closed(self)
        if self._stream is not None:
            self._stream.cancel()
        elif before is State.READING_BODY:
            self._parser.finish(ClientDisconnected())
            cast("Task[Any]", self._handler).switch()
        elif self._handler is not None:
            self._handler.abandon()

    def _check_presence(self) -> None:
        """Close the connection if the client has left while we work for it. Who closes its half of a stream has."""
        if self.state is State.HANDLING:
            has_left = self._peer.has_left()
        elif self.state is State.STREAMING or self.state is State.STALLED:
            has_left = self._peer.events() != 0
        else:
            return
        if has_left:
            self._close()

    def _update_flow_control(self) -> None:
        """Read what the client sends, unless it has sent requests that wait, or more than is discarded."""
        if self.state is State.CLOSED or self._eof_received:
            return
        if self._requests or self._discarded_bytes > MAX_DISCARDED_BYTES:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _discard(self, count: int) -> None:
        self._discarded_bytes += count
        self._extend_deadline(count)

    def _extend_deadline(self, count: int) -> None:
        """Wait longer for who sends a body, and not too slowly."""
        if self.state in RECEIVING:
            longest = self._loop.time() + self._timeout()
            self._deadline = min(self._deadline + count / MIN_BODY_BYTES_PER_SECOND, longest)

    def _release_body(self, request: Request) -> None:
        self._server.reserve_body_bytes(-len(request.body))
        request.body = bytearray()
