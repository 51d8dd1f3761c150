"""A store of which one key is damaged, of whatever kind: each route answers with a stable code, others play on."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.http.services import services
from tests.api.games import ADEPT, ANA, OPEN, Game, new_game, plain
from tests.api.puzzles import QUIET, Json
from tests.api.test_reviews import BLUNDER
from tests.damage import damages
from workers.background.sweeper import Sweeper
from workers.storage.due_games import retried
from workers.storage.queue import ANY_AI, requeue_overdue
from workers.storage.store import Store
from workers.storage.table_cache import TableCache

WORST: Final = ("another type", "garbage")
"""What is done to keys that are shared: what else can be, `make long` does."""

READY: Final = "GET /readyz"
"""What is known of the store's health is kept for a moment: it isn't compared."""

KEY: Final = "a-key-that-nobody-guesses"
STABLE: Final = ("unreadable", "unreadable_past", "no_worker")
"""Codes of a 500 that says what is wrong."""

GAME: Final = "{p00}:game:*"
OF_A_GAME: Final = (
    GAME,
    f"{GAME}:tokens",
    f"{GAME}:next",
    f"{GAME}:creator",
    f"{GAME}:hint:0",
    f"{GAME}:hint:0:*",
    f"{GAME}:review:0:*",
    f"{GAME}:review:0:*:*",
    "{p00}:journal:*",
    "{p00}:answer:*",
    "{p00}:answer:*:wake-ups",
    "{p00}:commitment:*",
    "{p00}:task:*",
    "{p00}:task:*:parts:*",
    "regicide:budget:requests:*",
    "regicide:passed:*:1",
    "regicide:under-way:reviews:*",
)
"""Kinds of keys that belong to a game, a job or one of those who play; ``*`` stands for an id."""
SHARED: Final = (
    "{p00}:due",
    "{p00}:idle:active",
    "{p00}:idle:finished",
    "{p00}:idle:waiting",
    "{p00}:public:regicide:active",
    "{p00}:public:regicide:finished",
    "{p00}:public:regicide:waiting",
    "{p00}:repeats",
    "{p00}:standings",
    "{p00}:tasks",
    "regicide:layout",
    "regicide:line:alone",
    "regicide:line:alone:*",
    "regicide:line:arena",
    "regicide:line:arena:*",
    "regicide:line:review",
    "regicide:line:review:*",
    "regicide:bell",
    "regicide:probe",
    "regicide:processes",
    "regicide:sums",
    "regicide:sweeper",
    "{regicide:sweeper}:swept",
    "regicide:under-way:arenas:*",
    "regicide:under-way:games:*",
    "regicide:budget:create:127.0.0.1",
    "regicide:budget:jobs:127.0.0.1",
    "regicide:budget:requests:127.0.0.1",
    "regicide:unreadable",
    "regicide:worker",
    "rq:job:*",
    "rq:queue:ai",
    "rq:queues",
)
"""Kinds of keys that all games of a partition, or of an address, have in common."""


def kind_of(key: str) -> str:
    """Return the kind of a key: ids, hashes and tokens replaced by ``*``."""
    return re.sub(r"(?<=:)(task-|ai-)?[0-9a-f]{16,64}(-\d+)*(?=:|$)", "*", key)


@dataclass
class Laid:
    """Games and jobs that have a key of each kind."""

    store: Store
    http: FlaskClient
    games: dict[str, Game]
    jobs: dict[str, Json]
    dumped: dict[str, tuple[int, bytes]]
    lives: bool = True
    """A worker gives signs of life."""
    whole: dict[tuple[bool, frozenset[str]], dict[str, tuple[int, str]]] = field(default_factory=dict)
    """What is answered while nothing is damaged, by whether a worker lives and by what is asked about."""

    def restore(self) -> None:
        """Let the store be as it was laid out, and this process have read nothing of it."""
        redis: Any = self.store.redis
        redis.flushdb()
        with redis.pipeline(transaction=False) as pipe:
            for key, (ttl, dumped) in self.dumped.items():
                pipe.restore(key, max(ttl, 0), dumped)
            pipe.execute()
        self.store.games._cache = TableCache()
        if self.lives:
            self.store.health.record_worker_heartbeat()
        services(self.http.application).budgets._leases.clear()

    def subjects(self, key: str) -> frozenset[str]:
        """Return the games and jobs that a key is about; all if it is about none of them, or about what is shared."""
        ids = {name: game.id for name, game in self.games.items()}
        ids |= {name: job["id"] for name, job in self.jobs.items()}
        return frozenset({name for name, its in ids.items() if its in key} or {*ids, "metrics"})

    def answers(self, key: str) -> dict[str, tuple[int, str]]:
        """Return how a whole store's requests about what *key* is about are answered."""
        about = self.lives, self.subjects(key)
        if about not in self.whole:
            self.restore()
            self.whole[about] = {name: code(answer) for name, answer in asked(self, key)}
        return self.whole[about]

    def keys(self, kind: str) -> list[str]:
        """Return the keys of a kind, but for those of the game of others."""
        others = self.games["others"].id
        return [key for key in sorted(self.dumped) if kind_of(key) == kind and others not in key]


