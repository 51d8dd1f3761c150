"""The codes that a route can answer are those that the contract lists: each is provoked, and the sets are compared."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.exceptions import (
    BadRequest,
    RequestHeaderFieldsTooLarge,
    RequestTimeout,
    RequestURITooLarge,
)
from werkzeug.test import TestResponse

from api.app import create_app
from api.problems.documents import MEDIA_TYPE
from api.problems.errors import REFUSAL_KEY, Overloaded
from engines import RULESETS
from engines.analysis.puzzles import stored_puzzles
from tests.api.contract import CONTRACT, resolved
from tests.api.games import ADEPT, ANA, BEN, OPEN, Game, new_game, plain
from tests.api.puzzles import CHOICE, QUIET, Json
from tests.event_loop import answered
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import Settings
from workers.storage.errors import InProgress
from workers.storage.keys import NOTICE
from workers.storage.store import Store, open_store

LISTED: dict[str, set[str]] = {
    said["operationId"]: {
        code
        for answer in said["responses"].values()
        for code in resolved(answer).get("content", {}).get(MEDIA_TYPE, {}).get("examples", {})
    }
    for item in CONTRACT["paths"].values()
    for verb, said in item.items()
    if verb != "parameters"
}
NOBODY = "0" * 20
"""An id that nothing has."""
HTTP_ITSELF = (BadRequest(), RequestTimeout(), RequestURITooLarge(), RequestHeaderFieldsTooLarge(), Overloaded())
ADEPTS = {"level": "adept"}
OPERATOR = "an-operator-s-secret-token"
PUZZLE = stored_puzzles(RULESETS["regicide"])[0].id


@dataclass(frozen=True)
class Request:
    """A good request of an operation; in a path ``*`` stands for a game, ``+`` for a job."""

    method: str
    path: str
    holder: int | str | None = None
    body: Json | None = None
    game: str = "running"


REQUESTS = {
    "listRulesets": Request("GET", "/v1/rulesets"),
    "getRuleset": Request("GET", "/v1/rulesets/regicide"),
    "getRules": Request("GET", "/v1/rulesets/regicide/rules"),
    "listLessons": Request("GET", "/v1/rulesets/regicide/lessons"),
    "commitToSeed": Request("POST", "/v1/commitments"),
    "createGame": Request("POST", "/v1/games", body={"ruleset": "regicide", "seats": [ANA]}),
    "listGames": Request("GET", "/v1/games"),
    "getGame": Request("GET", "/v1/games/*", 0),
    "abandonGame": Request("DELETE", "/v1/games/*", "host"),
    "getPastView": Request("GET", "/v1/games/*/views/0", 0),
    "getPosition": Request("GET", "/v1/games/*/positions/0", 0, game="ended"),
    "joinGame": Request("POST", "/v1/games/*/join", body={"name": "Ben"}, game="waiting"),
    "startGame": Request("POST", "/v1/games/*/start", "host", ADEPTS, game="waiting"),
    "handOver": Request("POST", "/v1/games/*/seats/0/handover", "host", ADEPTS),
    "nextGame": Request("POST", "/v1/games/*/next", 0, {"client_seed": "s"}, game="ended"),
    "showNextGame": Request("GET", "/v1/games/*/next", 0, game="ended"),
    "getRecord": Request("GET", "/v1/games/*/record", 0, game="ended"),
    "listActions": Request("GET", "/v1/games/*/actions", 0),
    "act": Request("POST", "/v1/games/*/actions", 0, {"text": "play 5S"}),
    "listEvents": Request("GET", "/v1/games/*/events", 0),
    "signal": Request("POST", "/v1/games/*/signals", 1, {"signal": "eager"}, game="choosing"),
    "streamGame": Request("GET", "/v1/games/*/stream", 0, game="ended"),
    "askHint": Request("POST", "/v1/games/*/hints", 0, {}),
    "getJob": Request("GET", "/v1/jobs/+", 0),
    "cancelJob": Request("DELETE", "/v1/jobs/+", 0),
    "startReview": Request("POST", "/v1/games/*/reviews", 0, {}, game="ended"),
    "startArena": Request("POST", "/v1/arenas", body={"ruleset": "regicide", "seats": ["novice"], "games": 1}),
    "listPuzzles": Request("GET", "/v1/puzzles"),
    "getPuzzleOfTheDay": Request("GET", "/v1/puzzles/today"),
    "getPuzzleOfYesterday": Request("GET", "/v1/puzzles/yesterday"),
    "getPuzzle": Request("GET", f"/v1/puzzles/{PUZZLE}"),
    "answerPuzzle": Request("POST", f"/v1/puzzles/{PUZZLE}/answers", body={"give_up": True}),
    "getOperator": Request("GET", "/v1/operator"),
    "putBanner": Request("PUT", "/v1/operator/banner", body={"text": None}),
    "healthz": Request("GET", "/healthz"),
    "readyz": Request("GET", "/readyz"),
    "metrics": Request("GET", "/metrics"),
    "explainProblem": Request("GET", "/problems/invalid"),
    "getContract": Request("GET", "/openapi.yaml"),
    **{
        name: Request("GET", path)
        for name, path in (
            ("index", "/"),
            ("play", "/play"),
            ("learn", "/learn"),
            ("puzzles", "/puzzles"),
            ("puzzle", f"/puzzles/{PUZZLE}"),
            ("about", "/about"),
            ("operator", "/operator"),
            ("contract_page", "/docs/contract"),
        )
    },
}


def token_of(game: Game, holder: int | str | None) -> str | None:
    """Return a holder's token; that of seat 0 where nobody has sat down at theirs."""
    if holder is None:
        return None
    return game.token(holder if str(holder) in {*game.created["tokens"], "host"} else 0)


