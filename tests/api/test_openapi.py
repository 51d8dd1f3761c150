"""The contract in the repository is the one that the code makes."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from api.commands.cli import main
from api.contract import examples
from api.problems.documents import MEDIA_TYPE, PROBLEM_TYPES
from engines import RULESETS
from engines.core.phrase import join_or
from engines.core.schemas import camel
from engines.ruleset import Ruleset
from tests.api.contract import COMPONENTS, CONTRACT, hold_value, resolved, template, validator

TEXT = (Path(__file__).parents[2] / "openapi.yaml").read_text("utf-8")

OPERATIONS = {
    said["operationId"]: (path, verb, said)
    for path, item in CONTRACT["paths"].items()
    for verb, said in item.items()
    if verb != "parameters"
}


def test_no_drift():
    """``regicide openapi`` prints what is in the repository: run ``make openapi`` after a change of the contract."""
    printed = CliRunner().invoke(main, ["openapi"])

    assert printed.exit_code == 0
    assert printed.stdout == TEXT


def test_an_example_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch):
    """The other games have theirs, and the web server logs the error at its start."""
    failed: list[examples.FailedExample] = []
    monkeypatch.setattr(examples, "FAILED_EXAMPLES", failed)

    def write(game: examples.ExampleGame) -> str:
        if game.started.ruleset_name == "regicide":
            raise RuntimeError
        return game.started.ruleset_name

    assert {name: one["value"] for name, one in examples.each(write).items()} == {"gridcannon": "gridcannon"}
    assert [(one.ruleset_name, type(one.error)) for one in failed] == [("regicide", RuntimeError)]


def test_the_command(tmp_path: Path):
    """``regicide openapi`` writes it too."""
    written = CliRunner().invoke(main, ["openapi", "--output", str(tmp_path / "o.yaml")])

    assert written.exit_code == 0
    assert (tmp_path / "o.yaml").read_text("utf-8") == TEXT


def test_the_version():
    """``regicide --version`` prints one."""
    assert CliRunner().invoke(main, ["--version"]).output.strip().count(".") == 2


def test_the_server_shows_it(http: FlaskClient):
    """The same text."""
    response = http.get("/openapi.yaml")

    assert response.mimetype == "application/yaml"
    assert response.text == TEXT


def test_every_route_is_in_it(app: Flask):
    """And nothing else is; what a page loads goes with the page, and `/docs` leads on."""
    routes = {
        (template(rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.endpoint not in ("asset", "ruleset_asset", "docs_asset", "docs")
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
    for status, reference in said["responses"].items():
        answer = resolved(reference)
        assert answer["description"]
        assert "X-Request-Id" in answer["headers"]
        if status >= "400":
            examples = answer["content"][MEDIA_TYPE]["examples"]
            assert {str(PROBLEM_TYPES[code].status) for code in examples} == {status}


def test_who_may_be_limited_is_told_how_they_stand():
    """In every answer of what can be asked too often, by the same two headers; elsewhere in none."""
    limits = {name: {"$ref": f"#/components/headers/{name}"} for name in ("RateLimit", "RateLimit-Policy")}
    described = {
        name: [
            {header: resolved(answer)["headers"].get(header) for header in limits}
            for answer in said["responses"].values()
        ]
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
        ("responses", status, "content")
        for status, answer in said["responses"].items()
        if "content" in resolved(answer)
    ]
    if "requestBody" in said:
        places.append(("requestBody", "content"))
    for place in places:
        for media_type, content in followed(said, place).items():
            examples = content.get("examples") or {"example": {"value": content["example"]}}
            for example in examples.values():
                hold_value(resolved(example)["value"], validator("paths", path, verb, *place, media_type, "schema"))


def followed(node: Any, steps: tuple[str, ...]) -> Any:
    """Return what is at the end of a way into a document."""
    for step in steps:
        node = resolved(node[step])
    return node


def test_the_first_new_game_can_be_played_at_once(http: FlaskClient):
    """Whoever sends the first example of createGame is dealt cards, and may act."""
    _, _, said = OPERATIONS["createGame"]
    first = next(iter(said["requestBody"]["content"]["application/json"]["examples"].values()))

    game = http.post("/v1/games", json=first["value"]).get_json()

    assert game["status"] == "active"
    assert game["view"] is not None
    assert game["tokens"].keys() == {"0"}


@pytest.mark.parametrize("kind", ["GameIn", "ArenaIn"])
@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_seats_are_one_list(ruleset: Ruleset, kind: str):
    """Plain bounds, which generators of clients understand; which numbers of seats there are is said in words."""
    seats = COMPONENTS["schemas"][f"{camel(ruleset.name)}{kind}"]["properties"]["seats"]
    said = str(join_or(ruleset.player_counts))

    assert seats.keys() == {"type", "items", "minItems", "maxItems", "description"}
    assert (seats["minItems"], seats["maxItems"]) == (min(ruleset.player_counts), max(ruleset.player_counts))
    assert seats["description"].endswith(f": exactly {said} of them")


def test_recorded_events_are_objects_of_their_own():
    """Each is its event with the version that it made, which an event by itself doesn't have."""
    schemas = COMPONENTS["schemas"]
    starts = ("Table", *(camel(name) for name in RULESETS))
    named = {
        start: [
            part["$ref"].removeprefix(f"#/components/schemas/{start}") for part in schemas[f"{start}Event"]["oneOf"]
        ]
        for start in starts
    }

    assert resolved(schemas["Events"]["properties"]["events"]["items"]) == {
        "anyOf": [{"$ref": f"#/components/schemas/{start}RecordedEvent"} for start in starts]
    }
    for start, names in named.items():
        assert schemas[f"{start}RecordedEvent"]["oneOf"] == [
            {"$ref": f"#/components/schemas/{start}Recorded{name}"} for name in names
        ]
        for name in names:
            event, recorded = schemas[f"{start}{name}"], schemas[f"{start}Recorded{name}"]
            version = recorded["properties"]["version"]
            assert recorded == {
                **event,
                "required": ["version", *event["required"]],
                "properties": {"version": version, **event["properties"]},
            }
            assert "version" not in event["properties"]


