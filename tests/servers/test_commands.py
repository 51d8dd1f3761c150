"""Commands that can't go on: each ends with one sentence on standard error, never with a traceback."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from redis import Redis

from tests.ports import free_port
from tests.servers.commands import run_in_fork
from tests.servers.served import COMMAND, running_server
from tests.waiting import AGES, allowed
from workers.storage import layout
from workers.storage.keys import LAYOUT

AWAY = "http://127.0.0.1:1"
PLAY = ["bot", "--game", "g", "--token", "rs_x", "--exec", "cat"]
ARENA = ["arena", "--seat", "novice", "--seat", "novice", "--games", "1"]
PYTHON = sys.executable
ALIVE = b'{"status": "ok"}'
UNREADABLE = "/proc/self/mem"
"""A file that is there and can't be read, not even by root."""


def assert_one_sentence(end: subprocess.CompletedProcess[str], said: str) -> None:
    """It failed, and told why: in the last line, whatever it had done before."""
    assert end.returncode in (1, 2), end.stderr
    *_, last = end.stderr.strip().splitlines()
    assert last.startswith("Error: "), end.stderr
    assert last.endswith(".")
    assert said in last
    assert "Traceback" not in end.stderr


@pytest.mark.parametrize(
    ("words", "environ", "said"),
    [
        ([*PLAY, "--server", AWAY], {}, "can't be reached"),
        ([*PLAY, "--server", "127.0.0.1"], {}, "can't be reached"),
        ([*PLAY], {"PORT": "none"}, "PORT must be"),
        (["serve"], {"HOST": "no.such.host.invalid"}, "Nothing can be served at"),
        (["serve"], {"HOST": "é..x"}, "Nothing can be served at"),
        (["serve"], {"PORT": "none"}, "PORT must be"),
        (["serve"], {"REGICIDE_DATA": "/proc/none"}, "Games can't be kept"),
        (["serve"], {"REDIS_URL": "redis://:secret@127.0.0.1:1"}, "The store at 127.0.0.1 port 1 doesn't answer"),
        (["worker"], {"REDIS_URL": "unix:///none/store.sock"}, "The store at /none/store.sock doesn't answer"),
        (["worker"], {"REDIS_URL": "redis://127.0.0.1:99999"}, "REDIS_URL must be"),
        (["worker"], {"REDIS_URL": ""}, "Set REDIS_URL"),
        (["demo"], {"REDIS_URL": "redis://127.0.0.1:1"}, "before it was ready"),
        (["demo"], {"PORT": "none"}, "PORT must be"),
        ([*ARENA, "--out", UNREADABLE], {}, "can't be read"),
        ([*ARENA, "--out", "/none/out.json"], {}, "can't be written"),
        ([*ARENA, "--out", __file__], {}, "holds no arena"),
        (["verify", UNREADABLE], {}, "can't be read"),
        (["audit", UNREADABLE], {}, "can't be read"),
        (["openapi", "--output", "/none/openapi.yaml"], {}, "/none/openapi.yaml"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_not_there(words: list[str], environ: dict[str, str], said: str, tmp_path: Path):
    """No server, no store, a wrong address, a file that can't be read or written."""
    if UNREADABLE in words and not Path(UNREADABLE).exists():
        pytest.skip("only Linux has such a file")
    settings = {"PORT": str(free_port()), "REGICIDE_DATA": str(tmp_path / "data")}

    assert_one_sentence(run_in_fork(words, {**os.environ, **settings, **environ}), said)


@pytest.mark.parametrize(
    "words", [[*COMMAND, "serve"], [*COMMAND, "worker"], [PYTHON, "-m", "workers"], [PYTHON, "-m", "api"]]
)
def test_a_store_that_does_not_fit(words: list[str], database: Redis, redis_url: str):
    """Whatever is started says why it can't be, and exits with status 2."""
    database.hset(LAYOUT, mapping={"layout": layout.LAYOUT_NUMBER, "partitions": "4"})
    environ = {**os.environ, "REDIS_URL": redis_url, "PORT": str(free_port()), "REGICIDE_PARTITIONS": "16"}

    end = subprocess.run(
        words, check=False, env=environ, stdin=subprocess.PIPE, capture_output=True, text=True, timeout=allowed(AGES)
    )
    database.flushdb()

    assert (end.returncode, end.stdout) == (2, "")
    assert "The store has 4 partitions" in end.stderr.strip().splitlines()[-1]
    assert "Traceback" not in end.stderr


def at(port: str) -> dict[str, str]:
    """Return the variables that name a port of this machine."""
    return {"HOST": "127.0.0.1", "PORT": port}


@contextmanager
def stranger(status: int, body: bytes, requests: int) -> Iterator[str]:
    """Give the port of a server that answers so many requests, whatever they ask, and has gone then."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  http.server's name

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def answer() -> None:
        for _ in range(requests):
            server.handle_request()
        server.server_close()

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield str(server.server_port)


@pytest.mark.parametrize(
    ("words", "status", "body", "said"),
    [
        (["demo"], 404, b"nothing", "Somebody else answers"),
        (["demo"], 200, b"<h1>Welcome</h1>", "Somebody else answers"),
        (["demo"], 200, b"{}", "Somebody else answers"),
        (["demo"], 200, ALIVE, "not from a Regicide server"),
        (PLAY, 200, b"{}", "not from a Regicide server"),
        (PLAY, 200, b"[]", "not from a Regicide server"),
        (PLAY, 200, b"<h1>Welcome</h1>", "not from a Regicide server"),
        (PLAY, 404, b"nothing", "not from a Regicide server"),
        (["serve"], 200, b"", "Nothing can be served at"),
    ],
)
def test_somebody_else_is_there(words: list[str], status: int, body: bytes, said: str):
    """Another server answers at the address, or its port is taken."""
    with stranger(status, body, requests=10) as port:
        assert_one_sentence(run_in_fork(words, {**os.environ, **at(port)}), said)


def test_demo_whose_server_dies():
    """It answers that it is well, and then no more."""
    with stranger(200, ALIVE, requests=1) as port:
        assert_one_sentence(run_in_fork(["demo"], {**os.environ, **at(port)}), "can't be reached")


def test_bot_whose_server_dies(tmp_path: Path):
    """While the bot waits for its turn."""
    with running_server(tmp_path / "data") as served:
        with served.client() as server:
            seats = [{"kind": "human", "name": "Ana"}, {"kind": "human", "name": "Ben"}]
            created = server.create("regicide", seats)
        script = tmp_path / "bot.py"
        script.write_text("import sys\nfor line in sys.stdin: print('null', flush=True)\n")
        words = ["--game", created.game["id"], "--token", created.players[1].token or "", "--server", served.url]
        playing = subprocess.Popen(
            [*COMMAND, "bot", *words, "--exec", f"{sys.executable} {script}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        served.stop()
    out, err = playing.communicate(timeout=allowed(AGES))

    assert_one_sentence(subprocess.CompletedProcess([], playing.returncode, out, err), "can't be reached")
