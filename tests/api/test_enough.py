"""How much one address may have under way: games in which only AIs play, and arenas. Right after whatever happens."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.contract.requests import MAX_SEATS
from engines.core.types import Json
from tests.api.games import ANA, BEN, OPEN, plain
from tests.workers.stores import work_off
from workers.background import job_base
from workers.settings import Settings
from workers.storage import concurrent_work_limits
from workers.storage.fair_queues import AI_ONLY_QUEUE, ARENA_QUEUE
from workers.storage.store import Store

NOVICE = {"kind": "ai", "level": "novice"}
HOME, AWAY = "192.0.2.1", "198.51.100.7"
ARENAS = {"ruleset": "regicide", "seats": ["novice"], "games": 2}
Limited = Callable[..., FlaskClient]


@pytest.fixture(autouse=True)
def working(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs run in this process."""
    monkeypatch.setattr(job_base, "process_store", lambda: store)


@pytest.fixture
def limited(settings: Settings, store: Store) -> Limited:
    """Give a maker of servers with limits."""
    return lambda **limits: create_app(replace(settings, **limits), store).test_client(use_cookies=False)


def ask(http: FlaskClient, path: str, body: Json | None = None, address: str = HOME, **headers: str) -> TestResponse:
    """Post from an address."""
    return http.post(path, json=body, headers=headers, environ_overrides={"REMOTE_ADDR": address})


def create(http: FlaskClient, *seats: Json, address: str = HOME, **headers: str) -> TestResponse:
    """Set up a game of Regicide; of two novices, if nobody says otherwise."""
    body = {"ruleset": "regicide", "seats": list(seats or (NOVICE, NOVICE))}
    return ask(http, "/v1/games", body, address, **headers)


def assert_too_many(answer: TestResponse, code: str = "too_many_games") -> None:
    """It is refused, with everything that is needed to go on."""
    problem = answer.get_json()
    assert (answer.status_code, problem["code"]) == (429, code)
    assert answer.headers["Retry-After"] == str(problem["retry_after"])


def test_games_of_ais_alone(limited: Limited, store: Store):
    """So many for an address, until one has ended, by itself or given up; whoever plays themself, and others, may."""
    http = limited(limit_ai_games=2)
    first, _ = (plain(create(http)) for _ in range(2))

    assert_too_many(create(http))
    assert create(http, ANA, NOVICE).status_code == create(http, NOVICE, OPEN).status_code == 201
    assert create(http, address=AWAY).status_code == 201
    bearer = {"Authorization": f"Bearer {first['host_token']}"}
    assert http.delete(f"/v1/games/{first['id']}", headers=bearer).status_code == 200
    assert create(http).status_code == 201
    assert_too_many(create(http))
    work_off(store, AI_ONLY_QUEUE)
    assert [create(http).status_code for _ in range(3)] == [201, 201, 429]


def test_they_are_counted_however_they_came_about(limited: Limited, store: Store):
    """Whoever hands the last seat over, or starts with AIs alone, asks for the same; nothing has changed then."""
    http = limited(limit_ai_games=1)
    mine = plain(create(http, ANA, NOVICE))
    waits = plain(create(http, NOVICE, OPEN))
    plain(create(http))

    def hand_over() -> TestResponse:
        bearer = f"Bearer {mine['tokens']['0']}"
        return ask(http, f"/v1/games/{mine['id']}/seats/0/handover", {"level": "novice"}, Authorization=bearer)

    def start() -> TestResponse:
        bearer = f"Bearer {waits['host_token']}"
        return ask(http, f"/v1/games/{waits['id']}/start", {"level": "novice"}, Authorization=bearer)

    assert_too_many(hand_over())
    assert_too_many(start())
    assert store.games.load(mine["id"]).seats[0].kind == "human"
    assert store.games.load(waits["id"]).status == "waiting"
    work_off(store, AI_ONLY_QUEUE)
    assert hand_over().status_code == 200
    assert_too_many(start())


def test_a_person_who_leaves_makes_no_room(limited: Limited, store: Store):
    """The last of two to hand over is the one who is counted, by their own address, and once.

    A table with a person who never plays stands still at their turn; one whose people all leave would not.
    """
    http = limited(limit_ai_games=1)
    one, other = (plain(create(http, ANA, BEN)) for _ in range(2))

    def leave(game: Json, seat: int, address: str = HOME) -> TestResponse:
        path, bearer = f"/v1/games/{game['id']}/seats/{seat}/handover", f"Bearer {game['tokens'][str(seat)]}"
        return ask(http, path, {"level": "novice"}, address, Authorization=bearer)

    assert [leave(game, 0).status_code for game in (one, other)] == [200, 200]
    assert leave(one, 1).status_code == 200
    version = store.games.load(other["id"]).version
    assert_too_many(leave(other, 1))
    assert store.games.load(other["id"]).version == version
    assert leave(one, 1).status_code == 200  # to another AI: it is counted already
    assert leave(other, 1, AWAY).status_code == 200
    assert_too_many(create(http, address=AWAY))


