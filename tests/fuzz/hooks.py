"""What schemathesis can't know of the server: which games there are by now, and whose tokens open them."""

from collections.abc import Mapping
from http import HTTPStatus
from random import Random
from threading import Lock
from typing import Any, Final
from uuid import uuid4

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation

REMEMBERED: Final = 30
"""So many games: the newest."""
STRANGE: Final = 0.15
"""How often a request goes to a game that isn't, or with a token that doesn't fit."""
HOSTS: Final = frozenset({"startGame", "abandonGame"})
SEATS: Final = frozenset({"act", "signal", "askHint"})
HEADER: Final = "Authorization"
REFUSED: Final = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS}
)
KEY: Final = "Idempotency-Key"


class Guests:
    """Every token that the server gave, by game and holder, and what each game's players could do when last asked."""

    def __init__(self) -> None:
        self._games: dict[str, dict[str, str]] = {}
        self._legal: dict[str, list[object]] = {}
        self._jobs: dict[str, str] = {}
        self._rng = Random(1)
        self._lock = Lock()

    def hear(self, answer: Mapping[str, Any]) -> None:
        """Keep what create and join tell once."""
        tokens = {**answer.get("tokens", {})}
        if "host_token" in answer:
            tokens["host"] = answer["host_token"]
        if "token" in answer and "seat" in answer:
            tokens[str(answer["seat"])] = answer["token"]
        if not tokens or "id" not in answer:
            return
        with self._lock:
            self._games.setdefault(answer["id"], {}).update(tokens)
            while len(self._games) > REMEMBERED:
                del self._games[next(iter(self._games))]

    def hear_job(self, answer: Mapping[str, Any], token: str) -> None:
        """Keep whose a job is: its own token opens an arena's, the one that asked a hint's."""
        with self._lock:
            self._jobs[answer["id"]] = answer.get("job_token", token)

    def job(self, asked: str) -> tuple[str, str]:
        """Return the job that a request is to go to, and a token: mostly its own."""
        with self._lock:
            if not self._jobs or self._rng.random() < STRANGE:
                return asked, self._jobs.get(asked, "rj_nobody")
            job_id = asked if asked in self._jobs else self._rng.choice(list(self._jobs))
            return job_id, self._jobs[job_id]

    def hear_legal(self, game_id: str, answer: Mapping[str, Any]) -> None:
        """Keep what somebody may do there."""
        with self._lock:
            self._legal[game_id] = [one["action"] for one in answer["actions"]]

    def action(self, game_id: str, asked: object) -> object:
        """Return what is to be done there: every other time something that was legal not long ago."""
        with self._lock:
            legal = self._legal.get(game_id)
            return self._rng.choice([asked, self._rng.choice(legal)]) if legal else asked

    def is_fresh(self) -> bool:
        """Return whether a request is to have nothing to do with those before it: mostly."""
        with self._lock:
            return self._rng.random() >= STRANGE

    def game(self, asked: str) -> str:
        """Return the game that a request is to go to: mostly one that there is."""
        with self._lock:
            if asked in self._games or not self._games or self._rng.random() < STRANGE:
                return asked
            return self._rng.choice(list(self._games))

    def token(self, game_id: str, operation: str) -> str:
        """Return a token for a request: mostly one with which it may succeed."""
        with self._lock:
            tokens = self._games.get(game_id)
            if tokens is None or self._rng.random() < STRANGE:
                strangers = [token for one in self._games.values() for token in one.values()]
                return self._rng.choice([*strangers, "rs_nobody"])
            fitting = [token for holder, token in tokens.items() if _fits(holder, operation)]
            return self._rng.choice(fitting or list(tokens.values()))


def _fits(holder: str, operation: str) -> bool:
    """A token of *holder* opens the operation."""
    return (operation not in HOSTS or holder == "host") and (operation not in SEATS or holder != "host")


GUESTS: Final = Guests()


def _operation(case: Any) -> str:
    return str(case.operation.definition.raw.get("operationId", ""))


