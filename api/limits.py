"""Rate limits: how many requests a minute a client may make, and the ``RateLimit`` headers that say so.

The headers are those of draft-ietf-httpapi-ratelimit-headers-11. Health, the contract and the rulesets are
free. A known token has budgets of its own; whoever has none shares those of their address. What costs more is always
counted by address, since tokens are had by creating games. A stream or a long poll counts once.
"""

from typing import Final

from flask import Flask, Response, g, request

from api.auth import bearer
from api.client_address import address
from api.errors import RateLimited
from api.services import services
from workers.settings import Settings
from workers.storage.budgets import WINDOW_SECONDS, Standing

REQUESTS: Final = "requests"
COSTLY: Final = {
    ("POST", "/v1/games"): "create",
    ("POST", "/v1/games/<game_id>/hints"): "jobs",
    ("POST", "/v1/arenas"): "jobs",
}
"""The budgets of what costs more than to look or to move."""

FREE: Final = "/v1/rulesets"


def charge() -> None:
    """Count the request against its client's budget. Raises ``RateLimited``, ``StorageUnavailable``."""
    route = request.url_rule.rule if request.url_rule is not None else ""
    if not route.startswith("/v1/") or route.startswith(FREE) or request.method == "OPTIONS":
        return
    budget = COSTLY.get((request.method, route), REQUESTS)
    limit = _limit(budget, services().settings)
    if limit == 0:
        return
    token = bearer() if budget == REQUESTS else None
    g.standing = services().budgets.spend(budget, limit, token, address())
    if g.standing.left < 0:
        raise RateLimited(limit, g.standing.seconds)


def _limit(budget: str, settings: Settings) -> int:
    """Return how many requests a minute a budget has; 0 for any number."""
    return {"create": settings.rate_create, "jobs": settings.rate_jobs, REQUESTS: settings.rate_requests}[budget]


def add_headers(answer: Response) -> Response:
    """Add how much of its budget the client has left."""
    standing: Standing | None = g.get("standing")
    if standing is not None:
        answer.headers["RateLimit-Policy"] = f'"{standing.budget}";q={standing.limit};w={WINDOW_SECONDS}'
        answer.headers["RateLimit"] = f'"{standing.budget}";r={max(0, standing.left)};t={standing.seconds}'
    return answer


def register(app: Flask) -> None:
    """Limit *app* as its settings say."""
    app.before_request(charge)
    app.after_request(add_headers)
