"""Reading requests and writing answers: strict bodies in, JSON out, preconditions and keys in the headers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, wraps
from hashlib import sha256
from typing import Any, Final, TypeVar, cast

import flask_smorest
import marshmallow as ma
import orjson
from flask import Response, request
from flask.globals import request_ctx
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.http import parse_options_header

from api.contract.fields import UNKNOWN, by_field
from api.contract.refusals import problem_responses
from api.http.services import services
from api.problems.documents import codes_of
from api.problems.errors import Invalid, MalformedJson
from engines.core.phrase import Phrase
from engines.table import table_json
from engines.table.table import Table
from workers import greenlets
from workers.storage.idempotency import Key

View = TypeVar("View", bound=Callable[..., Response])

ETAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
VERSION: Final = re.compile(r"0|[1-9][0-9]{0,15}")
IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,200}")
BEARER: Final[list[dict[str, list[str]]]] = [{"bearer": []}]
"""How an operation says in the contract that it needs a token."""

MIN_UNGUESSABLE_KEY_LENGTH: Final = 22
"""So many characters at least has a key that nobody else must guess: 128 random bits in Base64."""

DUPLICATE_PARAMETER: Final = Phrase("Give this once.")

NO_VERSION: Final = -1
"""Expected of a game whose If-Match is no version: no game ever has it."""


@dataclass(frozen=True)
class RequestPart:
    """What an operation reads in one place, and the schema that says what may be there. It is read once a request."""

    place: str
    """``json`` (the body), ``json, if any``, ``query`` or ``headers``."""
    schema: ma.Schema

    def read(self) -> Any:
        """Return what the request says there. Raises 413, 415, ``MalformedJson``, ``Invalid``."""
        sent = PLACES[self.place](self.names)
        if sent is NOTHING:
            return dict(self.without)
        try:
            return self.schema.load(sent)
        except ma.ValidationError as error:
            raise Invalid(by_field(error.messages)) from error

    @cached_property
    def names(self) -> Mapping[str, str]:
        """How the fields are written, and how WSGI's environment has headers of these names."""
        written = [field.data_key or name for name, field in self.schema.fields.items()]
        return {name: f"HTTP_{name.upper().replace('-', '_')}" for name in written}

    @cached_property
    def without(self) -> Mapping[str, Any]:
        """What is read where nothing was sent; a body must be."""
        return cast("Mapping[str, Any]", self.schema.load(NOTHING))


JSON: Final = "application/json"

NOTHING: Final[Mapping[str, str]] = {}


def _body(_names: Mapping[str, str]) -> Any:
    """Return the body, JSON in UTF-8: no NaN, no lone surrogates, a limited depth; no other media type."""
    asked, most = request_ctx.request, services().settings.body_limit
    environ = asked.environ
    declared = environ.get("CONTENT_LENGTH", "")
    if declared.isdecimal() and int(declared) > most:
        raise RequestEntityTooLarge
    text = asked.get_data()
    is_json = _media_type(environ.get("CONTENT_TYPE", "")) == JSON
    if not is_json or environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType
    if len(text) > most:
        raise RequestEntityTooLarge
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


@lru_cache(64)
def _media_type(content_type: str) -> str:
    """Return the media type that a ``Content-Type`` names, without its parameters."""
    return parse_options_header(content_type)[0].lower()


