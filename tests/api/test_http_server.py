"""The web server: HTTP/1.1 word for word, and what ends whoever takes too long, too much or too many."""

import json
from collections.abc import Iterator
from contextlib import closing
from copy import copy
from time import monotonic

import pytest

from api.http_server import wsgi_server
from api.http_server.limits import ConnectionLimits
from api.http_server.open_connections import OpenConnections
from api.http_server.processes import ConnectionCounts, listen
from api.http_server.states import Eviction, State
from tests.api.http_lines import LIMITS, QUICK, SOON, Line, Served, Ticks, eventually, said, serving
from tests.waiting import allowed


@pytest.fixture(scope="module")
def quick() -> Iterator[Served]:
    """Give one on which everything soon takes too long."""
    with serving(LIMITS._replace(timeouts=QUICK)) as served:
        yield served


def test_the_request_as_pep_3333_has_it(line: Line):
    """Path decoded, query as it is, headers joined, underscores left out."""
    line.send(
        b"GET /a%20b%2fc?x=%20 HTTP/1.1\r\nHost: h:1\r\nX-A: 1\r\nx-a: 2\r\nX_A: 3\r\nContent-Type: t/x\r\n\r\n",
    )

    asked = said(line)

    assert (asked["PATH_INFO"], asked["QUERY_STRING"]) == ("/a b/c", "x=%20")
    assert (asked["HTTP_HOST"], asked["HTTP_X_A"], asked["CONTENT_TYPE"]) == ("h:1", "1,2", "t/x")
    assert (asked["REMOTE_ADDR"], asked["SERVER_PROTOCOL"]) == ("127.0.0.1", "HTTP/1.1")


def test_a_body_that_nobody_reads(line: Line):
    """Doesn't hold the answer up, and the connection stays in step."""
    line.send(b"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n" + b"x" * 100_000)
    assert said(line)["PATH_INFO"] == "/unread"
    line.send(b"x" * 100_000 + b"GET /next HTTP/1.1\r\nHost: h\r\n\r\n")

    assert said(line)["PATH_INFO"] == "/next"


def test_the_next_head_comes_with_the_end_of_a_body(line: Line):
    """That nobody read: the next request's own body is heard all the same."""
    head = b"POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n"
    line.send(head % b"/unread" + b"ab")
    assert said(line)["PATH_INFO"] == "/unread"
    line.send(b"cd" + head % b"/next")
    line.send(b"efgh")

    assert said(line)["body"] == "efgh"


@pytest.mark.parametrize("path", [b"/", b"/unread"])
def test_a_flood(patient: Served, path: bytes):
    """Is kept as far as anybody takes it; then it is thrown away, and then the connection ends."""
    with closing(patient.connect()) as line:
        line.send(b"POST " + path + b" HTTP/1.1\r\nHost: h\r\nContent-Length: 900000000\r\n\r\n" + b"x" * 2_000)
        assert len(said(line)["body"]) in {0, 1_001, 2_000}
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            line.send(b"x" * 50_000_000)


def test_who_goes_gives_their_place_back(patient: Served):
    """In the middle of an answer that would go on for ever."""
    before = Ticks.closed
    line = patient.connect().send(b"GET /ticks/1000000000/9 HTTP/1.1\r\nHost: h\r\n\r\n")
    line.read(b"\r\n\r\n")
    line.close()
    eventually(lambda: Ticks.closed == before + 1)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GE",
        b"GET / HTTP/1.1\r\nHost",
        b"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        b"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab",
    ],
)
def test_silence_ends(quick: Served, sent: bytes):
    """Whether nothing, a part of a head, all of a request, or a body that nobody reads was there before."""
    with closing(quick.connect()) as line:
        line.send(sent)
        if sent.endswith((b"\r\n\r\n", b"ab")):
            assert line.answer()[0] == 200
        began = monotonic()
        assert line.is_ended()
        assert monotonic() - began < allowed(2)


