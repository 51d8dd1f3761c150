"""``openapi.yaml``: the contract, generated from the routes, their schemas and docstrings."""

from functools import cached_property
from typing import Any, Final

import flask_smorest
import yaml
from flask import Flask

from api import actions, arenas, events, games, health, jobs, rulesets, shapes, streams
from engines.ruleset import Json

VERSION: Final = "1.0.0"
DESCRIPTION: Final = """\
Play card games over HTTP, with people and with AIs.

Create a game with `POST /v1/games`, keep the tokens that its answer alone shows, look at it with `GET /v1/games/{id}`,
ask what is legal with `GET .../actions`, and act with `POST .../actions`. Every error is an RFC 9457 problem with a
stable `code`. Every response has an `X-Request-Id`.
"""
ORDER: Final = ("operationId", "tags", "summary", "description", "security", "parameters", "requestBody")
NEVER_SHOWN: Final = ("Error", "PaginationMetadata")
"""Schemas of flask-smorest that no operation of ours speaks of."""


class Contract(flask_smorest.Api):  # type: ignore[misc]  # it ships no types
    """flask-smorest's documentation, without its errors: ours are problems."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Leave errors to ``api.problems``."""

    def as_dict(self) -> Json:
        """Return the contract as plain JSON."""
        document: Json = self.spec.to_dict()
        components: Json = document["components"]
        schemas = {name: schema for name, schema in sorted(components["schemas"].items()) if name not in NEVER_SHOWN}
        paths = {
            path: {verb: _ordered(said) for verb, said in item.items()} for path, item in document["paths"].items()
        }
        return {
            "openapi": document["openapi"],
            **{part: document[part] for part in ("info", "servers", "security", "tags")},
            "paths": paths,
            "components": {
                "securitySchemes": components["securitySchemes"],
                "schemas": schemas,
                "examples": components["examples"],
            },
        }

    @cached_property
    def text(self) -> str:
        """The contract as YAML."""
        return yaml.dump(self.as_dict(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def _ordered(said: Any) -> Any:
    """Put an operation in the order in which it is read; leave a path's parameters alone."""
    if not isinstance(said, dict):
        return said
    operation = {part: said[part] for part in ORDER if part in said}
    # What flask-smorest would answer by itself refers to components of its own; ours are written out.
    responses = {status: answer for status, answer in sorted(said["responses"].items()) if "$ref" not in answer}
    return {**operation, "responses": responses}


class _Dumper(yaml.SafeDumper):
    """Writes every value out: no anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML
        return True


def _write_text(dumper: _Dumper, text: str) -> yaml.Node:
    """Write several lines as they are."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _write_text)


def add_routes(app: Flask) -> Contract:
    """Give *app* every route, and return the contract that they make."""
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
    contract.spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    for name, schema in shapes.COMPONENTS.items():
        contract.spec.components.schema(name, schema)
    for code, example in shapes.PROBLEMS.items():
        contract.spec.components.example(code, example)
    for resource in (rulesets, games, actions, events, streams, jobs, arenas, health):
        contract.register_blueprint(resource.blp)
    app.extensions["contract"] = contract
    return contract


def contract_text() -> str:
    """Return openapi.yaml. It needs no storage."""
    return add_routes(Flask("api")).text
