"""One connection of a client: requests in, one after the other, and their answers out, each within its time.

::

    silent --first byte--> head --its end--> asked --answered--> (the rest of the body) --> silent ...

A request is answered as soon as its head is there. Where the application reads the body, its greenlet waits for it;
where it doesn't, because it refuses, say, what still comes is thrown away, up to a limit.
"""

import asyncio
from collections import deque
from io import BytesIO
from math import inf
from typing import Any, Final, cast

import httptools
import structlog
from httptools.parser import errors
from werkzeug.exceptions import (
    BadRequest,
    ClientDisconnected,
    RequestHeaderFieldsTooLarge,
    RequestTimeout,
    RequestURITooLarge,
)

from api.errors import Overloaded
from api.http_server.answers import CONTINUE, Headers, Live, head, length
from api.http_server.request import Body, Request, Waiting, of_unknown_method, wants_upgrade
from api.http_server.shares import FLOOD, MOST_AHEAD, MOST_OF_HEAD, House, Share
from workers.greenlets import Task, current

NEVER: Final = inf

log: Final = structlog.get_logger(__name__)


class Connection(asyncio.Protocol):
    """One connection, on the thread of its event loop."""

    def __init__(self, house: House, loop: asyncio.AbstractEventLoop, share: Share, client: tuple[Any, ...]) -> None:
        self.share = share
        self._client = client
        self._house = house
        self._loop = loop
        self._parser = httptools.HttpRequestParser(self)
        self._incoming = Request()
        self._requests: deque[Request] = deque()
        """Whose heads are there, and that wait for those before them."""
        self._asked: Request | None = None
        """The one that is answered now."""
        self._is_answered = False
        """All that is missing of it is the rest of its body, which nobody reads."""
        self._reader: Task[Any] | None = None
        """Who waits for its body."""
        self._stream: asyncio.Task[None] | None = None
        self._head = 0
        """Bytes of a head that isn't complete."""
        self._thrown_away = 0
        self._is_deaf = False
        """What still comes is thrown away."""
        self._is_gone = False
        self._until = loop.time() + house.deadlines.silent
        self._unread_until = NEVER
        self._room: asyncio.Future[None] | None = None
        """Done when the client has read what was written."""

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._server = transport.get_extra_info("sockname")
        self.share.idle[self] = None

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        if self._is_deaf:
            return self._throw_away(len(data))
        if not self._head and self._asked is None:
            self._until = self._loop.time() + self._house.deadlines.head
        self._head += len(data)
        try:
            self._parse(data)
        except errors.HttpParserInvalidMethodError:
            is_first = self._head == len(data)
            self._refuse(BadRequest(), of_unknown_method(data) if is_first else None)
        except errors.HttpParserError:
            self._refuse(BadRequest())
        if self._head > MOST_OF_HEAD:
            self._refuse(RequestHeaderFieldsTooLarge() if self._incoming.headers else RequestURITooLarge())
        return self._go_on()

    def eof_received(self) -> None:
        """End: nobody sends the half of a request, and waits."""

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  why doesn't matter
        """Let everything go."""
        self._is_gone = self._is_deaf = True
        self.share.idle.pop(self, None)
        self._house.gone(self)
        for request in (self._asked, *self._requests):
            if request is not None:
                self._let_go(request)
        self._requests.clear()
        self._make_room()
        if self._stream is not None:
            self._stream.cancel()
        self._wake(ClientDisconnected())

    def pause_writing(self) -> None:
        """The client doesn't read: wait with what else there is to write, for a time."""
        self._unread_until = self._loop.time() + self._house.deadlines.unread
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._unread_until = NEVER
        self._make_room()
        if self._asked is None and self._requests:
            self._loop.call_soon(self._go_on)

    # What the parser calls

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._incoming = Request()

    def on_url(self, part: bytes) -> None:
        """Take a part of the target."""
        self._incoming.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header of the head; one after the body could overrule what a proxy of ours has said there."""
        if not self._incoming.is_head_complete:
            self._incoming.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Let the request be answered, after those before it."""
        request, parser = self._incoming, self._parser
        request.is_head_complete = True
        request.method = parser.get_method().decode("ascii")
        request.version = parser.get_http_version()
        request.keep_alive = parser.should_keep_alive()
        if wants_upgrade(parser):
            return  # it comes once more, without that wish
        if len(self._requests) == MOST_AHEAD:
            raise BadRequest
        request.refusal = request.fault()
        request.keep_alive &= request.refusal is None
        self._head = 0
        self._requests.append(request)

    def on_body(self, part: bytes) -> None:
        """Keep a part of the body while somebody may read it, and no more than anybody takes."""
        request, self._head = self._incoming, 0
        if request.is_cut:
            return self._throw_away(len(part))
        request.body += part
        if not self._house.keep(len(part)):
            request.refusal, request.is_cut = Overloaded(), True
        elif len(request.body) > self._house.body_limit:
            request.is_cut = True
        return None

    def on_message_complete(self) -> None:
        """All of the request is there."""
        self._incoming.is_complete = True
        self._head = 0

    # What the listener calls

    def look(self, now: float) -> None:
        """End what has taken too long."""
        if self._unread_until < now:
            self._transport.abort()
        elif self._until < now:
            self._expire()

    def end(self) -> None:
        """End at once if nothing is being answered; else with that answer."""
        if self._asked is None:
            self._is_deaf = True
            self._transport.close()

    def give_up(self) -> None:
        """End, to make room."""
        self.share.idle.pop(self, None)
        self._transport.abort()

    # What is done

    def wait_for_body(self, request: Request) -> None:
        """Wait until the body is there, or too much of it. Raises what is wrong with it."""
        if request.waits_for_continue():
            request.is_continued = True
            self._transport.write(CONTINUE)
        while not (request.is_complete or request.is_cut):
            self._reader = cast("Task[Any]", current())
            self._reader.pause()
        if request.refusal is not None:
            raise request.refusal

    def _go_on(self) -> None:
        """Do what can be done now that more has come: answer, or let go on who waits for it."""
        asked = self._asked
        if asked is None:
            self._answer_next()
        elif self._is_answered and (asked.is_complete or self._is_deaf):
            self._settle(asked)
        elif asked.is_complete or asked.is_cut:
            self._wake(None)
        self._read_on()

    def _read_on(self) -> None:
        """Read what the client sends, unless it has asked ahead: then that waits until its turn has come."""
        if self._is_gone:
            return
        if self._requests:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _parse(self, data: bytes) -> None:
        """Let the parser read *data*. There is no other protocol: who wishes for one is answered as anybody.

        The parser leaves off there, before the body: so it begins once more with the same head without that wish.
        """
        while data:
            try:
                return self._parser.feed_data(data)
            except errors.HttpParserUpgrade as upgrade:
                if not wants_upgrade(self._parser):
                    self._incoming.keep_alive = False  # CONNECT
                    return None
                data = self._incoming.without_upgrade() + data[upgrade.args[0] :]
                self._parser = httptools.HttpRequestParser(self)
        return None

    def _answer_next(self) -> None:
        """Answer the request that has come first, as soon as the client has read the answers before."""
        if not self._requests or self._room is not None:
            return
        request = self._asked = self._requests.popleft()
        self._is_answered, self._thrown_away = False, 0
        self._until = NEVER if request.is_complete else self._loop.time() + self._house.deadlines.body
        self.share.idle.pop(self, None)
        self._house.crew.do(lambda: self._answer(request))

    def _answer(self, request: Request) -> None:
        """Ask the application, in a greenlet, and write what it says."""
        begun: list[tuple[str, Headers]] = []
        body: Body = BytesIO(request.body) if request.is_complete else Waiting(request, self.wait_for_body)

        def start(status: str, headers: Headers, _exc_info: object = None) -> None:
            begun.append((status, headers))

        try:
            answer: Any = self._house.call(request.environ(self._client, self._server, body), start)
            status, headers = int(begun[-1][0][:3]), begun[-1][1]
            if hasattr(answer, "__aiter__"):
                self._stream = self._loop.create_task(self._write_live(request, status, headers, answer))
                return
            try:
                text = b"".join(answer)
            finally:
                answer.close()
            self._write(request, status, headers, text)
            self._finish(request)
        except Exception:
            log.exception("connection_failed")
            self._transport.abort()

    def _write(self, request: Request, status: int, headers: Headers, text: bytes) -> None:
        """Write a whole answer."""
        if self._is_gone:
            return
        size = length(status, request.method, headers, text)
        self._transport.write(head(status, headers, self._house.date, size, self._whether_it_stays(request)) + text)

    async def _write_live(self, request: Request, status: int, headers: Headers, live: Live) -> None:
        """Write what happens until it ends or the client has gone."""
        is_chunked = request.version == "1.1"
        request.keep_alive &= is_chunked
        coded = "Transfer-Encoding: chunked\r\n" if is_chunked else ""
        write = self._transport.write
        try:
            write(head(status, headers, self._house.date, coded, self._whether_it_stays(request)))
            async for text in live:
                write(b"%x\r\n%b\r\n" % (len(text), text) if is_chunked else text)
                if self._room is not None:
                    await self._room
            if is_chunked:
                write(b"0\r\n\r\n")
            self._finish(request)
        except Exception:
            log.exception("connection_failed")
            self._transport.abort()
        finally:
            self._stream = None
            live.close()

    def _whether_it_stays(self, request: Request) -> str:
        """Return the end of a head, which says whether the connection is there for another request."""
        is_last = self._house.is_ending or (self._is_deaf and not self._requests)
        if is_last or request.waits_for_continue():
            request.keep_alive = False
        if not request.keep_alive:
            return "Connection: close\r\n\r\n"
        return "\r\n" if request.version == "1.1" else "Connection: keep-alive\r\n\r\n"

    def _finish(self, request: Request) -> None:
        """The answer is written: throw the rest of the request away, if there is one, before the next."""
        self._is_answered = request.is_cut = True
        if request.is_complete or not request.keep_alive or self._is_deaf:
            self._settle(request)
        else:
            self._until = self._loop.time() + self._house.deadlines.body

    def _settle(self, request: Request) -> None:
        """Be there for the next request, or end."""
        self._let_go(request)
        if self._is_gone:
            return None
        if not request.keep_alive or self._house.is_ending or (self._is_deaf and not self._requests):
            return self._leave(is_quiet=request.is_complete and not self._is_deaf and not self._requests)
        self._asked = None
        if self._requests:
            self._until = NEVER
            self._loop.call_soon(self._go_on)
            return None
        deadlines = self._house.deadlines
        self._until = self._loop.time() + (deadlines.head if self._head else deadlines.idle)
        self.share.idle[self] = None
        return None

    def _leave(self, *, is_quiet: bool) -> None:
        """End the connection; while the client may still send, only what we write, so that it reads that."""
        self._is_deaf = True
        if is_quiet:
            return self._transport.close()
        while self._requests:
            self._let_go(self._requests.pop())
        self._until = self._loop.time() + self._house.deadlines.linger
        self._transport.write_eof()
        self._read_on()
        return None

    def _refuse(self, error: Exception, instead: Request | None = None) -> None:
        """Answer a request that breaks the rules of HTTP, after those before it; or *instead*. Hear no more."""
        self._is_deaf, broken = True, self._incoming
        if broken is self._asked or broken in self._requests:
            if not broken.is_complete:
                broken.refusal, broken.is_cut, broken.keep_alive = error, True, False
                return
            broken = Request()
        request = instead or broken
        if instead is None:
            request.refusal, request.target = error, b"*"
        request.is_complete, request.keep_alive = True, False
        self._requests.append(request)

    def _expire(self) -> None:
        """End what has taken too long: who reads a body is told, anybody else sees the connection end."""
        if self._reader is not None:
            self._is_deaf = True
            self._wake(RequestTimeout())
        elif self._asked is None or self._is_answered or self._is_deaf:
            self._transport.abort()
        else:  # an answer to which its body doesn't matter
            self._asked.refusal, self._asked.is_cut = RequestTimeout(), True
            self._asked.keep_alive, self._until = False, NEVER

    def _wake(self, error: Exception | None) -> None:
        """Let who waits for a body go on, or raise *error* there."""
        reader, self._reader = self._reader, None
        if reader is not None:
            self._until = NEVER
            reader.switch() if error is None else reader.throw(error)

    def _make_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None

    def _throw_away(self, count: int) -> None:
        self._thrown_away += count
        if self._thrown_away > FLOOD:
            self._transport.abort()

    def _let_go(self, request: Request) -> None:
        """Forget a body."""
        self._house.keep(-len(request.body))
        request.body = bytearray()
