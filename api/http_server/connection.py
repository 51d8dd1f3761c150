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
from werkzeug.exceptions import BadRequest, ClientDisconnected, HTTPException, RequestTimeout

from api.errors import Overloaded
from api.http_server.clients import ClientConnections, ManagedConnection
from api.http_server.limits import (
    MAX_DISCARDED_BYTES,
    MAX_PIPELINED_REQUESTS,
    MIN_BODY_BYTES_PER_SECOND,
    Timeouts,
)
from api.http_server.parser import RequestParser, UnknownMethod
from api.http_server.peer import PROBE_SECONDS, Peer, Presence
from api.http_server.request import Body, PendingBody, Request
from api.http_server.responses import CONTINUE, UNREAD, Application, Headers, StreamingBody, head, length
from api.http_server.states import State
from workers.greenlets import Crew, Task, current

NEVER: Final = inf

log: Final = structlog.get_logger(__name__)


class ServerState(Protocol):
    """What a connection knows of the server (``listener.Listener``)."""

    call: Application
    greenlets: Crew
    """In which requests are handled."""
    date: str
    """The line of the head that says what time it is."""
    is_shutting_down: bool
    body_limit: int
    timeouts: Timeouts

    def reserve_body_bytes(self, count: int) -> bool:
        """Count bytes of bodies that are kept, negative when they are released; False if there are too many."""

    def on_connection_closed(self, connection: ManagedConnection) -> None:
        """Count it no more."""


