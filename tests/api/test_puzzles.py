"""Puzzles over HTTP: no response gives a later answer away, and a wrong answer is refuted."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from flask.testing import FlaskClient

from api.resources.puzzles import CLOCK
from engines import RULESETS
from engines.analysis.puzzles import Puzzle, judge, stored_puzzles
from tests.api.puzzles import position

PUZZLES = [puzzle for ruleset in RULESETS.values() for puzzle in stored_puzzles(ruleset)]
KINDS = {(puzzle.ruleset.name, puzzle.grade): puzzle for puzzle in PUZZLES}
SAMPLE = [KINDS[kind] for kind in sorted(KINDS)]
FIELDS = {"id", "ruleset", "grade", "seat", "position", "goal", "goal_text", "moves"}


def asked(puzzle: Puzzle) -> list[str]:
    """Return the answers."""
    return [step["text"] for step in puzzle.line if step["asked"]]


def answer(http: FlaskClient, puzzle: Puzzle, **body: object) -> Any:
    """Send answers."""
    return http.post(f"/v1/puzzles/{puzzle.id}/answers", json=body)


def test_puzzles_are_listed_without_their_answers(http: FlaskClient):
    """By ruleset and grade, as many as asked for."""
    listed = http.get("/v1/puzzles?limit=200").get_json()["puzzles"]
    assert listed
    for shown in listed:
        assert set(shown) == FIELDS
        assert http.get(f"/v1/puzzles/{shown['id']}").get_json() == shown
    chosen = http.get("/v1/puzzles?ruleset=regicide&grade=1&limit=1").get_json()["puzzles"]
    assert [(shown["ruleset"], shown["grade"]) for shown in chosen] == [("regicide", 1)]


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda puzzle: puzzle.id)
def test_a_line_ends_before_the_next_decision(http: FlaskClient, puzzle: Puzzle):
    """Each answer shows nothing beyond it; the last one shows the rest."""
    answers, places = asked(puzzle), [place for place, step in enumerate(puzzle.line) if step["asked"]]
    for number in range(1, len(answers) + 1):
        judged = answer(http, puzzle, actions=answers[:number]).get_json()
        end = places[number] if number < len(places) else len(puzzle.line)
        assert (judged["right"], judged["solved"]) == (True, number == len(answers))
        assert [step["text"] for step in judged["line"]] == [
            step["text"] for step in puzzle.line[places[number - 1] + 1 : end]
        ]
    assert answer(http, puzzle, actions=[*answers, answers[0]]).get_json()["code"] == "illegal_action"


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda puzzle: puzzle.id)
def test_a_wrong_answer_is_refuted(http: FlaskClient, puzzle: Puzzle):
    """The refutation is played from there, and misses the goal."""
    assert puzzle.ruleset.puzzles is not None
    start = puzzle.ruleset.load(puzzle.position)
    wrong = next(str(a) for a in puzzle.ruleset.puzzles.choices(start) if str(a) != asked(puzzle)[0])
    judged = answer(http, puzzle, actions=[{"text": wrong}]).get_json()
    assert (judged["right"], judged["solved"]) == (False, False)
    body = {"ruleset": puzzle.ruleset.name, "seats": [{"kind": "human"}] * start.players, "position": puzzle.position}
    game = http.post("/v1/games", json=body).get_json()
    played = [(puzzle.seat, wrong), *[(step["seat"], step["text"]) for step in judged["line"]]]
    outcome = None
    for seat, action in played:
        headers = {"Authorization": f"Bearer {game['tokens'][str(seat)]}"}
        acted = http.post(f"/v1/games/{game['id']}/actions", json={"text": action}, headers=headers)
        assert acted.status_code == 200, acted.text
        outcome = acted.get_json()["outcome"]
    assert (outcome or {}).get("result") != "won"


def test_whoever_gives_up_sees_the_solution(http: FlaskClient):
    """All of it, neither right nor solved."""
    judged = answer(http, PUZZLES[0], give_up=True).get_json()
    assert (judged["right"], judged["solved"]) == (False, False)
    assert [step["text"] for step in judged["line"]] == [step["text"] for step in PUZZLES[0].line]


@pytest.mark.parametrize(
    ("actions", "status", "code"),
    [
        (["play 1Z"], 400, "bad_card"),
        (["flip"], 422, "illegal_action"),
        (["dance"], 400, "bad_action"),
        ([], 422, "invalid"),
    ],
)
def test_answers_that_are_refused(http: FlaskClient, actions: list[str], status: int, code: str):
    """As actions are."""
    puzzle = next(puzzle for puzzle in PUZZLES if puzzle.ruleset.name == "regicide")
    refused = answer(http, puzzle, actions=actions)
    assert (refused.status_code, refused.get_json()["code"]) == (status, code)


def test_too_many_answers_are_refused_in_words(http: FlaskClient):
    """A list has entries, no characters."""
    refused = answer(http, PUZZLES[0], actions=["flip"] * 17).get_json()
    assert refused["errors"] == {"actions": ["Send at most 16 entries."]}


def test_an_unknown_puzzle_is_not_found(http: FlaskClient):
    """Nor are its answers."""
    assert http.get("/v1/puzzles/none").get_json()["code"] == "not_found"
    assert http.get("/puzzles/%C2%84").status_code == 404
    assert http.post("/v1/puzzles/none/answers", json={"give_up": True}).get_json()["code"] == "not_found"


def test_todays_puzzle_goes_by_the_date(http: FlaskClient, monkeypatch: pytest.MonkeyPatch):
    """The same all day, another one on most days."""
    seen = list[str]()
    for day, hour in [(1, 0), (1, 23), *[(day, 12) for day in range(2, 9)]]:
        monkeypatch.setitem(
            http.application.config, CLOCK, lambda day=day, hour=hour: datetime(2026, 12, day, hour, tzinfo=UTC)
        )
        shown = http.get("/v1/puzzles/today?ruleset=gridcannon").get_json()
        assert shown["ruleset"] == "gridcannon"
        seen.append(shown["id"])
    assert seen[0] == seen[1]
    assert len({*seen}) > 1


def test_goals_are_sentences_in_two_languages(http: FlaskClient):
    """By Accept-Language."""
    english, spanish = (
        http.get(f"/v1/puzzles/{PUZZLES[0].id}", headers={"Accept-Language": language}).get_json()["goal_text"]
        for language in ("en", "es")
    )
    assert english != spanish


def test_a_refutation_that_is_too_long_is_not_played(http: FlaskClient, monkeypatch: pytest.MonkeyPatch):
    """The answer is wrong all the same, and why nothing is shown is said."""
    puzzle = next(puzzle for puzzle in PUZZLES if puzzle.id == "regicide-20261126002-13")
    assert "note" not in answer(http, puzzle, actions=["yield"]).get_json()
    monkeypatch.setattr("api.resources.puzzles.judge", partial(judge, limit=2))

    judged = answer(http, puzzle, actions=["yield"]).get_json()

    assert judged == {"right": False, "solved": False, "line": [], "note": judged["note"]}
    assert "too long to show" in judged["note"]


def test_yesterdays_puzzle_was_todays(http: FlaskClient, monkeypatch: pytest.MonkeyPatch):
    """With its day; and over as many days as there are puzzles none comes twice."""
    seen = list[str]()
    for day in range(len(PUZZLES)):
        now = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(days=day)
        monkeypatch.setitem(http.application.config, CLOCK, lambda now=now: now)
        today, before = (http.get(f"/v1/puzzles/{name}").get_json() for name in ("today", "yesterday"))
        assert today["day"] == now.date().isoformat()
        assert not seen or before["id"] == seen[-1]
        seen.append(today["id"])
    assert {*seen} == {puzzle.id for puzzle in PUZZLES}


def test_one_healed_card_is_said_to_be_one():
    """The healed cards of the Tavern are counted, not named."""
    ruleset = RULESETS["regicide"]
    assert ruleset.puzzles is not None
    laid = ruleset.load(position([["5C"]], tavern=["2C", "3C", "4D"]))
    told = [ruleset.puzzles.known(laid, frozenset(hidden), str)[-1] for hidden in (["4D"], ["3C", "4D"])]
    assert [str(phrase) for phrase in told] == ["Below: 1 healed card, hidden.", "Below: 2 healed cards, hidden."]
