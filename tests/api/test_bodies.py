"""Bodies that no honest client sends: each is refused as what it is, and the server goes on."""

from time import process_time

import pytest
from flask.testing import FlaskClient

from api.http.request_io import MAX_BODY_DEPTH
from engines.core.types import Json
from tests.api.games import Game, plain

JSON = "application/json"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{} {}",
        b"'yield'",
        b'{"text": "yield",}',
        b'{"text": NaN}',
        b'{"text": Infinity}',
        b'{"text": "\xff\xfe"}',  # not UTF-8
        b"\xff\xfe{\x00}\x00",  # UTF-16
        b'{"text": "\\ud800"}',  # half a surrogate pair
        b"[" * 60_000,
        b"[" * 30_000 + b"]" * 30_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"text": 1e999}',
        b'{"text": ' + b"9" * 5000 + b"}",
        b"\x00",
    ],
    ids=range(16),
)
def test_no_json(game: Game, body: bytes):
    """What isn't JSON in UTF-8 is malformed, however it is broken."""
    response = game.ask("POST", "/actions", 0, data=body, content_type=JSON)

    assert (response.status_code, response.get_json()["code"]) == (400, "malformed_json")
    assert game.look()["version"] == 0


@pytest.mark.parametrize("size", [65_536, 65_537])
def test_the_largest_body(game: Game, size: int):
    """64 KB are read, a byte more isn't."""
    body = b'{"text": "' + b"x" * (size - 12) + b'"}'

    response = game.ask("POST", "/actions", 0, data=body, content_type=JSON)

    assert len(body) == size
    assert response.get_json()["code"] == ("bad_action" if size == 65_536 else "content_too_large")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json-patch+json"},
        {"Content-Type": ";;;"},
        {"Content-Type": JSON, "Content-Encoding": "gzip"},
    ],
    ids=range(6),
)
def test_another_media_type(game: Game, headers: dict[str, str]):
    """JSON only: a form on another site can't act."""
    response = game.ask("POST", "/actions", 0, data=b'{"text": "play 5S"}', headers=headers)

    assert (response.status_code, response.get_json()["code"]) == (415, "unsupported_media_type")
    assert game.look()["version"] == 0


@pytest.mark.parametrize("media_type", [JSON, "application/json; charset=utf-8", "Application/JSON"])
def test_the_media_type(game: Game, media_type: str):
    """Its parameters and its case don't matter."""
    plain(game.ask("POST", "/actions", 0, data=b'{"text": "play 5S"}', content_type=media_type))


@pytest.mark.parametrize(
    "accept", ["*/*", "application/*", "application/json", "text/html, application/json;q=0.1", ""]
)
def test_what_is_acceptable(game: Game, accept: str):
    """JSON is, if it is among what the client takes."""
    assert game.ask("GET", headers={"Accept": accept}).status_code == 200


def nested(depth: int) -> bytes:
    """Return lists in lists, as JSON."""
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize("depth", [MAX_BODY_DEPTH, 400, 500, 900, 1_000])
@pytest.mark.parametrize(
    ("path", "start", "end"),
    [
        ("/v1/games", b'{"ruleset": "regicide", "seats": [{"kind": "human"}], "position": {"a": ', b"}}"),
        ("/v1/games", b'{"ruleset": "regicide", "seats": [{"kind": "human", "family": ', b"}]}"),
        ("/v1/games", b'{"ruleset": "regicide", "options": ', b"}"),
        ("/actions", b'{"type": ', b"}"),
        ("/actions", b'{"type": "play", "cards": ', b"}"),
        ("/actions?dry_run=true", b'{"type": "play", "cards": ', b"}"),
        ("/signals", b'{"signal": ', b"}"),
        ("/v1/arenas", b'{"seats": ', b"}"),
    ],
)
def test_deep_bodies(game: Game, path: str, start: bytes, end: bytes, depth: int):
    """They are refused before anybody reads what is in them."""
    body = start + nested(depth) + end

    if path.startswith("/v1"):
        response = game.http.post(path, data=body, content_type=JSON)
    else:
        response = game.ask("POST", path, 0, data=body, content_type=JSON)

    assert (response.status_code, response.get_json()["code"]) == (400, "malformed_json")
    assert len(response.data) < 1_000


def test_a_body_of_many_lists_that_are_side_by_side(game: Game):
    """It isn't deep: it is read, as are lists in each other that are as deep as is allowed."""
    wide = b'{"type": [' + b",".join([b"[]"] * 500) + b"]}"
    deep = b'{"type": ' + nested(MAX_BODY_DEPTH - 1) + b"}"

    codes = [game.ask("POST", "/actions", 0, data=body, content_type=JSON).get_json()["code"] for body in (wide, deep)]

    assert codes == ["bad_action", "bad_action"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/games", {"ruleset": "gridcannon", "seats": [None, None]}),
        ("/v1/arenas", {"ruleset": "gridcannon", "seats": [None, None], "games": 1}),
    ],
)
def test_nothing_in_a_list_is_no_seat(http: FlaskClient, path: str, body: dict[str, object]):
    """What is in a list complains as a field does: by its place, in the reader's language."""
    said = http.post(path, json=body, headers={"Accept-Language": "es"})

    assert said.status_code == 422
    assert [key for key in said.get_json()["errors"] if key.startswith("seats")]
    assert "Field may not be null" not in said.text


MANY = 8_000


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/games", {"ruleset": "regicide", "seats": [{}] * MANY}),
        ("/v1/games", {"ruleset": "regicide", "seats": [{"": 0}] * 7_000}),
        ("/v1/games", {"seats": [[]] * MANY}),
        ("/v1/arenas", {"ruleset": "regicide", "seats": [0] * MANY, "games": 1}),
        ("/v1/games", {"ruleset": "regicide", "seats": [], **{f"{n}": 0 for n in range(6_000)}}),
        ("/v1/games", {"ruleset": "regicide", "seats": [], **{f"{n:>600}": 0 for n in range(100)}}),
        ("/v1/games", {"ruleset": "regicide", "seats": [{f"{n}": 0 for n in range(5_000)}]}),
        ("/v1/arenas", {f"{n}": 0 for n in range(6_000)}),
        (
            "/v1/games",
            {"ruleset": "regicide", "seats": [{"kind": "human"}], "options": {f"{n}": 0 for n in range(4_000)}},
        ),
        ("/v1/games?" + "&".join(f"q{n}" for n in range(2_000)), {}),
    ],
    ids=[
        "empty",
        "unknown",
        "lists",
        "arena",
        "fields",
        "long names",
        "one seat",
        "arena's fields",
        "options",
        "query",
    ],
)
def test_many_mistakes_at_once(http: FlaskClient, path: str, body: Json):
    """They cost the server little, and their refusal is short: 64 KB of them aren't answered with ten times as much."""
    answer, seconds = http.post(path, json=body), []
    for _ in range(5):
        began = process_time()
        http.post(path, json=body)
        seconds.append(process_time() - began)

    assert answer.status_code == (400 if "options" in body else 422)
    assert len(answer.get_json().get("errors", ())) <= 20
    assert len(answer.data) <= 4_096
    assert min(seconds) <= 0.02  # the client's part, of writing the body, and neighbours on the processor included
