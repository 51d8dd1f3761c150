"""Which function answers: looked up once for a path, and the same each time it is asked for."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.games import ANA, BEN, new_game

NOT_THE_REQUEST = ("X-Request-Id", "RateLimit", "Date")


def told(answer: TestResponse) -> tuple[int, dict[str, str], bytes]:
    """Return what is told, but for what is each request's own."""
    headers = {name: value for name, value in answer.headers if name not in NOT_THE_REQUEST}
    return answer.status_code, headers, answer.data


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/rulesets", 200),
        ("HEAD", "/v1/rulesets", 200),
        ("OPTIONS", "/v1/rulesets", 200),
        ("PUT", "/v1/rulesets", 405),
        ("GET", "/v1/rulesets/", 404),
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/problems", 404),
        ("GET", "/problems/not_found", 200),
    ],
)
def test_a_path_is_answered_alike_each_time(http: FlaskClient, method: str, path: str, status: int):
    """Found or not, by this method or by none: before it is remembered, and after."""
    answers = [told(http.open(path, method=method)) for _ in range(3)]

    assert answers[0][0] == status
    assert answers[1:] == answers[:1] * 2


@pytest.mark.parametrize("path", ["//v1/rulesets", "///v1/rulesets", "//", "/v1//rulesets", "//v1/games/nothing"])
def test_no_slash_is_left_out(http: FlaskClient, path: str):
    """A path with another slash is another path. The client would take what follows two slashes for a host."""
    for _ in range(2):
        answer = http.get("/", environ_overrides={"PATH_INFO": path, "RAW_URI": path, "REQUEST_URI": path})
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


def test_one_path_may_be_read_and_written(http: FlaskClient):
    """A path that is remembered by one method is looked up by another."""
    path, token = f"/v1/games/{new_game(http, ANA, BEN).id}/actions", {"Authorization": "Bearer nobody"}

    statuses = [http.open(path, method=method, headers=token).status_code for method in ("GET", "POST", "PUT") * 2]

    assert statuses == [401, 401, 405] * 2


def test_games_are_told_apart(http: FlaskClient):
    """What is remembered of one game's path says nothing of another's."""
    games = [new_game(http, ANA, BEN) for _ in range(2)]

    for game in games * 2:
        assert http.get(f"/v1/games/{game.id}").get_json()["id"] == game.id


@pytest.mark.parametrize("host", ["a..b", "x" * 64])
def test_a_host_that_is_none_is_refused_each_time(http: FlaskClient, host: str):
    """What can't be a host isn't remembered as one."""
    sent = [http.get("/v1/rulesets", headers={"Host": host}) for _ in range(2)]
    fine = http.get("/v1/rulesets", headers={"Host": "example.org"})

    assert told(sent[0]) == told(sent[1])
    assert (sent[0].status_code, fine.status_code) == (400, 200)


def test_nothing_is_done_for_one_blueprint_alone(app: Flask):
    """A request is said to have no blueprints: so there may be nothing that depends on them."""
    kept = (
        *(app.before_request_funcs, app.after_request_funcs, app.teardown_request_funcs),
        *(app.url_value_preprocessors, app.error_handler_spec),
    )

    assert {name for functions in kept for name, found in functions.items() if found} <= {None}
