"""The contract in the repository is the one that the code makes."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from api.cli import main
from api.openapi import contract_text
from api.problems import KINDS, MEDIA_TYPE
from tests.api.contract import CONTRACT, hold_value, template, validator

OPERATIONS = {
    said["operationId"]: (path, verb, said)
    for path, item in CONTRACT["paths"].items()
    for verb, said in item.items()
    if verb != "parameters"
}


def test_no_drift():
    """Run ``make openapi`` after a change of the contract."""
    assert (Path(__file__).parents[2] / "openapi.yaml").read_text() == contract_text()


def test_the_command(tmp_path: Path):
    """``regicide openapi`` prints it, or writes it."""
    printed = CliRunner().invoke(main, ["openapi"])
    written = CliRunner().invoke(main, ["openapi", "--output", str(tmp_path / "o.yaml")])

    assert printed.exit_code == written.exit_code == 0
    assert printed.stdout == (tmp_path / "o.yaml").read_text() == contract_text()


def test_the_version():
    """``regicide --version`` prints one."""
    assert CliRunner().invoke(main, ["--version"]).output.strip().count(".") == 2


def test_the_server_shows_it(http: FlaskClient):
    """The same text."""
    response = http.get("/openapi.yaml")

    assert response.mimetype == "application/yaml"
    assert response.text == contract_text()


def test_every_route_is_in_it(app: Flask):
    """And nothing else is; what a page loads goes with the page."""
    routes = {
        (template(rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.endpoint != "asset"
        for method in rule.methods or ()
        if method not in ("HEAD", "OPTIONS")
    }

    assert routes == {(path, verb) for path, verb, _ in OPERATIONS.values()}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name: str):
    """Has a summary, a description, a good answer, and problems as problem documents with an example each."""
    _path, _verb, said = OPERATIONS[name]

    assert said["summary"].endswith((".", "?"))
    assert said["description"].endswith((".", "?"))
    assert any(status.startswith("2") for status in said["responses"])
    for status, answer in said["responses"].items():
        assert answer["description"]
        assert "X-Request-Id" in answer["headers"]
        if status >= "400":
            examples = answer["content"][MEDIA_TYPE]["examples"]
            assert {str(KINDS[code].status) for code in examples} == {status}


def test_who_may_be_limited_is_told_how_they_stand():
    """In every answer of what can be asked too often, by the same two headers; elsewhere in none."""
    limits = {name: {"$ref": f"#/components/headers/{name}"} for name in ("RateLimit", "RateLimit-Policy")}
    described = {
        name: [{header: answer["headers"].get(header) for header in limits} for answer in said["responses"].values()]
        for name, (_, _, said) in OPERATIONS.items()
    }
    limited = {name for name, (_, _, said) in OPERATIONS.items() if "429" in said["responses"]}

    assert {name for name, answers in described.items() if answers == [limits] * len(answers)} == limited
    assert {name for name, answers in described.items() if answers == [dict.fromkeys(limits)] * len(answers)} == (
        OPERATIONS.keys() - limited
    )
    assert limited >= {"createGame", "act", "streamGame", "askHint", "startArena"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_example(name: str):
    """Bodies and answers have examples, and those fit."""
    path, verb, said = OPERATIONS[name]
    places: list[tuple[str, ...]] = [
        ("responses", status, "content") for status, answer in said["responses"].items() if "content" in answer
    ]
    if "requestBody" in said:
        places.append(("requestBody", "content"))
    for place in places:
        for media_type, content in followed(said, place).items():
            examples = content.get("examples") or {"example": {"value": content["example"]}}
            for example in examples.values():
                value = CONTRACT["components"]["examples"][code(example)] if "$ref" in example else example
                hold_value(value["value"], validator("paths", path, verb, *place, media_type, "schema"))


def followed(node: Any, steps: tuple[str, ...]) -> Any:
    """Return what is at the end of a way into a document."""
    for step in steps:
        node = node[step]
    return node


def code(reference: dict[str, str]) -> str:
    """Return the name that a reference ends with."""
    return reference["$ref"].rpartition("/")[2]


def test_every_parameter_is_described():
    """Those of paths, queries and headers."""
    for path, verb, said in OPERATIONS.values():
        for parameter in [*said.get("parameters", []), *CONTRACT["paths"][path].get("parameters", [])]:
            assert parameter["description"], (path, verb, parameter)


def test_references_lead_somewhere():
    """No ``$ref`` points at nothing."""
    for reference in _references(CONTRACT):
        target: Any = CONTRACT
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        return [node["$ref"]] if "$ref" in node else [ref for value in node.values() for ref in _references(value)]
    return [ref for value in node for ref in _references(value)] if isinstance(node, list) else []
