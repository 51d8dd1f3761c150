"""One client connection: parses requests and writes their responses in order.

A connection is in exactly one ``State``, which only ``_set_state`` changes. A request starts when its head is complete.
If the application reads the body, the request's greenlet waits for it. Otherwise the body is discarded, up to a limit.
If the client has disconnected, the request is not answered, and its greenlet is stopped where it waits.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterable
from contextlib import closing
from math import inf
from typing import TYPE_CHECKING, Any, Final

import structlog
from werkzeug.exceptions import BadRequest, ClientDisconnected, RequestTimeout

from api.http_server import limits
from api.http_server.client_disconnect import PROBE_SECONDS, Peer
from api.http_server.open_connections import ConnectionGroup
from api.http_server.parser import RequestParser
from api.http_server.request import Request
from api.http_server.states import STATES_BETWEEN_RESPONSES, STATES_RECEIVING_BODY, Eviction, State
from api.problems.errors import Overloaded
from workers.asyncio_greenlets import Abandoned, current_task, wait_while_wanted

if TYPE_CHECKING:
    from api.http_server.wsgi_server import WsgiServer

BODILESS_STATUSES: Final = frozenset(("204", "304"))
UNREAD_BODY_STATUSES: Final = frozenset(("408", "413", "414", "431"))
"""Status codes of responses after which the connection is closed if the body of the request may still arrive."""

Headers = list[tuple[str, str]]

log: Final = structlog.get_logger(__name__)


class Connection(asyncio.Protocol):
    """One connection, handled on the thread of its event loop."""

    def __init__(self, server: "WsgiServer", groups: tuple[ConnectionGroup, ...], address: tuple[Any, ...]) -> None:
        self.groups = groups
        self.state = State.ACCEPTED
        self._server = server
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._parser = RequestParser(self._take_head, self._take_body)
        self._requests: deque[Request] = deque()  # requests with complete heads that wait for earlier requests
        self._request = self._parser.incoming  # the current request or, between requests, the previous one
        self._request.keep_alive = True
        self._handler: Any = None  # the greenlet that runs the application
        self._writable = asyncio.Event()  # cleared while the client doesn't read what was written
        self._writable.set()
        self._seconds = self._deadline = inf  # seconds allowed in the current state, and the time when they end
        self._discarded_bytes = 0
        self._eof_received = False

    def _set_state(self, state: State) -> None:
        """Enter *state*: set its deadline, and move the connection to its eviction class. ``CLOSED`` is final."""
        before = self.state
        if before is state or before is State.CLOSED:
            return
        self.state = state
        for group in self.groups:
            if before.eviction is not Eviction.NEVER:
                del group.evictable[before.eviction][self]
            if state.eviction is not Eviction.NEVER:
                group.evictable[state.eviction][self] = None
        self._seconds = getattr(self._server.limits.timeouts, state.timeout, inf)
        self._deadline = self._loop.time() + self._seconds

    def connection_made(self, transport: Any) -> None:
        transport.set_write_buffer_limits(0)
        self._transport: asyncio.Transport = transport
        self._server_address = transport.get_extra_info("sockname")
        self._peer = Peer(transport)
        self._set_state(State.NEW)
        if self._server.is_shutting_down:
            self.go_on()

    def data_received(self, data: bytes) -> None:
        if self.state is State.LINGERING:
            self._discarded_bytes += len(data)
        else:
            self._parser.feed(data)
        if self.state in STATES_RECEIVING_BODY:  # received bytes extend the deadline
            more = self._deadline + len(data) / limits.MIN_BODY_BYTES_PER_SECOND
            self._deadline = min(more, self._loop.time() + self._seconds)
        self.go_on()

    def eof_received(self) -> bool:
        """Stop reading. Return True, which keeps the transport open: complete requests are still answered.

        They are not answered if the client has disconnected.
        """
        self._eof_received = True
        self._parser.finish(ClientDisconnected())
        self.check_timeouts(self._loop.time())
        self.go_on()
        return True

    def connection_lost(self, _exc: Exception | None) -> None:
        self.close()

    def pause_writing(self) -> None:
        self._writable.clear()
        if self.state is State.STREAMING:
            self._set_state(State.STALLED)

    def resume_writing(self) -> None:
        self._writable.set()
        if self.state is State.STALLED:
            self._set_state(State.STREAMING)
        self.go_on()

    def _take_head(self, request: Request) -> None:
        """Queue a request whose head is complete."""
        request.refusal = request.refusal or request.find_error()
        if len(self._requests) == limits.MAX_PIPELINED_REQUESTS:
            request.refusal = BadRequest()
        request.keep_alive &= request.refusal is None
        request.wait_for_body = self._wait_for_body
        self._requests.append(request)

    def _take_body(self, request: Request, part: bytes) -> None:
        """Append *part* to the request's body up to one byte above the limit, and discard the rest.

        Refuse the request with ``Overloaded`` if the unread bodies of the process become too large.
        """
        if request.body_truncated:
            self._discarded_bytes += len(part)
            return
        kept = part[: self._server.limits.body + 1 - len(request.body)]
        request.body += kept
        request.body_truncated = len(request.body) > self._server.limits.body
        if not self._server.reserve_body_bytes(len(kept)):
            request.refusal, request.body_truncated = Overloaded(), True

    def check_timeouts(self, now: float) -> None:
        """Close the connection if its state has timed out or its client has left.

        If the body of a request doesn't arrive in time, the request is answered with 408 instead.
        """
        is_streaming = self.state is State.STREAMING or self.state is State.STALLED
        has_left = self._peer.has_left() if self.state is State.HANDLING else is_streaming and self._peer.events()
        if self.state is State.READING_BODY and self._deadline <= now:
            self._parser.finish(RequestTimeout())
            self.go_on()
        elif has_left or self._deadline <= now:
            self.close()

    def go_on(self) -> None:
        """Advance the state machine: resume a request, start the next one, or read. May be called at any time."""
        if self.state is State.READING_BODY and (self._request.is_complete or self._request.body_truncated):
            self._set_state(State.HANDLING)
            self._handler.switch()
        if self.state in STATES_BETWEEN_RESPONSES:
            self._enter_next_state()
        self._read_on()

    def _read_on(self) -> None:
        """Resume or pause reading from the client.

        Reading pauses while requests are queued, and after more discarded bytes than ``MAX_DISCARDED_BYTES``.
        """
        if self._eof_received or self.state is State.CLOSED or self.state is State.ACCEPTED:
            return
        if self._requests or self._discarded_bytes > limits.MAX_DISCARDED_BYTES:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _enter_next_state(self) -> None:
        """Enter the state that follows a response, or stay in the present one.

        The order is: wait until the response is sent, discard the rest of its request, start or await the next request.
        """
        request, is_last = self._request, self._is_last()
        if not self._writable.is_set():
            self._set_state(State.WRITING)
        elif not (is_last or request.is_complete or self._discarded_bytes > limits.MAX_DISCARDED_BYTES):
            self._set_state(State.DISCARDING)
        elif is_last or not request.is_complete:
            self._linger()
        elif self._requests:
            self._begin_next()
        else:
            self._discarded_bytes = 0
            self._set_state(State.READING_HEAD if self._parser.is_in_head else State.IDLE)

    def close(self) -> None:
        """Close the transport at once, release the request bodies and stop the greenlet of the current request."""
        before = self.state
        self._set_state(State.CLOSED)
        if before is State.CLOSED:
            return
        self._transport.abort()
        for request in (self._request, *self._requests):
            self._release_body(request)
        self._requests.clear()
        self._server.on_connection_closed(self)
        if before is State.READING_BODY:
            self._parser.finish(ClientDisconnected())
            self._handler.switch()
        elif self._handler is not None:
            self._handler.abandon()

    def _is_last(self) -> bool:
        """Return whether the connection is to be closed after this response."""
        is_finished = self._parser.is_finished and not self._requests
        return is_finished or self._server.is_shutting_down or not self._request.keep_alive

    def _begin_next(self) -> None:
        """Start the oldest queued request unless its client has disconnected."""
        has_left = self._peer.has_left()
        if has_left:
            self.close()
        elif has_left is None:
            self._set_state(State.PROBING)
            self._loop.call_later(PROBE_SECONDS, self.go_on)
        else:
            self._request = self._requests.popleft()
            self._discarded_bytes = 0
            self._set_state(State.HANDLING)
            self._server.greenlets.do(self._run_application)

    def _run_application(self) -> None:
        """Run the application and write its response. A streaming response is an async iterator."""
        begun: list[tuple[str, Headers]] = []
        self._handler = current_task()
        try:
            environ = self._request.environ(self._address, self._server_address)
            response = self._server.call(environ, lambda *begin: begun.append(begin[:2]))
            if hasattr(response, "__aiter__"):
                with closing(response):
                    wait_while_wanted(self._write_stream(*begun[-1], response))
            else:
                with closing(response):
                    text = b"".join(response)
                self._write(*begun[-1], text)
            self._complete_response()
        except Abandoned:
            self.close()
        except Exception:
            log.exception("connection_failed")
            self.close()
        finally:
            self._handler = None

    def _wait_for_body(self) -> None:
        """Wait until the body is complete or cut off at the limit.

        Raises the ``refusal`` of the request, if any, and ``ClientDisconnected`` if the connection was closed before.
        """
        request = self._request
        if self.state is State.CLOSED:
            raise ClientDisconnected
        if request.expects_continue and not (request.is_complete or request.body):
            self._transport.write(self._peer.unsent(b"HTTP/1.1 100 Continue\r\n\r\n"))
        request.expects_continue = False
        if not (request.is_complete or request.body_truncated):
            self._set_state(State.READING_BODY)
            self._handler.pause()
        if request.refusal is not None:
            raise request.refusal

    def _write(self, status: str, headers: Headers, text: bytes) -> None:
        if self.state is not State.CLOSED:
            is_told = status[:3] in BODILESS_STATUSES or "content-length" in map(str.lower, dict(headers))
            framing = "" if is_told or self._request.method == "HEAD" else f"Content-Length: {len(text)}\r\n"
            self._transport.write(self._head_bytes(status, headers, framing) + text)

    async def _write_stream(self, status: str, headers: Headers, body: AsyncIterable[bytes]) -> None:
        self._set_state(State.STREAMING)
        is_chunked = self._request.version == "1.1"
        self._request.keep_alive &= is_chunked
        self._transport.write(self._head_bytes(status, headers, "Transfer-Encoding: chunked\r\n" if is_chunked else ""))
        async for text in body:
            self._transport.write(b"%x\r\n%b\r\n" % (len(text), text) if is_chunked else text)
            await self._writable.wait()
        if is_chunked:
            self._transport.write(b"0\r\n\r\n")

    def _head_bytes(self, status: str, headers: Headers, framing: str) -> bytes:
        """Build a response head, and return it without the bytes that the peer's probe has already sent.

        Set ``keep_alive`` of the request, because the head tells the client whether the connection is closed.
        *framing* is the header line that tells the end of the body, or an empty text.
        """
        request = self._request
        leaves_body = not request.is_complete and (status[:3] in UNREAD_BODY_STATUSES or request.expects_continue)
        request.keep_alive = not (leaves_body or self._is_last())
        if "Date" in dict(headers):  # Flask adds ``Date`` to a 304. It is removed, because the server adds its own
            headers = [(name, value) for name, value in headers if name != "Date"]
        lines = [f"HTTP/1.1 {status}\r\n", *map("%s: %s\r\n".__mod__, headers), self._server.date, framing]
        if not request.keep_alive or request.version == "1.0":
            lines.append(f"Connection: {'keep-alive' if request.keep_alive else 'close'}\r\n")
        return self._peer.unsent("".join([*lines, "\r\n"]).encode("latin-1"))

    def _complete_response(self) -> None:
        """Release the request after the application has returned, and advance the state machine."""
        self._release_body(self._request)
        self._request.body_truncated = True
        if self.state is State.CLOSED:
            return
        if self._requests:  # the next request starts from the event loop, not in this request's greenlet
            self._set_state(State.WRITING)
            self._loop.call_soon(self.go_on)
        else:
            self._enter_next_state()
            self._read_on()

    def _release_body(self, request: Request) -> None:
        self._server.reserve_body_bytes(-len(request.body))
        request.body = bytearray()

    def _linger(self) -> None:
        """Drop the queued requests and stop writing. For ``Timeouts.linger`` seconds, read on and discard what is read.

        An immediate close would reset the connection before a client that is still sending has read the response. If
        the client sends nothing more, or the connection only waits for a request, close it at once.
        """
        while self._requests:
            self._release_body(self._requests.pop())
        if self._eof_received or self.state.eviction is Eviction.FIRST:
            self.close()
        elif self.state is not State.LINGERING:
            self._set_state(State.LINGERING)
            self._transport.write_eof()
