"""RFC 9110 and RFC 9112, rule by rule (``rfc_cases``), over sockets, read by another's client (h11)."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, nullcontext, suppress
from email.utils import format_datetime, parsedate_to_datetime
from io import BytesIO
from typing import Any, NamedTuple

import h11
import pytest
from werkzeug.exceptions import HTTPException

from api.app import create_app
from api.http.services import services
from api.problems.errors import REFUSAL_KEY
from tests.api.games import ANA, BEN
from tests.api.http_lines import LIMITS, Line, Served, application, serving
from tests.api.puzzles import QUIET
from tests.api.rfc_cases import CASES, Answer, Case, request
from workers.settings import Settings
from workers.storage.store import open_store

LISTS = {"vary", "cache-control", "link"}
"""Fields that a response may have more than once."""
OURS = ("/v1/", "/healthz", "/openapi.yaml", "/h:80")
NEXT = request("GET /next")
PARTS = 600
"""What is sent in parts is cut into so many at most."""


class Heard(NamedTuple):
    """One response, complete."""

    status: int
    fields: Mapping[str, str]
    text: bytes

    def json(self) -> dict[str, Any]:
        """Return its body."""
        return dict(json.loads(self.text))


class Client:
    """A client that sends bytes as they are, and reads responses strictly."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._state = h11.Connection(h11.CLIENT)

    def answer(self, method: str = "GET") -> Heard:
        """Read the next response, final or not, to a request of that method."""
        if self._state.our_state is h11.IDLE:
            self._state.send(h11.Request(method=method, target="/", headers=[("Host", "h")]))
            self._state.send(h11.EndOfMessage())
        head, text = self._event(), b""
        assert isinstance(head, h11.Response | h11.InformationalResponse), head
        if isinstance(head, h11.Response):
            while isinstance(part := self._event(), h11.Data):
                text += bytes(part.data)
            assert isinstance(part, h11.EndOfMessage)
            if self._state.their_state is h11.DONE and self._state.our_state is h11.DONE:
                self._state.start_next_cycle()
        return self._checked(head, text, method)

    def _event(self) -> Any:
        while (event := self._state.next_event()) is h11.NEED_DATA:
            self._state.receive_data(self._line.socket.recv(65_536))
        return event

    def _checked(self, head: h11.Response | h11.InformationalResponse, text: bytes, method: str) -> Heard:
        """Return the response; whatever it is, it keeps the rules that hold for all."""
        names = [name.decode() for name, _ in head.headers]
        fields = {name.decode(): value.decode("latin-1") for name, value in head.headers}
        framing = {"content-length", "transfer-encoding"} & set(names)
        assert head.http_version == b"1.1"
        assert {name for name in names if names.count(name) > 1} <= LISTS
        if head.status_code < 200:
            assert not fields
        else:
            assert format_datetime(parsedate_to_datetime(fields["date"]), usegmt=True) == fields["date"]
        if head.status_code < 200 or head.status_code in {204, 304}:
            assert not framing
        elif method != "HEAD":
            assert len(framing) == 1 or (fields.get("connection") == "close" and "Content-Length" not in fields)
        return Heard(head.status_code, fields, text)

    def is_over(self) -> bool:
        """Return whether the server closes the connection, and says nothing before."""
        return self._state.trailing_data[0] == b"" and self._line.is_ended()


@pytest.fixture(scope="module")
def server(settings: Settings) -> Iterator[Served]:
    """Give a server of our application, with another beside it that answers with what it was asked."""
    store = open_store(settings)
    app = create_app(settings, store)

    def call(environ: dict[str, Any], start: Any) -> Any:
        if environ["PATH_INFO"].startswith(OURS) or REFUSAL_KEY in environ:
            return app(environ, start)
        if environ["PATH_INFO"] != "/unread":
            try:
                environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read())
            except HTTPException as error:
                return app(environ | {REFUSAL_KEY: error}, start)
        return application(environ, start)

    with serving(LIMITS._replace(body=64 * 1024)) as served:
        served.server.call = call
        yield served
        services(app).feed.close()
        store.redis.close()  # its connection is of the loop that ends now


@pytest.fixture(scope="module")
def game(server: Served) -> dict[str, Any]:
    """Give a game at version 0, as its creator was told of it."""
    body = json.dumps({"ruleset": "regicide", "seats": [ANA, BEN], "position": QUIET}).encode()
    creation = "POST /v1/games", "Content-Type: application/json", f"Content-Length: {len(body)}"
    with closing(server.connect()) as line:
        line.send(request(*creation, body=body))
        return Client(line).answer("POST").json()


