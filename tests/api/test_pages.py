"""Pages for people, which need no other host."""

import re
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from tests.api.contract import unpacked

PAGES = ("/", "/play", "/learn", "/puzzles", "/puzzles/today", "/docs/contract")


class Links(HTMLParser):
    """Finds what a page loads or leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("src", "href") and value]


def links(page: str) -> list[str]:
    """Return what *page* loads or leads to."""
    parser = Links()
    parser.feed(page)
    return parser.found


@pytest.mark.parametrize("path", PAGES)
def test_all_that_a_page_needs_is_here(path: str, http: FlaskClient):
    """Scripts, styles, icons and links are this server's own, and there."""
    page = http.get(path)

    assert page.mimetype == "text/html"
    assert links(page.text)
    for link in links(page.text):
        assert link.startswith("/")
        assert http.get(link).status_code == 200, link


@pytest.mark.parametrize("path", PAGES)
def test_no_other_host_may_be_asked(path: str, http: FlaskClient):
    """The headers say so, and that no script stands in the page."""
    page = http.get(path)
    policy = dict(part.split(" ", 1) for part in page.headers["Content-Security-Policy"].split("; "))

    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert not re.search(r"https?:", page.headers["Content-Security-Policy"])
    assert not re.search(r"<script(?![^>]*\bsrc=)", page.text)


def test_the_contract_is_drawn(http: FlaskClient):
    """By Swagger UI, set to ask nobody whether the contract is valid; its licence is beside it."""
    assert "SwaggerUIBundle" in http.get("/docs/start_swagger_ui.js").text
    assert '"/openapi.yaml"' in http.get("/docs/start_swagger_ui.js").text
    assert "validatorUrl: null" in http.get("/docs/start_swagger_ui.js").text
    assert "Apache License" in http.get("/docs/swagger-ui/LICENSE.txt").text


def test_what_a_browser_has_already(http: FlaskClient):
    """It isn't sent again."""
    tag = http.get("/docs/start_swagger_ui.js").headers["ETag"]

    assert http.get("/docs/start_swagger_ui.js", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("path", ["/", "/static/js/vendor.js", "/static/css/table.css", "/static/icon.svg"])
@pytest.mark.parametrize(("accepted", "coding"), [("gzip, deflate, br, zstd", "br"), ("gzip, deflate", "gzip")])
def test_texts_are_compressed_for_who_asks(path: str, accepted: str, coding: str, http: FlaskClient):
    """The same text in fewer bytes, with an ETag of its own; a cache keeps both apart."""
    plain = http.get(path, headers={"Accept-Encoding": "gzip;q=0, identity"})
    small = http.get(path, headers={"Accept-Encoding": accepted})

    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == coding
    assert unpacked(small) == plain.data
    assert len(small.data) < len(plain.data)
    assert small.headers["ETag"] != plain.headers["ETag"]
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.vary
    again = http.get(path, headers={"Accept-Encoding": accepted, "If-None-Match": small.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/docs/../pages.py",
        "/docs/%2e%2e/%2e%2e/pages.py",
        "/docs/nothing.js",
        "/static/",
        "/static/play/index.html",
        "/static/../resources/pages.py",
    ],
)
def test_nothing_else_is_sent(path: str, http: FlaskClient):
    """Only what lies in the folder."""
    answer = http.get(path)

    assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
"""As a browser asks for a page."""


@pytest.mark.parametrize("path", ["/nope", "/play/nope", "/docs/nope", "/static/nope", "/v2/games", "/" + "x" * 5000])
@pytest.mark.parametrize(
    ("tag", "title", "home"), [("en", "Nothing here", "All games"), ("es", "Aquí no hay nada", "Todas")]
)
def test_a_browser_is_led_back(http: FlaskClient, path: str, tag: str, title: str, home: str):
    """A page in its language, with a link to the games, that loads nothing from elsewhere."""
    answer = http.get(path, headers={"Accept": BROWSER, "Accept-Language": tag})

    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert f"<h1>{title}</h1>" in answer.text
    assert home in answer.text
    assert "/" in links(answer.text)
    assert all(http.get(link).status_code == 200 for link in links(answer.text))
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert {"Accept", "Accept-Language"} <= set(answer.vary)
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html;q=0.5", "image/png"])
def test_a_program_is_told_the_problem(http: FlaskClient, accept: str | None):
    """What isn't there is a problem document for whoever doesn't ask for a page; under /v1 always."""
    headers = {} if accept is None else {"Accept": accept}

    for path, sent in (("/nope", headers), ("/v1/nope", headers), ("/v1/nope", {"Accept": BROWSER})):
        answer = http.get(path, headers=sent)
        assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
        assert answer.get_json()["code"] == "not_found"
