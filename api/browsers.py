"""Headers for browsers: CORS, content security policy and their like, and which proxies are believed."""

from typing import Final

from flask import Flask, Response, request
from flask_cors import CORS
from werkzeug.middleware.proxy_fix import ProxyFix

from workers.settings import Settings

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

DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A page of ours loads nothing from another host, and no other page frames it. A page may set a policy of its own."""

YEAR: Final = 365 * 24 * 3600


def secure(answer: Response) -> Response:
    """Forbid a browser to do more with *answer* than it is meant for."""
    answer.headers.setdefault("Content-Security-Policy", PAGE_POLICY if answer.mimetype == "text/html" else DATA_POLICY)
    answer.headers["Server"] = "regicide"  # and not by which program and version it is served
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["X-Frame-Options"] = "DENY"
    answer.headers["Referrer-Policy"] = "no-referrer"
    if request.is_secure:
        answer.headers["Strict-Transport-Security"] = f"max-age={YEAR}"
    return answer


def register(app: Flask, settings: Settings) -> None:
    """Believe as many proxies as the *settings* say, and let pages from their origins use *app*."""
    if settings.proxies:
        trusted = settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted, x_proto=trusted, x_host=trusted)  # type: ignore[method-assign]
    app.after_request(secure)
    if settings.cors_origins:
        CORS(
            app,
            origins=list(settings.cors_origins),
            methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
            allow_headers=[*REQUEST_HEADERS, *STREAM_HEADERS],
            expose_headers=list(RESPONSE_HEADERS),
            max_age=PREFLIGHT_SECONDS,
        )
