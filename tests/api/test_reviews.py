"""Reviews over HTTP: of a seat of an ended game, for whoever may ask; looked at by them alone."""

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engines.analysis.review import LOSS_BOUNDS
from tests.api.contract import ContractClient
from tests.api.games import Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, QUIET, Json, position
from tests.api.test_jobs import job_store  # noqa: F401  a fixture
from tests.workers.stores import work_off
from workers.storage.concurrent_work_limits import MAX_REVIEWS_PER_GAME
from workers.storage.fair_queues import REVIEW_QUEUE
from workers.storage.store import Store

BLUNDER = position([["2S", "5C"], ["7C"]], castle=[], enemy="KS", damage=31)
"""``play 5C`` wins; after ``play 2S`` the blow can't be covered (R14)."""


@pytest.fixture
def ended(http: FlaskClient) -> Game:
    """Give a public game that Ana has lost by her only decision."""
    game = new_game(http, position=BLUNDER)
    assert plain(game.act(0, "play 2S"))["events"][-1]["result"] == "lost"
    return game


def ask(game: Game, holder: int | str | None = 0, **wishes: object) -> TestResponse:
    """Ask for a review."""
    return game.ask("POST", "/reviews", holder, json={"level": "novice", **wishes})


def begun(response: TestResponse) -> Json:
    """Return the job of a review that was begun."""
    assert response.status_code == 202, response.text
    body: Json = response.get_json()
    assert response.headers["Location"] == f"/v1/jobs/{body['id']}"
    assert response.headers["Cache-Control"] == "private, no-store"
    return body


def look(game: Game, job: Json, token: str | None, method: str = "GET") -> TestResponse:
    """Ask for a job with a token, or none."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return game.http.open(f"/v1/jobs/{job['id']}", method=method, headers=headers)


def test_a_review(ended: Game, store: Store):
    """202 and a job with progress; then each decision of one's own seat, and what would have been better."""
    job = begun(ask(ended))
    work_off(store, REVIEW_QUEUE)

    shown = plain(look(ended, job, ended.token(0)))

    assert job == {**job, "kind": "review", "status": "queued", "progress": 0, "result": None, "problem": None}
    assert "job_token" not in job
    (decision,) = shown["result"].pop("decisions")
    assert shown == {**job, "status": "finished", "progress": 1, "ahead": None, "result": shown["result"]}
    assert shown["result"] == {"seat": 0, "level": "novice", "accuracy": 0.0}
    assert decision == {
        "version": 0,
        "text": "play 2S",
        "label": "Play 2♠",
        "best": "play 5C",
        "best_label": "Play 5♣",
        "chance": 0.0,
        "best_chance": 1.0,
        "loss": 1.0,
        "kind": "blunder",
        "why": decision["why"],
    }
    assert decision["why"].startswith("You play 5♣ for 5; the enemy takes 10: 0 left;")
    assert decision["why"].endswith("an estimated 100% to win if experts play on, against 0% for “Play 2♠”.")


def test_who_watched_says_which_seat(ended: Game, store: Store):
    """Without a token, for a public game: the job has one of its own. The host too, with the host's."""
    watched, hosted = begun(ask(ended, None, seat=0)), begun(ask(ended, "host", seat=0))
    work_off(store, REVIEW_QUEUE)

    seen = plain(look(ended, watched, watched["job_token"]))["result"]
    assert "job_token" not in hosted
    assert plain(look(ended, hosted, ended.token("host")))["result"] == seen
    assert seen["decisions"][0]["why"].startswith("Ana plays 5♣")


def test_the_seat_may_be_said(ended: Game):
    """One's own is the same job."""
    assert begun(ask(ended, seat=0)) == begun(ask(ended))
    assert begun(ask(ended, 1, seat=1))["id"] != begun(ask(ended))["id"]


@pytest.mark.parametrize(
    ("holder", "wishes", "status", "code"),
    [
        (0, {"seat": 1}, 403, "wrong_token"),  # another's seat
        (0, {"seat": 2}, 404, "not_found"),
        (None, {"seat": 2}, 404, "not_found"),
        ("host", {}, 422, "invalid"),  # which one?
        (None, {}, 422, "invalid"),
        (0, {"seat": -1}, 422, "invalid"),
        (0, {"seat": "0"}, 422, "invalid"),
        (0, {"level": "grandmaster"}, 422, "invalid"),
        (0, {"speed": 1}, 422, "invalid"),
    ],
)
def test_refused(ended: Game, holder: int | str | None, wishes: Json, status: int, code: str):
    """Nothing is begun."""
    response = ask(ended, holder, **wishes)

    assert (response.status_code, response.get_json()["code"]) == (status, code)


