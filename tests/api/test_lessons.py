"""Lessons over HTTP: in the reader's language, and each can be played as a game from its position."""

import pytest
from flask.testing import FlaskClient

from engines import RULESETS

NAMES = [(name, place) for name, ruleset in RULESETS.items() for place in range(len(ruleset.lessons))]


@pytest.mark.parametrize(("name", "place"), NAMES)
def test_a_lesson_is_played_as_a_game(http: FlaskClient, name: str, place: int) -> None:
    """From its position, seat 0 is a person's; each action of the solution is accepted."""
    lesson = http.get(f"/v1/rulesets/{name}/lessons").get_json()["lessons"][place]
    others = [{"kind": "ai", "level": "novice"}] * (lesson["position"]["players"] - 1)
    body = {"ruleset": name, "seats": [{"kind": "human"}, *others], "position": lesson["position"], "private": True}
    game = http.post("/v1/games", json=body).get_json()
    for text in lesson["solution"]:
        headers = {"Authorization": f"Bearer {game['tokens']['0']}"}
        answer = http.post(f"/v1/games/{game['id']}/actions", json={"text": text}, headers=headers)
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("language", "title"), [("en", "A whole turn"), ("es", "Un turno completo")])
def test_lessons_come_in_the_language_asked_for(http: FlaskClient, language: str, title: str) -> None:
    """Sentences, that is; positions and actions are written alike in all."""
    answer = http.get("/v1/rulesets/regicide/lessons", headers={"Accept-Language": language})
    assert answer.headers["Content-Language"] == language
    assert answer.get_json()["lessons"][0]["title"] == title


def test_there_are_none_of_an_unknown_ruleset(http: FlaskClient) -> None:
    """As of its rules."""
    assert http.get("/v1/rulesets/chess/lessons").status_code == 404
