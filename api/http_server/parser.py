"""The request parser: llhttp (Node's parser), with the checks that llhttp leaves to its users.

The checks limit the head, chunk extensions and trailers, refuse protocols that are not HTTP, and ignore ``Upgrade``.
"""

import re
from collections.abc import Callable
from typing import Final

import httptools
from httptools.parser import errors
from werkzeug.exceptions import BadRequest, RequestHeaderFieldsTooLarge, RequestURITooLarge

from api.http_server.limits import MAX_CHUNK_OVERHEAD_BYTES, MAX_HEAD_BYTES, MAX_TARGET_BYTES
from api.http_server.request import Request

BYTES_BETWEEN_LIMIT_CHECKS: Final = 1024
"""Number of bytes parsed between two checks of the limits."""
PLAIN_CHUNK_FRAMING_BYTES: Final = 24
"""Maximum number of bytes of a chunk's framing without extensions."""
SUBSTITUTED_METHOD: Final = b"PUT"
"""Method that llhttp reads in place of one that it doesn't know."""
UNKNOWN_METHOD_PATTERN: Final = re.compile(rb"([A-Z][A-Z-]{0,31}) (/\S*) HTTP/1\.[01]\r\n")
UNKNOWN_METHOD_PREFIX_PATTERN: Final = re.compile(rb"[A-Z][A-Z-]{0,31}( (/\S*( [HTP/1.0\r]{0,9})?)?)?")


class RequestParser:
    """Parses the bytes of one client into requests, until the first error."""

    def __init__(self, take_head: Callable[[Request], None], take_body: Callable[[Request, bytes], None]) -> None:
        self.incoming = Request(is_complete=True)
        """The request that is being received or, between two requests, the one received last."""
        self.is_in_head = False
        """True if a head has begun and is not complete."""
        self.is_finished = False
        self._take_head, self._take_body = take_head, take_body  # after a head with a ``refusal`` neither is called
        self._parser = httptools.HttpRequestParser(self)
        self._head_bytes = bytearray()  # the bytes received so far of a head that is not complete
        self._unknown_method: bytes | None = None
        """Method of the request that is being parsed if llhttp doesn't know it: llhttp is told another."""
        self._pending = 0
        """Number of bytes of an incomplete head. During a body, number of its bytes beyond data and usual framing."""

    def feed(self, data: bytes) -> None:
        """Parse *data*. An error becomes the ``refusal`` of a request, and nothing more is parsed."""
        for start in range(0, len(data), BYTES_BETWEEN_LIMIT_CHECKS):
            if not self.is_finished:
                self._feed(data[start : start + BYTES_BETWEEN_LIMIT_CHECKS])

    def finish(self, error: Exception, last: Request | None = None) -> None:
        """Stop parsing, and refuse with *error* the request whose body is incomplete.

        If no body is incomplete, queue *last*, if it is given, as one more request, which is refused with *error*.
        """
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
        self._head_bytes += piece
        error = self._parse(piece)
        if self._pending > (MAX_HEAD_BYTES if self.is_in_head else MAX_CHUNK_OVERHEAD_BYTES):
            is_long = len(self.incoming.target) > MAX_TARGET_BYTES
            error = RequestURITooLarge() if is_long else RequestHeaderFieldsTooLarge()
        if error is not None:
            self.finish(error, self.incoming if self.is_in_head else Request())
        if not self.is_in_head:
            self._head_bytes.clear()

    def _parse(self, data: bytes) -> Exception | None:
        """Let llhttp parse *data*. Return the error, or None.

        ``Upgrade`` is ignored. llhttp stops at it before the body, so a new parser starts with the same head without
        the ``Upgrade`` header.
        """
        try:
            self._parser.feed_data(data)
        except errors.HttpParserUpgrade as upgrade:
            if self.is_in_head:
                self._parser = httptools.HttpRequestParser(self)
                return self._parse(self.incoming.without_upgrade() + data[upgrade.args[0] :])
            self.is_finished = True  # the method is CONNECT, and the head was already taken
        except errors.HttpParserInvalidMethodError:
            return self._take_unknown_method()
        except errors.HttpParserError:
            return BadRequest()
        return None

    def _take_unknown_method(self) -> Exception | None:
        """Parse a request with a method unknown to llhttp: let it read a known method, with the rest of the request.

        Return the error, or None.
        """
        head = bytes(self._head_bytes)
        if self._pending != len(head):  # the bytes are not the beginning of a request
            return BadRequest()
        line = UNKNOWN_METHOD_PATTERN.match(head)
        if line is None:
            return None if UNKNOWN_METHOD_PREFIX_PATTERN.fullmatch(head) else BadRequest()
        self._unknown_method = line[1]
        self._parser = httptools.HttpRequestParser(self)
        return self._parse(SUBSTITUTED_METHOD + head[len(line[1]) :])

    # Callbacks of llhttp

    def on_message_begin(self) -> None:
        self.incoming, self.is_in_head = Request(), True

    def on_url(self, part: bytes) -> None:
        self.incoming.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header of the head. Trailers are ignored, because they could override headers of a trusted proxy."""
        if self.is_in_head:
            self.incoming.headers.append((name, value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        """Take a complete head (``take_head``). Raises ``BadRequest`` for RTSP and ICE, which llhttp accepts."""
        request, parser, head = self.incoming, self._parser, self._head_bytes
        if b" %b RTSP/" % request.target in head or b" %b ICE/" % request.target in head:
            raise BadRequest
        if self._pending > MAX_HEAD_BYTES:
            raise RequestHeaderFieldsTooLarge
        request.method = parser.get_method().decode("ascii")
        request.version = parser.get_http_version()
        request.keep_alive = parser.should_keep_alive()
        if parser.should_upgrade() and request.method != "CONNECT":
            return  # the head is parsed again without ``Upgrade``
        if self._unknown_method is not None:
            request.method, self._unknown_method = self._unknown_method.decode("ascii"), None
            request.keep_alive = False
        self._pending, self.is_in_head = 0, False
        self._take_head(request)
        if request.refusal is not None:
            self.finish(request.refusal)
            raise BadRequest  # llhttp stops here

    def on_chunk_header(self) -> None:  # llhttp has read the size line of a chunk, which is no overhead
        self._pending = max(0, self._pending - PLAIN_CHUNK_FRAMING_BYTES)

    def on_body(self, part: bytes) -> None:
        self._pending = max(0, self._pending - len(part))
        self._take_body(self.incoming, part)

    def on_message_complete(self) -> None:
        self.incoming.is_complete = True
        self._pending = 0
