"""Pages for people: the games, a table, and the contract drawn by Swagger UI. They load nothing from another host."""

from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from string import Template
from typing import Final

from flask import Flask, Response, request

from api.contract.operations import UNCHANGED
from api.http.caching import vary
from api.http.compression import unchanging
from api.http.request_io import JSON, Blueprint, aside
from api.language import speaking, wanted
from api.problems.errors import NotFound
from engines.core.phrase import Phrase

blp = Blueprint("pages", __name__, description="Pages for people.")

WEB: Final = Path(__file__).parents[1] / "web"
HTML: Final = "text/html"
ASSET: Final = "asset"
"""The endpoint of what pages load."""
FILES: Final = {file.relative_to(WEB).as_posix(): file.read_bytes() for file in WEB.rglob("*.*") if file.is_file()}
"""Pages and what they load, by path; read once."""

MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
"""By ending, whatever the machine's own table says."""

PAGE: Final = {"type": "string", "description": "HTML"}
DOCS_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Swagger UI writes styles into its page."""


@blp.route("/")
@blp.doc(operationId="index", security=[], responses=UNCHANGED)
@blp.response(200, PAGE, content_type=HTML, example="<!doctype html>\n<title>Regicide</title>\n")
@aside
def index() -> Response:
    """Show the games.

    A page in which to begin, join and watch games in the browser, with links to the rules and to this contract.
    """
    return _file("index.html")


@blp.route("/play")
@blp.doc(operationId="play", security=[], responses=UNCHANGED)
@blp.response(200, PAGE, content_type=HTML, example="<!doctype html>\n<title>Regicide: a table</title>\n")
@aside
def play() -> Response:
    """Show a table, to play at or to watch.

    `/play#GAME.TOKEN` is a seat: the fragment stays in the browser. `/play?g=GAME` watches a public game.
    """
    return _file("play/index.html")


@blp.route("/learn")
@blp.doc(operationId="learn", security=[], responses=UNCHANGED)
@blp.response(200, PAGE, content_type=HTML, example="<!doctype html>\n<title>Learn to play</title>\n")
@aside
def learn() -> Response:
    """Show the lessons of a game.

    `/learn?ruleset=gridcannon` lists them, `&lesson=armour` begins one.
    """
    return _file("learn/index.html")


@blp.route("/docs")
@blp.doc(operationId="docs", security=[], responses=UNCHANGED)
@blp.response(200, PAGE, content_type=HTML, example="<!doctype html>\n<title>Regicide: the contract</title>\n")
@aside
def docs() -> Response:
    """Show this contract as a page, to read and to try.

    It is drawn by Swagger UI, which this server has itself: no other host is asked for anything.
    """
    answer = _file("docs/index.html")
    answer.headers["Content-Security-Policy"] = DOCS_POLICY
    return answer


@aside
def asset(name: str, folder: str = "") -> Response:
    """Send a file that a page loads."""
    path = f"{folder}{name}"
    if path not in FILES or path.endswith(".html"):
        raise NotFound(Phrase("There is nothing at this path."))
    return _file(path)


def _file(name: str) -> Response:
    """Send a file of the folder, or 304 to a browser that has it."""
    guessed, _ = guess_type(name)
    media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix) or guessed or "text/plain"
    answer = Response(FILES[name], mimetype=media_type)
    if media_type in MEDIA_TYPES.values() or media_type == HTML:
        return unchanging(answer)
    answer.cache_control.no_cache = True
    answer.add_etag()
    answer.make_conditional(request)
    return answer


def lead_back(answer: Response) -> Response:
    """Show a page with a way back where a browser asks for something that isn't there; programs get the problem."""
    is_lost = answer.status_code == HTTPStatus.NOT_FOUND and request.endpoint in (None, ASSET)
    if not is_lost or request.path.startswith("/v1/"):
        return answer
    vary(answer, "Accept")
    if request.accept_mimetypes.best_match((JSON, HTML), JSON) == HTML:
        speak = speaking()
        words = {name: phrase.render(speak) for name, phrase in LOST.items()}
        answer.set_data(WHOLE.substitute(language=wanted(), **words))
        answer.mimetype = HTML
    return answer


LOST: Final = {
    "title": Phrase("Nothing here"),
    "said": Phrase("There is no page at this address. Perhaps it was shortened, or has a slip in it."),
    "home": Phrase("All games"),
}
WHOLE: Final = Template("""<!doctype html>
<html lang="$language">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>$title</title>
    <link rel="icon" href="/static/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/static/css/table.css">
  </head>
  <body>
    <main class="alone"><h1>$title</h1><p>$said</p><p><a class="button" href="/">$home</a></p></main>
  </body>
</html>
""")
"""The page of what isn't there: it needs no script."""


def register(app: Flask) -> None:
    """Let *app* send what the pages load, and show the way back; the contract speaks of the pages alone."""
    app.after_request(lead_back)
    app.add_url_rule("/static/<path:name>", ASSET, asset)
    app.add_url_rule("/docs/<path:name>", ASSET, asset, defaults={"folder": "docs/"})
