"""Gzip compression of texts for clients that accept it; streams are never compressed.

A game is sent uncompressed: its ETag is strong, and gzip would be another representation under the same tag (RFC 9110,
8.8.3.3), whose ``If-Match`` would not be valid for actions.
"""

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request

from api.http.caching import vary

LEAST: Final = 1000
"""Minimum size in bytes; a smaller body fits into one packet."""

QUICK: Final = 5
"""Compression level for responses to one reader: half the time of level 9, hardly larger."""

TEXTS: Final = frozenset(
    ("application/json", "application/problem+json", "application/yaml", "text/html", "text/markdown", "text/plain")
)
BEST: Final = 9


def compress(answer: Response) -> Response:
    """Compress the response's body if it is text, large enough and accepted in gzip."""
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
    """Compress a static text once, with an ETag per encoding; answer 304 to a client that has it."""
    vary(answer, "Accept-Encoding")
    if _accepts_gzip():
        answer.set_data(_best(answer.get_data()))
        answer.content_encoding = "gzip"
    answer.cache_control.no_cache = True  # always revalidated: a new release is seen at once, and 304 is short
    answer.add_etag()
    answer.make_conditional(request)
    return answer


def _accepts_gzip() -> bool:
    """Return whether the client accepts gzip."""
    return "HTTP_ACCEPT_ENCODING" in request.environ and request.accept_encodings["gzip"] > 0


@lru_cache(128)
def _best(body: bytes) -> bytes:
    """Return a text compressed with fixed metadata, so that its ETag is stable."""
    return gzip.compress(body, BEST, mtime=0)


def register(app: Flask) -> None:
    """Compress the responses of *app*."""
    app.after_request(compress)
