"""Pages for people: the start page, and the contract drawn by Swagger UI. They load nothing from another host."""

from mimetypes import guess_type
from pathlib import Path
from typing import Final

from flask import Flask, Response, request

from api.errors import NotFound
from api.wire import Blueprint
from engines.phrase import Phrase

blp = Blueprint("pages", __name__, description="Pages for people.")

WEB: Final = Path(__file__).parents[1] / "web"
ASSETS: Final = {str(file.relative_to(WEB / "docs")): file.read_bytes() for file in (WEB / "docs").rglob("*.*")}
HTML: Final = "text/html"
PAGE: Final = {"type": "string", "description": "HTML"}


@blp.route("/")
@blp.doc(operationId="index", security=[])
@blp.response(200, PAGE, content_type=HTML, example="<!doctype html>\n<title>Regicide</title>\n")
def index() -> Response:
    """Show where everything is.

    A page of links: the contract, the rules, the public games.
    """
    return _page("index.html")


@blp.route("/docs")
@blp.doc(operationId="docs", security=[])
@blp.response(200, PAGE, content_type=HTML, example="<!doctype html>\n<title>Regicide: the contract</title>\n")
def docs() -> Response:
    """Show this contract as a page, to read and to try.

    It is drawn by Swagger UI, which this server has itself: no other host is asked for anything.
    """
    return _page("docs/index.html")


def asset(name: str) -> Response:
    """Send a file that a page loads."""
    if name not in ASSETS:
        raise NotFound(Phrase("There is nothing at this path."))
    media_type, _ = guess_type(name)
    answer = Response(ASSETS[name], mimetype=media_type or "text/plain")
    answer.add_etag()
    answer.make_conditional(request)
    return answer


def _page(name: str) -> Response:
    return Response((WEB / name).read_bytes(), mimetype=HTML)


def register(app: Flask) -> None:
    """Let *app* send what the pages load; the contract speaks of the pages alone."""
    app.add_url_rule("/docs/<path:name>", "asset", asset)
