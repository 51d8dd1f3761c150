"""Attacks on the web server by raw bytes: what one client sends takes nothing from others."""

from contextlib import closing
from typing import Any

import pytest

from api.http_server.limits import MAX_PIPELINED_REQUESTS
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


def test_answers_wait_for_who_reads_none(patient: Served):
    """The next is made when those before are taken, and not kept in memory; nothing is lost when they are."""
    count = MAX_PIPELINED_REQUESTS // 2
    with closing(patient.connect()) as line:
        line.send(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n" * count)
        connections: set[Any] = patient.listener.clients.connections
        eventually(lambda: any(one._drain_waiter is not None for one in connections))
        (connection,) = (one for one in connections if one._drain_waiter is not None)
        assert len(connection._requests) > 0
        assert connection._transport.get_write_buffer_size() < 3_000_000
        assert [len(line.answer()[2]) for _ in range(count)] == [1_000_000] * count


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
