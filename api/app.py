"""The Flask application with all routes, over a store and settings."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import Map, MapAdapter

from api.http import browser_headers, compression, rate_limits, request_log
from api.http.services import EXTENSION_KEY, Services
from api.openapi import add_routes, contract_text
from api.problems import documents
from api.resources import pages
from workers import readiness
from workers.feed import Feed
from workers.metrics_store import MetricsAggregator
from workers.settings import Settings
from workers.storage.rate_limits import RateLimiter
from workers.storage.store import Store

MAX_CACHED_PATHS: Final = 1_024
"""Number of recently matched paths that are cached. The paths of a game are requested repeatedly."""


class ApplicationRequest(Request):
    """A request without Flask's list of blueprints, which is slow, and without Flask's limit of the body's size.

    ``http.request_io`` limits the size of bodies instead.
    """

    blueprints: Sequence[str] = ()  # type: ignore[assignment]  # Flask's property is read three times a request
    max_content_length = None


UNROUTED_PATH: Final = "/\0"
"""A path that has no route."""


class NoSessions(SessionInterface):
    """Session interface without sessions: tokens identify clients."""

    nobody: Final = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:  # noqa: ARG002  Flask's signature
        """Return the empty session that all requests share."""
        return self.nobody


class Application(Flask):
    """A Flask application whose views are all synchronous and whose matched paths are cached."""

    request_class = ApplicationRequest
    session_interface = NoSessions()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return the URL adapter of a request, or None without a request.

        Requests with the same method and URL share one adapter. The query doesn't count.
        """
        if request is None:
            return None
        environ = request.environ
        host, server = environ.get("HTTP_HOST"), (environ["SERVER_NAME"], environ["SERVER_PORT"])
        return _adapter(self.url_map, environ["wsgi.url_scheme"], host, server, request.method, environ["PATH_INFO"])

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return *func* unchanged. Flask would check for a coroutine, which takes as long as matching the path."""
        return func


@lru_cache(MAX_CACHED_PATHS)
def _adapter(
    url_map: Map, scheme: str, host: str | None, server: tuple[str, str], method: str, path: str
) -> MapAdapter:
    """Return the URL adapter of requests with this path. The adapter caches its match."""
    name, port = server
    if path.startswith("//"):
        path = UNROUTED_PATH  # Werkzeug matches it as if it began with one slash
    environ = {"wsgi.url_scheme": scheme, "SERVER_NAME": name, "SERVER_PORT": port, "REQUEST_METHOD": method}
    named = {} if host is None else {"HTTP_HOST": host}
    adapter = url_map.bind_to_environ({**environ, **named, "SCRIPT_NAME": "", "PATH_INFO": path}, subdomain="")
    adapter.match = cache(adapter.match)  # type: ignore[method-assign]
    return adapter


def create_app(settings: Settings, store: Store) -> Flask:
    """Return the web application over *store*.

    ``X-Forwarded-*`` headers are ignored unless the settings name a number of trusted proxies.
    """
    app = Application(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # the paths //v1 and /v1 are different
    compression.register(app)  # the compression of responses is registered first, so that it runs last
    browser_headers.register(app, settings)
    request_log.register(app)
    rate_limits.register(app)
    documents.register(app)
    pages.register(app)
    add_routes(app)
    app.extensions[EXTENSION_KEY] = Services(
        settings=settings,
        store=store,
        feed=Feed(store, settings.streams),
        ledger=MetricsAggregator(store, "web"),
        budgets=RateLimiter(store.redis, store.keys),
        readiness=readiness.cached_reasons(store, settings),
        contract=contract_text,
    )
    return app
