"""Every problem in the reader's language: each code by a real request, asked twice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import marshmallow as ma
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import BadRequest, RequestHeaderFieldsTooLarge, RequestTimeout, RequestURITooLarge
from werkzeug.test import TestResponse

import api.contract.requests
from api.app import create_app
from api.contract import validation
from api.contract.level_names import LEVELS
from api.http import rate_limits
from api.http.overload import EventLoopLag
from api.language import LANGUAGES, translator
from api.problems.documents import PROBLEM_TYPES
from api.problems.errors import REFUSAL_KEY, Overloaded
from engines.core.phrase import Phrase
from tests.api.games import ADEPT, ANA, BEN, OPEN, Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, QUIET, Json
from tests.api.test_refusals import CREATION, ENDED, RUNNING, WAITING, Ask
from tests.workers.stores import work_off
from workers.background import job_base
from workers.settings import Settings
from workers.storage.errors import StaleVersion
from workers.storage.fair_queues import REVIEW_QUEUE
from workers.storage.idempotency import IdempotencyKeys, Key
from workers.storage.store import Store, open_store

SPANISH = translator("es")


@contextmanager
def reading(http: FlaskClient, language: str) -> Iterator[None]:
    """Let every request of *http* ask for *language*."""
    http.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    yield
    del http.environ_base["HTTP_ACCEPT_LANGUAGE"]


def in_both(http: FlaskClient, ask: Callable[[], TestResponse]) -> tuple[Json, Json]:
    """Ask in English and in Spanish, and return both problems, having checked that only their words differ."""
    problems = []
    for language in LANGUAGES:
        with reading(http, language):
            response = ask()
        problem: Json = response.get_json()
        assert response.content_type == "application/problem+json", response.text
        assert response.headers["Content-Language"] == language
        assert "Accept-Language" in response.vary
        problems.append(problem)
    english, spanish = problems
    kind = PROBLEM_TYPES[english["code"]]
    assert (english["title"], spanish["title"]) == (str(kind.title), kind.title.render(SPANISH))
    assert english["title"] != spanish["title"]
    assert english["detail"] != spanish["detail"]
    words = ("title", "detail", "errors", "reasons")
    assert {k: v for k, v in english.items() if k not in words} == {k: v for k, v in spanish.items() if k not in words}
    errors, errores = english.get("errors", {}), spanish.get("errors", {})
    assert list(errors) == list(errores)
    assert not [field for field in errors if set(errors[field]) & set(errores[field])]
    for reason, razon in zip(english.get("reasons", []), spanish.get("reasons", []), strict=True):
        assert reason["code"] == razon["code"]
        assert reason["detail"] != razon["detail"]
    return english, spanish


CASES: list[tuple[str, Ask]] = [
    *((code, ask) for code, _, ask in RUNNING),
    ("bad_position", lambda g: create(g.http, position={"players": 2})),
    ("bad_position", lambda g: create(g.http, ruleset="gridcannon", position={"phase": "setup"})),
    ("commitment_gone", lambda g: create(g.http, commitment="0" * 20)),
    ("bad_card", lambda g: create(g.http, position={**QUIET, "tavern": ["ZZ"]})),
    *(
        (code, lambda g, wishes=wishes: create(g.http, **wishes))
        for code, _, wishes in CREATION
        if code in {"invalid", "bad_options"}
    ),
]


def create(http: FlaskClient, **wishes: object) -> TestResponse:
    """Try to set up a game."""
    return http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA, OPEN], **wishes})


@pytest.mark.parametrize(("code", "ask"), CASES, ids=[f"{n}-{code}" for n, (code, _) in enumerate(CASES)])
def test_of_a_running_game(game: Game, code: str, ask: Ask):
    """Title, detail and the messages of each field are in Spanish for whoever wants that."""
    english, _ = in_both(game.http, lambda: ask(game))

    assert english["code"] == code


@pytest.mark.parametrize(("code", "sentence", "ask"), WAITING, ids=[f"{n}-{row[0]}" for n, row in enumerate(WAITING)])
def test_of_a_waiting_game(http: FlaskClient, code: str, sentence: str, ask: Ask):
    """In Spanish too."""
    game = new_game(http, ANA, OPEN)

    english, _ = in_both(http, lambda: ask(game))

    assert english["code"] == code


@pytest.mark.parametrize(("code", "ask"), ENDED, ids=[str(number) for number in range(len(ENDED))])
def test_of_an_ended_game(http: FlaskClient, code: str, ask: Ask):
    """In Spanish too."""
    game = new_game(http, position=LAST_BLOW)
    plain(game.act(0, "play 5C"))

    english, _ = in_both(http, lambda: ask(game))

    assert english["code"] == code


def test_of_keys(game: Game, store: Store, settings: Settings):
    """A key that came with another body, and one that is being worked on."""
    plain(game.act(0, "play 5S", idempotency_key="k"))
    reused, _ = in_both(game.http, lambda: game.act(0, "play 5C", idempotency_key="k"))

    impatient = IdempotencyKeys(store.redis, store.keys, store.replicas, wait_seconds=0.05)
    patient, store.idempotency = store.idempotency, impatient
    try:
        with store.idempotency.reserve(Key(f"{game.id}/0", "busy", "0" * 64)):
            busy, _ = in_both(game.http, lambda: game.act(0, "play 5C", idempotency_key="busy"))
    finally:
        store.idempotency = patient

    assert (reused["code"], busy["code"]) == ("key_reused", "in_progress")


def test_of_the_server(http: FlaskClient, store: Store, settings: Settings, tmp_path: Path):
    """No worker, no storage, a mistake of ours."""
    away = create_app(settings, open_store(Settings(data=tmp_path, redis_url=f"unix://{tmp_path}/nothing")))
    away.add_url_rule("/broken", view_func=lambda: str(1 / 0))
    client = away.test_client()

    answers = [
        in_both(http, lambda: http.get("/readyz")),
        in_both(client, lambda: client.get("/readyz")),
        in_both(client, lambda: client.get("/broken")),
    ]

    assert [english["code"] for english, _ in answers] == ["no_worker", "storage_unavailable", "internal_error"]


def test_of_a_past_that_is_gone(game: Game, store: Store):
    """The journal can't be played again."""
    plain(game.act(0, "play 5S"))
    store.redis.hset(store.keys.game(game.id), "opening", "{}")

    english, _ = in_both(game.http, lambda: game.ask("GET", "/views/0", 0))

    assert english["code"] == "unreadable_past"


