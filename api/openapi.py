"""``openapi.yaml``: the contract, generated from the routes, their schemas and docstrings."""

from functools import cache
from typing import Any, Final

import flask_smorest
import yaml
from flask import Flask

from api.contract import operation_additions, problem_responses, requests, responses, ruleset_schemas
from api.contract.shared_schemas import plain_numbers
from api.resources import (
    actions,
    arenas,
    commitments,
    events,
    games,
    jobs,
    operator,
    pages,
    puzzles,
    reviews,
    rulesets,
    service_routes,
    streams,
)
from engines.core.types import Json

VERSION: Final = "1.0.0"
DESCRIPTION: Final = """\
Play card games over HTTP, with people and with AIs.

Create a game with `POST /v1/games`, keep the tokens that its answer alone shows, look at it with `GET /v1/games/{id}`,
ask what is legal with `GET .../actions`, and act with `POST .../actions`. What the others did since then is told by
`GET .../events`.

**Who you are.** A token goes into `Authorization: Bearer ...`. A seat's token acts for that seat and sees its cards,
the host's starts, hands over and abandons; without one you are a spectator of a public game. A private game is 404
for whoever has no token of it.

**Versions.** Every change of a game makes the next version, which is its `ETag`. `If-Match` acts only if nothing has
happened meanwhile (else 412), `If-None-Match` reads only if something has (else 304).

**Once.** With an `Idempotency-Key` a request can be sent again after a broken connection: it acts once and is answered
alike, for 24 hours.

**Errors.** Each is an RFC 9457 problem (`application/problem+json`) with a stable `code`, a sentence for a person, and
where the rules forbid something the number of the ruling. Every response has an `X-Request-Id`: yours, if you sent one.

**Notation.** A card is its rank, `A23456789TJQK`, and its suit, `CDHS`: `TH` is the ten of hearts; `X1` and `X2` are
the jokers. Actions may also say `10H` and `th`. Seats count from 0, clockwise. What a game's views, actions, events and
positions look like goes by its ruleset: the schemas named after it say it to the field, and nothing else is sent.
"""
BEARER: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token that create or join gave: a seat's (`rs_...`) acts for that seat, the host's (`rh_...`)"
    " starts, hands over and abandons. Without one you are a spectator of a public game. Another game's token is 403.",
}
OPERATION_KEYS: Final = ("operationId", "tags", "summary", "description", "security", "parameters", "requestBody")
RESOURCES: Final = (
    rulesets,
    commitments,
    games,
    actions,
    events,
    streams,
    jobs,
    reviews,
    arenas,
    puzzles,
    operator,
    service_routes,
    pages,
)
"""The modules with routes, in the order of the contract."""
HIDDEN_SCHEMAS: Final = ("Error", "PaginationMetadata", "SeatIn")
"""Schemas that no operation uses: flask-smorest's own, and a seat without its ruleset's fields."""


class Contract(flask_smorest.Api):  # type: ignore[misc]  # flask-smorest ships no types
    """flask-smorest's documentation without its error responses, because problems are documented here."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Register no handlers: ``api.problems.documents`` has them."""

    def as_dict(self) -> Json:
        document: Json = self.spec.to_dict()
        components: Json = document["components"]
        named = {**_with_descriptions(components["schemas"]), **ruleset_schemas.requests(components["schemas"])}
        numbers = {name: schema for name, schema in named.items() if schema.get("type") == "integer"}
        named = {name: plain_numbers(schema, numbers) for name, schema in named.items() if name not in numbers}
        paths = {
            path: {verb: _order_operation(said) for verb, said in item.items()}
            for path, item in document["paths"].items()
        }
        operation_additions.add_shared_parts(paths, named)
        codes = operation_additions.codes(paths)
        shared = operation_additions.shared_problems(paths)
        return {
            "openapi": document["openapi"],
            **{part: document[part] for part in ("info", "servers", "security", "tags")},
            "paths": paths,
            "components": {
                "securitySchemes": components["securitySchemes"],
                "headers": dict(operation_additions.HEADER_COMPONENTS),
                "schemas": {name: schema for name, schema in sorted(named.items()) if name not in HIDDEN_SCHEMAS},
                "responses": shared,
                "examples": {code: components["examples"][code] for code in codes},
            },
        }

    def text(self) -> str:
        """Return the contract as YAML."""
        return yaml.dump(self.as_dict(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def _with_descriptions(named: Json) -> Json:
    """Return the schemas. Each schema of a body gets its class's docstring as description."""
    promises = {name: {"description": body.__doc__} for name, body in vars(requests).items() if name in named}
    return {name: {**promises.get(name, {}), **schema} for name, schema in named.items()}


def _order_operation(said: Any) -> Any:
    """Return the operation *said* with its keys sorted by importance.

    If *said* is not an operation but the list of a path's parameters, return it unchanged.
    """
    if not isinstance(said, dict):
        return said
    operation = {part: said[part] for part in OPERATION_KEYS if part in said}
    # flask-smorest's default responses refer to its own components. They are omitted, because ours are written out.
    responses = {status: answer for status, answer in sorted(said["responses"].items()) if "$ref" not in answer}
    return {**operation, "responses": responses}


class _Dumper(yaml.SafeDumper):
    """Writes a repeated value in full each time, instead of a YAML alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML's signature
        return True


def _write_text(dumper: _Dumper, text: str) -> yaml.Node:
    """Write a text of several lines as a literal block."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _write_text)


def add_routes(app: Flask) -> None:
    """Give *app* every route."""
    for resource in RESOURCES:
        app.register_blueprint(resource.blp)


@cache
def contract_text() -> str:
    """Return openapi.yaml. The store is not needed. The first call takes a second."""
    app = Flask("api")
    app.config.update(
        API_TITLE="Regicide",
        API_VERSION=VERSION,
        OPENAPI_VERSION="3.1.1",
        API_SPEC_OPTIONS={
            "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": "/"}],
            "security": [{}, {"bearer": []}],
        },
    )
    contract = Contract(app)
    contract.spec.components.security_scheme("bearer", BEARER)
    for name, schema in {**ruleset_schemas.components(), **responses.COMPONENTS}.items():
        contract.spec.components.schema(name, schema)
    for code, example in problem_responses.PROBLEM_EXAMPLES.items():
        contract.spec.components.example(code, example)
    for resource in RESOURCES:
        contract.register_blueprint(resource.blp)
    return contract.text()
