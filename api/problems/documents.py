"""Errors as RFC 9457 problem documents: one table gives each code a status, a title and an explanation."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from http import HTTPStatus
from typing import Final, NamedTuple

import orjson
import structlog
from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from api.language import in_language, negotiated_language, translator
from api.problems.errors import NotFound
from engines.core.errors import Refusal
from engines.core.phrase import Phrase, Translator, english, join_or
from engines.core.types import Json
from workers.processes.logs import traceback_frames
from workers.storage.keys import ID_PATTERN

MEDIA_TYPE: Final = "application/problem+json"


class ProblemType(NamedTuple):
    """Status, title and explanation of all problems with one code."""

    status: int
    title: Phrase
    explanation: Phrase


PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = {
    "malformed_json": ProblemType(
        400, Phrase("No JSON"), Phrase("The body isn't JSON in UTF-8 (RFC 8259). NaN and lone surrogates aren't.")
    ),
    "bad_request": ProblemType(400, Phrase("Bad request"), Phrase("The request breaks the rules of HTTP.")),
    "bad_card": ProblemType(
        400,
        Phrase("No such card"),
        Phrase("A card is written as rank and suit, as in TH or 7D; the jokers are X1 and X2."),
    ),
    "bad_action": ProblemType(
        400,
        Phrase("No such action"),
        Phrase("The action is malformed. `GET .../actions` lists those that are possible."),
    ),
    "bad_position": ProblemType(
        400, Phrase("Impossible position"), Phrase("No game could be in this position; `detail` names the field.")
    ),
    "bad_options": ProblemType(
        400, Phrase("Invalid options"), Phrase("`GET /v1/rulesets/{name}` has the JSON Schema of a ruleset's options.")
    ),
    "no_token": ProblemType(
        401, Phrase("Token needed"), Phrase("Send `Authorization: Bearer ...` with the token that create or join gave.")
    ),
    "unknown_token": ProblemType(
        401, Phrase("Unknown token"), Phrase("This server never gave the token that was sent, or has forgotten it.")
    ),
    "wrong_token": ProblemType(
        403, Phrase("Wrong token"), Phrase("The token is another game's, another seat's, or not the host's.")
    ),
    "no_such_game": ProblemType(
        404, Phrase("No such game"), Phrase("No game has this id, or it is private and you have no token of it.")
    ),
    "no_such_ruleset": ProblemType(
        404, Phrase("No such ruleset"), Phrase("`GET /v1/rulesets` lists the games that can be played.")
    ),
    "not_found": ProblemType(
        404, Phrase("Not found"), Phrase("Nothing is at this path. `openapi.yaml` lists every path.")
    ),
    "method_not_allowed": ProblemType(
        405, Phrase("Method not allowed"), Phrase("The path exists; the `Allow` header lists its methods.")
    ),
    "no_such_job": ProblemType(
        404, Phrase("No such job"), Phrase("No job has this id, or it ended more than a day ago.")
    ),
    "not_acceptable": ProblemType(
        406, Phrase("Not acceptable"), Phrase("The `Accept` header leaves out every media type that this resource has.")
    ),
    "not_your_turn": ProblemType(
        409, Phrase("Not your turn"), Phrase("Somebody else is to act. `to_act` and `may_act` of the game say who.")
    ),
    "game_over": ProblemType(409, Phrase("Game over"), Phrase("The game has ended: nothing can change it any more.")),
    "not_started": ProblemType(
        409, Phrase("Not started"), Phrase("The game waits for players. It starts when no seat is open.")
    ),
    "already_started": ProblemType(
        409, Phrase("Already started"), Phrase("The cards have been dealt: nobody can join or start it any more.")
    ),
    "seat_taken": ProblemType(
        409, Phrase("Seat taken"), Phrase("Somebody sits there. Without `seat` you get any seat that is open.")
    ),
    "request_timeout": ProblemType(
        408, Phrase("Request timeout"), Phrase("The rest of the request didn't come within the time that it may take.")
    ),
    "still_running": ProblemType(
        409, Phrase("Still running"), Phrase("What was asked for is secret until the game has ended.")
    ),
    "commitment_gone": ProblemType(
        409,
        Phrase("Commitment gone"),
        Phrase("A commitment serves one game, for 15 minutes. `POST /v1/commitments` gives another one."),
    ),
    "in_progress": ProblemType(
        409, Phrase("In progress"), Phrase("The first request with this Idempotency-Key is still being worked on.")
    ),
    "stale_version": ProblemType(
        412,
        Phrase("Stale version"),
        Phrase("The game has changed since the version in If-Match; `version` is its own."),
    ),
    "content_too_large": ProblemType(413, Phrase("Content too large"), Phrase("A body may have 64 KB at most.")),
    "uri_too_long": ProblemType(414, Phrase("URI too long"), Phrase("A target may have 8 KB at most.")),
    "unsupported_media_type": ProblemType(
        415, Phrase("Unsupported media type"), Phrase("Send the body as `Content-Type: application/json`.")
    ),
    "invalid": ProblemType(
        422,
        Phrase("Invalid fields"),
        Phrase("The body or the query can't be used as it is; `errors` says why, by field."),
    ),
    "illegal_action": ProblemType(
        422, Phrase("Illegal action"), Phrase("The rules forbid it now; `rule` is the number of the ruling.")
    ),
    "key_reused": ProblemType(
        422, Phrase("Key reused"), Phrase("This Idempotency-Key came with another body before: take a new one.")
    ),
    "rate_limited": ProblemType(
        429,
        Phrase("Too many requests"),
        Phrase("The `RateLimit` header says how many you may make, and `Retry-After` when it goes on."),
    ),
    "too_many_games": ProblemType(
        429,
        Phrase("Too many games of AIs"),
        Phrase("As many games in which only AIs play are under way for your address as may; others can be created."),
    ),
    "too_many_jobs": ProblemType(
        429,
        Phrase("Too many jobs"),
        Phrase(
            "Too many arenas (per address) or reviews (per game) are running: wait until one has ended, or cancel one."
        ),
    ),
    "header_fields_too_large": ProblemType(
        431, Phrase("Header fields too large"), Phrase("There may be 100 header fields, of 32 KB in all.")
    ),
    "internal_error": ProblemType(
        500, Phrase("Internal error"), Phrase("That was our mistake. The log has it under the X-Request-Id.")
    ),
    "unreadable": ProblemType(
        500,
        Phrase("Unreadable game"),
        Phrase(
            "The game is damaged in the storage, a part of it is missing, or only a newer version can read it: half of "
            "it is never shown. The log has its id."
        ),
    ),
    "unreadable_past": ProblemType(
        500,
        Phrase("Unreadable past"),
        Phrase(
            "The server plays by other rules now than when this happened, and won't show what never was. The game as "
            "it is now can be read and played."
        ),
    ),
    "storage_unavailable": ProblemType(
        503,
        Phrase("Storage unavailable"),
        Phrase("The storage can't be reached. `detail` says whether a change may have been made."),
    ),
    "too_many_streams": ProblemType(
        503,
        Phrase("Too many streams"),
        Phrase(
            "Every place for streams and long-polls is taken, or your address has its share of them, a tenth: "
            "`Retry-After` says when to try again."
        ),
    ),
    "overloaded": ProblemType(
        503,
        Phrase("Too much to do"),
        Phrase("The request waited for two seconds and couldn't be begun: `Retry-After` says when to try again."),
    ),
    "no_worker": ProblemType(
        503,
        Phrase("No worker"),
        Phrase("Games can be looked at and played, but no AI will move until a worker is back."),
    ),
}

CODES_BY_STATUS: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "request_timeout",
    413: "content_too_large",
    414: "uri_too_long",
    415: "unsupported_media_type",
    422: "invalid",
    431: "header_fields_too_large",
}
"""Codes for errors raised by Flask and Werkzeug, by status."""

ANY_PATH_CODES: Final = (
    *("bad_request", "method_not_allowed", "request_timeout", "uri_too_long", "header_fields_too_large"),
    *("internal_error", "overloaded"),
)
"""Codes that any path may answer: HTTP errors, internal errors and overload."""
V1_CODES: Final = ("invalid", "not_acceptable")
"""Codes of all paths under ``/v1/``."""
STORE_CODES: Final = ("storage_unavailable", "unreadable")
"""Codes of operations that use the store."""
READ_CODES: Final = ("unknown_token", "wrong_token", "no_such_game", "no_such_ruleset", *STORE_CODES)
"""Codes of operations on one game."""
WRITE_CODES: Final = (*READ_CODES, "no_token")
"""Codes of operations on one game that need a token."""
BODY_CODES: Final = ("malformed_json", "content_too_large", "unsupported_media_type", "invalid")
"""Codes of operations whose requests have a body."""
JOB_CODES: Final = ("no_token", "unknown_token", "wrong_token", "no_such_job", *STORE_CODES)
"""Codes of operations on jobs."""
EXEMPT_ROUTES: Final = ("/healthz", "/readyz")
"""Routes for supervisors and load balancers. They are always answered, and never counted for a rate limit."""


def codes_of(rule: str) -> tuple[str, ...]:
    """Return the codes that any operation at the path *rule* may answer."""
    limited = () if rule in EXEMPT_ROUTES else ("rate_limited",)
    return (*ANY_PATH_CODES, *limited, *(V1_CODES if rule.startswith("/v1/") else ()))


PATH_PARAMETER_PATTERN: Final = re.compile(r"<(?:[^:<>]*:)?(\w+)>")
"""A path parameter in Flask's notation."""
MAX_COMPARED_PATH_LENGTH: Final = 100
"""Maximum number of characters of an unknown path that are compared with known paths."""

