"""Behind nginx and Caddy, as ``examples`` has them: games, streams, HTTP/2, whose request it is, and half bodies."""

import re
import resource
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx
import pytest

from api.contract.requests import MAX_WAIT_SECONDS
from api.http_server.limits import Timeouts
from regicide_client import RegicideClient
from tests.api.games import ANA, BEN
from tests.api.puzzles import LAST_BLOW
from tests.servers import proxies
from tests.servers.listening import EVENTS, listening
from tests.servers.listening_tls import OPENSSL
from tests.servers.proxies import CADDY, NGINX, Proxy
from tests.servers.served import RunningServer, running_server
from tests.waiting import AGES, allowed, comes_true
from workers.settings import Settings

pytestmark = pytest.mark.skipif(OPENSSL is None, reason="without openssl there is no certificate for a proxy")
NO_NGINX = pytest.mark.skipif(NGINX is None, reason="nginx isn't installed here")
NO_CADDY = pytest.mark.skipif(CADDY is None, reason="Caddy isn't installed here")

SOON = 20.0
HALF_BODIES = 2_080
ADDRESSES = 4
REACHING = 5
SHARE = 64
LONGEST = 0.05
"""Seconds that somebody else's look at the server's health may take, in the median."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that believes the proxy before it."""
    folder = tmp_path_factory.mktemp("proxied") / "data"
    with running_server(folder, WEB_WORKERS="1", REGICIDE_PROXIES="1", WORKERS="1", ARENA_WORKERS="0") as running:
        yield running


@pytest.fixture(scope="module")
def nginx(served: RunningServer) -> Iterator[Proxy]:
    """Give the server behind nginx."""
    with proxies.before(served.url.removeprefix("http://"), proxies.nginx_file, proxies.nginx_command) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def caddy(served: RunningServer) -> Iterator[Proxy]:
    """Give the server behind Caddy."""
    with proxies.before(served.url.removeprefix("http://"), proxies.caddy_file, proxies.caddy_command) as proxy:
        yield proxy


@pytest.fixture(params=[pytest.param("nginx", marks=NO_NGINX), pytest.param("caddy", marks=NO_CADDY)])
def proxy(request: pytest.FixtureRequest) -> Proxy:
    """Give one behind each."""
    given: Proxy = request.getfixturevalue(request.param)
    return given


def gauge(served: RunningServer, name: str) -> int:
    """Return a figure of the server's own."""
    text = httpx.get(f"{served.url}/metrics", trust_env=False, timeout=AGES).text
    return int(sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(f"regicide_{name} ")))


def connected(proxy: Proxy, stack: ExitStack, address: str = "127.0.0.1") -> ssl.SSLSocket:
    """Return a connection of a client with this *address*, which ends with the *stack*."""
    raw = stack.enter_context(socket.create_connection(("127.0.0.1", proxy.port), source_address=(address, 0)))
    return stack.enter_context(proxy.trusted.wrap_socket(raw, server_hostname="127.0.0.1"))


def test_a_game_with_a_stream(served: RunningServer, proxy: Proxy):
    """Is played to its end; a move is heard at once, and who leaves a stream has left the server too."""
    with RegicideClient("", http=proxy.client()) as server:
        players = server.create("regicide", [ANA, BEN], position=LAST_BLOW).players
        with listening(proxy.url, players[1], EVENTS, proxy.trusted) as left:
            assert left.hears(lambda heard: heard.versions == [0])
        assert comes_true(lambda: gauge(served, "streams") == 0, SOON)
        with listening(proxy.url, players[1], EVENTS, proxy.trusted) as listener:
            assert listener.hears(lambda heard: heard.versions == [0])
            players[0].act("play 5C")
            assert listener.hears(lambda heard: heard.versions == [0, 1])
            assert listener.hears(lambda heard: heard.ended)
        assert players[1].wait_for_turn(timeout=AGES)["outcome"]


def test_who_leaves_a_long_poll_has_left_the_server(served: RunningServer, proxy: Proxy):
    """Its place is free before the wait is over."""
    with RegicideClient("", http=proxy.client()) as server:
        game = server.create("regicide", [ANA, BEN], position=LAST_BLOW)
    with ExitStack() as stack:
        line = connected(proxy, stack)
        path = f"/v1/games/{game.players[0].game_id}?wait=25".encode()
        line.sendall(b'GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: "0"\r\n\r\n' % path)
        assert comes_true(lambda: gauge(served, "streams") == 1, SOON)
    assert comes_true(lambda: gauge(served, "streams") == 0, SOON)


