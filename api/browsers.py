"""What browsers are told: which pages may use this server, and what they may do with what they get."""

from typing import Final

from flask import Flask, Response, request
from flask_cors import CORS
from werkzeug.middleware.proxy_fix import ProxyFix

from workers.settings import Settings

SENT: Final = ("Accept-Language", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match")
STREAMED: Final = ("Last-Event-ID", "X-Request-Id")
SHOWN: Final = (
    *("ETag", "Location", "Content-Language", "WWW-Authenticate", "X-Request-Id"),
    *("RateLimit", "RateLimit-Policy", "Retry-After"),
)
PREFLIGHT_SECONDS: Final = 600

NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
PAGE: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A page of ours loads nothing from another host, and no other page frames it. Swagger UI writes styles."""

YEAR: Final = 365 * 24 * 3600


def guard(answer: Response) -> Response:
    """Tell a browser to do no more with *answer* than it is meant for."""
    answer.headers.setdefault("Content-Security-Policy", PAGE if answer.mimetype == "text/html" else NOTHING)
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
    app.after_request(guard)
    if settings.cors_origins:
        CORS(
            app,
            origins=list(settings.cors_origins),
            methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
            allow_headers=[*SENT, *STREAMED],
            expose_headers=list(SHOWN),
            max_age=PREFLIGHT_SECONDS,
        )