def test_trickling_ends(quick: Served):
    """A head is given up however often a byte of it comes."""
    with closing(quick.connect()) as line:
        eventually(lambda: _ends_at_a_byte_more(line))


def _ends_at_a_byte_more(line: Line) -> bool:
    try:
        line.send(b"G")
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


def test_an_unfinished_body_is_refused(quick: Served):
    """With 408, to a client that still listens."""
    with closing(quick.connect()) as line:
        line.send(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab")
        status, headers, body = line.answer()
        assert (status, headers["connection"], body) == (408, "close", b"RequestTimeout")
        assert line.is_ended()


def test_who_reads_nothing_is_given_up(quick: Served):
    """A stream that isn't taken ends, and its place is free."""
    before = Ticks.closed
    with closing(quick.connect()) as line:
        line.send(b"GET /ticks/1000000000/5000 HTTP/1.1\r\nHost: h\r\n\r\n")
        eventually(lambda: Ticks.closed == before + 1)


def test_bytes_in_flight_are_bounded(monkeypatch: pytest.MonkeyPatch):
    """Who sends too much of what isn't read yet is told so, and what is kept is let go."""
    monkeypatch.setattr(wsgi_server, "MAX_BUFFERED_BODY_BYTES", 1_500)
    with serving(LIMITS) as served:
        lines = [served.connect() for _ in range(3)]
        head = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 999\r\n\r\n"
        for line in lines:
            line.send(head + b"x" * 600)
        assert lines[2].answer()[::2] == (503, b"Overloaded")
        lines[2].close()
        lines[0].close()
        eventually(lambda: served.server.body_bytes == 600)
        assert json.loads(lines[1].send(b"x" * 399).answer()[2])["body"] == "x" * 999
        eventually(lambda: served.server.body_bytes == 0)
        lines[1].close()


def test_each_address_has_its_share(patient: Served):
    """Whoever comes beyond it gets the place of who has waited longest; who is being answered keeps theirs."""
    eventually(lambda: patient.connections() == 0)
    busy = patient.connect().send(b"POST /busy HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n")
    lines = [patient.connect() for _ in range(60)]
    assert lines[0].is_ended()
    assert lines[40].is_ended()
    assert said(lines[-1].send(b"GET /last HTTP/1.1\r\nHost: h\r\n\r\n"))["PATH_INFO"] == "/last"
    assert said(busy.send(b"!"))["PATH_INFO"] == "/busy"
    assert patient.connections() <= LIMITS.per_client
    for line in (busy, *lines):
        line.close()


HALF = b"POST /%d HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n"
FULL = LIMITS._replace(connections=16, per_client=12, reserved=4)


def test_a_full_server_makes_room():
    """The client that has most gives way: what waits for a request first, then half bodies, each longest first."""
    with serving(FULL) as served:
        idle = [served.connect("127.0.0.2") for _ in range(2)]
        eventually(lambda: served.connections() == 2)
        halves = [served.connect("127.0.0.2").send(HALF % n) for n in range(10)]
        eventually(lambda: served.states().count(State.READING_BODY) == 10)
        others = [served.connect(f"127.0.0.{n}").send(HALF % n) for n in range(3, 7)]
        eventually(lambda: served.states().count(State.READING_BODY) == 14)
        late = [served.connect("127.0.0.9").send(HALF % n) for n in range(5)]
        ended = [*idle, *halves[:3]]
        assert all(line.is_ended() for line in ended)
        for line in (*halves[3:], *others, *late):
            assert said(line.send(b"!"))["body"] == "!"
        for line in (*idle, *halves, *others, *late):
            line.close()


def test_a_quarter_is_left_to_those_who_have_few():
    """Who has eight connections or more gets another only in place of one, also while there is room for others."""
    with serving(FULL) as served:
        many = [served.connect("127.0.0.2").send(HALF % n) for n in range(11)]
        few = served.connect("127.0.0.3").send(HALF % 3)
        eventually(lambda: served.states().count(State.READING_BODY) == 12)
        another = served.connect("127.0.0.2").send(HALF % 2)
        assert many[0].is_ended()
        for line in (few, another, *many[1:]):
            assert said(line.send(b"!"))["body"] == "!"
        for line in (few, another, *many):
            line.close()


@pytest.mark.parametrize(
    "begun",
    [
        b"GET / HTTP/1.1\r\nHo",
        HALF % 1,
        b"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n",
        b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n" * 30,
        b"GET /ticks/1000000000/5000 HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET /wrong HTTP/9\r\n\r\n",
    ],
)
def test_whatever_waits_for_its_client_makes_room(begun: bytes):
    """Half a head, half a body, a refusal whose body doesn't come, responses that nobody reads, one that lingers."""
    with serving(FULL._replace(connections=8, per_client=8, reserved=0)) as served:
        lines = [served.connect("127.0.0.2").send(begun) for _ in range(8)]
        eventually(lambda: len(served.waiting()) == 8)
        other = served.connect("127.0.0.3").send(b"GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
        assert said(other)["PATH_INFO"] == "/other"
        for line in (other, *lines):
            line.close()


def test_sites_of_many_networks_make_room_too():
    """Who has a /48 of IPv6 has 65,536 networks in it: together they are one client."""
    clients = OpenConnections(ConnectionLimits(connections=100, per_client=90, reserved=0, body=1))
    evicted = list[str]()

    class Idle:
        def __init__(self, address: str) -> None:
            self.groups, self.address = clients.groups_of(address), address
            clients.add(self.groups)
            for group in self.groups:
                group.evictable[Eviction.FIRST][self] = None

        def close(self) -> None:
            evicted.append(self.address)
            clients.add(self.groups, -1)
            for group in self.groups:
                del group.evictable[Eviction.FIRST][self]

    for n in range(80):
        Idle(f"2001:db8:1:{n:x}::1")
    for n in range(20):
        Idle(f"2001:db8:{n + 2:x}::1")
    assert clients.make_room(clients.groups_of("2001:db8:99::1"))
    assert evicted == ["2001:db8:1:0::1"]
    for n in range(10):
        Idle(f"2001:db8:1:aa::{n:x}")
    assert clients.make_room(clients.groups_of("198.51.100.1"))
    assert evicted[1:] == ["2001:db8:1:aa::0"]


def test_two_processes_get_as_many_each():
    """Who has more lets the other go first; a process that doesn't take what it may has it taken from it."""
    one, listening = ConnectionCounts(2), listen("127.0.0.1", 0)
    other = copy(one)
    other.begin(1)
    with serving(LIMITS, listening, one) as first, serving(LIMITS, listening.dup(), other) as second:
        lines = [first.connect() for _ in range(12)]
        eventually(lambda: first.connections() + second.connections() == 12)
        assert abs(first.connections() - second.connections()) <= 4
        second.stop()
        assert second.ended.wait(SOON)
        lines += [first.connect() for _ in range(4)]
        eventually(lambda: first.connections() >= 8)
        for line in lines:
            line.close()


def test_the_place_is_free_for_who_comes_after():
    """As soon as it is to end, while answers are still given: a main process that was killed leaves us to end so."""
    with serving(LIMITS) as served:
        asking = served.connect().send(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n")
        eventually(lambda: served.connections() == 1)
        served.stop()
        listen("127.0.0.1", served.port, SOON).close()
        assert asking.send(b"!").answer()[0] == 200
        asking.close()


def test_the_end():
    """Idle connections end at once, answers are finished, and nobody else is taken."""
    with serving(LIMITS) as served:
        idle = served.connect()
        asking = served.connect().send(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n")
        eventually(lambda: served.connections() == 2)
        served.stop()
        assert idle.is_ended()
        assert served.ended.wait(SOON)
        status, headers, _ = asking.send(b"!").answer()
        assert (status, headers["connection"]) == (200, "close")
        assert asking.is_ended()
        for line in (idle, asking):
            line.close()
