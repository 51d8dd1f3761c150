"""Compression: texts of some size go over the wire in gzip, to who asks for it; streams never do.

What has its version as ETag, a game, is sent as it is: the tag is strong, and gzip would be another representation with
the same one (RFC 9110, 8.8.3.3), in which nobody could act by ``If-Match``.
"""

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request

from api.http.caching import vary

LEAST: Final = 1000
"""Bytes from which on it is worth while: what is smaller goes in one packet anyway."""

QUICK: Final = 5
"""The level for what is written for one reader: half the time of the best one, and hardly larger."""

TEXTS: Final = frozenset(
    ("application/json", "application/problem+json", "application/yaml", "text/html", "text/markdown", "text/plain")
)
BEST: Final = 9


def compress(answer: Response) -> Response:
    """Compress the body, if it is a text of some size that the client takes in gzip."""
    if answer.direct_passthrough or (answer.calculate_content_length() or 0) < LEAST:
        return answer
    if answer.content_encoding or answer.mimetype not in TEXTS or "ETag" in answer.headers:
        return answer
    vary(answer, "Accept-Encoding")
    if _accepts_gzip():
        answer.set_data(gzip.compress(answer.get_data(), QUICK, mtime=0))
        answer.content_encoding = "gzip"
    return answer


def unchanging(answer: Response) -> Response:
    """Compress what is the same for many, once, with an ETag for each encoding; or answer 304 to who has it."""
    vary(answer, "Accept-Encoding")
    if _accepts_gzip():
        answer.set_data(_best(answer.get_data()))
        answer.content_encoding = "gzip"
    answer.cache_control.no_cache = True  # ask each time: a new release is there at once, and 304 is short
    answer.add_etag()
    answer.make_conditional(request)
    return answer


def _accepts_gzip() -> bool:
    """Tell whether the client says that it takes gzip."""
    return "HTTP_ACCEPT_ENCODING" in request.environ and request.accept_encodings["gzip"] > 0


@lru_cache(128)
def _best(body: bytes) -> bytes:
    """Return a text compressed, the same each time: its ETag stays."""
    return gzip.compress(body, BEST, mtime=0)


def register(app: Flask) -> None:
    """Compress what *app* answers."""
    app.after_request(compress)
