"""What HTTP itself asks of every resource: methods, media types, sizes, HEAD and OPTIONS."""

import pytest
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from api.app import create_app
from tests.api.games import ANA, OPEN, Game, new_game
from tests.api.puzzles import QUIET
from workers.settings import Settings
from workers.storage.store import Store

METHODS = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
PLACES = {"seat": "0", "name": "regicide", "version": "0", "code": "invalid"}
"""What fills a path, beside a game's id."""


@pytest.fixture
def rules(settings: Settings, store: Store) -> list[Rule]:
    """Give every path of the contract, and its methods."""
    return [rule for rule in create_app(settings, store).url_map.iter_rules() if rule.rule.startswith("/v1/")]


def path(rule: Rule, game: Game) -> str:
    """Return a path of that rule."""
    places = {name: PLACES.get(name, game.id) for name in rule.arguments}
    built = rule.build(places)
    assert built is not None, f"what fills {rule.rule}?"
    return built[1]


def test_methods(game: Game, rules: list[Rule]):
    """405 says which there are; OPTIONS says the same."""
    for where in {path(rule, game) for rule in rules}:
        allowed = {method for rule in rules if path(rule, game) == where for method in rule.methods or ()}
        for method in METHODS - allowed:
            refused = game.http.open(where, method=method)
            assert (refused.status_code, set(refused.allow)) == (405, allowed), (method, where)
            assert method == "HEAD" or refused.get_json()["code"] == "method_not_allowed"
        assert set(game.http.options(where).allow) == allowed


def test_media_types_that_are_wanted(game: Game, rules: list[Rule]):
    """406 for whoever wants none that a resource has, whoever they are; nothing has happened."""
    for rule in rules:
        for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
            refused = game.http.open(path(rule, game), method=method, json={}, headers={"Accept": "image/png"})
            assert (refused.status_code, refused.get_json()["code"]) == (406, "not_acceptable"), rule
    assert game.look()["version"] == 0


@pytest.mark.parametrize(
    "accept",
    [
        "application/json",
        "application/json; charset=utf-8",
        "*/*",
        "application/*",
        "text/html, */*;q=0.1",
        "application/json;q=0.1, text/html",
    ],
)
def test_media_types_that_there_are(game: Game, accept: str):
    """Whoever takes JSON too gets it."""
    assert game.ask("GET", "", 0, headers={"Accept": accept}).content_type == "application/json"


@pytest.mark.parametrize(
    ("where", "holder"),
    [
        ("/v1/games", None),
        ("/v1/games/{}/join", None),
        ("/v1/games/{}/start", "host"),
        ("/v1/games/{}/seats/0/handover", 0),
        ("/v1/games/{}/actions", 0),
        ("/v1/games/{}/signals", 0),
    ],
)
@pytest.mark.parametrize(
    ("body", "media_type", "code"),
    [
        (b'{"a": 1}', "text/plain", "unsupported_media_type"),
        (b"a=1", "application/x-www-form-urlencoded", "unsupported_media_type"),
        (b"", None, "unsupported_media_type"),
        (b" " * 65_537, "application/json", "content_too_large"),
        (b"{", "application/json", "malformed_json"),
        (b"[]", "application/json", "invalid"),
        (b"null", "application/json; charset=utf-8", "invalid"),
    ],
)
def test_bodies(game: Game, where: str, holder: int | str | None, body: bytes, media_type: str | None, code: str):
    """Every resource that takes a body takes JSON objects of 64 KB, and nothing else."""
    headers = {} if holder is None else {"Authorization": f"Bearer {game.token(holder)}"}

    refused = game.http.post(where.format(game.id), data=body, content_type=media_type, headers=headers)

    problem = refused.get_json()
    assert problem["code"] == code, problem
    assert code != "invalid" or list(problem["errors"]) == ["body"]
    assert game.look()["version"] == 0


@pytest.mark.parametrize("where", ["", "/actions", "/events", "/record"])
def test_head(game: Game, where: str):
    """HEAD is GET without a body, refusals too."""
    get, head = game.ask("GET", where, 0), game.ask("HEAD", where, 0)

    assert head.data == b""
    assert head.status_code == get.status_code
    kept = ("Content-Type", "ETag", "Vary", "Cache-Control", "Content-Language")
    assert {name: head.headers.get(name) for name in kept} == {name: get.headers.get(name) for name in kept}


def test_what_depends_on_nobody(http: FlaskClient):
    """What is the same for everybody may be kept by everybody, as long as they ask whether it still is."""
    for where in ("/v1/games", "/v1/rulesets", "/v1/rulesets/regicide", "/problems/invalid", "/openapi.yaml"):
        answer = http.get(where)
        assert answer.headers["Cache-Control"] == "no-cache"
        assert "Authorization" not in answer.vary


def test_who_may_not_come_in_hears_nothing_else(http: FlaskClient):
    """Who somebody is goes before what they sent: a stranger doesn't learn what a game would say."""
    game, other = new_game(http, position=QUIET), new_game(http, ANA)
    sent = {"data": "{", "content_type": "text/plain"}

    codes = [
        game.ask("POST", "/actions", None, **sent).get_json()["code"],
        game.ask("POST", "/actions", "host", **sent).get_json()["code"],
        other.ask("POST", "/actions", 0, at=game.id, **sent).get_json()["code"],
        other.ask("POST", "/actions", 0, at="nothing", **sent).get_json()["code"],
    ]

    assert codes == ["no_token", "wrong_token", "wrong_token", "no_such_game"]


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/v1/game", "/v1/games"),
        ("/v1/games/g1/action", "/v1/games/{game_id}/actions"),
        ("/v1/games/g1/seats/0/hand-over", "/v1/games/{game_id}/seats/{seat}/handover"),
        ("/v1/rulesets/regicide/rule", "/v1/rulesets/{name}/rules"),
        ("/nowhere", "/openapi.yaml"),
        (f"/v1/{'x' * 5000}", "/openapi.yaml"),
    ],
)
def test_a_path_that_is_not_there_has_neighbours(http: FlaskClient, path: str, near: str):
    """What is meant is named."""
    answer = http.get(path)

    assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")
    assert near in answer.get_json()["detail"]


def test_a_method_that_is_not_there_names_the_others(http: FlaskClient):
    """As ``Allow`` does."""
    answer = http.put("/v1/games")

    assert answer.status_code == 405
    assert all(method in answer.get_json()["detail"] for method in ("PUT", "GET", "POST"))


@pytest.mark.parametrize("written", ["{}", "Token {}", "Basic {}", "Bearer{}"])
def test_a_token_needs_its_scheme(http: FlaskClient, rules: list[Rule], written: str):
    """Whatever is asked of a game or a job, by any method: a token that isn't sent as a bearer token is none."""
    game = new_game(http, ANA, OPEN)
    for rule in (rule for rule in rules if {"game_id", "job_id"} & rule.arguments):
        for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
            for holder in (0, "host"):
                headers = {"Authorization": written.format(game.token(holder))}
                refused = http.open(path(rule, game), method=method, json={"name": "Ben"}, headers=headers)
                assert (refused.status_code, refused.get_json()["code"]) == (401, "unknown_token"), (method, rule)
                assert "Authorization: Bearer" in refused.get_json()["detail"]
    assert game.look()["version"] == 0


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_a_word_in_any_case(game: Game, scheme: str):
    """RFC 9110, 11.1."""
    assert game.ask("GET", headers={"Authorization": f"{scheme} {game.token(0)}"}).get_json()["you"] == 0
