"""Where the docs are: the site where it has been built, else the contract's page."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.resources import docs_site


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of a site that hasn't been built, beside a file of somebody else's."""
    folder = tmp_path / "site"
    monkeypatch.setattr(docs_site, "SITE_FOLDERS", (tmp_path / "wheel", folder))
    (tmp_path / "secret.html").write_text("secret")
    return folder


def built(site: Path) -> None:
    """Build a site of two pages."""
    (site / "rules").mkdir(parents=True)
    (site / "index.html").write_text("<title>Start</title>")
    (site / "rules" / "regicide.en.html").write_text("<title>Rules</title>")


def test_without_a_site(site: Path, http: FlaskClient):
    """The contract is what there is."""
    answer = http.get("/docs")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/docs/contract")
    assert http.get("/docs/contract").mimetype == "text/html"
    assert http.get("/docs/").get_json()["code"] == "not_found"


def test_with_a_site(site: Path, http: FlaskClient):
    """Its start, its pages, and the contract beside them."""
    built(site)
    answer = http.get("/docs")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/docs/")
    assert http.get("/docs/").text == "<title>Start</title>"
    page = http.get("/docs/rules/regicide.en.html")
    assert (page.mimetype, page.text) == ("text/html", "<title>Rules</title>")
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"]
    assert http.get("/docs/", headers={"If-None-Match": http.get("/docs/").headers["ETag"]}).status_code == 304
    assert "SwaggerUIBundle" in http.get("/docs/start_swagger_ui.js").text


@pytest.mark.parametrize("path", ["../secret.html", "%2e%2e/secret.html", "rules", "rules/", "nope.html", "rules/%00"])
def test_nothing_else_is_sent(site: Path, http: FlaskClient, path: str):
    """Only files within the site."""
    built(site)

    assert http.get(f"/docs/{path}", headers={"Accept": "application/json"}).get_json()["code"] == "not_found"
