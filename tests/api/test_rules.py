"""The rules as text, in the reader's language."""

import pytest
from flask.testing import FlaskClient

from engines import RULESETS


@pytest.mark.parametrize("name", RULESETS)
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
