"""Every answer that a test gets is held against ``openapi.yaml``: its status, media type, headers and every field."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import brotli
import jsonschema_rs
import yaml
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from tests.event_loop import answered

CONTRACT: dict[str, Any] = yaml.load(
    (Path(__file__).parents[2] / "openapi.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
)
"""As it is in the repository, which is read in a quarter of the time in which it is written anew; ``test_no_drift``."""

COMPONENTS: dict[str, Any] = CONTRACT["components"]
ANYWHERE = {"400": "bad_request", "404": "not_found", "500": "internal_error"}
"""What HTTP itself, or our own mistake, answers at any path; a test that asks for it looks at it."""


@cache
def validator(*place: str) -> jsonschema_rs.Validator:
    """Return what holds a value against the schema at this place of the contract."""
    schema: Any = CONTRACT
    for step in place:
        schema = resolved(schema[step])
    return jsonschema_rs.Draft202012Validator({**schema, "components": COMPONENTS}, validate_formats=True)


def resolved(node: Any) -> Any:
    """Return what a reference leads to, or the node itself if it is none."""
    if not isinstance(node, dict) or "$ref" not in node:
        return node
    _, part, name = node["$ref"].removeprefix("#/").split("/")
    return COMPONENTS[part][name]


class ContractClient(FlaskClient):
    """Flask's client on an event loop, for whom an answer that the contract doesn't know is a failure."""

    def open(self, *args: Any, **how: Any) -> TestResponse:
        if str(args[0]).endswith("/stream"):  # reads its first message here, on a loop of its own
            response = super().open(*args, **how)
        else:
            response = answered(lambda: FlaskClient.open(self, *args, **how))
        hold(response, self._template(response))
        return response

    def _template(self, response: TestResponse) -> str | None:
        """Return the path as the contract writes it; None where nothing is."""
        try:
            rule, _ = self.application.url_map.bind("localhost").match(
                response.request.path, response.request.method, return_rule=True
            )
        except HTTPException:
            return None
        return template(rule.rule)


def template(rule: str) -> str:
    """Return a Flask rule as the contract writes it."""
    return rule.replace("int(fixed_digits=1):", "").replace("<", "{").replace(">", "}")


def hold(response: TestResponse, path: str | None) -> None:
    """Hold an answer against what the contract says of the operation at *path*."""
    status, method = str(response.status_code), response.request.method.lower()
    if method == "head":  # GET without a body
        assert not response.data
        return
    if method not in CONTRACT["paths"].get(path, {}):
        if response.mimetype != "text/html":  # what a browser is shown in place of a problem
            hold_problem(response)
        return
    said = CONTRACT["paths"][path][method]["responses"]
    if status in ANYWHERE and (status not in said or response.get_json()["code"] == ANYWHERE[status]):
        hold_problem(response)
        return
    assert status in said, f"{method} {path} never answers {status}: {response.text}"
    promised = resolved(said[status])
    hold_headers(response, promised)
    content = promised.get("content", {})
    assert response.mimetype in content or not (content or response.data), (path, status, response.mimetype)
    if response.is_json:
        place = ("paths", path, method, "responses", status, "content", response.mimetype, "schema")
        hold_value(json.loads(unpacked(response)), validator(*place))


def unpacked(response: TestResponse) -> bytes:
    """Return the body as it was before it was compressed by its ``Content-Encoding``, if it has one."""
    body: bytes = response.data
    coding = response.headers.get("Content-Encoding")
    if coding == "br":
        return bytes(brotli.decompress(body))
    if coding == "gzip":
        return gzip.decompress(body)
    assert coding is None, coding
    return body


def hold_headers(response: TestResponse, said: dict[str, Any]) -> None:
    """Each header that is promised is there, and is well-formed; rate limits only where the contract has them."""
    assert {"RateLimit", "RateLimit-Policy"} & set(response.headers.keys()) <= set(said["headers"])
    for name, header in said["headers"].items():
        promised = resolved(header)
        value = response.headers.get(name)
        assert value is not None or not promised.get("required"), f"{name} is missing"
        if value is not None and promised["schema"]["type"] == "string":
            jsonschema_rs.validate(promised["schema"], value)


def hold_problem(response: TestResponse) -> None:
    """What is said where the contract has nothing is a problem all the same."""
    if response.status_code >= 400:
        hold_value(response.get_json(), validator("components", "schemas", "Problem"))


def hold_value(value: object, schema: jsonschema_rs.Validator) -> None:
    """Hold a value against its schema."""
    complaints = [f"{error.instance_path}: {error.message}"[:600] for error in schema.iter_errors(value)]
    assert not complaints, "\n".join(complaints)