class Asker:
    """Asks one application, and notes the codes that each operation answers."""

    def __init__(self, app: Flask, codes: dict[str, set[str]]) -> None:
        self.app, self.http, self.codes = app, app.test_client(use_cookies=False), codes

    def games(self, name: str) -> Game:
        """Return a fresh game as a request needs one."""
        game = GAMES[name](self.http)
        if name == "ended":
            plain(game.ask("DELETE", "", "host"))
        return game

    def ask(self, name: str, **changes: Any) -> None:
        """Send the request of an operation, with changes: to its holder, its body, its query, its headers, its ids."""
        request = replace(
            REQUESTS[name], **{part: changes.pop(part) for part in ("game", "holder", "body") if part in changes}
        )
        game = changes.pop("at", None) or (
            self.games(request.game) if "*" in request.path or "+" in request.path else None
        )
        job = NOBODY
        if "+" in request.path and game is not None:
            job = changes.pop("job", None) or game.ask("POST", "/hints", 0, json={}).get_json()["id"]
        path = request.path.replace("*", game.id if game else "").replace("+", job)
        headers = dict(changes.pop("headers", {}))
        token = changes.pop("token", None) or (token_of(game, request.holder) if game else None)
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {token}")
        how = (
            changes if "data" in changes else {**changes, "json": request.body} if request.body is not None else changes
        )
        method, path = how.pop("method", request.method), how.pop("path", path)
        self.note(name, lambda: self.http.open(path, method=method, headers=headers, **how))

    def note(self, name: str, send: Callable[[], TestResponse]) -> None:
        """Note the code of an answer, if it is a problem."""
        answer = send() if name == "streamGame" else answered(send)
        if answer.status_code >= 400:
            self.codes[name].add(answer.get_json()["code"])
        answer.close()


GAMES: dict[str, Callable[[FlaskClient], Game]] = {
    "running": lambda http: new_game(http, position=QUIET),
    "ended": lambda http: new_game(http, position=QUIET),
    "waiting": lambda http: new_game(http, ANA, OPEN),
    "choosing": lambda http: new_game(http, ANA, BEN, {"kind": "human", "name": "Cleo"}, position=CHOICE),
}


