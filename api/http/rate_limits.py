"""Rate limits: how many requests a minute a client may make, and the ``RateLimit`` headers that say so.

The headers are those of draft-ietf-httpapi-ratelimit-headers-11. Health alone is free. All tokens of a game share its
budget; whoever has none of them shares that of their address. What costs more is always counted by address, since
tokens are had by creating games. A stream or a long poll counts once. What needs no storage, pages and rules and what
isn't there, is counted without one, by each process for itself: it is there when the storage is away.
"""

from typing import Final

from flask import Flask, Response, g
from flask.globals import request_ctx

from api.http.auth import bearer_if_any
from api.http.client_address import address
from api.http.overload import EventLoopLag
from api.http.services import services
from api.problems.documents import EXEMPT_ROUTES
from api.problems.errors import RateLimited
from workers.settings import Settings
from workers.storage.rate_limits import WINDOW_SECONDS, RateLimitStatus

REQUESTS: Final = "requests"
LOOP: Final = EventLoopLag()
COSTLY: Final = {
    ("POST", "/v1/games"): "create",
    ("POST", "/v1/games/<game_id>/hints"): "jobs",
    ("POST", "/v1/games/<game_id>/reviews"): "jobs",
    ("POST", "/v1/arenas"): "jobs",
}
"""The budgets of what costs more than to look or to move."""

PAGES: Final = "pages"
"""The budget of what is answered without the storage: as many requests again."""
NEEDS_NO_STORAGE: Final = "/v1/rulesets"


def charge() -> None:
    """Count the request against its client's budget. Raises ``RateLimited``, ``Overloaded``, ``StorageUnavailable``."""
    asked = request_ctx.request
    route = asked.url_rule.rule if asked.url_rule is not None else ""
    if route in EXEMPT_ROUTES:
        return
    LOOP.check()
    is_page = not route.startswith("/v1/") or route.startswith(NEEDS_NO_STORAGE) or asked.method == "OPTIONS"
    budget = PAGES if is_page else COSTLY.get((asked.method, route), REQUESTS)
    own = services()
    limit = _limit(budget, own.settings)
    if limit == 0:
        return
    if is_page:
        standing = own.budgets.consume_local(budget, limit, address())
    else:
        token = bearer_if_any() if budget == REQUESTS else None
        standing = own.budgets.consume(budget, limit, token, address())
    g.standing = standing
    if standing.remaining < 0:
        raise RateLimited(limit, standing.seconds)


def _limit(budget: str, settings: Settings) -> int:
    """Return how many requests a minute a budget has; 0 for any number."""
    if budget == "create":
        return settings.rate_create
    return settings.rate_jobs if budget == "jobs" else settings.rate_requests


def add_headers(answer: Response) -> Response:
    """Add how much of its budget the client has left."""
    standing: RateLimitStatus | None = g.get("standing")
    if standing is not None:
        answer.headers["RateLimit-Policy"] = f'"{standing.budget}";q={standing.limit};w={WINDOW_SECONDS}'
        answer.headers["RateLimit"] = f'"{standing.budget}";r={max(0, standing.remaining)};t={standing.seconds}'
    return answer


def register(app: Flask) -> None:
    """Limit *app* as its settings say."""
    app.before_request(charge)
    app.after_request(add_headers)