log = structlog.get_logger(__name__)


def document(facts: Mapping[str, object], translate: Translator = english) -> Json:
    """Return the problem document of ``facts["code"]`` with its ``detail`` and other members."""
    code = str(facts["code"])
    kind = PROBLEM_TYPES[code]
    return {"type": f"/problems/{code}", "title": kind.title.render(translate), "status": kind.status, **facts}


def problem(refusal: Refusal) -> Response:
    """Return the response to a refusal: its problem document."""
    translate = translator(negotiated_language())
    facts = refusal.as_json(translate)
    retry_after = getattr(refusal, "retry_after", None)
    if retry_after is not None:
        facts = {**facts, "retry_after": retry_after}
    return _response(document(facts, translate))


def _response_of(code: str, detail: Phrase) -> Response:
    translate = translator(negotiated_language())
    return _response(document({"code": code, "detail": detail.render(translate)}, translate))


def _response(body: Json) -> Response:
    answer = in_language(Response(orjson.dumps(body), body["status"], mimetype=MEDIA_TYPE))
    if body["status"] == HTTPStatus.UNAUTHORIZED:
        error = ', error="invalid_token"' if body["code"] == "unknown_token" else ""
        answer.headers["WWW-Authenticate"] = f'Bearer realm="regicide"{error}'
    if "retry_after" in body:
        answer.headers["Retry-After"] = str(body["retry_after"])
    return answer


