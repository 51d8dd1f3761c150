"""How much a client may ask for: budgets a minute, told in ``RateLimit`` and ``RateLimit-Policy``.

The headers are those of draft-ietf-httpapi-ratelimit-headers-11. What every house says of itself (health, the contract,
the rulesets) is free. A token pays for what it does, whoever has none, or one that nobody knows, by their address. What
is dear is always paid by address: tokens are had by creating games. A stream or a long poll counts once.
"""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from flask import Flask, Response, current_app, g, request

from api.auth import bearer
from api.errors import RateLimited
from workers.settings import Settings
from workers.storage.budgets import WINDOW_SECONDS, Budgets, Standing
from workers.storage.store import Store

REQUESTS: Final = "requests"
DEAR: Final = {
    ("POST", "/v1/games"): "create",
    ("POST", "/v1/games/<game_id>/hints"): "jobs",
    ("POST", "/v1/arenas"): "jobs",
}
"""The budgets of what costs more than to look or to move."""

FREE: Final = "/v1/rulesets"
NEIGHBOURS: Final = 64
"""Bits of an IPv6 address that all addresses of one client share."""


def charge() -> None:
    """Let the client pay for the request. Raises ``RateLimited``, ``StorageUnavailable``."""
    route = request.url_rule.rule if request.url_rule is not None else ""
    if not route.startswith("/v1/") or route.startswith(FREE) or request.method == "OPTIONS":
        return
    budget = DEAR.get((request.method, route), REQUESTS)
    limit = current_app.extensions["limits"][budget]
    if limit == 0:
        return
    token = bearer() if budget == REQUESTS else None
    budgets: Budgets = current_app.extensions["budgets"]
    g.standing = budgets.spend(budget, limit, token, address())
    if g.standing.left < 0:
        raise RateLimited(limit, g.standing.seconds)


def address() -> str:
    """Return whose address the request comes from; of IPv6 the network, since that is what one client has."""
    sent = request.remote_addr or "?"
    try:
        client = ip_address(sent)
    except ValueError:
        return sent
    if not isinstance(client, IPv6Address):
        return sent
    if client.ipv4_mapped is not None:  # whoever listens on :: sees IPv4 so
        return str(client.ipv4_mapped)
    return str(ip_network((client, NEIGHBOURS), strict=False))


def tell(answer: Response) -> Response:
    """Tell the client how it stands."""
    standing: Standing | None = g.get("standing")
    if standing is not None:
        answer.headers["RateLimit-Policy"] = f'"{standing.budget}";q={standing.limit};w={WINDOW_SECONDS}'
        answer.headers["RateLimit"] = f'"{standing.budget}";r={max(0, standing.left)};t={standing.seconds}'
    return answer


def register(app: Flask, settings: Settings, store: Store) -> None:
    """Limit *app* as the *settings* say."""
    limits = {"create": settings.rate_create, "jobs": settings.rate_jobs, REQUESTS: settings.rate_requests}
    app.extensions["limits"] = limits
    app.extensions["budgets"] = Budgets(store.redis)
    app.before_request(charge)
    app.after_request(tell)
