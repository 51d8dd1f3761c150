"""Jobs over HTTP: asked for, watched, cancelled, by whoever asked and nobody else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.games import Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, QUIET, Json
from tests.waiting import AGES, allowed
from tests.workers.stores import work_off
from workers.background import job_base
from workers.storage.store import Store


@pytest.fixture(autouse=True)
def job_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Let jobs that run in this process use the test's store."""
    monkeypatch.setattr(job_base, "process_store", lambda: store)
    return store


def ask(game: Game, seat: int = 0, **wishes: object) -> Json:
    """Ask for a hint, and return the job."""
    response = game.ask("POST", "/hints", seat, json=wishes)
    assert response.status_code == 202, response.text
    body: Json = response.get_json()
    assert response.headers["Location"] == f"/v1/jobs/{body['id']}"
    return body


def job(game: Game, path: str, method: str = "GET", token: str | None = None) -> TestResponse:
    """Ask for a job with a token, or none."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return game.http.open(f"/v1/jobs/{path}", method=method, headers=headers)


def test_a_hint(game: Game, store: Store):
    """202, Location, a job; then the ranked actions, each of them legal, and why."""
    begun = ask(game, level="adept")
    work_off(store)

    ended = plain(job(game, begun["id"], token=game.token(0)))

    assert begun == {**begun, "kind": "hint", "status": "queued", "progress": 0, "result": None, "problem": None}
    assert ended == {**begun, "status": "finished", "progress": 1, "ahead": None, "result": ended["result"]}
    legal = plain(game.ask("GET", "/actions", 0))["actions"]
    rated = [{name: entry[name] for name in legal[0]} for entry in ended["result"]["actions"]]
    assert sorted(rated, key=str) == sorted(legal, key=str)
    assert all(0 <= entry["value"] <= 1 and entry["visits"] >= 0 for entry in ended["result"]["actions"])
    assert ended["result"]["version"] == 0
    assert ended["result"]["why"].startswith("You play")


def test_how_many_wait_before_it(http: FlaskClient, store: Store):
    """Hints in their order, arenas as clients take turns; null once it is over."""
    games = [new_game(http, position=QUIET) for _ in range(3)]
    hints = [ask(game, level="adept") for game in games]
    arena = {"ruleset": "regicide", "seats": ["novice"], "games": 1}
    first, second = (http.post("/v1/arenas", json=arena).get_json() for _ in range(2))

    assert [hint["ahead"] for hint in hints] == [0, 1, 2]
    assert (first["ahead"], second["ahead"]) == (0, 1)
    games[0].ask("DELETE", "", "host")
    work_off(store)
    assert [
        plain(job(game, hint["id"], token=game.token(0)))["ahead"] for game, hint in zip(games, hints, strict=True)
    ] == [None] * 3


def test_a_hint_that_is_asked_for_again(game: Game):
    """The job that is under way; another level ends it."""
    first, again, other = (ask(game, level=level) for level in ("master", "master", "expert"))

    assert again == first
    assert other["id"] != first["id"]
    assert plain(job(game, first["id"], token=game.token(0)))["status"] == "cancelled"


def test_hints_that_are_there_are_found_again(http: FlaskClient, store: Store):
    """Each level's, also after another's; one that was cancelled isn't there."""
    game = new_game(http, position=LAST_BLOW)
    novice = ask(game, level="novice")
    work_off(store)
    adept = ask(game, level="adept")

    assert ask(game, level="novice")["id"] == novice["id"] != adept["id"]
    assert plain(job(game, adept["id"], token=game.token(0)))["status"] == "cancelled"
    again = ask(game, level="adept")
    work_off(store)
    assert again["id"] not in (novice["id"], adept["id"])
    assert [ask(game, level=level)["id"] for level in ("adept", "novice")] == [again["id"], novice["id"]]


def test_the_best_hint_wins(http: FlaskClient, store: Store):
    """R12: the last King falls."""
    game = new_game(http, position=LAST_BLOW)
    begun = ask(game, level="novice")
    work_off(store)

    best = plain(job(game, begun["id"], token=game.token(0)))["result"]["actions"][0]

    assert (best["text"], best["value"]) == ("play 5C", 1)


