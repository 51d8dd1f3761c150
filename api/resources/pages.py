"""Pages for people: lobby, table, lessons, puzzles, docs, and the contract drawn by Swagger UI.

Pages load all files from this server.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from typing import Final

from flask import Flask, Response, request

from api.contract.operation_additions import NOT_MODIFIED
from api.contract.shared_schemas import ID
from api.http.caching import vary
from api.http.compression import compress_static
from api.http.current_request import accepted_media_types, current_request
from api.http.request_io import JSON_MEDIA_TYPE, Blueprint, View, run_in_thread
from api.language import current_translator, negotiated_language
from api.problems.errors import NotFound
from api.resources.browser_pages import ABOUT, LESSONS, LOBBY, OPERATOR, PUZZLES, TABLE, BrowserPage
from api.resources.docs_site import INDEX_FILE, docs, read_site_file
from api.resources.html_pages import HTML_MEDIA_TYPE, HTML_SCHEMA, document, home_link
from api.resources.ruleset_files import files_of
from engines import RULESETS
from engines.core.phrase import Phrase

blp = Blueprint("pages", __name__, description="Pages for people.")

WEB_FOLDER: Final = Path(__file__).parents[1] / "web"
ASSET_ENDPOINT: Final = "asset"
"""Endpoint of the files that pages load."""
RULESET_ASSET_ENDPOINT: Final = "ruleset_asset"
"""Endpoint of the files in the ``web`` folders of rulesets."""
DOCS_ASSET_ENDPOINT: Final = "docs_asset"
"""Endpoint of the files of the docs."""
NOT_FOUND_PAGE_ENDPOINTS: Final = (None, ASSET_ENDPOINT, RULESET_ASSET_ENDPOINT, DOCS_ASSET_ENDPOINT)
"""Endpoints whose 404 responses are shown to browsers as a page. None is the endpoint of unknown paths."""
FILE_BYTES_BY_PATH: Final = {
    file.relative_to(WEB_FOLDER).as_posix(): file.read_bytes() for file in WEB_FOLDER.rglob("*.*") if file.is_file()
}
"""Pages and their files by path, read once."""

MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
}
"""Media types by file ending. They take precedence over the table of media types of the machine."""

PUZZLE_ID: Final = re.compile(ID["pattern"], re.ASCII)

FONT_MEDIA_TYPE: Final = MEDIA_TYPES[".woff2"]
"""Media type of fonts, which are compressed already."""

DOCS_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy of Swagger UI. It allows the styles that Swagger UI writes into its page."""


def _page(path: str, title: str) -> Callable[[View], View]:
    """Return a decorator that adds the route of a page to the contract. The operation is named after the function."""

    def decorate(view: View) -> View:
        example = f"<!doctype html>\n<title>{title}</title>\n"
        threaded = blp.response(200, HTML_SCHEMA, content_type=HTML_MEDIA_TYPE, example=example)(run_in_thread(view))
        documented = blp.doc(operationId=view.__name__, security=[], responses=NOT_MODIFIED)(threaded)
        return blp.route(path)(documented)

    return decorate


@_page("/", "Regicide")
def index() -> Response:
    """Show the lobby.

    A page to start, join and watch games in the browser, with links to the rules and to this contract.
    """
    return _browser_page(LOBBY)


@_page("/play", "Regicide: a table")
def play() -> Response:
    """Show a table, to play at or to watch.

    `/play#GAME.TOKEN` is a seat: the browser doesn't send the fragment. `/play?g=GAME` or `/play#GAME` watches a public
    game.
    """
    return _browser_page(TABLE)


@_page("/learn", "Learn to play")
def learn() -> Response:
    """Show the lessons of a game.

    `/learn?ruleset=NAME` lists them, `&lesson=LESSON` starts one.
    """
    return _browser_page(LESSONS)


@_page("/puzzles", "Puzzles")
def puzzles() -> Response:
    """Show the puzzles of all games.

    Today's puzzle comes first. Yesterday's puzzle is shown with its answer.
    """
    return _browser_page(PUZZLES)


@_page("/puzzles/<puzzle_id>", "Regicide: a puzzle")
@blp.refuses("not_found")
def puzzle(puzzle_id: str) -> Response:
    """Show a puzzle, to solve at a table of one's own.

    `/puzzles/today` is the puzzle of the day. `#answer` plays the solution. The page says so if there is no such
    puzzle.
    """
    if not PUZZLE_ID.fullmatch(puzzle_id):
        raise NotFound(Phrase("There is nothing at this path."))
    return _browser_page(TABLE)