def _query(_names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the query; whatever is in it twice has been refused."""
    return request.args if request.query_string else NOTHING


def _headers(names: Mapping[str, str]) -> Mapping[str, str]:
    """Return those of the headers of these names that were sent."""
    environ = request.environ
    return {name: environ[key] for name, key in names.items() if key in environ} or NOTHING


def _body_if_any(names: Mapping[str, str]) -> Any:
    """Return the body, as ``_body`` does, if there is one."""
    asked = request_ctx.request
    is_there = asked.content_length or "HTTP_TRANSFER_ENCODING" in asked.environ
    return _body(names) if is_there else NOTHING


PLACES: Final[Mapping[str, Callable[[Mapping[str, str]], Any]]] = {
    "json": _body,
    "json, if any": _body_if_any,
    "query": _query,
    "headers": _headers,
}


def _strict(view: View) -> View:
    """Return *view*, refusing a query that it wouldn't read, or would read in part.

    ``POST /v1/games?dry_run=true`` would set up a game.
    """
    documented = vars(view).get("_apidoc", {}).get("arguments", {}).get("parameters", [])
    reads_query = any(parameter["in"] == "query" for parameter in documented)

    @wraps(view)
    def strict(*args: Any, **how: Any) -> Response:
        if request.query_string:
            twice = {name: [DUPLICATE_PARAMETER] for name, values in request.args.lists() if len(values) > 1}
            wrong = twice if reads_query else {name: [UNKNOWN] for name in request.args}
            if wrong and request.path.startswith("/v1/"):
                raise Invalid(wrong)
        return view(*args, **how)

    return cast(View, strict)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # it ships no types
    """A blueprint of flask-smorest for its documentation: what a route takes and gives is said once.

    What is said of *arguments* is also what is read of a request, by one wrapper however many there are. The rest
    is words alone: no request passes through it.
    """

    def route(self, rule: str, *, methods: Sequence[str] = ("GET",)) -> Callable[[View], View]:
        """Answer *methods* at the path *rule*."""
        place: Callable[[View], View] = super().route(rule, methods=list(methods))
        codes = codes_of(f"{self.url_prefix or ''}{rule}")

        def answered(view: View) -> View:
            _document_codes(self, view, (*vars(view).get("_codes", ()), *codes))
            return place(_strict(view))

        return answered

    def arguments(self, schema: type[ma.Schema], *, location: str = "json", **how: Any) -> Callable[[View], View]:
        """Read what *schema* allows at *location*, before what is read further down; the view gets it in that order.

        With ``required=False`` a body may be left out.
        """
        place = location if how.get("required", True) else f"{location}, if any"
        reading, document = RequestPart(place, schema()), super().arguments(schema, location=location, **how)

        def decorator(view: View) -> View:
            said: Any = view
            plain, readings = vars(view).get("_plain", view), (reading, *vars(view).get("_readings", ()))

            @wraps(plain)
            def read(*args: Any, **path: Any) -> Response:
                return cast(Response, plain(*args, *[one.read() for one in readings], **path))

            vars(read).update(_apidoc=vars(document(said))["_apidoc"], _plain=plain, _readings=readings)
            return cast(View, read)

        return decorator

    def response(self, status: int, schema: Mapping[str, Any], **how: Any) -> Callable[[View], View]:
        """Document what is answered."""
        return _in_words(super().response(status, schema, **how))

    def doc(self, **words: Any) -> Callable[[View], View]:
        """Document whatever else there is to say."""
        return _in_words(super().doc(**words))

    def refuses(self, *codes: str) -> Callable[[View], View]:
        """Document the problems that an operation can answer, beside those that any at its path can (``codes_of``)."""

        def decorator(view: View) -> View:
            vars(view)["_codes"] = codes
            return view

        return decorator


def _document_codes(blueprint: Blueprint, view: View, codes: Sequence[str]) -> None:
    """Document the problems of these *codes* of a view."""

    def document(view: Any) -> Any:
        for status, response in problem_responses(codes).items():
            view = blueprint.alt_response(status, **response)(view)
        return view

    _in_words(document)(view)


def _in_words(document: Callable[[Any], Any]) -> Callable[[View], View]:
    """Return a decorator that takes over what *document* says of a view, and not how it would wrap it."""

    def decorator(view: View) -> View:
        vars(view)["_apidoc"] = vars(document(view))["_apidoc"]
        return view

    return decorator


def aside(view: View) -> View:
    """Let *view* run in a thread: it takes long, and meanwhile the event loop has others to answer."""

    @wraps(view)
    def elsewhere(*args: Any, **how: Any) -> Response:
        return greenlets.to_thread(partial(view, *args, **how))

    return cast(View, elsewhere)


def answer(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON."""
    return Response(orjson.dumps(body), status, headers, mimetype=JSON)


def resource(table: Table, viewer: int | None) -> bytes:
    """Return the game resource as *viewer* sees it, in JSON."""
    return services().store.games.render_cached(
        table, ("game", viewer), lambda: orjson.dumps(table_json.resource(table, viewer))
    )


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


def idempotency_key(text: str | None, scope: str, least: int = 1) -> Key | None:
    """Return the key of this request, whose body has been read; it has *least* characters. Raises ``Invalid``."""
    if text is None:
        return None
    if len(text) < least or not IDEMPOTENCY_KEY.fullmatch(text):
        raise Invalid({"Idempotency-Key": [Phrase("A key has {least} to 200 visible ASCII characters.", least=least)]})
    return Key(scope=scope, text=text, body=sha256(request.get_data(cache=True)).hexdigest())
