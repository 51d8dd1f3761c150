"""Reading requests and writing responses: strict JSON bodies, preconditions, idempotency keys."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, wraps
from hashlib import sha256
from typing import Any, Final, TypeVar, cast

import flask_smorest
import marshmallow as ma
import orjson
from flask import Response
from werkzeug.datastructures import Headers
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.http import parse_options_header

from api.contract.problem_responses import problem_responses
from api.contract.validation import UNKNOWN_FIELD_PHRASE, by_field
from api.http.current_request import current_request
from api.http.services import services
from api.problems.documents import codes_of
from api.problems.errors import Invalid, MalformedJson
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table import table_json
from engines.table.table import Table
from workers import asyncio_greenlets
from workers.storage.idempotency import Key

View = TypeVar("View", bound=Callable[..., Response])

ETAG_CHARACTERS: Final = r"[\x21\x23-\x7e\x80-\xff]*"
ETAG_PATTERN: Final = re.compile(rf'(W/)?"({ETAG_CHARACTERS})"')
ETAG: Final = rf'(?:W/)?"{ETAG_CHARACTERS}"'
ETAG_LIST_PATTERN: Final = re.compile(rf"[ \t,]*{ETAG}(?:[ \t]*,(?:[ \t]*{ETAG})?)*[ \t]*")
"""Pattern of a list of entity tags. Empty elements of a list are ignored (RFC 9110, 5.6.1)."""
VERSION_PATTERN: Final = re.compile(r"0|[1-9][0-9]{0,15}")
IDEMPOTENCY_KEY_PATTERN: Final = re.compile(r"[\x21-\x7e]{1,200}")
BEARER_SECURITY: Final[list[dict[str, list[str]]]] = [{"bearer": []}]
"""Security requirement of operations that need a token."""

MIN_UNGUESSABLE_KEY_LENGTH: Final = 22
"""Minimum length of a key that must not be guessed: 128 random bits in Base64."""

MAX_BODY_DEPTH: Final = 32
"""Maximum number of lists and objects of a body that lie in each other. Those of valid bodies are far below it."""

DUPLICATE_PARAMETER_PHRASE: Final = Phrase("Give this parameter only once.")

NO_VERSION: Final = -1
"""Expected version if none of the tags in ``If-Match`` is the current version. No game has this version."""
NO_TAG: Final = -2
"""Expected version if ``If-Match`` is not a list of entity tags. No game has this version."""


@dataclass(frozen=True)
class RequestPart:
    """One part of a request that an operation reads, with its schema. The part is read once per request."""

    place: str
    """``json`` (the body), ``json, if any`` (a body that may be missing), ``query`` or ``headers``."""
    schema: ma.Schema

    def read(self) -> Any:
        """Return the validated part. Raises 413, 415, ``MalformedJson``, ``Invalid``."""
        sent = LOCATION_PARSERS[self.place](self.names)
        if sent is NOT_SENT:
            return dict(self.default)
        try:
            return self.schema.load(sent)
        except ma.ValidationError as error:
            raise Invalid(by_field(error.messages)) from error

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Field names of the schema, each with the key of its header in the WSGI environment."""
        written = [field.data_key or name for name, field in self.schema.fields.items()]
        return {name: f"HTTP_{name.upper().replace('-', '_')}" for name in written}

    @cached_property
    def default(self) -> Mapping[str, Any]:
        """The validated value of a part that the client did not send. A required body has no such value."""
        return cast("Mapping[str, Any]", self.schema.load(NOT_SENT))


JSON_MEDIA_TYPE: Final = "application/json"

NOT_SENT: Final[Mapping[str, str]] = {}
"""Stands for a part that the client did not send. It is compared by identity."""


def _body(_names: Mapping[str, str]) -> Any:
    """Return the body: JSON in UTF-8, at most ``MAX_BODY_DEPTH`` deep, without NaN or lone surrogates.

    Raises 413, 415, ``MalformedJson``.
    """
    asked, most = current_request(), services().settings.body_limit
    environ = asked.environ
    declared = environ.get("CONTENT_LENGTH", "")
    if declared.isdecimal() and int(declared) > most:
        raise RequestEntityTooLarge
    text = asked.get_data()
    is_json = _media_type(environ.get("CONTENT_TYPE", "")) == JSON_MEDIA_TYPE
    if not is_json or environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType
    if len(text) > most:
        raise RequestEntityTooLarge
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise MalformedJson(
            Phrase(
                "The body is no JSON in UTF-8: it can't be read at line {line}, column {column}.",
                line=error.lineno,
                column=error.colno,
            )
        ) from error
    if text.count(b"[") + text.count(b"{") > MAX_BODY_DEPTH and _is_too_deep(body):
        raise MalformedJson(Phrase("The body is nested too deeply: {most} levels are allowed.", most=MAX_BODY_DEPTH))
    return body


