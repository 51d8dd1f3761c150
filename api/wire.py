"""Reading requests and writing answers: strict bodies in, JSON out, preconditions and keys in the headers."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import flask_smorest
import marshmallow as ma
import orjson
from flask import Request, Response, request
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from api.contract.fields import UNKNOWN
from api.contract.responses import problem_responses
from api.errors import Invalid, MalformedJson
from engines.phrase import Phrase
from workers.storage.store import Key

View = TypeVar("View", bound=Callable[..., Response])

ETAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
VERSION: Final = re.compile(r"0|[1-9][0-9]{0,15}")
IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,200}")
BEARER: Final[list[dict[str, list[str]]]] = [{"bearer": []}]
"""How an operation says in the contract that it needs a token."""

BAD_KEY: Final = Phrase("A key has 1 to 200 visible ASCII characters.")

TWICE: Final = Phrase("Give this once.")

NO_VERSION: Final = -1
"""Expected of a game whose If-Match is no version: no game ever has it."""


class StrictParser(FlaskParser):
    """Reads JSON by orjson: UTF-8 only, no NaN, no lone surrogates, a limited depth; no other media type."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": ma.RAISE}  # noqa: RUF012  webargs

    def load_json(self, req: Request, schema: ma.Schema) -> Any:  # noqa: ARG002  webargs
        """Return the body, whatever its type. Raises 413, 415 or ``MalformedJson``."""
        text = req.get_data(cache=True)
        if req.mimetype != "application/json" or req.headers.get("Content-Encoding", "identity") != "identity":
            raise UnsupportedMediaType
        if len(text) >= (req.max_content_length or math.inf):
            raise RequestEntityTooLarge  # Werkzeug cuts a chunked body there without a word
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise MalformedJson(
                Phrase(
                    "The body is no JSON in UTF-8: it can't be read at line {line}, column {column}.",
                    line=error.lineno,
                    column=error.colno,
                )
            ) from error


def _strict(view: View) -> View:
    """Return *view*, refusing a query that it wouldn't read, or would read in part.

    ``POST /v1/games?dry_run=true`` would set up a game.
    """
    documented = vars(view).get("_apidoc", {}).get("arguments", {}).get("parameters", [])
    reads_query = any(parameter["in"] == "query" for parameter in documented)

    @wraps(view)
    def strict(*args: Any, **how: Any) -> Response:
        twice = {name: [TWICE] for name, values in request.args.lists() if len(values) > 1}
        wrong = twice if reads_query else {name: [UNKNOWN] for name in request.args}
        if wrong and request.path.startswith("/v1/"):
            raise Invalid(wrong)
        return view(*args, **how)

    return cast(View, strict)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # it ships no types
    """A blueprint of flask-smorest with the strict parser, and typed."""

    ARGUMENTS_PARSER = StrictParser()

    def route(self, rule: str, *, methods: Sequence[str] = ("GET",)) -> Callable[[View], View]:
        """Answer *methods* at the path *rule*."""
        place: Callable[[View], View] = super().route(rule, methods=list(methods))
        return lambda view: place(_strict(view))

    if TYPE_CHECKING:

        def arguments(self, schema: type[ma.Schema], **how: Any) -> Callable[[View], View]: ...
        def response(self, status: int, schema: Mapping[str, Any], **how: Any) -> Callable[[View], View]: ...
        def alt_response(self, status: int, **how: Any) -> Callable[[View], View]: ...
        def doc(self, **words: Any) -> Callable[[View], View]: ...

    def refuses(self, *codes: str) -> Callable[[View], View]:
        """Document the problems that an operation can answer."""

        def decorator(view: View) -> View:
            documented: Any = view
            for status, response in problem_responses(codes).items():
                documented = self.alt_response(status, **response)(documented)
            vars(view)["_apidoc"] = vars(documented)["_apidoc"]  # the words alone: no request passes the wrappers
            return view

        return decorator


def answer(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON."""
    return Response(orjson.dumps(body), status, headers, mimetype="application/json")


def etag(version: int) -> str:
    """Return a version as an entity tag."""
    return f'"{version}"'


def is_known(version: int, if_none_match: str | None) -> bool:
    """Whoever sent this ``If-None-Match`` has the game at *version* already (weak comparison, RFC 9110)."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or str(version) in (tag for _, tag in ETAG.findall(if_none_match))


def expected_version(if_match: str | None, current: int) -> int | None:
    """Return the version that ``If-Match`` demands: None for any, ``NO_VERSION`` for what is no version.

    Of several the current one counts, if it is among them. The comparison is strong: weak tags never match.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    parts = [ETAG.fullmatch(part.strip()) for part in if_match.split(",")]
    versions = [int(tag[2]) for tag in parts if tag is not None and not tag[1] and VERSION.fullmatch(tag[2])]
    if len(parts) == len(versions) == 1:
        return versions[0]
    return current if current in versions else NO_VERSION


def idempotency_key(text: str | None, scope: str) -> Key | None:
    """Return the key of this request, whose body has been read. Raises ``Invalid``."""
    if text is None:
        return None
    if not IDEMPOTENCY_KEY.fullmatch(text):
        raise Invalid({"Idempotency-Key": [BAD_KEY]})
    return Key(scope=scope, text=text, body=sha256(request.get_data(cache=True)).hexdigest())