def test_of_a_game_that_has_lost_a_part(game: Game, store: Store):
    """The store threw its journal away."""
    plain(game.act(0, "play 5S"))
    store.redis.delete(store.keys.journal(game.id))

    english, _ = in_both(game.http, lambda: game.ask("GET", "/events", 0))

    assert english["code"] == "unreadable"


def test_of_too_many_streams(store: Store, settings: Settings):
    """No place to watch from."""
    client = create_app(replace(settings, streams=0), store).test_client()
    game = new_game(client)

    english, _ = in_both(client, lambda: game.ask("GET", "/stream"))

    assert english["code"] == "too_many_streams"


def test_of_too_many_requests(store: Store, settings: Settings):
    """What was too much, in numbers."""
    client = create_app(replace(settings, rate_create=1), store).test_client()
    plain(create(client))

    english, spanish = in_both(client, lambda: create(client))

    assert english["code"] == "rate_limited"
    assert "1" in spanish["detail"]


def test_of_too_many_games(store: Store, settings: Settings):
    """And of too many arenas: how many there may be."""
    client = create_app(replace(settings, limit_ai_games=1, limit_arenas=1), store).test_client()
    arena = {"ruleset": "regicide", "seats": ["novice"], "games": 1}
    plain(create(client, seats=[ADEPT]))
    assert client.post("/v1/arenas", json=arena).status_code == 202

    for code, ask in (
        ("too_many_games", lambda: create(client, seats=[ADEPT])),
        ("too_many_jobs", lambda: client.post("/v1/arenas", json=arena)),
    ):
        english, spanish = in_both(client, ask)
        assert english["code"] == code
        assert "1" in spanish["detail"]


def test_of_too_much_to_do(http: FlaskClient, monkeypatch: pytest.MonkeyPatch):
    """The loop has been busy for longer than may be."""
    busy = EventLoopLag(lambda: 7.0)
    monkeypatch.setattr(busy, "_lag", 2.1)
    monkeypatch.setattr(busy, "_measured_at", 7.0)
    monkeypatch.setattr(busy, "_measures", True)
    monkeypatch.setattr(rate_limits, "EVENT_LOOP_LAG", busy)

    english, _ = in_both(http, lambda: http.get("/v1/games"))

    assert (english["code"], english["retry_after"]) == ("overloaded", 2)
    assert http.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "error", [BadRequest(), RequestTimeout(), RequestURITooLarge(), RequestHeaderFieldsTooLarge(), Overloaded()]
)
def test_of_http_itself(http: FlaskClient, error: Exception):
    """What the web server refuses before anything else is looked at."""
    english, spanish = in_both(http, lambda: http.get("/nothing", environ_base={REFUSAL_KEY: error}))

    assert english["status"] in {400, 408, 414, 431, 503}
    assert english["detail"] != spanish["detail"]


