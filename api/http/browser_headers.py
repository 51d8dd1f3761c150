"""Response headers for browsers (CORS, content security policy), and the trusted proxies."""

from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from flask import Flask, Response
from flask_cors import CORS
from werkzeug.middleware.proxy_fix import ProxyFix

from api.http.current_request import current_request
from workers.settings import Settings

WsgiApplication = Callable[..., Iterable[bytes]]

REQUEST_HEADERS: Final = (
    "Accept-Language",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
)
STREAM_HEADERS: Final = ("Last-Event-ID", "X-Request-Id")
RESPONSE_HEADERS: Final = (
    *("ETag", "Location", "Content-Language", "WWW-Authenticate", "X-Request-Id"),
    *("RateLimit", "RateLimit-Policy", "Retry-After"),
)
PREFLIGHT_SECONDS: Final = 600

DATA_CONTENT_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
PAGE_CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy of pages: they load nothing from another host, and no page may frame them."""

MAX_LOGGED_ORIGINS: Final = 100
"""Maximum number of refused origins that a process logs, because clients choose the origins."""
MAX_LOGGED_ORIGIN_LENGTH: Final = 200

HSTS_MAX_AGE: Final = 365 * 24 * 3600


SECURITY_HEADERS: Final = [
    ("Server", "regicide"),  # this hides the server's program and version
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
]
"""Headers of every response."""

CONTENT_POLICY_HEADER: Final = "Content-Security-Policy"


log = structlog.get_logger(__name__)


class SecurityHeadersMiddleware:
    """WSGI middleware that adds security headers to every response."""

    def __init__(self, application: WsgiApplication) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            return start_response(status, _secure(headers, environ), *error)

        return self._application(environ, start)


def _secure(headers: list[tuple[str, str]], environ: dict[str, Any]) -> list[tuple[str, str]]:
    """Return *headers* with the security headers added."""
    secured = headers + SECURITY_HEADERS
    if CONTENT_POLICY_HEADER not in dict(headers):
        secured.append((CONTENT_POLICY_HEADER, DATA_CONTENT_POLICY))
    if environ["wsgi.url_scheme"] == "https":
        secured.append(("Strict-Transport-Security", f"max-age={HSTS_MAX_AGE}"))
    return secured


def allow_page(response: Response) -> Response:
    """Set the policy of pages on a response with HTML, also on a 304, whose media type isn't sent."""
    if response.mimetype == "text/html":
        response.headers.setdefault(CONTENT_POLICY_HEADER, PAGE_CONTENT_POLICY)
    return response


class RefusedOrigins:
    """Logs each refused origin once. Pages of that origin can't tell the reason: the browser hides it from them."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        self._allowed = allowed
        self._logged = set[str]()

    def note(self, response: Response) -> Response:
        """Log the request's origin if no CORS header was set for it."""
        origin = current_request().environ.get("HTTP_ORIGIN", "")[:MAX_LOGGED_ORIGIN_LENGTH]
        if origin and "Access-Control-Allow-Origin" not in response.headers and not _is_own(origin):
            self._log(origin)
        return response

    def _log(self, origin: str) -> None:
        if origin not in self._logged and len(self._logged) < MAX_LOGGED_ORIGINS:
            self._logged.add(origin)
            log.warning("origin_refused", origin=origin, allowed=self._allowed, setting="REGICIDE_CORS_ORIGINS")


def _is_own(origin: str) -> bool:
    """Return whether an origin is this server's own, even if a proxy has changed the scheme or host name."""
    if current_request().headers.get("Sec-Fetch-Site") == "same-origin":
        return True
    try:
        return urlsplit(origin).netloc == current_request().host
    except ValueError:
        return False


def register(app: Flask, settings: Settings) -> None:
    """Add the headers to the responses of *app*, and allow CORS for the origins that *settings* name.

    Trust the ``X-Forwarded-*`` headers of as many proxies as *settings* say.
    """
    app.after_request(allow_page)
    app.after_request(RefusedOrigins(settings.cors_origins).note)  # it runs after the function that CORS registers
    app.wsgi_app = SecurityHeadersMiddleware(app.wsgi_app)  # type: ignore[method-assign]  # as Flask documents it
    if settings.proxies:
        trusted = settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted, x_proto=trusted, x_host=trusted)  # type: ignore[method-assign]
    if settings.cors_origins:
        CORS(
            app,
            origins=list(settings.cors_origins),
            methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
            allow_headers=[*REQUEST_HEADERS, *STREAM_HEADERS],
            expose_headers=list(RESPONSE_HEADERS),
            max_age=PREFLIGHT_SECONDS,
        )
