"""Rate limits: requests per minute and client, with ``RateLimit`` headers.

The headers follow draft-ietf-httpapi-ratelimit-headers-11. All tokens of a game share one limit; when it is used up,
a token that had little of it may send some more, so that one player can't lock out the others. Requests without a token
are counted by address. Expensive routes are always counted by address, because anybody gets tokens by creating games. A
stream or a long poll counts once. Health checks don't count. Routes that need no store (pages, rules, unknown paths)
are counted in each process, so they work while the store is unavailable.
"""

from typing import Final

from flask import Flask, Response

from api.http.auth import bearer_if_any
from api.http.current_request import current_request, request_notes, requesting_network
from api.http.overload import EventLoopLag
from api.http.services import services
from api.problems.documents import EXEMPT_ROUTES
from api.problems.errors import RateLimited
from workers.settings import Settings
from workers.storage.rate_limits import WINDOW_SECONDS, RateLimitStatus

DEFAULT_LIMIT_NAME: Final = "requests"
EVENT_LOOP_LAG: Final = EventLoopLag()
EXPENSIVE_ROUTES: Final = {
    ("POST", "/v1/games"): "create",
    ("POST", "/v1/games/<game_id>/next"): "create",
    ("POST", "/v1/games/<game_id>/hints"): "jobs",
    ("POST", "/v1/games/<game_id>/reviews"): "jobs",
    ("POST", "/v1/arenas"): "jobs",
    ("POST", "/v1/puzzles/<puzzle_id>/answers"): "jobs",
}
"""Names of separate rate limits for routes that cost more than reading or moving, by method and route."""

STORELESS_LIMIT_NAME: Final = "pages"
"""Name of the rate limit of requests that don't need the store. Each process counts them separately."""
STORELESS_PATH_PREFIX: Final = "/v1/rulesets"
"""Prefix of the paths under ``/v1/`` that need no store."""


def check_rate_limit() -> None:
    """Count the request for its client, and keep the state of the limit for ``add_headers``.

    Raises ``RateLimited``, ``Overloaded``, ``StorageUnavailable``.
    """
    asked = current_request()
    route = asked.url_rule.rule if asked.url_rule is not None else ""
    if route in EXEMPT_ROUTES:
        return
    EVENT_LOOP_LAG.check()
    is_page = not route.startswith("/v1/") or route.startswith(STORELESS_PATH_PREFIX) or asked.method == "OPTIONS"
    budget = STORELESS_LIMIT_NAME if is_page else EXPENSIVE_ROUTES.get((asked.method, route), DEFAULT_LIMIT_NAME)
    own = services()
    limit = _limit(budget, own.settings)
    if limit == 0:
        return
    if is_page:
        standing = own.budgets.consume_local(budget, limit, requesting_network())
    else:
        token = bearer_if_any() if budget == DEFAULT_LIMIT_NAME else None
        standing = own.budgets.consume(budget, limit, token, requesting_network())
    request_notes().standing = standing
    if standing.remaining < 0:
        raise RateLimited(limit, standing.seconds)


def _limit(budget: str, settings: Settings) -> int:
    """Return how many requests per minute the limit named *budget* allows, or 0 for unlimited."""
    if budget == "create":
        return settings.rate_create
    return settings.rate_jobs if budget == "jobs" else settings.rate_requests


def add_headers(response: Response) -> Response:
    """Add the ``RateLimit`` headers to *response*, if the request was counted. Return *response*."""
    standing: RateLimitStatus | None = request_notes().get("standing")
    if standing is not None:
        response.headers["RateLimit-Policy"] = f'"{standing.budget}";q={standing.limit};w={WINDOW_SECONDS}'
        response.headers["RateLimit"] = f'"{standing.budget}";r={max(0, standing.remaining)};t={standing.seconds}'
    return response


def register(app: Flask) -> None:
    """Apply the rate limits of the settings to *app*."""
    app.before_request(check_rate_limit)
    app.after_request(add_headers)
