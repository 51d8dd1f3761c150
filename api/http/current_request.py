"""The current request, its application and its notes, read without Flask's proxies, and the network of its client.

The first three are read two dozen times per request. Each access through a proxy would execute forty more bytecode
instructions.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from flask import Flask, Request, current_app, g, request
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from api.http.client_network import network_of

MAX_CACHED_HEADER_LENGTH: Final = 512
"""Maximum length of a header whose parsed value is kept, so that clients can't fill the memory."""

_unwrap_proxy: Final = attrgetter("_get_current_object")  # Werkzeug documents this method
current_request: Final[Callable[[], Request]] = _unwrap_proxy(request)
"""Returns the request that is being handled."""
current_application: Final[Callable[[], Flask]] = _unwrap_proxy(current_app)
"""Returns the application that handles the request."""
request_notes: Final[Callable[[], Any]] = _unwrap_proxy(g)
"""Returns the notes on the request: Flask's ``g``."""


def accepted_media_types() -> MIMEAccept:
    """Return the media types that the request accepts, without their parameters, such as ``charset=utf-8``."""
    header = current_request().headers.get("Accept", "")
    return _cached_media_types(header) if len(header) <= MAX_CACHED_HEADER_LENGTH else _without_parameters(header)


def _without_parameters(header: str) -> MIMEAccept:
    accepted = parse_accept_header(header, MIMEAccept)
    return MIMEAccept([(media_type.partition(";")[0].rstrip(), quality) for media_type, quality in accepted])


_cached_media_types: Final = lru_cache(256)(_without_parameters)


def requesting_network() -> str:
    """Return the network that identifies the request's client: an IPv4 address, or an IPv6 prefix."""
    return network_of(current_request().remote_addr or "?")
