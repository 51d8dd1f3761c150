"""Attacks on the web server by raw bytes: what one client sends takes nothing from others."""

import socket
from contextlib import closing, nullcontext
from typing import Any

import pytest

from api.http_server.limits import MAX_CHUNK_OVERHEAD_BYTES, MAX_PIPELINED_REQUESTS
from api.http_server.parser import BYTES_BETWEEN_LIMIT_CHECKS
from api.http_server.states import State
from tests.api.http_lines import LIMITS, QUICK, Line, Served, Ticks, eventually, said, serving


def test_a_body_behind_what_is_refused_is_let_go(patient: Served):
    """Its bytes were counted for ever: some thousand such requests, and no body of anybody was taken any more."""
    refused = b"GET / HTTP/1.1\r\nHost: h\r\n" + b"X: y\r\n" * 101 + b"\r\n"
    with closing(patient.connect()) as line:
        line.send(refused + b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n" + b"x" * 900)
        assert line.answer()[0] == 431
        assert line.is_ended()

    eventually(lambda: patient.connections() == 0)
    assert patient.server.body_bytes == 0


def test_answers_wait_for_who_reads_none(patient: Served):
    """The next is made when those before are taken, and not kept in memory; nothing is lost when they are."""
    count = MAX_PIPELINED_REQUESTS // 2
    with closing(patient.connect()) as line:
        line.send(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n" * count)
        eventually(lambda: State.WRITING in patient.states())
        (connection,) = (one for one in patient.server.connections if one.state is State.WRITING)
        assert len(connection._requests) > 0
        assert connection._transport.get_write_buffer_size() < 3_000_000
        assert [len(line.answer()[2]) for _ in range(count)] == [1_000_000] * count


def test_what_is_before_an_unknown_method_is_asked_once(line: Line):
    """In the same piece: it isn't taken for the method that the parser doesn't know."""
    line.send(b"DELETE /first HTTP/1.1\r\nHost: h\r\n\r\nFROB /x HTTP/1.1\r\nHost: h\r\n\r\n")

    assert said(line)["PATH_INFO"] == "/first"
    assert line.answer()[0] == 400
    assert line.is_ended()


MANY = LIMITS._replace(connections=600, per_client=600)


@pytest.mark.parametrize("leave", [Line.reset, Line.close])
def test_who_has_gone_before_anybody_looked_is_not_answered(monkeypatch: pytest.MonkeyPatch, leave: Any):
    """What they asked is not begun; what others ask after them is."""
    with serving(MANY) as served:
        asked, call = list[str](), served.server.call

        def note(environ: dict[str, Any], start: Any) -> Any:
            asked.append(environ["PATH_INFO"])
            return call(environ, start)

        monkeypatch.setattr(served.server, "call", note)
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


POST = b"POST %b HTTP/1.1\r\nHost: h\r\n"
CHUNKED = POST % b"/x" + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("size", "status"),
    [(3_000, 200), (MAX_CHUNK_OVERHEAD_BYTES + 2 * BYTES_BETWEEN_LIMIT_CHECKS, 431), (20_000, 431), (500_000, 431)],
)
@pytest.mark.parametrize("form", [b"1;%b\r\na\r\n0\r\n\r\n", b"1\r\na\r\n0\r\nX: %b\r\n\r\n"])
def test_extensions_and_trailers_are_bounded(patient: Served, form: bytes, size: int, status: int):
    """Of a chunked body: both are read and ignored, and take neither memory nor time without end."""
    with closing(patient.connect()) as line:
        line.send(CHUNKED + form % (b"x" * size))
        answered, headers, _ = line.answer()
        assert (answered, headers.get("connection")) == (status, None if status == 200 else "close")


def test_small_extensions_of_many_chunks_are_bounded_together(patient: Served):
    """A byte of data in each chunk, and some of an extension that nobody reads."""
    with closing(patient.connect()) as line:
        line.send(CHUNKED + b"1;extension=of_thirty_bytes_or_so\r\na\r\n" * 900 + b"0\r\n\r\n")
        assert line.answer()[0] == 431
        assert line.is_ended()


@pytest.mark.parametrize("protocol", [b"RTSP/1.0", b"ICE/1.0"])
@pytest.mark.parametrize("before", [b"", b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n"])
@pytest.mark.parametrize("parts", [1, 7])
def test_only_http_is_spoken(patient: Served, protocol: bytes, before: bytes, parts: int):
    """The parser takes two other protocols for it, whatever came before on the same connection."""
    with closing(patient.connect()) as line:
        if before:
            assert said(line.send(before))["PATH_INFO"] == "/a"
        sent = (b"SOURCE" if protocol == b"ICE/1.0" else b"GET") + b" /a " + protocol + b"\r\nHost: h\r\n\r\n"
        for first in range(0, len(sent), len(sent) // parts):
            line.send(sent[first : first + len(sent) // parts])
        assert line.answer()[0] == 400
        assert line.is_ended()


def test_other_protocols_behind_a_request_are_refused(line: Line):
    """In the same piece, with the same target."""
    line.send(b"GET /b HTTP/1.1\r\nHost: h\r\n\r\nGET /a RTSP/1.0\r\nHost: h\r\n\r\n")

    assert said(line)["PATH_INFO"] == "/b"
    assert line.answer()[0] == 400
    assert line.is_ended()


@pytest.mark.parametrize(
    "body", [b"Content-Length: 3\r\n\r\nabc", b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"]
)
@pytest.mark.parametrize("is_busy", [False, True])
def test_who_only_sends_no_more_is_answered(patient: Served, body: bytes, is_busy: bool):
    """A client that has closed its half after a whole request still reads, also if both were there at once."""
    with closing(patient.connect()) as line:
        with patient.busy() if is_busy else nullcontext():
            line.send(POST % b"/x" + body)
            line.socket.shutdown(socket.SHUT_WR)
        answered = line.rest()
        assert answered.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b'"body": "abc"' in answered


def test_who_sends_no_more_of_a_body_is_told(line: Line):
    """Half a request isn't carried out."""
    line.send(POST % b"/x" + b"Content-Length: 3\r\n\r\nab")
    line.socket.shutdown(socket.SHUT_WR)

    answered = line.rest()

    assert answered.startswith(b"HTTP/1.1 400 ")
    assert b"Connection: close\r\n" in answered


SENT = 3_000_000


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (POST % b"/too-large" + b"Content-Length: %d\r\n\r\n" % SENT, 413),
        (POST % b"/too-large" + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % SENT, 413),
        (b"GET /", 414),
        (b"GET / HTTP/1.1\r\nX: ", 431),
        (CHUNKED + b"1;", 431),
    ],
)
def test_a_refusal_arrives_whole(patient: Served, head: bytes, status: int):
    """To a client that sends all that it has before it reads: no reset overtakes the response."""
    for _ in range(10):
        with closing(patient.connect()) as line:
            line.send(head + b"x" * SENT)
            answered, headers, body = line.answer()
            assert (answered, headers["connection"], len(body)) == (status, "close", int(headers["content-length"]))
            assert line.is_ended()


def test_a_late_body_is_refused_whole():
    """With 408, of which nothing is lost although the client sends on."""
    with serving(LIMITS._replace(timeouts=QUICK._replace(linger=5.0))) as served, closing(served.connect()) as line:
        line.send(POST % b"/x" + b"Content-Length: 9000000\r\n\r\nab")
        eventually(lambda: State.LINGERING in served.states())
        line.send(b"x" * SENT)
        answered, headers, body = line.answer()
        assert (answered, headers["connection"], body) == (408, "close", b"RequestTimeout")