def test_whose_request_it_is(proxy: Proxy):
    """The address that connects to the proxy, whatever a client says."""
    left = list[int]()
    for address in ("127.0.0.2", "127.0.0.2", "127.0.0.3"):
        with proxy.client(address) as client:
            named = {"X-Forwarded-For": f"198.51.100.{len(left)}", "X-Forwarded-Host": "else", "X-Forwarded-Proto": "x"}
            answer = client.get("/v1/rulesets", headers=named)
        left.append(int(answer.headers["RateLimit"].split("r=")[1].split(";")[0]))

    assert left[0] - left[1] == 1
    assert left[2] >= left[0]


def test_a_body_that_is_a_little_too_long(proxy: Proxy):
    """Is refused by the server, so with a problem document."""
    with proxy.client() as client:
        answer = client.post("/v1/games", content=b" " * 70_000, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (413, "content_too_large")


def test_http_2_is_spoken(proxy: Proxy):
    """By whoever offers it."""
    proxy.trusted.set_alpn_protocols(["h2", "http/1.1"])
    with ExitStack() as stack:
        chosen = connected(proxy, stack).selected_alpn_protocol()
    proxy.trusted.set_alpn_protocols(["http/1.1"])

    assert chosen == "h2"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl, which asks by HTTP/2, isn't installed here")
def test_a_request_by_http_2(proxy: Proxy):
    """Is answered."""
    command = ["curl", "--silent", "--insecure", "--http2", "--write-out", " %{http_version}", f"{proxy.url}/healthz"]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=SOON)

    assert said.stdout == '{"status":"ok"} 2'


@pytest.fixture
def files() -> Iterator[None]:
    """Let this process open as many connections as are needed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@NO_NGINX
@pytest.mark.usefixtures("files")
def test_half_bodies_do_not_reach_the_server(served: RunningServer, nginx: Proxy):
    """So many of four addresses: the server has a handful of connections, and others wait for nothing."""
    half = (
        b"POST /v1/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"
    )
    before = gauge(served, "connections")
    with ExitStack() as held, nginx.client("127.0.0.9") as other:
        for number in range(HALF_BODIES):
            line = connected(nginx, held, f"127.0.0.{2 + number % ADDRESSES}")
            line.sendall(half + b" " * 4_500)
        waited, reached = list[float](), list[int]()
        for _ in range(20):
            began = perf_counter()
            assert other.get("/healthz").json() == {"status": "ok"}
            waited.append(perf_counter() - began)
            reached.append(gauge(served, "connections") - before)

    assert max(reached) <= REACHING
    assert median(waited) <= allowed(LONGEST)


def test_proxies_outlast_what_the_server_waits_for():
    """A long poll and the pauses of a stream; and connections to the server end on the proxy's side first."""
    texts = [(proxies.EXAMPLES / name).read_text("utf-8") for name in ("nginx.conf", "Caddyfile")]
    found = [
        {name: float(value) for name, value in re.findall(r"^\s*(\w+) (\d+)s;?(?: |$)", text, re.MULTILINE)}
        for text in texts
    ]

    assert min(found[0]["proxy_read_timeout"], found[1]["response_header_timeout"]) > 2 * MAX_WAIT_SECONDS
    assert found[0]["proxy_read_timeout"] > 2 * Settings(data=Path()).keep_alive_seconds
    assert "keepalive_timeout 60s;" in texts[0]
    assert max(60, found[1]["keepalive"]) < Timeouts().keep_alive


@NO_NGINX
def test_one_address_has_its_share(nginx: Proxy):
    """Of requests at a time; another has its own."""
    held = b"POST /v1/games HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n"
    with ExitStack() as stack:
        lines = [connected(nginx, stack, "127.0.0.7") for _ in range(SHARE + 16)]
        for line in lines:
            line.sendall(held)
            line.setblocking(False)
        told = dict[ssl.SSLSocket, bytes]()
        assert comes_true(lambda: len(heard(lines, told)) == 16, SOON)
        with nginx.client("127.0.0.8") as other:
            assert other.get("/healthz").status_code == 200
        assert set(heard(lines, told).values()) == {b"HTTP/1.1 429"}
        assert len(told) == 16


def heard(lines: list[ssl.SSLSocket], told: dict[ssl.SSLSocket, bytes]) -> dict[ssl.SSLSocket, bytes]:
    """Return the first bytes of what each was told, of those that were told anything yet."""
    for line in lines:
        with suppress(ssl.SSLWantReadError):
            told[line] = told.get(line) or line.recv(12)
    return told
