"""The application: Flask with every route, over a store and by settings."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import Map, MapAdapter

from api.http import browser_headers, compression, rate_limits, request_log
from api.http.services import KEY, Services
from api.openapi import add_routes
from api.problems import documents
from api.resources import pages
from workers import readiness
from workers.feed import Feed
from workers.metrics_store import MetricsAggregator
from workers.settings import Settings
from workers.storage.rate_limits import RateLimiter
from workers.storage.store import Store

PATHS: Final = 1_024
"""So many are remembered that were asked for last: the paths of a game are asked for again and again."""


class ApplicationRequest(Request):
    """A request to an application that does nothing for one blueprint alone, and limits bodies where it reads them."""

    blueprints: Sequence[str] = ()  # type: ignore[assignment]  # Flask's is a property, asked three times
    max_content_length = None


class NoSessions(SessionInterface):
    """Nobody has a session: tokens say who asks."""

    nobody: Final = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:  # noqa: ARG002  Flask's form
        """Return the one that everybody has, in which nothing can be kept."""
        return self.nobody


class Application(Flask):
    """Flask, whose functions are all plain ones."""

    request_class = ApplicationRequest
    session_interface = NoSessions()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return what finds the route of a request, as Flask does; for equal requests the same."""
        if request is None:
            return None
        environ = request.environ
        host, server = environ.get("HTTP_HOST"), (environ["SERVER_NAME"], environ["SERVER_PORT"])
        return _adapter(self.url_map, environ["wsgi.url_scheme"], host, server, request.method, environ["PATH_INFO"])

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return *func*: to look each time whether it is a coroutine takes as long as to match the path."""
        return func


@lru_cache(PATHS)
def _adapter(
    url_map: Map, scheme: str, host: str | None, server: tuple[str, str], method: str, path: str
) -> MapAdapter:
    """Return what finds the route of such requests, and has to look for it once."""
    name, port = server
    environ = {"wsgi.url_scheme": scheme, "SERVER_NAME": name, "SERVER_PORT": port, "REQUEST_METHOD": method}
    named = {} if host is None else {"HTTP_HOST": host}
    adapter = url_map.bind_to_environ({**environ, **named, "SCRIPT_NAME": "", "PATH_INFO": path}, subdomain="")
    adapter.match = cache(adapter.match)  # type: ignore[method-assign]
    return adapter


def create_app(settings: Settings, store: Store) -> Flask:
    """Return the web application over *store*.

    It believes no proxy, unless the settings say how many there are: ``X-Forwarded-*`` change nothing.
    """
    app = Application(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # //v1 is not /v1
    compression.register(app)  # the last to see an answer
    browser_headers.register(app, settings)
    request_log.register(app)
    rate_limits.register(app)
    documents.register(app)
    pages.register(app)
    contract = add_routes(app)
    app.extensions[KEY] = Services(
        settings=settings,
        store=store,
        feed=Feed(store, settings.streams),
        ledger=MetricsAggregator(store, "web"),
        budgets=RateLimiter(store.redis, store.keys),
        readiness=readiness.cached_reasons(store, settings),
        contract=lambda: contract.text,
    )
    return app
