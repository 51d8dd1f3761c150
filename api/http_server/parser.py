"""The bytes of a connection as requests: llhttp (the parser of Node), and what it leaves to its user.

That is: limits of a head, of chunk extensions and of trailers; protocols that aren't HTTP; wishes for another protocol.
"""

import re
from typing import Final, Protocol

import httptools
from httptools.parser import errors
from werkzeug.exceptions import BadRequest, RequestHeaderFieldsTooLarge, RequestURITooLarge

from api.http_server.limits import MAX_CHUNK_OVERHEAD_BYTES, MAX_HEAD_BYTES
from api.http_server.request import Request

PIECE: Final = 4 * 1024
"""Bytes that are parsed before limits are looked at."""
CHUNK_FRAMING: Final = 24
"""Bytes of a chunk that are neither data nor extensions, at most."""
UNKNOWN_METHOD: Final = re.compile(rb"([A-Z][A-Z-]{0,31}) (/\S*) HTTP/1\.[01]\r\n")


class UnknownMethod(Exception):
    """All that is wrong with a request is that the parser doesn't know its method."""

    def __init__(self, request: Request) -> None:
        super().__init__(request.method)
        self.request = request


class RequestSink(Protocol):
    """Who gets the requests."""

    def on_request(self, request: Request) -> None:
        """Take a request whose head is complete; raise what makes any more of them too many."""

    def on_body(self, request: Request, part: bytes) -> None:
        """Take a part of its body."""


class RequestParser:
    """Parses what one client sends."""

    def __init__(self, sink: RequestSink) -> None:
        self.incoming = Request()
        """The request that is received; between two, the one before."""
        self.is_in_head = False
        """A head has begun and isn't complete."""
        self._sink = sink
        self._parser = httptools.HttpRequestParser(self)
        self._pending = 0
        """Bytes of an incomplete head, or of a body those that are neither data nor framing."""
        self._request_line = b""
        """What was received since before the request's first line, until its first header is complete."""
        self._is_line_checked = False
        self._is_finished = False

    def feed(self, data: bytes) -> None:
        """Parse *data*. Raises ``UnknownMethod``, or the HTTP exception for what breaks the rules."""
        for start in range(0, len(data), PIECE):
            self._feed(data[start : start + PIECE])

    def _feed(self, piece: bytes) -> None:
        self._pending += len(piece)
        self._request_line += piece
        try:
            self._parse(piece)
        except errors.HttpParserInvalidMethodError:
            raise self._unknown_method(piece) from None
        except errors.HttpParserError:
            raise BadRequest from None
        if self._is_in_body():
            if self._pending > MAX_CHUNK_OVERHEAD_BYTES:
                raise RequestHeaderFieldsTooLarge
        elif self._pending > MAX_HEAD_BYTES:
            raise RequestHeaderFieldsTooLarge if self.incoming.headers else RequestURITooLarge
        if not self.is_in_head or self.incoming.headers:
            self._request_line = b""

    def _parse(self, data: bytes) -> None:
        """Let llhttp parse *data*. There is no other protocol: who asks for one gets a response like anybody.

        llhttp stops there, before the body: so a new parser begins with the same head without that wish.
        """
        while data and not self._is_finished:
            try:
                return self._parser.feed_data(data)
            except errors.HttpParserUpgrade as upgrade:
                if not self._wants_upgrade():
                    self._is_finished = True  # CONNECT
                    self.incoming.keep_alive = False
                    return None
                data = self.incoming.without_upgrade() + data[upgrade.args[0] :]
                self._request_line = data
                self._parser = httptools.HttpRequestParser(self)
        return None

    def _wants_upgrade(self) -> bool:
        """Return whether the client asks for another protocol, and has a request of HTTP as well."""
        return bool(self._parser.should_upgrade()) and self._parser.get_method() != b"CONNECT"

    def _is_in_body(self) -> bool:
        return self.incoming.is_head_complete and not self.incoming.is_complete

    def _unknown_method(self, piece: bytes) -> Exception:
        line = UNKNOWN_METHOD.match(piece)
        if line is None or self._pending != len(piece):  # it isn't the beginning
            return BadRequest()
        request = Request()
        request.method, request.target = line[1].decode("ascii"), line[2]
        request.is_head_complete = request.is_complete = True
        return UnknownMethod(request)

    def _check_protocol(self) -> None:
        """Raise ``BadRequest`` for RTSP and ICE, which llhttp takes for HTTP."""
        self._is_line_checked = True
        if b" %b HTTP/" % self.incoming.target not in self._request_line:
            raise BadRequest

    # What llhttp calls

    def on_message_begin(self) -> None:
        """Begin a request."""
        self.incoming, self.is_in_head, self._is_line_checked = Request(), True, False

    def on_url(self, part: bytes) -> None:
        """Take a part of the target."""
        self.incoming.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header of the head; trailers are ignored: they could overrule what a trusted proxy has said."""
        if self.incoming.is_head_complete:
            return
        if not self._is_line_checked:
            self._check_protocol()
        self.incoming.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Hand the request over."""
        request, parser = self.incoming, self._parser
        if not self._is_line_checked:
            self._check_protocol()
        request.is_head_complete = True
        request.method = parser.get_method().decode("ascii")
        request.version = parser.get_http_version()
        request.keep_alive = parser.should_keep_alive()
        if self._wants_upgrade():
            return  # it comes once more, without that wish
        self._pending, self.is_in_head = 0, False
        self._sink.on_request(request)

    def on_chunk_header(self) -> None:
        """Allow for a chunk's framing."""
        self._pending = max(0, self._pending - CHUNK_FRAMING)

    def on_body(self, part: bytes) -> None:
        """Hand a part of the body over."""
        self._pending = max(0, self._pending - len(part))
        self._sink.on_body(self.incoming, part)

    def on_message_complete(self) -> None:
        """Note that all of the request is there."""
        self.incoming.is_complete = True
        self._pending = 0
