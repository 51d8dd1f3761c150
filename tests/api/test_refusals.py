"""Every problem that a request can cause: its status, its code, its sentence, and that nothing has changed."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.problems.documents import PROBLEM_TYPES
from engines.table import table_json
from tests.api.games import ANA, OPEN, Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, QUIET, Json
from workers.storage.store import Store

Ask = Callable[[Game], TestResponse]


def refused(response: TestResponse, code: str, sentence: str) -> Json:
    """Return the problem, having checked that it is one, of *code*, with *sentence* in its detail."""
    body: Json = response.get_json()
    assert body["code"] == code, body
    assert response.status_code == body["status"] == PROBLEM_TYPES[code].status
    assert response.content_type == "application/problem+json"
    assert body["type"] == f"/problems/{code}"
    assert body["title"] == str(PROBLEM_TYPES[code].title)
    assert sentence in body["detail"]
    assert body["detail"].endswith((".", "?"))
    return body


def traces(store: Store, game_id: str) -> tuple[object, ...]:
    """Return all that is kept of a game."""
    return (
        table_json.dump(store.games.load(game_id)),
        [one.events for one in store.history.snapshots(game_id)],
        store.history.record(game_id),
    )


def a_stranger(game: Game) -> Game:
    """Return another game: its tokens are good, but not here."""
    return new_game(game.http, ANA, OPEN)


def post(path: str, holder: int | str | None, body: object) -> Ask:
    """Return what sends *body*."""
    return lambda game: game.ask("POST", path, holder, json=body)


def get(path: str, holder: int | str | None = None, **headers: str) -> Ask:
    """Return what reads."""
    return lambda game: game.ask("GET", path, holder, headers={k.replace("_", "-"): v for k, v in headers.items()})


RUNNING: list[tuple[str, str, Ask]] = [
    # 400
    ("malformed_json", "line 1", lambda g: g.ask("POST", "/actions", 0, data="{", content_type="application/json")),
    ("bad_card", "ZZ", post("/actions", 0, {"text": "play ZZ"})),
    ("bad_card", "", post("/actions", 0, {"type": "play", "cards": ["1H"]})),
    ("bad_action", "", post("/actions", 0, {"text": "dance"})),
    ("bad_action", "", post("/actions", 0, {"text": ""})),
    ("bad_action", "", post("/actions", 0, {"text": 5})),
    ("bad_action", "", post("/actions", 0, {"text": {"type": "yield"}})),
    ("bad_action", "", post("/actions", 0, {"text": "yield", "type": "yield"})),
    ("bad_action", "", post("/actions", 0, {})),
    ("bad_action", "", post("/actions", 0, {"type": "play", "cards": ["5S", "5S"]})),
    ("bad_action", "", post("/actions", 0, {"type": "play", "cards": 10**30})),
    # 401
    ("no_token", "Spectators may only watch", post("/actions", None, {"text": "yield"})),
    ("no_token", "Spectators", post("/actions?dry_run=true", None, {"text": "yield"})),
    ("no_token", "Spectators", post("/signals", None, {"signal": "eager"})),
    ("no_token", "Spectators", post("/start", None, {"level": "adept"})),
    ("no_token", "Spectators", post("/seats/0/handover", None, {"level": "adept"})),
    ("no_token", "Spectators", lambda g: g.ask("DELETE")),
    ("no_token", "Spectators", post("/hints", None, {})),
    ("unknown_token", "Nobody has this token", get("", Authorization="Bearer rs_nobody")),
    ("unknown_token", "Nobody", get("", Authorization="Bearer ")),
    ("unknown_token", "another scheme", get("", Authorization="Basic QW5hOmFuYQ==")),
    ("unknown_token", "Nobody", get("/events", Authorization="Bearer é")),
    ("unknown_token", "another scheme, or none", get("/actions", Authorization="rs_nobody")),
    # 403
    ("wrong_token", "host's token doesn't act", post("/actions", "host", {"text": "yield"})),
    ("wrong_token", "host's token", post("/signals", "host", {"signal": "eager"})),
    ("wrong_token", "host's token", post("/hints", "host", {})),
    ("wrong_token", "Only the host", post("/start", 0, {"level": "adept"})),
    ("wrong_token", "Only the host", lambda g: g.ask("DELETE", "", 1)),
    ("wrong_token", "another seat's", post("/seats/1/handover", 0, {"level": "adept"})),
    ("wrong_token", "another seat's", post("/seats/7/handover", 0, {"level": "adept"})),
    ("wrong_token", "another game", lambda g: a_stranger(g).ask("GET", "", 0, at=g.id)),
    ("wrong_token", "another game", lambda g: a_stranger(g).ask("GET", "/events", "host", at=g.id)),
    ("wrong_token", "another game", lambda g: a_stranger(g).ask("POST", "/actions", 0, at=g.id, data="{")),
    # 404
    ("no_such_game", "There is no game", lambda g: g.http.get("/v1/games/nothing")),
    ("no_such_game", "There is no game", lambda g: g.http.get("/v1/games/a:tokens")),
    ("no_such_game", "There is no game", lambda g: g.http.get("/v1/games/" + "a" * 2000)),
    ("no_such_game", "There is no game", lambda g: g.http.post("/v1/games/nothing/actions", data="{")),
    ("no_such_job", "no job", lambda g: g.http.get("/v1/jobs/nothing")),
    ("no_such_job", "no job", lambda g: g.http.delete("/v1/jobs/a:parts")),
    ("no_such_ruleset", "choose from", lambda g: g.http.get("/v1/rulesets/nothing")),
    ("not_found", "There is nothing", get("/nothing")),
    ("not_found", "There is nothing", get("/")),
    ("not_found", "There is nothing", lambda g: g.http.get(f"/v1//games/{g.id}")),
    ("not_found", "There is nothing", lambda g: g.http.get("/", environ_overrides={"PATH_INFO": "//v1/games"})),
    ("not_found", "There is nothing", lambda g: g.http.get("/v1/games/%2e%2e/x")),
    ("not_found", "There is nothing", post("/seats/-1/handover", "host", {"level": "adept"})),
    ("not_found", "There is nothing", post("/seats/" + "9" * 5000 + "/handover", "host", {"level": "adept"})),
    ("not_found", "seats 0 to 1", post("/seats/7/handover", "host", {"level": "adept"})),
    ("not_found", "no problem", lambda g: g.http.get("/problems/nothing")),
    # 405, 406, 413, 415
    ("method_not_allowed", "PATCH", lambda g: g.ask("PATCH", "", "host")),
    ("not_acceptable", "", get("", Accept="text/html")),
    ("not_acceptable", "", lambda g: g.ask("POST", "/actions", 0, json={"text": "yield"}, headers={"Accept": "a/b"})),
    ("content_too_large", "64 KB", post("/actions", 0, {"text": "x" * 65_536})),
    ("unsupported_media_type", "application/json", lambda g: g.ask("POST", "/actions", 0, data='{"text": "yield"}')),
    # 409
    ("not_your_turn", "", post("/actions", 1, {"text": "play 7C"})),
    ("not_your_turn", "", post("/actions?dry_run=true", 1, {"text": "play 7C"})),
    ("not_your_turn", "nothing for you to decide", post("/hints", 1, {})),
    ("already_started", "", post("/join", None, {"name": "Dora"})),
    ("already_started", "", post("/start", "host", {"level": "adept"})),
    ("still_running", "secret", get("/record")),
    # 412
    ("stale_version", "", lambda g: g.act(0, "play 5S", if_match='"7"')),
    ("stale_version", "", lambda g: g.act(0, "dance", if_match='"7"')),  # before what the action is
    # 422
    ("invalid", "body", post("/actions", 0, ["yield"])),
    ("invalid", "body", lambda g: g.ask("POST", "/actions", 0, data="null", content_type="application/json")),
    ("invalid", "body", post("/actions", 0, "yield")),
    ("invalid", "dry_run", post("/actions?dry_run=perhaps", 0, {"text": "yield"})),
    ("invalid", "Idempotency-Key", lambda g: g.act(0, "play 5S", idempotency_key="two words")),
    ("invalid", "Idempotency-Key", lambda g: g.act(0, "play 5S", idempotency_key="k" * 201)),
    ("invalid", "level", post("/seats/0/handover", 0, {"level": "genius"})),
    ("invalid", "level", post("/seats/0/handover", 0, {})),
    ("invalid", "level", post("/hints", 0, {"level": "genius"})),
    ("invalid", "seat", post("/hints", 0, {"seat": 1})),
    ("invalid", "signal", post("/signals", 0, {"signal": "maybe"})),
    ("invalid", "after", get("/events?after=x")),
    ("invalid", "after", get("/events?after=-2")),
    ("invalid", "after", get("/events?after=" + "9" * 30)),
    ("invalid", "limit", get("/events?limit=0")),
    ("invalid", "until", get("/events?until=3")),
    ("invalid", "limit", get("/events?limit=1&limit=2")),  # which one?
    ("invalid", "dry_run", post("/actions?dry_run=true&dry_run=true", 0, {"text": "yield"})),
    ("invalid", "dry_run", get("/actions?dry_run=true")),  # nothing here reads it
    ("invalid", "dry_run", post("/join?dry_run=true", None, {"name": "Dora"})),
    ("invalid", "level", post("/start?level=adept", "host", {"level": "adept"})),
    (
        "invalid",
        "dry_run",
        lambda g: g.http.post("/v1/games?dry_run=true", json={"ruleset": "regicide", "seats": [ANA]}),
    ),
    ("invalid", "language", lambda g: g.http.get("/v1/rulesets/regicide/rules?language=es")),
    ("illegal_action", "", post("/actions", 0, {"text": "play 7C"})),
    ("illegal_action", "", post("/actions?dry_run=true", 0, {"text": "play 5S 6D"})),
    ("illegal_action", "signal", post("/signals", 1, {"signal": "eager"})),
]


@pytest.mark.parametrize(("code", "sentence", "ask"), RUNNING, ids=[f"{n}-{row[0]}" for n, row in enumerate(RUNNING)])
def test_a_refusal_of_a_running_game(game: Game, store: Store, code: str, sentence: str, ask: Ask):
    """Says which one it is, in words too, and changes nothing."""
    before = traces(store, game.id)

    refused(ask(game), code, sentence)

    assert before == traces(store, game.id)


WAITING: list[tuple[str, str, Ask]] = [
    ("not_started", "waits for players", post("/actions", 0, {"text": "yield"})),
    ("not_started", "waits for players", post("/actions?dry_run=true", 0, {"text": "yield"})),
    ("not_started", "waits for players", post("/actions", 0, {"text": "dance"})),  # before what the action is
    ("not_started", "waits for players", post("/signals", 0, {"signal": "eager"})),
    ("not_started", "waits for players", post("/seats/0/handover", 0, {"level": "adept"})),
    ("not_started", "waits for players", post("/hints", 0, {})),
    ("seat_taken", "Ana sits there", post("/join", None, {"name": "Dora", "seat": 0})),
    ("not_found", "seats 0 to 1", post("/join", None, {"name": "Dora", "seat": 2})),
    ("not_found", "seats 0 to 1", post("/join", None, {"name": "Dora", "seat": 2**53 - 1})),
    ("invalid", "seat", post("/join", None, {"name": "Dora", "seat": -1})),
    ("invalid", "seat", post("/join", None, {"name": "Dora", "seat": "1"})),
    ("invalid", "seat", post("/join", None, {"name": "Dora", "seat": True})),
    ("invalid", "seat", post("/join", None, {"name": "Dora", "seat": 10**30})),
    ("invalid", "name", post("/join", None, {})),
    ("invalid", "name", post("/join", None, {"name": ""})),
    ("invalid", "name", post("/join", None, {"name": "   "})),
    ("invalid", "name", post("/join", None, {"name": "a\nb"})),
    ("invalid", "name", post("/join", None, {"name": "\u202eevil"})),
    ("invalid", "name", post("/join", None, {"name": "a" * 41})),
    ("invalid", "name", post("/join", None, {"name": 5})),
    ("invalid", "client_seed", post("/join", None, {"name": "Dora", "client_seed": "s" * 201})),
    ("invalid", "colour", post("/join", None, {"name": "Dora", "colour": "red"})),
    ("invalid", "level", post("/start", "host", {"level": 1})),
    ("unknown_token", "", lambda g: g.ask("POST", "/join", json={"name": "D"}, headers={"Authorization": "Bearer x"})),
    ("wrong_token", "", lambda g: a_stranger(g).ask("POST", "/join", 0, at=g.id, json={"name": "D"})),
    ("still_running", "secret", get("/record", "host")),
]


@pytest.mark.parametrize(("code", "sentence", "ask"), WAITING, ids=[f"{n}-{row[0]}" for n, row in enumerate(WAITING)])
def test_a_refusal_of_a_waiting_game(http: FlaskClient, store: Store, code: str, sentence: str, ask: Ask):
    """Says which one it is, in words too, and changes nothing."""
    game = new_game(http, ANA, OPEN)
    before = traces(store, game.id)

    refused(ask(game), code, sentence)

    assert before == traces(store, game.id)


ENDED: list[tuple[str, Ask]] = [
    ("game_over", post("/actions", 0, {"text": "yield"})),
    ("game_over", post("/actions", 1, {"text": "dance"})),  # before what the action is
    ("game_over", post("/actions?dry_run=true", 0, {"text": "yield"})),
    ("game_over", post("/signals", 0, {"signal": "eager"})),
    ("game_over", post("/hints", 0, {})),
    ("game_over", post("/join", None, {"name": "Dora"})),
    ("game_over", post("/start", "host", {"level": "adept"})),
    ("game_over", post("/seats/0/handover", 0, {"level": "adept"})),
    ("game_over", lambda g: g.ask("DELETE", "", "host")),
]


@pytest.mark.parametrize(("code", "ask"), ENDED, ids=[str(number) for number in range(len(ENDED))])
@pytest.mark.parametrize("end", ["won", "abandoned"])
def test_a_refusal_of_an_ended_game(http: FlaskClient, store: Store, end: str, code: str, ask: Ask):
    """Whatever the end was, nothing comes after it."""
    game = new_game(http, position=LAST_BLOW)
    plain(game.act(0, "play 5C") if end == "won" else game.ask("DELETE", "", "host"))
    before = traces(store, game.id)

    refused(ask(game), code, "ended")

    assert before == traces(store, game.id)


CREATION: list[tuple[str, str, Json]] = [
    ("invalid", "ruleset", {"ruleset": "chess"}),
    ("invalid", "ruleset", {"ruleset": None}),
    ("invalid", "seats", {"seats": []}),
    ("invalid", "seats", {"seats": [ANA] * 5}),
    ("invalid", "seats", {"ruleset": "gridcannon", "seats": [ANA] * 3}),
    ("invalid", "seats", {"seats": "two"}),
    ("invalid", "seats.0", {"seats": [7]}),
    ("invalid", "seats.0.kind", {"seats": [{"kind": "cat"}]}),
    ("invalid", "seats.0.level", {"seats": [{"kind": "ai"}]}),
    ("invalid", "seats.0.level", {"seats": [{"kind": "ai", "level": "genius"}]}),
    ("invalid", "seats.0.level", {"seats": [{"kind": "human", "level": "adept"}]}),
    ("invalid", "seats.1.name", {"seats": [ANA, {"kind": "open", "name": "Ben"}]}),
    ("invalid", "seats.0.name", {"seats": [{"kind": "human", "name": "\x00"}]}),
    ("invalid", "seats.0.hat", {"seats": [{"kind": "human", "hat": "red"}]}),
    ("bad_options", "colour", {"options": {"colour": "red"}}),
    ("bad_options", "first_seat", {"options": {"first_seat": 9}}),
    ("bad_options", "owls", {"ruleset": "gridcannon", "seats": [{**ANA, "family": "owls"}, OPEN]}),
    ("invalid", "options", {"options": None}),
    ("invalid", "options", {"options": [1]}),
    ("invalid", "private", {"private": "yes"}),
    ("invalid", "private", {"private": 1}),
    ("invalid", "turn_seconds", {"turn_seconds": 0}),
    ("invalid", "turn_seconds", {"turn_seconds": 86_401}),
    ("invalid", "turn_seconds", {"turn_seconds": 1.5}),
    ("invalid", "turn_seconds", {"turn_seconds": "60"}),
    ("invalid", "client_seed", {"client_seed": 5}),
    ("invalid", "client_seed", {"client_seed": "s", "seats": [OPEN]}),
    ("invalid", "position", {"position": "JH"}),
    ("invalid", "colour", {"colour": "red"}),
    ("bad_position", "", {"position": {}}),
    ("bad_position", "2 players", {"position": QUIET, "seats": [ANA]}),
    ("bad_position", "phase", {"position": {**QUIET, "phase": "dance"}}),
    ("bad_card", "ZZ", {"position": {**QUIET, "tavern": ["ZZ"]}}),
]


@pytest.mark.parametrize(
    ("code", "field", "wishes"), CREATION, ids=[f"{number}-{row[1]}" for number, row in enumerate(CREATION)]
)
def test_a_game_that_cannot_be_set_up(http: FlaskClient, code: str, field: str, wishes: Json):
    """The problem names the field, and no game is there."""
    body = {"ruleset": "regicide", "seats": [ANA, OPEN], **wishes}

    problem = refused(http.post("/v1/games", json=body), code, "" if code == "invalid" else field)

    assert code != "invalid" or field in problem["errors"], problem
    assert all(isinstance(message, str) for messages in problem.get("errors", {}).values() for message in messages)
    assert plain(http.get("/v1/games"))["games"] == []


def test_what_is_missing(http: FlaskClient):
    """A field that must be there is named."""
    problem = refused(http.post("/v1/games", json={}), "invalid", "ruleset")

    assert set(problem["errors"]) == {"ruleset", "seats"}


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("limit", "limit=0"),
        ("limit", "limit=101"),
        ("limit", "limit=ten"),
        ("limit", "limit=1_0"),
        ("limit", "limit=%2B1"),
        ("status", "status=asleep"),
        ("ruleset", "ruleset=chess"),
        ("cursor", "cursor=%00"),
        ("cursor", "cursor=nonsense"),
        ("page", "page=2"),
    ],
)
def test_a_list_that_cannot_be_had(http: FlaskClient, field: str, query: str):
    """The problem names the part of the query."""
    problem = refused(http.get(f"/v1/games?{query}"), "invalid", field)

    assert list(problem["errors"]) == [field]


def test_the_headers_of_refusals(game: Game):
    """HTTP's own headers come with its statuses."""
    assert set(game.ask("PATCH").headers["Allow"].split(", ")) >= {"GET", "DELETE"}
    assert game.act(None, "yield").headers["WWW-Authenticate"] == 'Bearer realm="regicide"'
    unknown = game.ask("GET", headers={"Authorization": "Bearer x"})
    assert unknown.headers["WWW-Authenticate"] == 'Bearer realm="regicide", error="invalid_token"'


def test_members_of_refusals(game: Game):
    """A stale version comes with the current one, a forbidden action with its ruling."""
    assert game.act(0, "play 5S", if_match='"7"').get_json()["version"] == 0
    assert game.act(0, "play 5S 6D").get_json()["rule"] == "R3"
    assert game.ask("POST", "/signals", 1, json={"signal": "eager"}).get_json()["rule"] == "R22"