def test_no_code_is_forgotten():
    """Every code was asked for here."""
    asked = {row[0] for row in (*CASES, *WAITING, *ENDED)}
    asked |= {"key_reused", "in_progress", "no_worker", "storage_unavailable", "internal_error"}
    asked |= {"too_many_streams", "rate_limited", "unreadable", "unreadable_past"}
    asked |= {"too_many_games", "too_many_jobs"}
    asked |= {"bad_request", "request_timeout", "uri_too_long", "header_fields_too_large", "overloaded"}

    assert set(PROBLEM_TYPES) == asked


@pytest.mark.parametrize("code", PROBLEM_TYPES)
def test_explanations(http: FlaskClient, code: str):
    """``/problems/<code>`` is in the reader's language."""
    english, spanish = (http.get(f"/problems/{code}", headers={"Accept-Language": tag}) for tag in LANGUAGES)

    answers = spanish.get_json()
    assert (answers["title"], answers["explanation"]) == tuple(
        phrase.render(SPANISH) for phrase in PROBLEM_TYPES[code][1:]
    )
    assert answers["explanation"] != english.get_json()["explanation"]
    assert spanish.headers["Content-Language"] == "es"
    assert "Accept-Language" in spanish.vary


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("es", "es"),
        ("ES-mx", "es"),
        ("es-MX, en;q=0.5", "es"),
        ("en;q=0.5, es-419;q=0.6", "es"),
        ("es;q=0.5, en;q=0.6", "en"),
        ("es, en", "es"),  # of equals the first
        ("en, es", "en"),
        ("fr, es;q=0.1", "es"),  # rather Spanish than a language that wasn't named
        ("fr", "en"),
        ("*", "en"),
        ("en;q=0, *;q=0.5", "es"),  # anything but English
        ("es;q=0", "en"),
        ("es;q=0, *", "en"),
        ("en;q=0", "en"),  # there is nothing else: better English than nothing (RFC 9110, 12.4.1)
        ("spanish!", "en"),
        ("es;q=abc", "en"),
    ],
)
def test_which_language(http: FlaskClient, wanted: str | None, language: str):
    """RFC 9110, 12.5.4: the dearest of those that there are."""
    headers = {} if wanted is None else {"Accept-Language": wanted}

    assert http.get("/nothing", headers=headers).headers["Content-Language"] == language
    assert http.get("/v1/rulesets/regicide/rules", headers=headers).headers["Content-Language"] == language


def test_words_of_the_rules(http: FlaskClient):
    """The terms are those of the rules in Spanish, values and cards inside."""
    game = new_game(http, position=QUIET)
    with reading(http, "es"):
        said = {
            text: game.act(0, text).get_json()["detail"] for text in ("play ZZ", "play 5S 6D", "play 7C", "choose 1")
        }

    assert said["play ZZ"].startswith("No hay ninguna carta llamada 'ZZ': escribe su rango y su palo")
    assert said["play 5S 6D"] == "Las cartas que se juegan juntas son de un mismo rango, o una es un compañero animal."
    assert said["play 7C"] == "No tienes 7C."
    assert said["choose 1"] == (
        "A quién le toca se elige solo después de un comodín: ahora juega cartas, pasa o (en solitario) da la vuelta a"
        " un comodín."
    )


def test_the_first_complaint_is_the_sentence(http: FlaskClient):
    """Whoever reads the detail alone knows what to change."""
    problem = create(http, seats=[{"kind": "ai"}], turn_seconds=0).get_json()

    assert problem["detail"] == f"seats.0.level: An AI needs a level: {', '.join(LEVELS)}."
    assert set(problem["errors"]) == {"seats.0.level", "turn_seconds"}


