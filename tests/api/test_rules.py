"""The rules as text, in the reader's language."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.resources.html_pages import rules_document
from api.resources.rulesets import rules_of
from tests.rulesets import PlainRace as Race


@pytest.mark.parametrize("name", ["regicide", "gridcannon"])
@pytest.mark.parametrize(
    ("wanted", "language", "word"),
    [
        (None, "en", "turn"),
        ("es", "es", "turno"),
        ("es-MX, en;q=0.5", "es", "turno"),
        ("fr", "en", "turn"),  # there is no French: English
        ("en, es;q=0.1", "en", "turn"),
    ],
)
def test_rules_come_in_the_language_asked_for(
    http: FlaskClient, name: str, wanted: str | None, language: str, word: str
) -> None:
    """``Accept-Language`` chooses between English and Spanish."""
    response = http.get(f"/v1/rulesets/{name}/rules", headers={"Accept-Language": wanted} if wanted else {})

    assert response.status_code == 200
    assert response.content_type == "text/markdown; charset=utf-8"
    assert response.headers["Content-Language"] == language
    assert "Accept-Language" in response.vary
    assert response.text.startswith("# ")
    assert word in response.text.split()


@pytest.mark.parametrize(
    ("wanted", "texts", "language", "beginning"),
    [
        ("en", {}, "en", "# Race\n\nBe on turn when the goal is reached."),  # no text: what the code says
        ("es", {}, "en", "# Race\n\nBe on turn when the goal is reached."),
        ("es", {"en": "# Running"}, "en", "# Running"),
        ("es", {"en": "# Running", "es": "# Correr"}, "es", "# Correr"),
        ("en", {"es": "# Correr"}, "en", "# Race"),
    ],
)
def test_rules_of_a_ruleset_with_few_texts(
    tmp_path: Path, wanted: str, texts: dict[str, str], language: str, beginning: str
) -> None:
    """English in place of what isn't there, and plain words in place of that; each is called what it is."""
    for name, text in texts.items():
        (tmp_path / f"rules.{name}.md").write_text(text, "utf-8")

    text, told = rules_of(Race(), tmp_path, wanted)

    assert told == language
    assert text.startswith(beginning)


def test_rules_of_an_unknown_ruleset(http: FlaskClient) -> None:
    """A ruleset that doesn't exist has no rules."""
    response = http.get("/v1/rulesets/chess/rules")

    assert response.status_code == 404
    assert response.json is not None
    assert response.json["code"] == "no_such_ruleset"


@pytest.mark.parametrize(
    ("accept", "status", "media_type"),
    [
        ("text/markdown", 200, "text/markdown"),
        ("*/*", 200, "text/markdown"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200, "text/html"),  # a browser
        ("text/html;q=0.5, text/markdown", 200, "text/markdown"),
        ("text/html; charset=utf-8", 200, "text/html"),
        ("text/markdown;charset=utf-8", 200, "text/markdown"),
        ("application/json", 406, "application/problem+json"),
    ],
)
def test_rules_are_markdown_or_a_page(http: FlaskClient, accept: str, status: int, media_type: str) -> None:
    """Who wants something else hears that there is nothing else."""
    answer = http.get("/v1/rulesets/regicide/rules", headers={"Accept": accept})

    assert (answer.status_code, answer.mimetype) == (status, media_type)
    if status == 200:
        assert "Accept" in answer.vary


@pytest.mark.parametrize(
    ("name", "language", "heading"),
    [
        ("regicide", "en", "A turn, step by step"),
        ("regicide", "es", "Un turno, paso a paso"),
        ("gridcannon", "en", "A turn, step by step"),
        ("gridcannon", "es", "Un turno, paso a paso"),
    ],
)
def test_rules_as_a_page(http: FlaskClient, name: str, language: str, heading: str) -> None:
    """Headings, tables, a turn step by step and a drawing; it may load what is here and run no script written in it."""
    answer = http.get(f"/v1/rulesets/{name}/rules", headers={"Accept": "text/html", "Accept-Language": language})

    assert answer.headers["Content-Language"] == language
    assert f'<html lang="{language}">' in answer.text
    assert f"<h3>{heading}</h3>" in answer.text
    assert "<table>" in answer.text
    assert f'href="/learn?ruleset={name}"' in answer.text
    assert "default-src 'none'; script-src 'self'" in answer.headers["Content-Security-Policy"]
    loaded = re.findall(r'(?:src|href)="([^"]+)"', answer.text)
    assert any(link.endswith(".svg") and "/rules/" in link for link in loaded)
    for link in loaded:
        assert http.get(link).status_code == 200, link


def test_a_text_brings_no_markup_of_its_own() -> None:
    """A third game's rules are text, whatever is written in them; without lessons there is no link to any."""
    shown = rules_document("# A game\n\n<script>alert(1)</script>\n", "A game", "en")

    assert "<script>" not in shown
    assert shown.count("<script") == 1  # the page's own, from a file
    assert "&lt;script&gt;" in shown
    assert "/learn" not in shown


@pytest.mark.parametrize(("asked", "language"), [("es", "es"), ("en", "en")])
def test_the_language_of_a_link(http: FlaskClient, asked: str, language: str) -> None:
    """``?lang=es`` goes before ``Accept-Language``: a link is read by everybody in the language that it names."""
    answer = http.get(
        f"/v1/rulesets/regicide/rules?lang={asked}", headers={"Accept-Language": "fr, es;q=0.5, en;q=0.4"}
    )

    assert answer.headers["Content-Language"] == language


def test_a_language_that_is_not_spoken(http: FlaskClient) -> None:
    """Asked for in a link, it is refused."""
    assert http.get("/v1/rulesets/regicide/rules?lang=fr").status_code == 422
