"""Around every request: ids, caching, the log."""

from time import monotonic

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from tests.api.games import ANA, OPEN, Game, new_game, plain
from workers.settings import READINESS_TTL_SECONDS
from workers.storage.store import Store

PATHS = ["/healthz", "/v1/rulesets", "/v1/games", "/nothing", "/v1/games/nothing", "/openapi.yaml"]


@pytest.mark.parametrize("path", PATHS)
def test_every_response_has_an_id(http: FlaskClient, path: str):
    """Ours, or the one that came with the request."""
    ours = [http.get(path).headers["X-Request-Id"] for _ in range(2)]

    assert ours[0] != ours[1]
    assert http.get(path, headers={"X-Request-Id": "trace-1.2:3_4"}).headers["X-Request-Id"] == "trace-1.2:3_4"


@pytest.mark.parametrize("sent", ["", "a b", "é", "x" * 129, "<script>", "a\tb"])
def test_an_insane_id(http: FlaskClient, sent: str):
    """Isn't repeated."""
    assert http.get("/healthz", headers={"X-Request-Id": sent}).headers["X-Request-Id"] != sent


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("GET", "/actions"), ("GET", "/events"), ("GET", "/record"), ("POST", "/actions"), ("DELETE", "")],
)
@pytest.mark.parametrize("holder", [None, 0])
def test_what_depends_on_the_bearer(game: Game, method: str, path: str, holder: int | None):
    """Says so, refusals too."""
    response = game.ask(method, path, holder, json={"text": "play 5S"} if method == "POST" else None)

    assert response.headers["Vary"] == "Authorization, Accept-Language"
    assert response.headers["Cache-Control"] == "private, no-store"


def test_not_modified_depends_too(game: Game):
    """A 304 has the headers that a 200 would have."""
    response = game.ask("GET", "", 0, headers={"If-None-Match": '"0"'})

    assert response.status_code == 304
    assert response.headers["Vary"] == "Authorization, Accept-Language"
    assert response.headers["Cache-Control"] == "private, no-store"


def test_no_proxy_is_believed(http: FlaskClient):
    """What claims to come through one changes nothing."""
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil"}

    response = http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA, OPEN]}, headers=headers)

    assert "evil" not in str(response.headers) + response.text


def test_a_line_in_the_log(game: Game):
    """Says what was asked, of which game, and how it went."""
    with capture_logs() as lines:
        game.ask("GET", "/events", 0, headers={"X-Request-Id": "r-1"})

    [line] = [line for line in lines if line["event"] == "request"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/v1/games/<game_id>/events", 200)
    assert line["game_id"] == game.id
    assert line["ms"] >= 0


def test_the_log_keeps_secrets(http: FlaskClient):
    """Neither a token nor a card is ever in it, wherever a client put it."""
    with capture_logs() as lines:
        game = new_game(http, ANA)
        cards = game.look(0)["view"]["hands"][0]
        plain(game.act(0, f"play {cards[0]}"))
        game.act(0, f"play {cards[0]} {cards[1]}")
        http.get(f"/v1/games/{game.token(0)}")
        http.get(f"/{game.token(0)}")
        http.get("/v1/games", query_string={"cursor": game.token(0)})
        game.ask("GET", headers={"Authorization": game.token(0)})

    # A request's id, a game's id and a duration are made of characters that cards are made of too.
    logged = " ".join(
        str(value) for line in lines for key, value in line.items() if key not in ("request_id", "game_id")
    )
    assert len(lines) >= 8
    assert game.token(0) not in logged
    assert not set(cards) & set(logged.replace("/", " ").split())


def test_head_and_options(game: Game):
    """Come with the reading of a game."""
    assert game.ask("HEAD", "", 0).headers["ETag"] == '"0"'
    assert set(game.ask("OPTIONS").headers["Allow"].split(", ")) == {"DELETE", "GET", "HEAD", "OPTIONS"}


def test_alive(http: FlaskClient):
    """The web server says so by itself."""
    assert plain(http.get("/healthz")) == {"status": "ok"}


def test_not_ready_without_a_worker(http: FlaskClient):
    """Nobody would move for the AIs."""
    response = http.get("/readyz")

    assert (response.status_code, response.get_json()["code"]) == (503, "no_worker")
    assert response.headers["Retry-After"] == "5"


def test_who_asks_all_the_time_costs_the_store_a_look_now_and_then(http: FlaskClient, store: Store):
    """Each look writes, and waits for the disk; and anybody may ask, without a budget."""
    began, before = monotonic(), written(store)

    assert {http.get("/readyz").status_code for _ in range(300)} == {503}

    assert written(store) - before <= 1 + (monotonic() - began) / READINESS_TTL_SECONDS


def written(store: Store) -> int:
    """Return how many values the store has been given."""
    return int(store.redis.info("commandstats").get("cmdstat_set", {"calls": 0})["calls"])


def test_the_rulesets(http: FlaskClient):
    """What there is to know before a game."""
    shown = plain(http.get("/v1/rulesets/regicide"))

    assert shown in plain(http.get("/v1/rulesets"))["rulesets"]
    assert shown["players"] == [1, 2, 3, 4]
    assert shown["options"]["type"] == "object"
    assert {"novice", "adept"} <= set(shown["levels"])
    assert "play" in shown["actions"]


def test_a_wrong_method_is_said_before_a_wrong_accept(http: FlaskClient):
    """Nothing that could be accepted would help."""
    response = http.put("/v1/games", headers={"Accept": "image/png"})

    assert (response.status_code, response.get_json()["code"]) == (405, "method_not_allowed")
