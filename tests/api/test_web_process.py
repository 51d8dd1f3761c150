"""The application over a real web server: what only real HTTP shows."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from regicide_client import RegicideClient
from tests.api.games import ANA, BEN
from tests.api.puzzles import LAST_BLOW
from tests.ports import free_port
from tests.waiting import AGES


@pytest.fixture(scope="module")
def served(redis_url: str) -> Iterator[str]:
    """Give the URL of a web server over the tests' storage; its log is checked when it has ended."""
    port = free_port()
    environ = {**os.environ, "REDIS_URL": redis_url, "PORT": str(port), "HOST": "127.0.0.1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "api"], env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    url = f"http://127.0.0.1:{port}"
    with RegicideClient(url, retry_seconds=20) as server:
        server.rulesets()  # tried again until somebody listens
    yield url
    process.terminate()
    _, said = process.communicate(timeout=AGES)
    lines = [json.loads(line) for line in said.splitlines()]
    assert any(line.get("route") == "/v1/rulesets" and line["request_id"] for line in lines)
    assert "rs_" not in said
    assert "play" not in said


@pytest.fixture
def http(served: str) -> Iterator[httpx.Client]:
    """Give a client that keeps its connection."""
    with httpx.Client(base_url=served, trust_env=False, limits=httpx.Limits(max_connections=1), timeout=AGES) as client:
        yield client


def test_a_game(served: str):
    """The client plays it to its end."""
    with RegicideClient(served) as server:
        players = server.create("regicide", [ANA, BEN], position=LAST_BLOW).players
        players[0].act("play 5C")

        assert players[1].wait_for_turn(timeout=AGES)["outcome"]


@pytest.mark.parametrize("path", ["/v1/games", "/nothing"])
@pytest.mark.parametrize("chunked", [False, True])
def test_large_bodies(http: httpx.Client, path: str, *, chunked: bool):
    """Are refused or ignored, and the connection is still in step."""
    body = b'{"ruleset": "chess", "seats": []}' + b" " * 70_000  # good JSON, however much of it is read
    content = iter([body[:10], body[10:]]) if chunked else body

    response = http.post(path, content=content, headers={"Content-Type": "application/json"})

    assert response.json()["code"] == ("content_too_large" if path == "/v1/games" else "not_found")
    assert http.get("/healthz").json() == {"status": "ok"}


def test_a_chunked_body(http: httpx.Client):
    """Is read like any other."""
    body = json.dumps({"ruleset": "regicide", "seats": [ANA]}).encode()

    response = http.post("/v1/games", content=iter([body[:9], body[9:]]), headers={"Content-Type": "application/json"})

    assert response.status_code == 201


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"GET /v1//games HTTP/1.1", "not_found"),
        (b"GET /v1/games/ HTTP/1.1", "not_found"),
        (b"GET /v1/../v1/games HTTP/1.1", "not_found"),
        (b"GET /v1/games/%00 HTTP/1.1", "no_such_game"),
        (b"GET /v1/games/%ff%fe HTTP/1.1", "no_such_game"),
        (b"GET /v1/games/a%2fb HTTP/1.1", "not_found"),
    ],
)
def test_odd_paths(served: str, line: bytes, code: str):
    """That no client library would send."""
    host, port = served.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as line_to:
        line_to.sendall(line + b"\r\nHost: x\r\nConnection: close\r\n\r\n")
        said = b"".join(iter(lambda: line_to.recv(65_536), b""))

    head, _, body = said.partition(b"\r\n\r\n")
    assert b"x-request-id" in head.lower()
    assert json.loads(body)["code"] == code


def test_an_underscore_is_no_hyphen(http: httpx.Client):
    """A header that only looks like another doesn't overrule it: so a proxy's word stays the last."""
    names = ("Accept-Language", "Accept_Language")
    spoken = [http.get("/v1/nothing", headers={name: "es"}).headers["Content-Language"] for name in names]

    assert spoken == ["es", "en"]