@pytest.fixture(scope="module")
def laid(app: Flask, opened: Store) -> Laid:
    """Lay out a key of every kind, by what makes it."""
    http, store = app.test_client(use_cookies=False), opened
    store.redis.flushdb()
    services(app).budgets._leases.clear()  # requests of tests before are counted there: no key would be written
    games = {
        "played": new_game(http, position=QUIET),
        "waiting": new_game(http, ANA, OPEN, private=True),
        "ended": new_game(http, position=BLUNDER),
        "others": new_game(http, position=QUIET),
        "of AIs": new_game(http, ADEPT, ADEPT),
    }
    played, ended = games["played"], games["ended"]
    jobs = {"hint": played.ask("POST", "/hints", 0, json={"level": "novice"}).get_json()}
    plain(played.act(0, "play 5S", idempotency_key=KEY))
    plain(ended.act(0, "play 2S"))
    arena = {"ruleset": "regicide", "seats": ["novice"], "games": 1}
    jobs |= {
        "review": ended.ask("POST", "/reviews", 0, json={"level": "novice"}).get_json(),
        "arena": http.post("/v1/arenas", json=arena).get_json(),
        "commitment": http.post("/v1/commitments").get_json(),
    }
    plain(ended.ask("POST", "/next", 0))
    http.get("/metrics")
    store.health.check_layout()
    store.health.probe()
    store.health.record_worker_heartbeat()
    store.tasks.store_part(store.tasks.load(jobs["arena"]["id"]), 0, {})
    store.unreadable.note(played.id)
    store.unreadable.may_pass_to_other_worker(played.id, 1)
    store.redis.zadd(store.keys.due(0), {games["of AIs"].id: 0})
    store.due_games.put([retried(games["of AIs"].id, 0, 0)])
    store.redis.zadd(store.keys.tasks(0), {jobs["hint"]["id"]: 0})
    Sweeper(store).sweep()
    requeue_overdue(store.broker, [(store.games.load(games["others"].id), ANY_AI, 1)])
    redis: Any = store.redis
    return Laid(store, http, games, jobs, {key.decode(): (redis.pttl(key), redis.dump(key)) for key in redis.keys("*")})


def asked(laid: Laid, key: str = "") -> Iterator[tuple[str, TestResponse]]:
    """Ask for all of the game or job whose *key* this is, and what is shared; of a shared one, or none, for all.

    What is read comes first, then what changes it.
    """
    subjects = laid.subjects(key)
    for name, subject, ask in requests(laid):
        if subject in subjects or subject == "":
            yield name, ask()