def everywhere(asker: Asker) -> None:
    """Break the rules of HTTP, send what no route takes, as nobody, somebody else and whom nobody knows."""
    stranger = new_game(asker.http, ANA, BEN)
    for name, request in REQUESTS.items():
        refused = asker.games(request.game)  # one game for all that does nothing to it
        for refusal in HTTP_ITSELF:
            asker.ask(name, at=refused, environ_base={REFUSAL_KEY: refusal})
        asker.ask(name, at=refused, method="PATCH")
        asker.ask(name, at=refused, headers={"Accept": "image/png"})
        asker.ask(name, at=refused, query_string={"colour": "red"})
        for token in ("rs_nobody", stranger.token(0)):
            asker.ask(name, at=refused, token=token)
        for holder in (None, 0, "host"):
            asker.ask(name, holder=holder)
        for last in ("nothing", NOBODY):
            asker.ask(
                name, at=refused, path=request.path.replace("*", last).replace("+", last).replace("regicide", last)
            )
        for name_in_path, other in (("/invalid", "/nothing"), (PUZZLE, "%C2%84")):
            asker.ask(name, at=refused, path=request.path.replace(name_in_path, other))
        if request.method == "POST":
            bodies = (("{", "application/json"), ("{}", "text/plain"), (" " * 65_537, "application/json"))
            for body, media_type in bodies:
                asker.ask(name, at=refused, data=body, content_type=media_type)
            asker.ask(name, at=refused, body={"colour": "red"})


def mistakes(asker: Asker) -> None:
    """Let every route make a mistake."""

    def mistaken(**_: object) -> Response:
        raise RuntimeError

    for name, request in REQUESTS.items():
        kept = dict(asker.app.view_functions)
        adapter = asker.app.url_map.bind("localhost")
        path = request.path.replace("*", NOBODY).replace("+", NOBODY)
        endpoint, _ = adapter.match(path, request.method)
        asker.app.view_functions[endpoint] = mistaken
        asker.note(name, lambda: asker.http.open(path, method=request.method))  # noqa: B023  it is sent at once
        asker.app.view_functions = kept


def games(asker: Asker) -> None:
    """Ask for what a game refuses as it stands."""
    ai = {**QUIET}
    for name in (
        "act",
        "signal",
        "askHint",
        "handOver",
        "abandonGame",
        "startGame",
        "joinGame",
        "getRecord",
        "startReview",
        "nextGame",
    ):
        for game in ("waiting", "running", "ended", "choosing"):
            asker.ask(name, game=game)
        asker.ask(name, at=handed_over(asker))
    for body in ({"text": "play ZZ"}, {"text": "dance"}, {"text": "play 7C"}):
        asker.ask("act", body=body)
    for text in ("play ZZ", "dance", "flip"):
        asker.ask("answerPuzzle", body={"actions": [text]})
    asker.ask("act", headers={"If-Match": '"7"'})
    asker.ask("signal", body={"signal": "eager"}, game="running")
    for seat in (0, 7):
        asker.ask("joinGame", body={"name": "Ben", "seat": seat})
    asker.ask("handOver", path="/v1/games/{}/seats/7/handover".format(asker.games("running").id))
    seven = asker.games("running")
    asker.note("handOver", lambda: seven.ask("POST", "/seats/7/handover", "host", json=ADEPTS))
    for name in ("getPastView", "getPosition", "showNextGame", "askHint", "startReview"):
        past(asker, name)
    for name in ("createGame", "startArena"):
        asker.ask(name, body={**(REQUESTS[name].body or {}), "options": {"colour": "red"}})
    for position in ({}, {**ai, "tavern": ["ZZ"]}):
        asker.ask("createGame", body={"ruleset": "regicide", "seats": [ANA, BEN], "position": position})


def past(asker: Asker, name: str) -> None:
    """Ask for what never was, and for what is secret still."""
    for kind in ("running", "ended"):
        game = asker.games(kind)
        sends: dict[str, list[Callable[[], TestResponse]]] = {
            "getPastView": [
                partial(game.ask, "GET", "/views/99", 0),
                partial(game.ask, "GET", "/views/0?seat=1", 0),
            ],
            "getPosition": [partial(game.ask, "GET", "/positions/99", 0)],
            "showNextGame": [partial(game.ask, "GET", "/next", 0)],
            "askHint": [partial(game.ask, "POST", "/hints", 0, json={"version": 0})],
            "startReview": [partial(game.ask, "POST", "/reviews", "host", json={"seat": 9})],
        }
        for send in sends[name]:
            asker.note(name, send)


def handed_over(asker: Asker) -> Game:
    """Return a game whose seats are AIs'."""
    game = asker.games("running")
    for seat in (0, 1):
        plain(game.ask("POST", f"/seats/{seat}/handover", "host", json=ADEPTS))
    return game


