"""The rules as text, in the reader's language."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.resources.rulesets import rules_of
from examples.race.ruleset import Race


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


@pytest.mark.parametrize(("accept", "status"), [("text/markdown", 200), ("*/*", 200), ("application/json", 406)])
def test_rules_are_markdown(http: FlaskClient, accept: str, status: int) -> None:
    """Who wants something else hears that there is nothing else."""
    assert http.get("/v1/rulesets/regicide/rules", headers={"Accept": accept}).status_code == status
