"""The bytes of a connection as requests: llhttp (the parser of Node), and what it leaves to its user.

That is: limits of a head, of chunk extensions and of trailers; protocols that aren't HTTP; wishes for another protocol.
"""

import re
from collections.abc import Callable
from typing import Final

import httptools
from httptools.parser import errors
from werkzeug.exceptions import BadRequest, RequestHeaderFieldsTooLarge, RequestURITooLarge

from api.http_server.limits import MAX_CHUNK_OVERHEAD_BYTES, MAX_HEAD_BYTES, MAX_TARGET_BYTES
from api.http_server.request import Request

PIECE: Final = 1024
"""Bytes that are parsed before limits are looked at."""
CHUNK_FRAMING: Final = 24
"""Bytes of a chunk that are neither data nor extensions, at most."""
UNKNOWN_METHOD: Final = re.compile(rb"([A-Z][A-Z-]{0,31}) (/\S*) HTTP/1\.[01]\r\n")
ITS_BEGINNING: Final = re.compile(rb"[A-Z][A-Z-]{0,31}( (/\S*( [HTP/1.0\r]{0,9})?)?)?")


class RequestParser:
    """Parses what one client sends, until something breaks the rules."""

    def __init__(self, take_head: Callable[[Request], None], take_body: Callable[[Request, bytes], None]) -> None:
        self.incoming = Request(is_complete=True)
        """The request that is received; between two, the one before."""
        self.is_in_head = False
        """A head has begun and isn't complete."""
        self.is_finished = False
        self._take_head, self._take_body = take_head, take_body  # a head with a ``refusal`` is the last
        self._parser = httptools.HttpRequestParser(self)
        self._head = bytearray()  # what was received since before a head began
        self._pending = 0
        """Bytes of an incomplete head, or of a body those that are neither data nor framing."""

    def feed(self, data: bytes) -> None:
        """Parse *data*; what breaks the rules is the ``refusal`` of a request, and the last that is parsed."""
        for start in range(0, len(data), PIECE):
            if not self.is_finished:
                self._feed(data[start : start + PIECE])

    def finish(self, error: Exception, last: Request | None = None) -> None:
        """Parse no more: *error* is why the body that is received isn't complete, or is what is wrong with *last*."""
        if self.is_finished:
            return
        self.is_finished = True
        if not (self.is_in_head or self.incoming.is_complete):
            self.incoming.refusal, self.incoming.body_truncated, self.incoming.keep_alive = error, True, False
        elif last is not None:
            last.target, last.is_complete, last.refusal = b"*", True, error
            self._take_head(last)

    def _feed(self, piece: bytes) -> None:
        self._pending += len(piece)
        self._head += piece
        error = self._parse(piece)
        if self._pending > (MAX_HEAD_BYTES if self.is_in_head else MAX_CHUNK_OVERHEAD_BYTES):
            is_long = len(self.incoming.target) > MAX_TARGET_BYTES
            error = RequestURITooLarge() if is_long else RequestHeaderFieldsTooLarge()
        if error is not None:
            self.finish(error, self.incoming if self.is_in_head else Request())
        if not self.is_in_head:
            self._head.clear()

    def _parse(self, data: bytes) -> Exception | None:
        """Let llhttp parse *data*; return what is wrong with it.

        There is no other protocol: who asks for one gets a response like anybody. llhttp stops there, before the body:
        so a new parser begins with the same head without that wish.
        """
        try:
            self._parser.feed_data(data)
        except errors.HttpParserUpgrade as upgrade:
            if self.is_in_head:
                self._parser = httptools.HttpRequestParser(self)
                return self._parse(self.incoming.without_upgrade() + data[upgrade.args[0] :])
            self.is_finished = True  # CONNECT, which has been handed over
        except errors.HttpParserInvalidMethodError:
            return self._take_unknown_method()
        except errors.HttpParserError:
            return BadRequest()
        return None

    def _take_unknown_method(self) -> Exception | None:
        """Let the application answer a method that llhttp doesn't know, if nothing else is wrong with its line."""
        if self._pending != len(self._head):  # another request was before it
            return BadRequest()
        line = UNKNOWN_METHOD.match(self._head)
        if line is None:
            return None if ITS_BEGINNING.fullmatch(self._head) else BadRequest()
        self.is_finished = True
        self._take_head(Request(line[1].decode("ascii"), line[2], headers=[(b"Host", b"")], is_complete=True))
        return None

    # What llhttp calls

    def on_message_begin(self) -> None:
        self.incoming, self.is_in_head = Request(), True

    def on_url(self, part: bytes) -> None:
        self.incoming.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header of the head; trailers are ignored: they could overrule what a trusted proxy has said."""
        if self.is_in_head:
            self.incoming.headers.append((name, value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        """Hand the request over. Raises ``BadRequest`` for RTSP and ICE, which llhttp takes for HTTP, too."""
        request, parser, head = self.incoming, self._parser, self._head
        if b" %b RTSP/" % request.target in head or b" %b ICE/" % request.target in head:
            raise BadRequest
        if self._pending > MAX_HEAD_BYTES:
            raise RequestHeaderFieldsTooLarge
        request.method = parser.get_method().decode("ascii")
        request.version = parser.get_http_version()
        request.keep_alive = parser.should_keep_alive()
        if parser.should_upgrade() and request.method != "CONNECT":
            return  # it comes once more, without that wish
        self._pending, self.is_in_head = 0, False
        self._take_head(request)
        if request.refusal is not None:
            self.finish(request.refusal)
            raise BadRequest  # llhttp stops

    def on_chunk_header(self) -> None:
        self._pending = max(0, self._pending - CHUNK_FRAMING)

    def on_body(self, part: bytes) -> None:
        self._pending = max(0, self._pending - len(part))
        self._take_body(self.incoming, part)

    def on_message_complete(self) -> None:
        self.incoming.is_complete = True
        self._pending = 0