def cuts() -> Iterator[Any]:
    """Yield each case as it is sent: at once, and in parts where that is the same."""
    for case in CASES:
        name = f"{case.section}-{case.rule.replace(' ', '-')}"
        for parts in (1,) if case.is_alone else (1, PARTS):
            yield pytest.param(case, parts, id=name if parts == 1 else f"{name}-in-parts")


@pytest.mark.parametrize(("case", "parts"), list(cuts()))
def test_rule(server: Served, game: dict[str, Any], case: Case, parts: int):
    """It holds however the bytes are cut; then the connection is in step, or closed."""
    sent = case.sent.replace(b"GAME", game["id"].encode()).replace(b"TOKEN", game["tokens"]["0"].encode())
    with closing(server.connect()) as line:
        client = Client(line)
        line.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _send(line, sent, parts)
        if case.is_half_closed:
            line.socket.shutdown(socket.SHUT_WR)
        elif not (case.after_continue or case.is_alone):
            with suppress(ConnectionError) if case.is_last else nullcontext():
                _send(line, NEXT, parts)
        for number, expected in enumerate(case.answers):
            _compare(client.answer(expected.method), expected)
            if not number and case.after_continue:
                line.send(case.after_continue)
        if case.is_last:
            assert client.is_over()
        else:
            if case.after_continue or case.is_alone:
                line.send(NEXT)
            assert client.answer().json()["PATH_INFO"] == "/next"


def _send(line: Line, data: bytes, parts: int) -> None:
    """Send *data* in so many parts, or byte by byte if it is short."""
    size = len(data) if parts == 1 else 1 + len(data) // parts
    for start in range(0, len(data), size):
        line.send(data[start : start + size])


def _compare(heard: Heard, expected: Answer) -> None:
    assert heard.status == expected.status, heard
    for name, value in expected.fields.items():
        assert _listed(name, heard.fields.get(name)) == _listed(name, value)
    if expected.asked:
        said = heard.json()
        assert {name: said.get(name) for name in expected.asked} == expected.asked
    if expected.code:
        assert heard.json()["code"] == expected.code
    if expected.text is not None:
        assert heard.text == expected.text


def _listed(name: str, value: str | None) -> object:
    """Return a field's value; that of ``Allow`` is a list in any order."""
    return value if value is None or name != "allow" else sorted(value.split(", "))


OF_ONE_RESPONSE = {"date", "x-request-id", "ratelimit"}


@pytest.mark.parametrize("path", ["/healthz", "/openapi.yaml", "/v1/rulesets", "/v1/nothing", "/v1/games/GAME"])
@pytest.mark.parametrize("coding", ["identity", "gzip", "br"])
def test_head_is_told_what_get_is(server: Served, game: dict[str, Any], path: str, coding: str):
    """9110-9.3.2, 8.6: the same fields, the length too, and no body."""
    with closing(server.connect()) as line:
        client = Client(line)
        told = []
        for method in ("GET", "HEAD"):
            line.send(request(f"{method} {path.replace('GAME', game['id'])}", f"Accept-Encoding: {coding}"))
            told.append(client.answer(method))
    get, head = ({name: value for name, value in one.fields.items() if name not in OF_ONE_RESPONSE} for one in told)

    assert (told[0].status, get) == (told[1].status, head)
    assert int(get["content-length"]) == len(told[0].text) > 0
    assert told[1].text == b""


def test_the_last_answer_arrives_whole(server: Served):
    """9112-9.6: although the client goes on sending while it is written."""
    with closing(server.connect()) as line:
        line.send(request("GET /large", "Connection: close"))
        line.read(b"\r\n\r\n")
        line.send(NEXT)
        assert len(line.rest()) == 1_000_000


def test_304_has_the_fields_of_200(server: Served, game: dict[str, Any]):
    """9110-15.4.5: those that caches go by."""
    with closing(server.connect()) as line:
        client = Client(line)
        told = []
        for condition in ('If-None-Match: "7"', 'If-None-Match: "0"'):
            line.send(request(f"GET /v1/games/{game['id']}", condition))
            told.append(client.answer())

    assert [one.status for one in told] == [200, 304]
    for name in ("cache-control", "content-location", "etag", "expires", "vary"):
        assert told[0].fields.get(name) == told[1].fields.get(name)