def _is_too_deep(body: object) -> bool:
    """Return whether more than ``MAX_BODY_DEPTH`` lists and objects are nested."""
    level = [body]
    for _ in range(MAX_BODY_DEPTH + 1):
        nested = [inner for inner in level if isinstance(inner, dict | list)]
        if not nested:
            return False
        level = [inner for outer in nested for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return True


@lru_cache(64)
def _media_type(content_type: str) -> str:
    """Return the media type of a ``Content-Type`` without its parameters."""
    return parse_options_header(content_type)[0].lower()


def _query(_names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the query parameters. ``_strict`` has refused duplicates."""
    asked = current_request()
    return asked.args if asked.query_string else NOT_SENT


def _headers(names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the request's headers of these names."""
    environ = current_request().environ
    return {name: environ[key] for name, key in names.items() if key in environ} or NOT_SENT


def _body_if_any(names: Mapping[str, str]) -> Any:
    """Return the result of ``_body``, or ``NOT_SENT`` if there is no body."""
    asked = current_request()
    is_there = asked.content_length or "HTTP_TRANSFER_ENCODING" in asked.environ
    return _body(names) if is_there else NOT_SENT


LOCATION_PARSERS: Final[Mapping[str, Callable[[Mapping[str, str]], Any]]] = {
    "json": _body,
    "json, if any": _body_if_any,
    "query": _query,
    "headers": _headers,
}


def _strict(view: View) -> View:
    """Return *view* with a check that refuses repeated parameters, or all parameters if *view* reads no query.

    Otherwise ``POST /v1/games?dry_run=true`` would create a game.
    """
    documented = vars(view).get("_apidoc", {}).get("arguments", {}).get("parameters", [])
    reads_query = any(parameter["in"] == "query" for parameter in documented)

    @wraps(view)
    def strict(*args: Any, **kwargs: Any) -> Response:
        asked = current_request()
        if asked.query_string:
            twice = {name: [DUPLICATE_PARAMETER_PHRASE] for name, values in asked.args.lists() if len(values) > 1}
            wrong = twice if reads_query else {name: [UNKNOWN_FIELD_PHRASE] for name in asked.args}
            if wrong and asked.path.startswith("/v1/"):
                raise Invalid(wrong)
        return view(*args, **kwargs)

    return cast(View, strict)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest ships no types
    """A flask-smorest blueprint that uses one declaration for parsing and for documentation.

    The declarations of *arguments* also define how a request is parsed, in one wrapper for all of them. All other
    declarations are only documentation and cost a request nothing.
    """

    def route(self, rule: str, *, methods: Sequence[str] = ("GET",)) -> Callable[[View], View]:
        """Register *methods* at the path *rule*."""
        place: Callable[[View], View] = super().route(rule, methods=list(methods))
        codes = codes_of(f"{self.url_prefix or ''}{rule}")

        def answered(view: View) -> View:
            _document_codes(self, view, (*vars(view).get("_codes", ()), *codes))
            return place(_strict(view))

        return answered

    def arguments(self, schema: type[ma.Schema], *, location: str = "json", **kwargs: Any) -> Callable[[View], View]:
        """Read *schema* from *location* and pass the result to the view, in the order of the decorators.

        With ``required=False`` the body may be left out.
        """
        place = location if kwargs.get("required", True) else f"{location}, if any"
        reading, document = RequestPart(place, schema()), super().arguments(schema, location=location, **kwargs)

        def decorator(view: View) -> View:
            said: Any = view
            plain, readings = vars(view).get("_plain", view), (reading, *vars(view).get("_readings", ()))

            @wraps(plain)
            def read(*args: Any, **path: Any) -> Response:
                return cast(Response, plain(*args, *[one.read() for one in readings], **path))

            vars(read).update(_apidoc=vars(document(said))["_apidoc"], _plain=plain, _readings=readings)
            return cast(View, read)

        return decorator

    def response(self, status: int, schema: Mapping[str, Any], **kwargs: Any) -> Callable[[View], View]:
        return _document_only(super().response(status, schema, **kwargs))

    def doc(self, **words: Any) -> Callable[[View], View]:
        """Add documentation to an operation."""
        return _document_only(super().doc(**words))

    def refuses(self, *codes: str) -> Callable[[View], View]:
        """Document the problem codes of an operation, in addition to those of its path (``codes_of``)."""

        def decorator(view: View) -> View:
            vars(view)["_codes"] = codes
            return view

        return decorator


def _document_codes(blueprint: Blueprint, view: View, codes: Sequence[str]) -> None:
    """Add the problems with these *codes* to a view's documentation.

    Each status is documented on a temporary view, because every decorator copies all earlier documentation of its view.
    """
    documented = vars(view).setdefault("_apidoc", {}).setdefault("response", {}).setdefault("responses", {})
    for status, response in problem_responses(codes).items():
        undocumented: Any = partial(view)
        alone = vars(blueprint.alt_response(status, **response)(undocumented))["_apidoc"]
        for code, answers in alone["response"]["responses"].items():
            documented.setdefault(code, []).extend(answers)


def _document_only(document: Callable[[Any], Any]) -> Callable[[View], View]:
    """Return a decorator that documents a view as *document* does, but does not wrap the view."""

    def decorator(view: View) -> View:
        vars(view)["_apidoc"] = vars(document(view))["_apidoc"]
        return view

    return decorator


def run_in_thread(view: View) -> View:
    """Return a function that runs *view* in a thread, because *view* would block the event loop for long."""

    @wraps(view)
    def elsewhere(*args: Any, **kwargs: Any) -> Response:
        return asyncio_greenlets.to_thread(partial(view, *args, **kwargs))

    return cast(View, elsewhere)


class JsonResponse(Response):
    """A JSON response with complete headers."""

    def __init__(self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(body, status, headers, content_type=JSON_MEDIA_TYPE)

    def get_wsgi_headers(self, environ: object) -> Headers:  # noqa: ARG002  Werkzeug's signature
        """Return the headers unchanged. Werkzeug would copy them to add missing ones."""
        return self.headers


def json_response(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response."""
    return JsonResponse(orjson.dumps(body), status, headers)


def resource(table: Table, viewer: int | None) -> bytes:
    """Return the game resource, as JSON, as *viewer* sees it: a seat, or a spectator (None). The text is cached."""
    notice = services().feed.notice
    return services().store.games.render_cached(
        table, ("game", viewer, notice), lambda: orjson.dumps(with_notice(table_json.resource(table, viewer), notice))
    )


def with_notice(shown: Json, notice: str | None) -> Json:
    """Return a game resource with the operator's *notice*, if there is one."""
    return shown if notice is None else {**shown, "notice": notice}


def with_present_notice(shown: Json) -> Json:
    """Return a game resource with the notice that the operator shows at present, if there is one."""
    return with_notice(shown, services().feed.notice)


def etag(version: int) -> str:
    """Return a version as an entity tag."""
    return f'"{version}"'


def etag_matches(version: int, if_none_match: str | None) -> bool:
    """Return whether ``If-None-Match`` matches *version* (weak comparison, RFC 9110)."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or str(version) in (tag for _, tag in ETAG_PATTERN.findall(if_none_match))


def expected_version(if_match: str | None, current: int) -> int | None:
    """Return the version that ``If-Match`` requires: None for any, ``NO_TAG`` if it isn't a list of entity tags.

    If ``If-Match`` has several tags, return the *current* version if it is among them, else ``NO_VERSION``. The
    comparison is strong, so weak tags never match.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    if not ETAG_LIST_PATTERN.fullmatch(if_match):
        return NO_TAG
    tags = ETAG_PATTERN.findall(if_match)
    versions = [int(tag) for weak, tag in tags if not weak and VERSION_PATTERN.fullmatch(tag)]
    if len(tags) == len(versions) == 1:
        return versions[0]
    return current if current in versions else NO_VERSION


def idempotency_key(text: str | None, scope: str, least: int = 1) -> Key | None:
    """Return the Idempotency-Key *text* within its *scope* (``Key.scope``), or None if *text* is None.

    The key must have at least *least* characters. Raises ``Invalid``.

    Call this only after the body was read, because the key is stored with a digest of the body.
    """
    if text is None:
        return None
    if len(text) < least or not IDEMPOTENCY_KEY_PATTERN.fullmatch(text):
        raise Invalid({"Idempotency-Key": [Phrase("A key has {least} to 200 visible ASCII characters.", least=least)]})
    return Key(scope=scope, text=text, body_digest=sha256(current_request().get_data(cache=True)).hexdigest())
