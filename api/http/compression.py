"""Gzip compression of texts for clients that accept it. Streams are never compressed.

A game is sent uncompressed. Its ETag is strong, and a compressed response would be another representation with the same
tag (RFC 9110, 8.8.3.3). The tag of that representation would not be valid in ``If-Match`` of an action.
"""

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response

from api.http.caching import vary
from api.http.current_request import current_request

MIN_COMPRESSED_BYTES: Final = 1000
"""Minimum size in bytes. A smaller body fits into one packet."""

FAST_GZIP_LEVEL: Final = 5
"""Compression level of responses for one client. It takes half the time of level 9, with hardly larger results."""

COMPRESSED_TYPES: Final = frozenset(
    ("application/json", "application/problem+json", "application/yaml", "text/html", "text/markdown", "text/plain")
)
BEST_GZIP_LEVEL: Final = 9


def compress(response: Response) -> Response:
    """Compress the response's body if it is a large enough text and the client accepts gzip."""
    if response.direct_passthrough or (response.calculate_content_length() or 0) < MIN_COMPRESSED_BYTES:
        return response
    if response.content_encoding or response.mimetype not in COMPRESSED_TYPES or "ETag" in response.headers:
        return response
    vary(response, "Accept-Encoding")
    if _accepts_gzip():
        response.set_data(gzip.compress(response.get_data(), FAST_GZIP_LEVEL, mtime=0))
        response.content_encoding = "gzip"
    return response


def compress_static(response: Response) -> Response:
    """Compress a static text once, with an ETag per encoding. Answer 304 to a client that has the text already."""
    vary(response, "Accept-Encoding")
    if _accepts_gzip():
        response.set_data(_gzip(response.get_data()))
        response.content_encoding = "gzip"
    response.cache_control.no_cache = True  # without revalidation browsers would show an old release
    response.add_etag()
    response.make_conditional(current_request())
    return response


def _accepts_gzip() -> bool:
    asked = current_request()
    return "HTTP_ACCEPT_ENCODING" in asked.environ and asked.accept_encodings["gzip"] > 0


@lru_cache(128)
def _gzip(body: bytes) -> bytes:
    """Return a text compressed with fixed metadata, so that its ETag is stable."""
    return gzip.compress(body, BEST_GZIP_LEVEL, mtime=0)


def register(app: Flask) -> None:
    """Compress the responses of *app*."""
    app.after_request(compress)