SCHEMAS = [
    thing for thing in vars(api.contract.requests).values() if isinstance(thing, type) and issubclass(thing, ma.Schema)
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.__name__)
def test_schemas_speak_in_phrases(schema: type[ma.Schema]):
    """No message of marshmallow's own is left: neither a schema's, nor a field's, nor a validator's."""
    assert issubclass(schema, validation.Schema), "derive it from api.contract.validation.Schema"
    made = schema()
    for field in made.fields.values():
        messages = [phrase for phrases in field.error_messages.values() for phrase in phrases]
        assert all(isinstance(phrase, Phrase) for phrase in messages)
        for check in field.validators:
            assert not type(check).__module__.startswith("marshmallow"), "take it from api.contract.validation"


def test_a_game_of_two_languages(http: FlaskClient, app: Flask):
    """Two who read different languages hear of the same refusal at the same time, each in their own."""
    game = new_game(http, ANA, BEN, position=QUIET)
    headers = {"Authorization": f"Bearer {game.token(1)}"}
    path = f"/v1/games/{game.id}/actions"

    answers = [
        http.post(path, json={"text": "yield"}, headers={**headers, "Accept-Language": tag}).get_json()["detail"]
        for tag in ("es", "en", "es")
    ]

    assert answers == [
        "Es el turno de Ana.",
        "It is the turn of Ana.",
        "Es el turno de Ana.",
    ]


def test_of_a_hint(http: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch):
    """Why an AI would do so is said to whoever looks, in their language; actions are spelled alike in all."""
    monkeypatch.setattr(job_base, "process_store", lambda: store)
    game = new_game(http, position=LAST_BLOW)
    job = game.ask("POST", "/hints", 0, json={"level": "adept"}).get_json()["id"]
    work_off(store)
    headers = {"Authorization": f"Bearer {game.token(0)}"}

    english, spanish = (
        plain(http.get(f"/v1/jobs/{job}", headers={**headers, "Accept-Language": tag}))["result"] for tag in LANGUAGES
    )

    assert english["why"].startswith("You play 5♣ for 5; the enemy takes ")
    assert spanish["why"].startswith("Juegas 5♣: ataque de 5; el enemigo recibe ")
    assert english["why"].count(" 100% to win if experts play on.") == 1
    assert spanish["why"].count(" 100 % de ganar si siguen jugando expertos.") == 1
    assert (english["why"][-1], spanish["why"][-1]) == (".", ".")
    assert [english["actions"][0].pop("label"), spanish["actions"][0].pop("label")] == ["Play 5♣", "Juega 5♣"]
    assert [english["actions"][1].pop("label"), spanish["actions"][1].pop("label")] == ["Yield", "Pasa"]
    assert {**english, "why": ""} == {**spanish, "why": ""}


def test_of_a_review(http: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch):
    """What would have been better is said to whoever looks, in their language."""
    monkeypatch.setattr(job_base, "process_store", lambda: store)
    game = new_game(http, position=LAST_BLOW)
    plain(game.act(0, "play 5C"))
    job = game.ask("POST", "/reviews", 0, json={"level": "novice"}).get_json()["id"]
    work_off(store, REVIEW_QUEUE)
    headers = {"Authorization": f"Bearer {game.token(0)}"}

    english, spanish = (
        plain(http.get(f"/v1/jobs/{job}", headers={**headers, "Accept-Language": tag}))["result"]["decisions"][0]
        for tag in LANGUAGES
    )

    assert (english["label"], spanish["label"]) == ("Play 5♣", "Juega 5♣")
    assert english["why"].startswith("You play 5♣ for 5; the enemy takes ")
    assert spanish["why"].startswith("Juegas 5♣: ataque de 5; el enemigo recibe ")
    words = {"label": "", "best_label": "", "why": ""}
    assert {**english, **words} == {**spanish, **words}


def test_of_a_job(http: FlaskClient, store: Store):
    """A job that failed says why to whoever looks, in their language, values and all."""
    game = new_game(http, position=QUIET)
    job = game.ask("POST", "/hints", 0, json={}).get_json()["id"]
    store.tasks.fail(store.tasks.load(job), StaleVersion(7))
    headers = {"Authorization": f"Bearer {game.token(0)}"}

    answers = [
        plain(http.get(f"/v1/jobs/{job}", headers={**headers, "Accept-Language": tag}))["problem"] for tag in LANGUAGES
    ]

    assert [problem["version"] for problem in answers] == [7, 7]
    assert answers[0]["detail"] == StaleVersion(7).detail
    assert (
        answers[1]["detail"] == "La partida ha cambiado: ahora está en la versión 7. Mírala antes de volver a actuar."
    )
    assert answers[1]["title"] == "Versión anticuada"
    assert "phrase" not in answers[0]
