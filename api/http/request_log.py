"""The request log: one line per request, with its id. The module also sets the cache headers of each response.

A line names the route instead of the path. It names a game only after the game was found, or if the request failed, and
never a token or a card.
"""

import re
from functools import cache
from http import HTTPStatus
from secrets import token_hex
from time import perf_counter
from typing import Final

import structlog
from flask import Flask, Response
from prometheus_client import Counter, Histogram
from werkzeug.exceptions import NotAcceptable

from api.http.caching import set_cache_headers
from api.http.current_request import accepted_media_types, current_request, request_notes
from api.http.request_io import JSON_MEDIA_TYPE
from api.problems.documents import requested_game
from api.problems.errors import REFUSAL_KEY
from workers.metrics import REGISTRY

REQUEST_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
MEDIA_TYPES_BY_ENDPOINT: Final = {
    "rulesets.show_rules": ("text/markdown", "text/html"),
    "streams.stream": ("text/event-stream", "application/x-ndjson"),
}
"""Media types other than JSON, by endpoint."""

UNLOGGED_ENDPOINTS: Final = frozenset({"server.alive", "server.ready", "server.metrics"})
"""Endpoints that are logged only at level ``debug``, because they are polled."""

COUNTED_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REQUEST_COUNT: Final = Counter(
    "regicide_http_requests", "Requests answered.", ["route", "method", "status"], registry=REGISTRY
)
REQUEST_SECONDS: Final = Histogram(
    "regicide_http_request_seconds",
    "How long it took to answer; a stream, to begin.",
    ["route", "method"],
    buckets=(0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
    registry=REGISTRY,
)

log = structlog.get_logger(__name__)


def begin() -> None:
    """Note the start time of the request and its id: the client's id if it is valid, else a new one.

    Raises the refusal of a request that violates HTTP.
    """
    environ = current_request().environ
    sent = environ.get("HTTP_X_REQUEST_ID")
    request_id = sent if sent is not None and REQUEST_ID_PATTERN.fullmatch(sent) else token_hex(16)
    noted = request_notes()
    noted.began, noted.request_id = perf_counter(), request_id
    structlog.contextvars.bind_contextvars(request_id=request_id)
    if REFUSAL_KEY in environ:
        raise environ[REFUSAL_KEY]


def negotiate() -> None:
    """Refuse a request that accepts none of the resource's media types."""
    asked = current_request()
    if "HTTP_ACCEPT" not in asked.environ or asked.url_rule is None:
        return  # no route matches, or the route accepts every media type
    wanted, offered = accepted_media_types(), MEDIA_TYPES_BY_ENDPOINT.get(asked.endpoint or "", (JSON_MEDIA_TYPE,))
    if wanted and asked.path.startswith("/v1/") and wanted.best_match(offered) is None:
        raise NotAcceptable


def finish(response: Response) -> Response:
    """Add the id and cache headers to the response, count the request in the metrics, and write the log line."""
    asked, noted, status = current_request(), request_notes(), response.status_code
    response.headers.add("X-Request-Id", noted.request_id)
    set_cache_headers(response)
    route = asked.url_rule.rule if asked.url_rule else None
    seconds = perf_counter() - noted.began
    counted, timed = _counters(
        route or "none", asked.method if asked.method in COUNTED_METHODS else "other", str(status)
    )
    counted.inc()
    timed.observe(seconds)
    write = log.debug if asked.endpoint in UNLOGGED_ENDPOINTS else log.info
    milliseconds = round(seconds * 1000, 1)
    game_id = noted.get("game_id") or (requested_game() if status >= HTTPStatus.INTERNAL_SERVER_ERROR else None)
    write("request", method=asked.method, route=route, status=status, ms=milliseconds, game_id=game_id)
    return response


@cache
def _counters(route: str, method: str, status: str) -> tuple[Counter, Histogram]:
    """Return the counter and the histogram for these labels.

    *method* is ``other`` for an unknown method. Otherwise clients could create any number of labels.
    """
    return REQUEST_COUNT.labels(route, method, status), REQUEST_SECONDS.labels(route, method)


def register(app: Flask) -> None:
    """Log the requests of *app*."""
    app.before_request(begin)
    app.before_request(negotiate)
    app.after_request(finish)
