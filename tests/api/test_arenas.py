"""Arenas over HTTP: asked for by anybody, looked at by whoever has the job's token."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.analysis.arena import Arena, play, result
from tests.api.games import Game, plain
from tests.api.test_jobs import job_store  # noqa: F401  a fixture
from tests.workers.stores import work_off
from workers.storage.fair_queues import ARENA_QUEUE
from workers.storage.store import Store

BODY: dict[str, Any] = {"ruleset": "gridcannon", "seats": ["adept", "novice"], "games": 2, "seed": "s"}


def begin(http: FlaskClient, **wishes: object) -> dict[str, Any]:
    """Start an arena, and return its job."""
    response = http.post("/v1/arenas", json={**BODY, **wishes})
    assert response.status_code == 202, response.text
    body: dict[str, Any] = response.get_json()
    assert response.headers["Location"] == f"/v1/jobs/{body['id']}"
    assert response.headers["Cache-Control"] == "private, no-store"
    return body


def look(http: FlaskClient, job: dict[str, Any], token: str | None = None, method: str = "GET") -> Any:
    """Ask for a job with its own token, or another."""
    headers = {"Authorization": f"Bearer {token or job['job_token']}"}
    return http.open(f"/v1/jobs/{job['id']}", method=method, headers=headers)


def test_an_arena(http: FlaskClient, store: Store):
    """202 and a job, whose result has rates with intervals."""
    begun = begin(http)
    work_off(store, ARENA_QUEUE)

    ended = plain(look(http, begun))

    arena = Arena("gridcannon", ("adept", "novice"), 2, ended["result"]["options"], "s")
    expected = result(arena, {number: game for number in (0, 1) if (game := play(arena, number))}, 0)
    assert begun == {**begun, "kind": "arena", "status": "queued", "progress": 0, "result": None, "problem": None}
    assert ended.keys() == begun.keys() - {"job_token"}
    assert (ended["status"], ended["progress"]) == ("finished", 1)
    assert {**ended["result"], "seconds": 0} == expected
    assert ended["result"]["options"] != {}


def test_a_seed_is_chosen_if_none_is_given(http: FlaskClient, store: Store):
    """And answered, so that the arena can be repeated."""
    jobs = [begin(http, seed=None, games=1) for _ in range(2)]
    work_off(store, ARENA_QUEUE)

    seeds = {plain(look(http, job))["result"]["seed"] for job in jobs}

    assert len(seeds) == 2
    assert all(len(seed) == 16 for seed in seeds)


def test_it_can_be_cancelled(http: FlaskClient, store: Store):
    """By its token alone: another arena's, or a seat's, is the wrong one."""
    begun, other = begin(http), begin(http)

    refused = [look(http, begun, other["job_token"], method) for method in ("GET", "DELETE")]
    cancelled = plain(look(http, begun, method="DELETE"))
    work_off(store, ARENA_QUEUE)

    assert [(answer.status_code, answer.get_json()["code"]) for answer in refused] == [(403, "wrong_token")] * 2
    assert plain(look(http, begun)) == cancelled
    assert cancelled["status"] == "cancelled"
    assert plain(look(http, other))["status"] == "finished"


def test_a_jobs_token_is_no_games(game: Game, http: FlaskClient):
    """It opens nothing else, and is nobody's invention: 403, as another game's."""
    token = begin(http)["job_token"]

    response = game.ask("GET", headers={"Authorization": f"Bearer {token}"})

    assert (response.status_code, response.get_json()["code"]) == (403, "wrong_token")
    assert "or to a job" in response.get_json()["detail"]


@pytest.mark.parametrize(
    ("field", "wishes"),
    [
        ("ruleset", {"ruleset": "chess"}),
        ("seats", {"seats": []}),
        ("seats", {"seats": ["adept"]}),
        ("seats", {"seats": ["adept"] * 3}),
        ("seats", {"seats": "adept"}),
        ("seats.1", {"seats": ["adept", "genius"]}),
        ("games", {"games": 0}),
        ("games", {"games": 1001}),
        ("games", {"games": "7"}),
        ("games", {"games": 1.5}),
        ("options", {"options": []}),
        ("seed", {"seed": "s" * 201}),
        ("seed", {"seed": 7}),
        ("colour", {"colour": "red"}),
    ],
)
def test_an_arena_that_cannot_be(http: FlaskClient, store: Store, field: str, wishes: dict[str, object]):
    """The problem names the field, and nothing is begun."""
    response = http.post("/v1/arenas", json={**BODY, **wishes})

    assert (response.status_code, response.get_json()["code"]) == (422, "invalid")
    assert list(response.get_json()["errors"]) == [field]
    assert [key for key in store.redis.scan_iter() if b":budget:" not in key] == []


def test_an_arena_of_options_that_there_are_not(http: FlaskClient, store: Store):
    """As for a game; nothing is begun."""
    response = http.post("/v1/arenas", json={**BODY, "options": {"colour": "red"}})

    assert (response.status_code, response.get_json()["code"]) == (400, "bad_options")
    assert "colour" in response.get_json()["detail"]
    assert [key for key in store.redis.scan_iter() if b":budget:" not in key] == []