def test_a_hint_shows_nothing_of_what_the_seat_does_not_know(http: FlaskClient, store: Store):
    """Hints in games that differ only in what seat 0 can't see are the same but for their chances."""
    hidden: list[Json] = [
        {"tavern": ["2C", "3C", "4D"], "hands": [QUIET["hands"][0], ["7C", "8S"]]},
        {"tavern": ["4D", "7C", "8S"], "hands": [QUIET["hands"][0], ["3C", "2C"]]},
    ]
    texts = []
    for changes in hidden:
        game = new_game(http, position={**QUIET, **changes})
        begun = ask(game, level="adept")
        work_off(store)
        result = plain(job(game, begun["id"], token=game.token(0)))["result"]
        texts.append((result["actions"][0]["text"], result["why"].partition(": an estimated")[0]))

    assert texts[0] == texts[1]


Asked = Callable[[Game], str | None]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    ("token", "code"),
    [
        (lambda _: None, "no_token"),
        (lambda _: "rs_nobody", "unknown_token"),
        (lambda game: game.token(1), "wrong_token"),
        (lambda game: game.token("host"), "wrong_token"),
        (lambda game: new_game(game.http, position=QUIET).token(0), "wrong_token"),
    ],
)
def test_a_job_is_its_creators_alone(game: Game, method: str, token: Asked, code: str):
    """Others are refused, and change nothing."""
    begun = ask(game)

    response = job(game, begun["id"], method, token(game))

    assert (response.status_code, response.get_json()["code"]) == (403 if code == "wrong_token" else 401, code)
    assert plain(job(game, begun["id"], token=game.token(0)))["status"] == "queued"


def test_a_cancelled_job(game: Game, store: Store):
    """200 with the resource, again and again; it doesn't run."""
    begun = ask(game)

    cancelled = [plain(job(game, begun["id"], "DELETE", game.token(0))) for _ in range(2)]
    work_off(store)

    assert cancelled == [{**begun, "status": "cancelled", "ahead": None}] * 2
    assert plain(job(game, begun["id"], token=game.token(0))) == cancelled[0]


def test_a_hint_that_came_too_late(game: Game, store: Store):
    """The job has failed, with a problem like any other."""
    begun = ask(game)
    plain(game.act(0, "play 5S"))
    work_off(store)

    failed = plain(job(game, begun["id"], token=game.token(0)))

    assert failed["status"] == "failed"
    problem = failed["problem"]
    assert (problem["type"], problem["status"], problem["version"]) == ("/problems/stale_version", 412, 1)
    assert problem["title"]


def test_no_cache_keeps_a_job(game: Game):
    """It depends on the bearer, and changes."""
    answer = job(game, ask(game)["id"], token=game.token(0))

    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "Authorization" in answer.headers["Vary"]


def test_a_seat_that_is_an_ais_gets_no_hint(game: Game):
    """It was handed over: nobody decides there."""
    plain(game.ask("POST", "/seats/0/handover", 0, json={"level": "novice"}))

    response = game.ask("POST", "/hints", 0, json={})

    assert (response.status_code, response.get_json()["code"]) == (409, "not_your_turn")


def test_who_waits_for_a_job_hears_of_its_end(game: Game, store: Store):
    """At once, or when time is up: then it is shown as it stands."""
    begun, token = ask(game, level="adept"), game.token(0)
    began = monotonic()
    assert plain(job(game, f"{begun['id']}?wait=1", token=token))["status"] == "queued"
    assert 1 <= monotonic() - began < allowed(5)

    with ThreadPoolExecutor(1) as waiting:
        shown = waiting.submit(job, game, f"{begun['id']}?wait=25", "GET", token)
        work_off(store)
        assert plain(shown.result(timeout=AGES))["status"] == "finished"
    assert plain(job(game, f"{begun['id']}?wait=25", token=token))["status"] == "finished"


@pytest.mark.parametrize("wait", ["26", "-1", "soon"])
def test_nobody_waits_for_ever(game: Game, wait: str):
    """25 seconds at most."""
    assert job(game, f"{ask(game)['id']}?wait={wait}", token=game.token(0)).status_code == 422