@_page("/about", "About")
def about() -> Response:
    """Show what this site is.

    The page also lists the licences of the site's fonts, icons and libraries.
    """
    return _browser_page(ABOUT)


@_page("/operator", "Operator")
def operator() -> Response:
    """Show the operator's page.

    The page asks for the operator's token. It says so if the server has no operator.
    """
    return _browser_page(OPERATOR)


@_page("/docs/contract", "Regicide: the contract")
def contract_page() -> Response:
    """Show this contract as a page, to read and to try.

    Swagger UI, which this server includes, draws the page.
    """
    response = _file("docs/index.html")
    response.headers["Content-Security-Policy"] = DOCS_POLICY
    return response


@run_in_thread
def ruleset_asset(ruleset: str, name: str) -> Response:
    """Send a file of a ruleset's ``web`` folder."""
    found = files_of(RULESETS[ruleset]).get(name) if ruleset in RULESETS else None
    if found is None:
        raise NotFound(Phrase("There is nothing at this path."))
    return _response(name, found)


@run_in_thread
def docs_asset(name: str) -> Response:
    """Send a file of the documentation: of the page for openapi.yaml, or of the site built from docs/."""
    path = f"docs/{name}"
    if path in FILE_BYTES_BY_PATH and not path.endswith(".html"):
        return _file(path)
    found = read_site_file(name)
    if found is None:
        raise NotFound(Phrase("There is nothing at this path."))
    return _response(name or INDEX_FILE, found)


@run_in_thread
def asset(name: str) -> Response:
    """Send a file that a page loads."""
    if name not in FILE_BYTES_BY_PATH or name.endswith(".html"):
        raise NotFound(Phrase("There is nothing at this path."))
    return _file(name)


def _browser_page(page: BrowserPage) -> Response:
    """Send a page that is drawn in the browser, or 304 to a browser that has it already."""
    return _response(INDEX_FILE, page.html)


def _file(name: str) -> Response:
    """Send a file of the folder ``web``, or 304 to a browser that has the file already."""
    return _response(name, FILE_BYTES_BY_PATH[name])


def _response(name: str, content: bytes) -> Response:
    """Send a file's content, with the media type that belongs to its name."""
    guessed, _ = guess_type(name)
    media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix) or guessed or "text/plain"
    response = Response(content, mimetype=media_type)
    if media_type != FONT_MEDIA_TYPE and (media_type in MEDIA_TYPES.values() or media_type == HTML_MEDIA_TYPE):
        return compress_static(response)
    response.cache_control.no_cache = True
    response.add_etag()
    response.make_conditional(request)
    return response


def not_found_page(response: Response) -> Response:
    """Replace the problem by a page that links to the lobby, if a browser asked for an unknown path."""
    is_lost = response.status_code == HTTPStatus.NOT_FOUND and current_request().endpoint in NOT_FOUND_PAGE_ENDPOINTS
    if not is_lost or request.path.startswith("/v1/"):
        return response
    vary(response, "Accept")
    if accepted_media_types().best_match((JSON_MEDIA_TYPE, HTML_MEDIA_TYPE), JSON_MEDIA_TYPE) == HTML_MEDIA_TYPE:
        language, translate = negotiated_language(), current_translator()
        title = TITLE.render(translate)
        text = f"<h1>{title}</h1><p>{EXPLANATION.render(translate)}</p><p>{home_link(language)}</p>"
        response.set_data(document(language, title, f'    <main class="alone">{text}</main>'))
        response.mimetype = HTML_MEDIA_TYPE
    return response


TITLE: Final = Phrase("Nothing here")
EXPLANATION: Final = Phrase("There is no page at this address. Perhaps it was shortened, or has a slip in it.")


def register(app: Flask) -> None:
    """Register the files of the pages, and the page of unknown paths, on *app*. ``openapi.yaml`` doesn't list them."""
    app.after_request(not_found_page)
    app.add_url_rule("/static/<path:name>", ASSET_ENDPOINT, asset)
    app.add_url_rule("/static/rulesets/<ruleset>/<path:name>", RULESET_ASSET_ENDPOINT, ruleset_asset)
    app.add_url_rule("/docs", "docs", docs)
    app.add_url_rule("/docs/", DOCS_ASSET_ENDPOINT, docs_asset, defaults={"name": ""})
    app.add_url_rule("/docs/<path:name>", DOCS_ASSET_ENDPOINT, docs_asset)