def next_games(asker: Asker) -> None:
    """Ask for the next game when it has begun without one, when it is over, and by a promise that is gone."""
    game = asker.games("ended")
    following = plain(game.ask("POST", "/next", 0))
    created = Game(asker.http, {**following, "host_token": game.created["host_token"], "tokens": {}})
    plain(created.ask("POST", "/start", "host", json=ADEPTS))
    asker.note("nextGame", lambda: game.ask("POST", "/next", 1))
    plain(created.ask("DELETE", "", "host"))
    asker.note("nextGame", lambda: game.ask("POST", "/next", 1))
    gone = {"commitment": NOBODY}
    asker.ask("nextGame", body=gone)
    asker.ask("createGame", body={**(REQUESTS["createGame"].body or {}), **gone})
    left = asker.games("running")
    plain(left.ask("POST", "/seats/0/handover", "host", json=ADEPTS))
    plain(left.ask("DELETE", "", "host"))
    asker.note("nextGame", lambda: left.ask("POST", "/next", 0))


def keys(asker: Asker, store: Store) -> None:
    """Send a key with another body, and one that is being worked on."""
    key = {"Idempotency-Key": "a-key-that-none-guesses"}
    for name, other in (
        ("createGame", {"ruleset": "regicide", "seats": [BEN]}),
        ("joinGame", {"name": "Cleo"}),
        ("act", {"text": "yield"}),
    ):
        request = REQUESTS[name]
        game = None if name == "createGame" else asker.games(request.game)
        for body in (request.body, other):
            asker.ask(name, at=game, body=body, headers=key)
        busy = None if game is None else asker.games(request.game)
        claimed = store.idempotency._claim

        def in_progress(*_: object) -> None:
            raise InProgress

        store.idempotency._claim = in_progress  # type: ignore[assignment, method-assign]
        asker.ask(name, at=busy, headers=key)
        store.idempotency._claim = claimed  # type: ignore[method-assign]


def limits(asker: Asker) -> None:
    """Ask again where one request a minute may be made."""
    for name, request in REQUESTS.items():
        path = request.path.replace("*", NOBODY).replace("+", NOBODY)
        for _ in range(2):
            asker.note(name, lambda: asker.http.open(path, method=request.method, json=request.body))  # noqa: B023


def crowds(asker: Asker) -> None:
    """Ask for more streams, games of AIs alone, and jobs, than there may be."""
    asker.ask("streamGame", game="running")
    asker.ask("getGame", query_string={"wait": "1"}, headers={"If-None-Match": '"0"'})
    asker.ask("getJob", query_string={"wait": "1"})
    ais = {"ruleset": "regicide", "seats": [ADEPT, ADEPT]}
    for _ in range(2):
        asker.ask("createGame", body=ais)
        asker.ask("startArena")
    asker.note("startGame", lambda: new_game(asker.http, OPEN).ask("POST", "/start", "host", json=ADEPTS))
    alone = new_game(asker.http, ANA, position={**QUIET, "players": 1, "hands": [["5S", "6D"]], "yielded": [False]})
    asker.note("handOver", lambda: alone.ask("POST", "/seats/0/handover", "host", json=ADEPTS))
    game = asker.games("ended")
    for level in RULESETS["regicide"].levels:
        asker.note("startReview", lambda: game.ask("POST", "/reviews", json={"seat": 0, "level": level}))  # noqa: B023


def damaged(asker: Asker, store: Store) -> None:
    """Ask with the token of a game whose tokens are damaged, and where a seed, the tasks or counts are."""
    game = asker.games("running")
    store.redis.delete(store.keys.tokens(game.id))
    store.redis.rpush(store.keys.tokens(game.id), "no hash")
    token = {"Authorization": f"Bearer {game.token(0)}"}
    for name, request in REQUESTS.items():
        path = request.path.replace("*", game.id).replace("+", NOBODY)
        asker.note(name, lambda: asker.http.open(path, method=request.method, json=request.body, headers=token))  # noqa: B023
    store.redis.rpush(store.keys.commitment(NOBODY), "no seed")
    asker.ask("createGame", body={**(REQUESTS["createGame"].body or {}), "commitment": NOBODY})
    for name, key in (("startArena", store.keys.tasks(0)), ("metrics", store.keys.status_counts(0))):
        kept: Any = store.redis.dump(key)
        store.redis.set(key, "neither a set nor a hash")
        asker.ask(name)
        store.redis.restore(key, 0, kept, replace=True)