class Connection(asyncio.Protocol):
    """One connection, on the thread of its event loop."""

    def __init__(
        self, server_state: ServerState, client: ClientConnections, descriptor: int, address: tuple[Any, ...]
    ) -> None:
        self.client = client
        self.state = State.NEW
        self._server_state = server_state
        self._loop = asyncio.get_running_loop()
        self._address = address
        self._peer = Peer(descriptor)
        self._parser = RequestParser(self)
        self._requests: deque[Request] = deque()
        """Those whose heads are there, and that wait for those before them."""
        self._current_request: Request | None = None
        self._handler: Task[Any] | None = None
        """The greenlet in which the application runs."""
        self._body_waiter: Task[Any] | None = None
        """The same, while it waits for the body."""
        self._stream: asyncio.Task[None] | None = None
        self._deadline = NEVER
        self._last_deadline = NEVER
        """Of ``LINGERING``, whatever is still read or written."""
        self._discarded_bytes = 0
        self._discards_input = False
        """No more requests are read."""
        self._eof_received = False
        self._drain_waiter: asyncio.Future[None] | None = None
        """Done when the client has read what was written."""

    def _set_state(self, state: State) -> None:
        """Enter *state*, with its deadline and its place in the order of eviction; ``CLOSED`` is final."""
        before = self.state
        if before is State.CLOSED:
            return
        self.state = state
        self.client.move(self, before.eviction, state.eviction)
        if state.timeout is None:
            self._deadline = NEVER
        else:
            self._deadline = self._loop.time() + cast(float, getattr(self._server_state.timeouts, state.timeout))

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        self._transport = cast(asyncio.Transport, transport)
        self._server = transport.get_extra_info("sockname")
        self._set_state(State.NEW)

    def data_received(self, data: bytes) -> None:
        """Parse what the client sends, and go on with what is complete."""
        if self.state is State.CLOSED:
            return
        if self._discards_input:
            self._discard(len(data))
        else:
            self._parse(data)
        self._advance()

    def eof_received(self) -> bool:
        """Read no more; what is complete is answered, unless the client has left."""
        self._eof_received = self._discards_input = True
        if not self._parser.incoming.is_complete:
            self._refuse_body(self._parser.incoming, ClientDisconnected())
        if self._stream is not None or self.state is State.HANDLING:
            self._check_presence()
        elif self.state is State.LINGERING:
            self._transport.close()
        elif self.state.ends_at_shutdown and self.state is not State.DISCARDING and not self._requests:
            self._lingering_close(is_quiet=True)
        self._advance()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  why doesn't matter
        """Release request bodies and the connection's place; end the stream and whatever waits for this client."""
        self._set_state(State.CLOSED)
        for request in (self._current_request, *self._requests):
            if request is not None:
                self._release_body(request)
        self._requests.clear()
        self._resume_writer()
        if self._stream is not None:
            self._stream.cancel()
        self._server_state.on_connection_closed(self)
        if self._body_waiter is not None:
            self._wake_body_waiter(ClientDisconnected())
        elif self._handler is not None:
            self._handler.abandon()

    def pause_writing(self) -> None:
        """Write no more until the client reads."""
        self._drain_waiter = self._loop.create_future()
        if self.state is State.STREAMING:
            self._set_state(State.WRITING)

    def resume_writing(self) -> None:
        """Go on: the client reads again."""
        self._resume_writer()
        if self.state is State.WRITING:
            if self._stream is None:
                self._await_request()
            else:
                self._set_state(State.STREAMING)

    # What the parser calls

    def on_request(self, request: Request) -> None:
        """Let the request be answered, after those before it. Raises ``BadRequest``."""
        if len(self._requests) == MAX_PIPELINED_REQUESTS:
            raise BadRequest
        request.refusal = request.find_error()
        request.keep_alive &= request.refusal is None
        self._requests.append(request)

    def on_body(self, request: Request, part: bytes) -> None:
        """Keep a part of the body while the application may read it, and no more than that ever does."""
        if request.body_truncated:
            return self._discard(len(part))
        request.body += part
        if not self._server_state.reserve_body_bytes(len(part)):
            request.refusal, request.body_truncated = Overloaded(), True
        elif len(request.body) > self._server_state.body_limit:
            request.body_truncated = True
        if self.state is State.READING_BODY:
            now, longest = self._loop.time(), self._server_state.timeouts.body
            self._deadline = min(self._deadline + len(part) / MIN_BODY_BYTES_PER_SECOND, now + longest)
        return None

    # What the listener calls

    def check_timeouts(self, now: float) -> None:
        """End what has taken too long, or what nobody waits for; who reads a body is told so."""
        if self.state is State.HANDLING or self.state is State.STREAMING:
            self._check_presence()
        elif self._deadline > now or (self._is_flushing() and now < self._last_deadline):
            return
        elif self.state is State.READING_BODY:
            self._discards_input = True
            self._wake_body_waiter(RequestTimeout())
        else:
            self._close()

    def _is_flushing(self) -> bool:
        return self.state is State.LINGERING and self._transport.get_write_buffer_size() > 0

    def shutdown(self) -> None:
        """Close it, at once or with the response that is being made."""
        if self.state.ends_at_shutdown and self._stream is None:
            self._lingering_close(is_quiet=self.state is not State.DISCARDING)

    def evict(self) -> None:
        """Abort the connection so that another client can be accepted."""
        self._close()

    # What is done

    def wait_for_body(self, request: Request) -> None:
        """Wait until the body is there, or too much of it. Raises what is wrong with it."""
        if request.expects_continue():
            request.continue_sent = True
            self._transport.write(self._peer.unsent(CONTINUE))
        while not (request.is_complete or request.body_truncated):
            if self.state is State.CLOSED:
                raise ClientDisconnected
            self._set_state(State.READING_BODY)
            self._body_waiter = cast("Task[Any]", current())
            self._body_waiter.pause()
        if request.refusal is not None:
            raise request.refusal

    def _advance(self) -> None:
        """Do what can be done now that more has come: answer the next request, or go on with the one before."""
        request = self._current_request
        if self.state is State.CLOSED:
            return
        if request is None:
            self._start_next_request()
        elif self.state is State.DISCARDING:
            if request.is_complete or self._discards_input:
                self._complete_request(request)
            elif self._discarded_bytes > MAX_DISCARDED_BYTES:
                self._lingering_close(is_quiet=False)
        elif self.state is State.READING_BODY and (request.is_complete or request.body_truncated):
            self._wake_body_waiter(None)
        self._update_flow_control()

    def _update_flow_control(self) -> None:
        """Read what the client sends, unless it has sent requests that wait, or more than is discarded."""
        if self.state is State.CLOSED or self._eof_received:
            return
        if self._requests or self._discarded_bytes > MAX_DISCARDED_BYTES:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed(data)
        except UnknownMethod as unknown:
            self._append_last(unknown.request)
        except HTTPException as error:
            self._refuse(error)

    def _start_next_request(self) -> None:
        """Handle the request that came first, once the client has read the responses before, unless it has left."""
        if not self._requests:
            if self._parser.is_in_head and (self.state is State.NEW or self.state is State.IDLE):
                self._set_state(State.READING_HEAD)
            return
        if self._drain_waiter is not None:
            return
        presence = self._presence()
        if presence is Presence.GONE:
            self._close()
        elif presence is Presence.UNKNOWN:
            if self.state is not State.PROBING:
                self._set_state(State.PROBING)
            self._loop.call_later(PROBE_SECONDS, self._advance)
        else:
            request = self._current_request = self._requests.popleft()
            self._discarded_bytes = 0
            self._set_state(State.HANDLING)
            self._server_state.greenlets.do(partial(self._run_application, request))

    def _presence(self) -> Presence:
        """Return whether the client is there. One that has sent FIN is probed, before its response has begun."""
        presence = self._peer.presence()
        if presence is Presence.UNKNOWN and not self._transport.get_write_buffer_size():
            return self._peer.probe()
        return presence

    def _check_presence(self) -> None:
        """Close the connection if the client has left. Who has closed its half of a stream has."""
        if self._stream is None:
            has_left = self._presence() is Presence.GONE
        else:
            has_left = self._peer.presence() is not Presence.HERE
        if has_left:
            self._close()

    def _run_application(self, request: Request) -> None:
        """Call the application, in a greenlet, and write its response."""
        begun: list[tuple[str, Headers]] = []
        body: Body = BytesIO(request.body) if request.is_complete else PendingBody(request, self.wait_for_body)

        def start(status: str, headers: Headers, _exc_info: object = None) -> None:
            begun.append((status, headers))

        self._handler = current()
        try:
            response: Any = self._server_state.call(request.environ(self._address, self._server, body), start)
            status, headers = int(begun[-1][0][:3]), begun[-1][1]
            if hasattr(response, "__aiter__"):
                return self._start_stream(request, status, headers, response)
            try:
                text = b"".join(response)
            finally:
                response.close()
            self._write(request, status, headers, text)
        except Exception:
            log.exception("connection_failed")
            self._close()
        finally:
            self._handler = None

    def _write(self, request: Request, status: int, headers: Headers, text: bytes) -> None:
        """Write a whole response."""
        if self.state is State.CLOSED:
            return
        last = length(status, request.method, headers, text), self._connection_header(request, status)
        self._transport.write(self._peer.unsent(head(status, headers, self._server_state.date, *last)) + text)
        self._complete_response(request)

    def _start_stream(self, request: Request, status: int, headers: Headers, body: StreamingBody) -> None:
        """Write a response as it comes. *body* is closed in any case: a task that is cancelled early never runs."""
        if self.state is State.CLOSED:
            return body.close()
        self._set_state(State.STREAMING)
        self._stream = self._loop.create_task(self._stream_response(request, status, headers, body))
        return self._stream.add_done_callback(partial(self._end_stream, request, body))

    async def _stream_response(self, request: Request, status: int, headers: Headers, body: StreamingBody) -> None:
        is_chunked = request.version == "1.1"
        request.keep_alive &= is_chunked
        coded = "Transfer-Encoding: chunked\r\n" if is_chunked else ""
        first = head(status, headers, self._server_state.date, coded, self._connection_header(request, status))
        write = self._transport.write
        write(self._peer.unsent(first))
        async for text in body:
            write(b"%x\r\n%b\r\n" % (len(text), text) if is_chunked else text)
            if self._drain_waiter is not None:
                await self._drain_waiter
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

    def _connection_header(self, request: Request, status: int) -> str:
        """Return the ``Connection`` header and the blank line that ends the response head."""
        is_last = self._server_state.is_shutting_down or (self._discards_input and not self._requests)
        leaves_body = status in UNREAD and not request.is_complete
        if is_last or leaves_body or request.expects_continue():
            request.keep_alive = False
        if not request.keep_alive:
            return "Connection: close\r\n\r\n"
        return "\r\n" if request.version == "1.1" else "Connection: keep-alive\r\n\r\n"

    def _complete_response(self, request: Request) -> None:
        """Discard the rest of the request, if there is one, before the next."""
        if self.state is State.CLOSED:
            return
        self._release_body(request)
        if request.is_complete or not request.keep_alive or self._discards_input:
            self._complete_request(request)
        else:
            request.body_truncated = True
            self._set_state(State.DISCARDING)
            self._advance()

    def _complete_request(self, request: Request) -> None:
        """Wait for the next request, or end."""
        self._current_request = None
        is_last = self._server_state.is_shutting_down or (self._discards_input and not self._requests)
        if is_last or not request.keep_alive:
            self._lingering_close(is_quiet=request.is_complete and not self._discards_input and not self._requests)
        else:
            self._await_request()

    def _await_request(self) -> None:
        """Wait until the client has read, then for its next request, if that isn't there."""
        if self._drain_waiter is not None:
            self._set_state(State.WRITING)
        elif self._requests:
            self._set_state(State.HANDLING)
            self._loop.call_soon(self._advance)
        else:
            self._set_state(State.READING_HEAD if self._parser.is_in_head else State.IDLE)
            self._discarded_bytes = 0
            self._update_flow_control()

    def _lingering_close(self, *, is_quiet: bool) -> None:
        """Close when all is written; read on for a time from who may still send, so that it reads the response."""
        self._discards_input, self._current_request = True, None
        while self._requests:
            self._release_body(self._requests.pop())
        self._set_state(State.LINGERING)
        self._last_deadline = self._loop.time() + self._server_state.timeouts.write
        if is_quiet or self._eof_received:
            return self._transport.close()
        self._transport.write_eof()
        return self._update_flow_control()

    def _close(self) -> None:
        self._set_state(State.CLOSED)
        self._transport.abort()

    def _refuse(self, error: HTTPException) -> None:
        """Answer a request that breaks the rules of HTTP, after those before it."""
        broken = self._parser.incoming
        is_known = broken is self._current_request or broken in self._requests
        if is_known and not broken.is_complete:
            return self._refuse_body(broken, error)
        request = Request() if is_known else broken
        request.refusal, request.target = error, b"*"
        return self._append_last(request)

    def _append_last(self, request: Request) -> None:
        """Answer *request* after those before it, and read no more."""
        request.is_complete, request.keep_alive, self._discards_input = True, False, True
        self._requests.append(request)

    def _refuse_body(self, request: Request, error: HTTPException) -> None:
        """Raise *error* where the body of *request*, which won't be complete, is read; read no more."""
        request.refusal, request.body_truncated, request.keep_alive = error, True, False
        self._discards_input = True

    def _wake_body_waiter(self, error: Exception | None) -> None:
        """Let who waits for a body go on, or raise *error* there."""
        self._set_state(State.HANDLING)
        waiter, self._body_waiter = self._body_waiter, None
        if waiter is not None:
            waiter.switch() if error is None else waiter.throw(error)

    def _resume_writer(self) -> None:
        if self._drain_waiter is not None and not self._drain_waiter.done():
            self._drain_waiter.set_result(None)
        self._drain_waiter = None

    def _discard(self, count: int) -> None:
        self._discarded_bytes += count
        if self.state is State.LINGERING:
            self._deadline = min(self._loop.time() + self._server_state.timeouts.linger, self._last_deadline)

    def _release_body(self, request: Request) -> None:
        self._server_state.reserve_body_bytes(-len(request.body))
        request.body = bytearray()
