"""Compression of texts by brotli or gzip, for clients that accept it. Streams are never compressed.

A game is sent uncompressed. Its ETag is strong, and a compressed response would be another representation with the same
tag (RFC 9110, 8.8.3.3). The tag of that representation would not be valid in ``If-Match`` of an action.
"""

import gzip
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import brotli
from flask import Flask, Response
from werkzeug.http import parse_accept_header

from api.http.caching import vary
from api.http.current_request import current_request

MIN_COMPRESSED_BYTES: Final = 1000
"""Minimum size in bytes. A smaller body fits into one packet."""

CODINGS: Final = ("br", "gzip")
"""Content codings that responses may have. Of codings that a client wants equally, the first is used."""

FAST_LEVELS: Final[Mapping[str, int]] = MappingProxyType({"br": 5, "gzip": 5})
"""Compression level by coding, for responses for one client.

Gzip takes half the time of level 9, with hardly larger results. Brotli takes up to 2.4 times as long as gzip, 0.03 to
0.3 ms for 2 to 15 KB, with results that are 4 to 22 % smaller; at level 4 many are no smaller than gzip's.
"""

COMPRESSED_TYPES: Final = frozenset(
    ("application/json", "application/problem+json", "application/yaml", "text/html", "text/markdown", "text/plain")
)

STATIC_LEVELS: Final[Mapping[str, int]] = MappingProxyType({"br": 9, "gzip": 9})
"""Compression level by coding, for texts that are compressed once per process.

That happens in the first request that asks for them. For the contract, 506 KB, brotli's level 9 takes 0.04 s; its
highest, 11, takes 0.9 s, for a tenth less.
"""


def compress(response: Response) -> Response:
    """Compress the response's body if it is a large enough text and the client accepts a coding."""
    if response.direct_passthrough or (response.calculate_content_length() or 0) < MIN_COMPRESSED_BYTES:
        return response
    if response.content_encoding or response.mimetype not in COMPRESSED_TYPES or "ETag" in response.headers:
        return response
    vary(response, "Accept-Encoding")
    coding = _requested_coding()
    if coding is not None:
        response.set_data(_compressed(response.get_data(), coding, FAST_LEVELS[coding]))
        response.content_encoding = coding
    return response


def compress_static(response: Response) -> Response:
    """Compress a static text once, with an ETag per encoding. Answer 304 to a client that has the text already."""
    vary(response, "Accept-Encoding")
    coding = _requested_coding()
    if coding is not None:
        response.set_data(_compressed_static(response.get_data(), coding))
        response.content_encoding = coding
    response.cache_control.no_cache = True  # without revalidation browsers would show an old release
    response.add_etag()
    response.make_conditional(current_request())
    return response


def _requested_coding() -> str | None:
    """Return the content coding for the request's client, or None to send the body as it is."""
    header = current_request().environ.get("HTTP_ACCEPT_ENCODING")
    return preferred_coding(header) if header else None


@lru_cache(64)
def preferred_coding(header: str) -> str | None:
    """Return the content coding that a header ``Accept-Encoding`` prefers, or None for the body as it is.

    A coding that the header doesn't name has the quality of ``*``, else 0 (RFC 9110, 12.5.3). A coding of the same
    quality as ``identity`` is preferred to it. The body is also sent as it is where the header excludes everything.
    """
    accepted = parse_accept_header(header)
    coding = max(CODINGS, key=accepted.quality)
    is_wanted = accepted.quality(coding) > 0 and accepted.quality(coding) >= accepted.quality("identity")
    return coding if is_wanted else None


@lru_cache(256)
def _compressed_static(body: bytes, coding: str) -> bytes:
    return _compressed(body, coding, STATIC_LEVELS[coding])


def _compressed(body: bytes, coding: str, level: int) -> bytes:
    """Return a text compressed with fixed metadata, so that its ETag is stable."""
    if coding == "br":
        return bytes(brotli.compress(body, quality=level))
    return gzip.compress(body, level, mtime=0)


def register(app: Flask) -> None:
    """Compress the responses of *app*."""
    app.after_request(compress)