def test_a_repeated_request_is_no_second_game(limited: Limited):
    """Whoever has as many as may be is given the first answer again."""
    http, key = limited(limit_ai_games=1), {"Idempotency-Key": "a-key-that-nobody-else-has"}

    first, again = create(http, **key), create(http, **key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.get_json() == again.get_json()
    assert_too_many(create(http))


def test_many_at_once(limited: Limited, store: Store):
    """Over two processes: as many as may be get through, not one more."""
    servers = [limited(limit_ai_games=5) for _ in range(2)]

    with ThreadPoolExecutor(12) as crowd:
        codes = list(crowd.map(lambda number: create(servers[number % 2]).status_code, range(40)))

    assert (codes.count(201), codes.count(429)) == (5, 35)
    assert store.games.count() == 5


def test_who_dies_before_the_game_is_there_takes_no_place_for_ever(limited: Limited, store: Store):
    """What was counted, and never committed, counts for some seconds; so does nothing else that is lost."""
    http = limited(limit_ai_games=1)
    store.concurrent_work_limits.admit_game(concurrent_work_limits.client_hash(HOME), "0" * 20, 1)
    assert_too_many(create(http))

    clock: Any = store.now
    late = timedelta(seconds=concurrent_work_limits.START_TIMEOUT_SECONDS + 1)
    later = concurrent_work_limits.ConcurrentWorkLimits(store.redis, store.keys, lambda: clock() + late)
    later.admit_game(concurrent_work_limits.client_hash(HOME), "1" * 20, 1)  # does not raise


def test_arenas(limited: Limited, store: Store):
    """So many for an address, until one has ended or is cancelled."""
    http = limited(limit_arenas=2)
    first, _ = (ask(http, "/v1/arenas", ARENAS).get_json() for _ in range(2))

    assert_too_many(ask(http, "/v1/arenas", ARENAS), "too_many_jobs")
    assert ask(http, "/v1/arenas", ARENAS, AWAY).status_code == 202
    bearer = {"Authorization": f"Bearer {first['job_token']}"}
    assert http.delete(f"/v1/jobs/{first['id']}", headers=bearer).status_code == 200
    assert ask(http, "/v1/arenas", ARENAS).status_code == 202
    assert_too_many(ask(http, "/v1/arenas", ARENAS), "too_many_jobs")
    work_off(store, ARENA_QUEUE)
    assert [ask(http, "/v1/arenas", ARENAS).status_code for _ in range(3)] == [202, 202, 429]


def test_hints_of_one_game():
    """One for each seat is under way, another one cancels it: that is four at most, since no table has more seats."""
    assert MAX_SEATS <= 4


def test_any_number(limited: Limited):
    """0 means that."""
    http = limited(limit_ai_games=0, limit_arenas=0)

    assert {create(http).status_code for _ in range(25)} == {201}
    assert {ask(http, "/v1/arenas", ARENAS).status_code for _ in range(5)} == {202}


def test_whose_tables_take_turns(limited: Limited, store: Store):
    """Those of one address with those of others, whoever plays there, in the next game too; nobody is told."""
    http = limited()
    mine, more, theirs = (plain(create(http, ANA, NOVICE, address=address)) for address in (HOME, HOME, AWAY))
    bearer = {"Authorization": f"Bearer {mine['host_token']}"}
    http.delete(f"/v1/games/{mine['id']}", headers=bearer)
    after = plain(
        ask(http, f"/v1/games/{mine['id']}/next", address=AWAY, Authorization=f"Bearer {mine['tokens']['0']}")
    )

    groups = [store.games.load(game["id"]).group for game in (mine, more, after, theirs)]

    assert groups == [concurrent_work_limits.fairness_group(HOME)] * 3 + [concurrent_work_limits.fairness_group(AWAY)]
    assert len(set(groups)) == 2
    assert "group" not in http.get(f"/v1/games/{mine['id']}/record", headers=bearer).text


def test_whose_hints_take_turns(limited: Limited, store: Store):
    """Those of the address that asks, whoever set the table up; who asks again is told of the same job."""
    http = limited()
    mine, theirs = (plain(create(http, ANA, BEN)) for _ in range(2))

    def hint(game: Json, address: str) -> str:
        path, bearer = f"/v1/games/{game['id']}/hints", f"Bearer {game['tokens']['0']}"
        return str(ask(http, path, {"level": "novice"}, address, Authorization=bearer).get_json()["id"])

    jobs = [hint(mine, HOME), hint(theirs, AWAY), hint(mine, AWAY)]

    assert [store.tasks.load(job).group for job in jobs] == [
        concurrent_work_limits.fairness_group(address) for address in (HOME, AWAY, HOME)
    ]
    assert jobs[0] == jobs[2]


def test_an_address_is_not_kept(limited: Limited, store: Store):
    """What is counted is counted by a hash of it, and so are turns in line."""
    http = limited(limit_ai_games=2)
    plain(create(http))

    keys: Any = store.redis.keys("*")
    assert [key for key in keys if HOME.encode() in key and b":budget:" not in key] == []
