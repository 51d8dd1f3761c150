"""The application: Flask with every route, over a store and by settings."""

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