def test_what_several_operations_answer_is_written_once():
    """Problems that are alike are one response, and those that are one are asked for more than once."""
    answers = [answer for _, _, said in OPERATIONS.values() for answer in said["responses"].values()]
    references = [answer["$ref"] for answer in answers if "$ref" in answer]
    written = [answer for answer in answers if "$ref" not in answer and MEDIA_TYPE in answer.get("content", {})]

    assert min(Counter(references).values()) > 1
    assert {f"#/components/responses/{name}" for name in COMPONENTS["responses"]} == set(references)
    assert all(written.count(answer) == 1 for answer in written)
    assert all(answer not in COMPONENTS["responses"].values() for answer in written)


def test_an_object_is_no_union_besides():
    """What has fields has no choices beside them: generated clients would know the choices alone."""
    mixed = {"oneOf", "anyOf", "allOf"}

    assert [node for node in _nodes_with(COMPONENTS["schemas"], "properties") if mixed & node.keys()] == []


def test_words_have_names_in_programs():
    """A word that is no identifier has one beside it: a client generated from the contract has that name for it."""
    for enum in _nodes_with(CONTRACT["components"]["schemas"], "enum"):
        words = [word for word in enum["enum"] if isinstance(word, str)]
        names = enum.get("x-enum-varnames", words)
        assert len(set(names)) == len(words), enum
        assert [name for name in names if not name.isidentifier()] == []


def test_cards_are_named_as_they_are_read():
    """By rank and suit; a joker by its number."""
    card = COMPONENTS["schemas"]["RegicideCard"]
    names = dict(zip(card["enum"], card["x-enum-varnames"], strict=True))

    assert names["2C"] == "TWO_OF_CLUBS"
    assert names["TH"] == "TEN_OF_HEARTS"
    assert names["AS"] == "ACE_OF_SPADES"
    assert names["X2"] == "JOKER_2"


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


def _nodes_with(node: Any, word: str) -> Iterator[dict[str, Any]]:
    """Yield every object of a document that has *word*."""
    if isinstance(node, dict):
        if word in node:
            yield node
        for value in node.values():
            yield from _nodes_with(value, word)
    elif isinstance(node, list):
        for value in node:
            yield from _nodes_with(value, word)
