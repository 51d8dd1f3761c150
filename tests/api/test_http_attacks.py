"""Attacks on the web server by raw bytes: what one client sends takes nothing from others."""

import json
from contextlib import closing
from typing import Any

import pytest

from api.http_server.limits import MAX_PIPELINED_REQUESTS
from api.http_server.states import State
from tests.api.http_lines import LIMITS, Line, Served, Ticks, eventually, said, serving


def test_a_body_behind_what_is_refused_is_let_go(patient: Served):
    """Its bytes were counted for ever: some thousand such requests, and no body of anybody was taken any more."""
    refused = b"GET / HTTP/1.1\r\nHost: h\r\n" + b"X: y\r\n" * 101 + b"\r\n"
    with closing(patient.connect()) as line:
        line.send(refused + b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n" + b"x" * 900)
        assert line.answer()[0] == 431
        assert line.is_ended()

    eventually(lambda: patient.connections() == 0)
    assert patient.listener.body_bytes == 0


def test_what_follows_a_body_is_no_header(line: Line):
    """A trailer would pass for what a proxy of ours has said of the client, or for a token."""
    line.send(
        b"POST /x HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 9.9.9.9\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"1\r\na\r\n0\r\nX-Forwarded-For: 1.2.3.4\r\nAuthorization: Bearer x\r\n\r\n"
    )

    asked = said(line)

    assert (asked["HTTP_X_FORWARDED_FOR"], asked["body"]) == ("9.9.9.9", "a")
    assert "HTTP_AUTHORIZATION" not in asked


def test_who_asks_far_ahead_is_cut_off(line: Line):
    """Ten thousand requests in one piece are ten thousand answers that nobody may read: some are given, then none."""
    line.send(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n" * 10_000)

    assert [line.answer()[0] for _ in range(MAX_PIPELINED_REQUESTS)] == [200] * MAX_PIPELINED_REQUESTS
    status, headers, _ = line.answer()
    assert (status, headers["connection"]) == (400, "close")
    assert line.is_ended()


def test_answers_wait_for_who_reads_none(patient: Served):
    """The next is made when those before are taken, and not kept in memory; nothing is lost when they are."""
    count = MAX_PIPELINED_REQUESTS // 2
    with closing(patient.connect()) as line:
        line.send(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n" * count)
        eventually(lambda: State.WRITING in patient.states())
        (connection,) = (one for one in patient.listener.connections if one.state is State.WRITING)
        assert len(connection._requests) > 0
        assert connection._transport.get_write_buffer_size() < 3_000_000
        assert [len(line.answer()[2]) for _ in range(count)] == [1_000_000] * count


@pytest.mark.parametrize(
    "body", [b"Content-Length: 3\r\n\r\nabc", b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"]
)
@pytest.mark.parametrize("parts", [1, 3])
def test_a_body_beside_a_wish_for_another_protocol(patient: Served, body: bytes, parts: int):
    """Is read: clients that know HTTP/2, as Java's, offer it with their first request, whatever that is."""
    sent = b"POST /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nX-A: 1\r\n" + body
    size = -(-len(sent) // parts)
    with closing(patient.connect()) as line:
        for first in range(0, len(sent), size):
            line.send(sent[first : first + size])
        asked = said(line)
        assert (asked["body"], asked["HTTP_HOST"], asked["HTTP_X_A"]) == ("abc", "h", "1")
        assert "HTTP_UPGRADE" not in asked
        assert line.is_ended()


def test_an_old_client_is_told_nothing_in_between(line: Line):
    """It would take ``100 Continue`` for the answer: HTTP/1.0 has none."""
    line.send(b"POST /x HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    line.send(b"ab")

    status, _, body = line.answer()

    assert (status, json.loads(body)["body"]) == (200, "ab")


MANY = LIMITS._replace(connections=600, per_client=600)


@pytest.mark.parametrize("leave", [Line.reset, Line.close])
def test_who_has_gone_before_anybody_looked_is_not_answered(monkeypatch: pytest.MonkeyPatch, leave: Any):
    """What they asked is not begun; what others ask after them is."""
    with serving(MANY) as served:
        asked, call = list[str](), served.listener.call

        def note(environ: dict[str, Any], start: Any) -> Any:
            asked.append(environ["PATH_INFO"])
            return call(environ, start)

        monkeypatch.setattr(served.listener, "call", note)
        with served.busy():
            for _ in range(300):
                leave(served.connect().send(b"GET /gone HTTP/1.1\r\nHost: h\r\n\r\n"))
        with closing(served.connect()) as line:
            assert said(line.send(b"GET /here HTTP/1.1\r\nHost: h\r\n\r\n"))["PATH_INFO"] == "/here"
        eventually(lambda: served.connections() == 0)
    assert asked == ["/here"]


def test_streams_of_clients_that_reset_are_closed(monkeypatch: pytest.MonkeyPatch):
    """Each that was begun is closed once, whether or not its task has run."""
    opened, init, closed = list[Ticks](), Ticks.__init__, Ticks.closed

    def counted(self: Ticks, count: int, size: int) -> None:
        opened.append(self)
        init(self, count, size)

    monkeypatch.setattr(Ticks, "__init__", counted)
    with serving(MANY) as served:
        for number in range(500):
            line = served.connect().send(b"GET /ticks/1000000000/9 HTTP/1.1\r\nHost: h\r\n\r\n")
            if number % 2:
                line.read(b"\r\n\r\n")
            line.reset()
        eventually(lambda: served.connections() == 0)
    assert len(opened) >= 250
    assert Ticks.closed - closed == len(opened)


@pytest.mark.parametrize("path", [b"/body", b"/unread"])
def test_bodies_that_do_not_come_make_room(path: bytes):
    """Awaited or refused before they come: who is new is answered, and an upload of another client isn't evicted."""
    head = b"POST %b HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n" % path
    with serving(MANY._replace(connections=200, per_client=100, reserved=50)) as served:
        upload = served.connect("127.0.0.9").send(head.replace(path, b"/upload"))
        held = [served.connect(f"127.0.0.{2 + number % 4}").send(head) for number in range(400)]
        eventually(lambda: served.connections() >= 150)
        with closing(served.connect("127.0.0.8")) as other:
            assert said(other.send(b"GET /other HTTP/1.1\r\nHost: h\r\n\r\n"))["PATH_INFO"] == "/other"
        assert said(upload.send(b"x" * 100))["body"] == "x" * 100
        for line in (upload, *held):
            line.close()