def requests(laid: Laid) -> Iterator[tuple[str, str, Callable[[], TestResponse]]]:
    """Yield requests by name, each with the game or job that it is about."""
    http, (played, waiting, ended, *_) = laid.http, laid.games.values()
    for name, game in laid.games.items():
        for path in ("", "/actions", "/events", "/views/0", "/record"):
            holder = 0 if "0" in game.created["tokens"] else None
            yield f"GET {name}{path}", name, partial(game.ask, "GET", path, holder)
    for path, subject in (("/v1/games", ""), ("/readyz", ""), ("/metrics", "metrics")):
        yield f"GET {path}", subject, partial(http.get, path)
    tokens = {"hint": played.token(0), "review": ended.token(0), "arena": laid.jobs["arena"]["job_token"]}
    for verb, (name, token) in product(("GET", "DELETE"), tokens.items()):
        path, headers = f"/v1/jobs/{laid.jobs[name]['id']}", {"Authorization": f"Bearer {token}"}
        yield f"{verb} {name}", name, partial(http.open, path, method=verb, headers=headers)
    yield "act again", "played", partial(played.act, 0, "play 5S", idempotency_key=KEY)
    for about in ("played", "hint"):
        yield f"ask for a hint, {about}", about, partial(played.ask, "POST", "/hints", 1, json={"level": "adept"})
    yield "act", "played", partial(played.act, 1, "play 7C", idempotency_key=KEY)
    yield "hand over", "played", partial(played.ask, "POST", "/seats/0/handover", 0, json={"level": "novice"})
    invited = {"name": "Ben", "invite": waiting.created["invite"]}
    yield "join", "waiting", partial(waiting.ask, "POST", "/join", json=invited)
    yield "start", "waiting", partial(waiting.ask, "POST", "/start", "host", json={"level": "novice"})
    for about in ("ended", "review"):
        yield f"ask for a review, {about}", about, partial(ended.ask, "POST", "/reviews", 0, json={"level": "adept"})
    yield "next", "ended", partial(ended.ask, "POST", "/next", 1)
    new = {"ruleset": "regicide", "seats": [ANA, ANA], "commitment": laid.jobs["commitment"]["id"]}
    yield "create", "commitment", partial(http.post, "/v1/games", json=new, headers={"Idempotency-Key": KEY})
    one = {"ruleset": "regicide", "seats": ["novice"], "games": 1}
    yield "ask for an arena", "arena", partial(http.post, "/v1/arenas", json=one)
    ais = {"ruleset": "regicide", "seats": [ADEPT]}
    yield "create for AIs", "of AIs", partial(http.post, "/v1/games", json=ais)
    for name, game in laid.games.items():
        yield f"abandon {name}", name, partial(game.ask, "DELETE", "", "host")


def code(answer: TestResponse) -> tuple[int, str]:
    """Return the status of an answer, and the code of its problem."""
    if answer.status_code < 400:
        return answer.status_code, ""
    return answer.status_code, answer.get_json()["code"]


def others_play(laid: Laid) -> Iterator[tuple[str, TestResponse]]:
    """Let the game be read and played that isn't damaged."""
    others = laid.games["others"]
    yield "others look", others.ask("GET", "", 0)
    yield "others act", others.act(0, "play 5S")


def test_there_is_a_key_of_each_kind(laid: Laid) -> None:
    """Those that are damaged here are all that there are."""
    assert sorted({kind_of(key) for key in laid.dumped}) == sorted({*OF_A_GAME, *SHARED})


@pytest.mark.parametrize("kind", [*OF_A_GAME, *(pytest.param(kind, marks=pytest.mark.long) for kind in SHARED)])
def test_a_damaged_key(laid: Laid, kind: str) -> None:
    """Nothing is an internal error; what nobody knows is ignored; the game of others goes on.

    ``make long`` damages the keys that games share, too.
    """
    keys = laid.keys(kind)
    played = [key for key in keys if laid.games["played"].id in key]
    hold(laid, kind, (played or keys)[:1], thorough=False)


@pytest.mark.long
@pytest.mark.parametrize("kind", [*OF_A_GAME, *SHARED])
def test_every_damaged_key(laid: Laid, kind: str) -> None:
    """The same for each key of a kind; each field of a hash is cut, or gone, too."""
    hold(laid, kind, laid.keys(kind), thorough=True)


def hold(laid: Laid, kind: str, keys: list[str], *, thorough: bool) -> None:
    """Damage *keys* in each way, and hold the answers against those of a whole store."""
    wrong = []
    laid.lives = kind != "regicide:worker"
    for key in keys:
        compared = thorough or kind in OF_A_GAME
        whole = laid.answers(key) if compared else {}
        laid.restore()
        done = damages(laid.store.redis, key, thorough=thorough)
        for damage in [one for one in done if compared or one.name in WORST]:
            laid.restore()
            damage.do(laid.store.redis, key)
            other = [(name, code(answer)) for name, answer in others_play(laid)]
            found = {name: code(answer) for name, answer in asked(laid, key)}
            bad = [(name, got) for name, got in other if got != (200, "")]
            bad += [(name, got) for name, got in found.items() if got[0] >= 500 and got[1] not in STABLE]
            bad += [
                (name, got)
                for name, got in found.items()
                if damage.is_harmless and got != whole[name] and name != READY
            ]
            wrong += [f"{damage.name}, {key}: {name}: {got}" for name, got in bad]
    assert wrong == [], "\n".join(wrong)