@pytest.mark.parametrize("holder", [0, "host", None])
def test_while_the_game_runs(game: Game, holder: int | str | None):
    """Else it would be a hint, and one from the future."""
    response = ask(game, holder, seat=0)

    assert (response.status_code, response.get_json()["code"]) == (409, "still_running")


def test_after_an_abandon(game: Game, store: Store):
    """What was decided before is reviewed."""
    plain(game.act(0, "play 5S"))
    plain(game.ask("DELETE", "", "host"))
    job = begun(ask(game))
    work_off(store, REVIEW_QUEUE)

    result = plain(look(game, job, game.token(0)))["result"]

    assert [(one["version"], one["text"]) for one in result["decisions"]] == [(0, "play 5S")]
    assert result["decisions"][0]["kind"] in [kind for kind, _ in LOSS_BOUNDS]


def test_a_private_game(http: FlaskClient):
    """It isn't there for whoever has no token of it; its seats review themselves."""
    game = new_game(http, position=LAST_BLOW, private=True)
    plain(game.act(0, "play 5C"))

    refused = [ask(game, None, seat=0), game.ask("POST", "/reviews", json={}, headers={"Authorization": "Bearer x"})]

    assert [(answer.status_code, answer.get_json()["code"]) for answer in refused] == [(404, "no_such_game")] * 2
    assert ask(game, 0).status_code == ask(game, "host", seat=1).status_code == 202


def test_tokens_of_others(ended: Game):
    """Another game's is 403, nobody's 401."""
    other = new_game(ended.http, position=QUIET).token(0)

    answers = [
        ended.ask("POST", "/reviews", json={}, headers={"Authorization": f"Bearer {token}"})
        for token in (other, "rs_nobody")
    ]

    assert [answer.get_json()["code"] for answer in answers] == ["wrong_token", "unknown_token"]


def test_a_review_is_its_creators_alone(ended: Game, store: Store):
    """Who has another token, a spectator's job's too, or none, neither sees nor cancels it."""
    job, watched = begun(ask(ended)), begun(ask(ended, None, seat=0))
    cases = [
        (job, ended.token(1), "wrong_token"),
        (job, watched["job_token"], "wrong_token"),
        (job, None, "no_token"),
        (watched, ended.token(0), "wrong_token"),
        (watched, ended.token("host"), "wrong_token"),
    ]

    for one, token, code in cases:
        for method in ("GET", "DELETE"):
            assert look(ended, one, token, method).get_json()["code"] == code

    assert plain(look(ended, job, ended.token(0), "DELETE"))["status"] == "cancelled"
    work_off(store, REVIEW_QUEUE)
    assert plain(look(ended, job, ended.token(0)))["status"] == "cancelled"
    assert plain(look(ended, watched, watched["job_token"]))["status"] == "finished"


def test_so_many_of_a_game(ended: Game, store: Store):
    """429 too_many_jobs until one has ended; another game has its own."""
    for _ in range(MAX_REVIEWS_PER_GAME):
        begun(ask(ended, None, seat=0))
    other = new_game(ended.http, position=LAST_BLOW)
    plain(other.act(0, "play 5C"))

    refused = ask(ended)

    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_jobs")
    assert refused.headers["Retry-After"] == "10"
    assert ask(other).status_code == 202
    work_off(store, REVIEW_QUEUE)
    assert ask(ended).status_code == 202


def test_nothing_that_lay_hidden_is_used(http: FlaskClient, store: Store):
    """Games that differ only in what seat 0 couldn't see have equal reviews of it."""
    hidden: list[Json] = [
        {"tavern": ["2C", "3C", "4D"], "hands": [QUIET["hands"][0], ["7C", "8S"]]},
        {"tavern": ["4D", "7C", "8S"], "hands": [QUIET["hands"][0], ["3C", "2C"]]},
    ]
    results = []
    for changes in hidden:
        game = new_game(http, position={**QUIET, **changes})
        plain(game.act(0, "play 5S"))
        plain(game.ask("DELETE", "", "host"))
        job = begun(ask(game, level="expert"))
        work_off(store, REVIEW_QUEUE)
        results.append(plain(look(game, job, game.token(0)))["result"])

    assert results[0] == results[1]
    assert results[0]["decisions"][0]["chance"] is not None


def test_it_costs_of_the_budget_of_jobs(ended: Game):
    """As hints and arenas do."""
    assert isinstance(ended.http, ContractClient)
    assert ask(ended).headers["RateLimit-Policy"].startswith('"jobs"')
