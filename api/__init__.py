"""The HTTP server: translate, never decide.

A client creates a game, keeps the tokens that the answer alone shows, and plays::

    POST /v1/games {"ruleset": "regicide", "seats": [{"kind": "human"}, {"kind": "ai", "level": "adept"}]}
    GET  /v1/games/{id}            the game as your seat sees it; ETag is its version
    GET  /v1/games/{id}/actions    everything that you may do now
    POST /v1/games/{id}/actions    {"text": "play 5C"}: do it
    GET  /v1/games/{id}/events     what happened, the AIs' moves too
    GET  /v1/games/{id}/stream     the same, live

Who asks is said by ``Authorization: Bearer <token>``: a seat's token acts for that seat, the host's starts, hands over
and abandons, and nobody's may watch what everybody may know. Every error is an RFC 9457 problem with a stable ``code``.
The whole contract is ``/openapi.yaml``, a tour of it ``docs/http.md``; ``regicide_client`` speaks it in Python.

Inside, a request is counted against the client's budget (``limits``) and goes from a route (``resources``, a module for
each) through ``auth`` (who), ``contract.requests`` (is it readable) and ``workers.turns`` (let it happen) to an answer
written by ``wire``, or to a problem written by ``problems``. What a route works with is in ``services``.
"""

from collections.abc import Callable
from typing import Any

from flask import Flask

from api import browsers, compression, limits, problems, request_log
from api.openapi import add_routes
from api.resources import pages
from api.services import KEY, Services
from workers.feed import Feed
from workers.ledger import Ledger
from workers.settings import Settings
from workers.storage.budgets import Budgets
from workers.storage.store import Store


class Application(Flask):
    """Flask, whose functions are all plain ones."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return *func*: to look each time whether it is a coroutine takes as long as to match the path."""
        return func


def create_app(settings: Settings, store: Store) -> Flask:
    """Return the web application over *store*.

    It believes no proxy, unless the settings say how many there are: ``X-Forwarded-*`` change nothing.
    """
    app = Application(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # //v1 is not /v1
    compression.register(app)  # the last to see an answer
    browsers.register(app, settings)
    request_log.register(app)
    limits.register(app)
    problems.register(app)
    pages.register(app)
    contract = add_routes(app)
    app.extensions[KEY] = Services(
        settings=settings,
        store=store,
        feed=Feed(store, settings.streams),
        ledger=Ledger(store, "web"),
        budgets=Budgets(store.redis, store.keys),
        contract=lambda: contract.text,
    )
    return app