def operator(asker: Asker, away: Asker, store: Store) -> None:
    """Ask the operator's routes where there is one: as nobody, as another, with bad bodies, without a store."""
    for name in ("getOperator", "putBanner"):
        for headers in ({}, {"Authorization": "Basic abc"}, {"Authorization": "Bearer another"}):
            asker.ask(name, headers=headers)
        away.ask(name, token=OPERATOR)
    for body, media_type in (("{", "application/json"), ("{}", "text/plain"), (" " * 65_537, "application/json")):
        asker.ask("putBanner", token=OPERATOR, data=body, content_type=media_type)
    asker.ask("putBanner", token=OPERATOR, body={"text": "two\nlines"})
    store.redis.hset(NOTICE, "no", "string")
    asker.ask("getOperator", token=OPERATOR)
    store.redis.delete(NOTICE)


def torn(asker: Asker, store: Store, fresh: Asker) -> None:
    """Take parts of games away, and let others be of other rules."""
    for name, request in REQUESTS.items():
        if "*" not in request.path:
            continue
        for part in ("tokens", "journal"):
            game = asker.games(request.game)
            store.redis.delete(getattr(store.keys, part)(game.id))
            for holder in {request.holder, 0}:
                fresh.ask(name, at=Game(fresh.http, game.created), holder=holder)
        other = asker.games("running")
        plain(other.act(0, "play 5S"))
        if request.game == "ended":
            plain(other.ask("DELETE", "", "host"))
        stored: Any = store.redis.hget(store.keys.game(other.id), "opening")
        opening = orjson.dumps({**orjson.loads(stored), "seed": "ab" * 32})
        store.redis.hset(store.keys.game(other.id), "opening", opening)
        if name in ("getPastView", "getPosition", "listEvents", "getRecord"):
            fresh.ask(name, at=Game(fresh.http, other.created))


def without_ruleset(asker: Asker, fresh: Asker) -> None:
    """Ask for games whose ruleset isn't installed any more."""
    installed: Any = RULESETS
    kept = dict(installed)
    for name, request in REQUESTS.items():
        if "*" not in request.path:
            continue
        game = asker.games(request.game)
        installed.pop(game.created["ruleset"])
        try:
            fresh.ask(name, at=Game(fresh.http, game.created))
        finally:
            installed.clear()
            installed.update(kept)


@pytest.fixture
def away(tmp_path: Path) -> Iterator[Store]:
    """Give a store whose server has gone."""
    with RedisServer(tmp_path / "store", find_server()) as server:
        store = open_store(Settings(data=tmp_path, redis_url=server.url))
        server.stop()
        yield store
        store.redis.close()


def test_the_codes_of_each_route_are_listed(settings: Settings, store: Store, away: Store):
    """All that it can answer, and nothing else."""
    codes: dict[str, set[str]] = defaultdict(set)

    def asker(at: Store = store, **changes: Any) -> Asker:
        app = create_app(replace(settings, **changes), at)
        app.config["PROPAGATE_EXCEPTIONS"] = False
        return Asker(app, codes)

    first = asker(rate_create=0, rate_jobs=0, rate_requests=0, limit_ai_games=0)
    everywhere(first)
    mistakes(first)
    games(first)
    next_games(first)
    keys(first, store)
    limits(asker(rate_create=1, rate_jobs=1, rate_requests=1))
    crowds(asker(rate_create=0, rate_jobs=0, rate_requests=0, streams=0, limit_ai_games=1, limit_arenas=1))
    with closing(open_store(settings)) as another:
        torn(first, store, asker(another, rate_requests=0, rate_create=0, rate_jobs=0))
    with closing(open_store(settings)) as another:
        without_ruleset(first, asker(another, rate_requests=0, rate_create=0, rate_jobs=0))
    damaged(asker(rate_create=0, rate_jobs=0, rate_requests=1000, limit_arenas=0), store)
    limits(asker(away, rate_create=0, rate_jobs=0, rate_requests=0))
    operator(asker(operator_token=OPERATOR), asker(away, operator_token=OPERATOR, rate_requests=0), store)

    assert codes.keys() == LISTED.keys()
    listed_alone = {name: LISTED[name] - codes[name] for name in LISTED if LISTED[name] - codes[name]}
    answered_alone = {name: codes[name] - LISTED[name] for name in LISTED if codes[name] - LISTED[name]}
    assert (listed_alone, answered_alone) == ({}, {})