@schemathesis.auth(refresh_interval=None)
class Bearer:
    """The tokens, as schemathesis wants to be given them: it also tries without."""

    def get(self, case: Any, context: object) -> str:
        """Return a token for the case's game."""
        return GUESTS.token(str((case.path_parameters or {}).get("game_id")), _operation(case))

    def set(self, case: Any, data: str, context: object) -> None:
        """Send it."""
        case.headers[HEADER] = f"Bearer {data}"


def _is_proper(case: Any, location: ParameterLocation) -> bool:
    """What is sent there is meant to be as the contract wants it."""
    return case.meta is None or not case.meta.is_negative_at(location)


@schemathesis.hook
def before_call(context: object, case: Any, kwargs: dict[str, Any]) -> None:
    """Make what is proper likelier to succeed: a game that there is, its tokens, its legal actions, a fresh key."""
    operation = _operation(case)
    _freshen(case)
    if _is_proper(case, ParameterLocation.BODY):
        _moderate(case, operation)
    if _is_proper(case, ParameterLocation.PATH):
        _direct(case, operation)


def _freshen(case: Any) -> None:
    """Let a request depend on none before it, and wait for nothing."""
    if _is_proper(case, ParameterLocation.HEADER) and GUESTS.is_fresh():
        case.headers.pop("If-Match", None)
        if KEY in case.headers:
            case.headers[KEY] = uuid4().hex
    if "wait" in (case.query or {}) and _is_proper(case, ParameterLocation.QUERY):
        case.query["wait"] = min(int(case.query["wait"]), 1)
    if _operation(case) == "streamGame":
        case.headers["Accept"] = "text/event-stream"  # schemathesis knows when it has read enough of these


def _moderate(case: Any, operation: str) -> None:
    """Mostly ask for games that are dealt, and for arenas that are soon over."""
    if operation == "createGame" and GUESTS.is_fresh():
        for field in ("position", "commitment"):
            case.body.pop(field, None)
    if operation == "startArena":
        case.body |= {"games": min(case.body["games"], 2), "seats": ["novice"] * len(case.body["seats"])}


def _direct(case: Any, operation: str) -> None:
    """Send a request to a game or a job that there is, with a token of it."""
    parameters = case.path_parameters or {}
    if "job_id" in parameters:
        parameters["job_id"], token = GUESTS.job(parameters["job_id"])
    elif "game_id" in parameters:
        parameters["game_id"] = GUESTS.game(parameters["game_id"])
        token = GUESTS.token(parameters["game_id"], operation)
        if operation == "act" and _is_proper(case, ParameterLocation.BODY):
            case.body = GUESTS.action(parameters["game_id"], case.body)
    else:
        return
    if str(case.headers.get(HEADER, "")).startswith("Bearer r"):
        case.headers[HEADER] = f"Bearer {token}"


@schemathesis.check
def token_needed(context: object, response: Any, case: Any) -> None:
    """What a token was needed for isn't done without one: 401, 403, 404 where the game is private, or 429."""
    security, request = case.operation.definition.raw.get("security"), response.request
    if not security or {} in security or request.method != case.operation.method.upper():
        return
    if response.status_code >= HTTPStatus.MULTIPLE_CHOICES or HEADER not in request.headers:
        return
    request = request.copy()
    del request.headers[HEADER]
    with requests.Session() as session:
        without = session.send(request, timeout=30)
    assert without.status_code in REFUSED, f"{request.method} {request.url} without a token: {without.status_code}"


@schemathesis.hook
def after_call(context: object, case: Any, response: Any) -> None:
    """Listen for tokens."""
    if _operation(case) == "listActions" and response.status_code == HTTPStatus.OK and response.request.method == "GET":
        GUESTS.hear_legal(str(case.path_parameters["game_id"]), response.json())
    if response.status_code == HTTPStatus.ACCEPTED and response.request.method == "POST":
        GUESTS.hear_job(response.json(), str(case.headers.get(HEADER)).removeprefix("Bearer "))
    tells = _operation(case) in ("createGame", "joinGame") and response.request.method == "POST"
    if tells and response.status_code in (HTTPStatus.OK, HTTPStatus.CREATED):
        GUESTS.hear(response.json())