def http_problem(error: HTTPException) -> Response | HTTPException:
    """Return the response to an error of Flask or Werkzeug, with its ``Allow`` header.

    A redirect, which Flask raises as an error too, is returned unchanged.
    """
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    if status < HTTPStatus.BAD_REQUEST:
        return error
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return internal_problem(error)
    code = CODES_BY_STATUS.get(status, "bad_request")
    allow = dict(error.get_headers()).get("Allow")
    answer = _response_of(code, _sentence(code, allow or ""))
    if allow:
        answer.headers["Allow"] = allow
    return answer


def _sentence(code: str, allow: str) -> Phrase:
    if code == "method_not_allowed":
        return Phrase("{method} is not allowed here. Allowed: {methods}.", method=request.method, methods=allow)
    if code != "not_found":
        return PROBLEM_TYPES[code].explanation
    if near := _similar_paths(request.path):
        return Phrase("There is nothing at this path. Did you mean {paths}?", paths=join_or(near))
    return Phrase("There is nothing at this path: /openapi.yaml lists every path.")


def _similar_paths(path: str) -> list[str]:
    """Return the paths of the contract most similar to *path*, the closest first."""
    said, shown = path[:MAX_COMPARED_PATH_LENGTH].split("/"), dict[str, str]()
    for rule in current_app.url_map.iter_rules():
        if rule.rule.startswith("/v1/"):
            parts = PATH_PARAMETER_PATTERN.sub(r"{\1}", rule.rule).split("/")
            alike = [said[n] if part[:1] == "{" and n < len(said) else part for n, part in enumerate(parts)]
            shown["/".join(alike)] = "/".join(parts)
    return [shown[alike] for alike in get_close_matches("/".join(said), shown, n=2, cutoff=0.75)]


def internal_problem(error: Exception) -> Response:
    """Log an unexpected exception and return its response. The message isn't logged, because it could name a card."""
    culprit = getattr(error, "original_exception", None) or error
    log.error(
        "internal_error",
        error=type(culprit).__name__,
        where=traceback_frames(culprit.__traceback__),
        game_id=requested_game(),
    )
    detail = Phrase("Internal error. Details are in the server's log under this response's X-Request-Id.")
    return _response_of("internal_error", detail)


def requested_game() -> str | None:
    """Return the id of the game in the request's path; None if there is none, or if it can't be an id."""
    game_id = (request.view_args or {}).get("game_id")
    return game_id if isinstance(game_id, str) and ID_PATTERN.fullmatch(game_id) else None


def explain(code: str, translate: Translator = english) -> Json:
    """Return the explanation for ``GET /problems/<code>``, the address that is every problem's ``type``."""
    kind = PROBLEM_TYPES.get(code)
    if kind is None:
        raise NotFound(Phrase("There is no problem of the code {code!r}.", code=code))
    title, explanation = kind.title.render(translate), kind.explanation.render(translate)
    return {"code": code, "status": kind.status, "title": title, "explanation": explanation}


def register(app: Flask) -> None:
    """Register the problem documents as responses to every error of *app*."""
    app.register_error_handler(Refusal, problem)
    app.register_error_handler(HTTPException, http_problem)
    app.register_error_handler(Exception, internal_problem)
