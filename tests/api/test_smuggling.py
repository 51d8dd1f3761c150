"""Requests that a proxy may read otherwise than we do: each is refused, and what comes behind it isn't answered.

Two who don't agree where a request ends, or for which host it is, let a client send a request in another's name.
"""

from contextlib import closing

import pytest

from tests.api.http_lines import Line, Served, said

BEHIND = b"GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"


def post(headers: bytes, body: bytes = b"3\r\nabc\r\n0\r\n\r\n") -> bytes:
    """Return a request with these lines in its head."""
    return b"POST / HTTP/1.1\r\nHost: h\r\n%b\r\n\r\n%b" % (headers, body)


def chunks(body: bytes) -> bytes:
    """Return a request with a body that is said to be in chunks."""
    return post(b"Transfer-Encoding: chunked", body)


def get(*lines: bytes) -> bytes:
    """Return a request with these lines after the first."""
    return b"\r\n".join([b"GET / HTTP/1.1", *lines, b"", b""])


REFUSED = {
    # RFC 9112, 3.2: one Host, and only what is a host
    "no host": get(),
    "two hosts": get(b"Host: a", b"Host: b"),
    "two hosts that are the same": get(b"Host: a", b"host: a"),
    "two hosts of HTTP/1.0": b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
    "hosts in a list": get(b"Host: a, b"),
    "a host with a blank": get(b"Host: a b"),
    "a host with a path": get(b"Host: a/b"),
    "a host with a user": get(b"Host: u@a"),
    "a host with a scheme": get(b"Host: http://a"),
    "a host with a port that is none": get(b"Host: a:80a"),
    "a host with half an address": get(b"Host: [::1"),
    "a host that isn't ASCII": get("Host: é".encode()),
    # 6.3: one length
    "two lengths": post(b"Content-Length: 3\r\nContent-Length: 4", b"abc"),
    "two lengths that are the same": post(b"Content-Length: 3\r\nContent-Length: 3", b"abc"),
    "lengths in a list": post(b"Content-Length: 3, 3", b"abc"),
    "a length with a sign": post(b"Content-Length: +3", b"abc"),
    "a length under nothing": post(b"Content-Length: -3", b"abc"),
    "a length in hexadecimal": post(b"Content-Length: 0x3", b"abc"),
    "a length of more than 64 bits": post(b"Content-Length: 18446744073709551619", b"abc"),
    "no length": post(b"Content-Length:", b""),
    # 6.1: a length or chunks; chunks and nothing else
    "a length and chunks": post(b"Content-Length: 3\r\nTransfer-Encoding: chunked"),
    "chunks and a length": post(b"Transfer-Encoding: chunked\r\nContent-Length: 3"),
    "chunks, then nothing": post(b"Transfer-Encoding: chunked, identity"),
    "chunks, then nothing, in two lines": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
    "nothing": post(b"Transfer-Encoding: identity"),
    "chunks twice": post(b"Transfer-Encoding: chunked, chunked"),
    "chunks in two lines": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    "gzip in chunks": post(b"Transfer-Encoding: gzip, chunked"),
    "what ends like chunks": post(b"Transfer-Encoding: xchunked"),
    "chunks behind a vertical tab": post(b"Transfer-Encoding: \x0bchunked"),
    "chunks in quotes": post(b'Transfer-Encoding: "chunked"'),
    "chunks of HTTP/1.0": b"POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "chunks of HTTP/1.0 that stays": (
        b"POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    ),
    # 5.1: no whitespace before the colon, and none before a name
    "a blank before the colon": post(b"Content-Length : 3", b"abc"),
    "a tab before the colon": post(b"Transfer-Encoding\t: chunked"),
    "a blank in a name": get(b"Host: h", b"X Y: z"),
    "a blank before the first name": get(b" X: y", b"Host: h"),
    "no colon": get(b"Host: h", b"X"),
    "no name": get(b"Host: h", b": y"),
    # 5.2: no line that goes on in the next
    "a value that goes on": get(b"Host: h", b"X: y", b" z"),
    "a value that goes on behind a tab": get(b"Host: h", b"X: y", b"\tz"),
    "chunks in the next line": post(b"Transfer-Encoding:\r\n chunked"),
    # 2.2: lines end with CR LF
    "lines that end with LF": b"GET / HTTP/1.1\nHost: h\n\n",
    "a line that ends with LF": get(b"Host: h\nX: y"),
    "an empty line that ends with LF": b"GET / HTTP/1.1\r\nHost: h\r\n\n",
    "a line that ends with CR": get(b"Host: h\rX: y"),
    # RFC 9110, 5.5: no control characters
    "NUL in a value": get(b"Host: h", b"X: y\0z"),
    "NUL in a name": get(b"Host: h", b"X\0: y"),
    "NUL in the target": b"GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n",
    "a control character": get(b"Host: h", b"X: \x01"),
    # 7.1: chunks of a size in hexadecimal digits, and what it says of data
    "a chunk's size with 0x": chunks(b"0x3\r\nabc\r\n0\r\n\r\n"),
    "a chunk's size with a blank": chunks(b"3 \r\nabc\r\n0\r\n\r\n"),
    "a chunk's size of more than 64 bits": chunks(b"ffffffffffffffff3\r\nabc\r\n0\r\n\r\n"),
    "chunks that end with LF": chunks(b"3\nabc\n0\n\n"),
    "LF behind a chunk's size": chunks(b"3;a\nb\r\nabc\r\n0\r\n\r\n"),
    "more in a chunk than its size": chunks(b"3\r\nabcd\r\n0\r\n\r\n"),
    # 2.3: the versions that we speak
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/1.7": b"GET / HTTP/1.7\r\nHost: h\r\n\r\n",
    "HTTP/2.0": b"GET / HTTP/2.0\r\nHost: h\r\n\r\n",
    "a blank behind the version": b"GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
}


@pytest.mark.parametrize("sent", REFUSED.values(), ids=REFUSED)
def test_what_can_be_read_in_two_ways(patient: Served, sent: bytes):
    """Is refused, and the connection ends: the request that is hidden behind it is never answered."""
    with closing(patient.connect()) as line:
        line.send(sent + BEHIND)
        status, headers, body = line.answer()
        assert (status, headers["connection"], body) == (400, "close", b"BadRequest")
        assert line.is_ended()


@pytest.mark.parametrize(
    "sent",
    [
        get(b"Host: games.example.org:8080"),
        get(b"HOST:127.0.0.1"),
        get(b"Host: [::1]:80"),
        get(b"Host: my_games"),
        get(b"Host:"),  # RFC 9112, 3.2: of who asks for no name
        b"GET / HTTP/1.0\r\n\r\n",  # HTTP/1.0 knows of no Host
        b"\r\n" + get(b"Host: h"),  # 2.2: an empty line before it
        post(b"Transfer-Encoding: Chunked"),
        post(b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 3", b"abc"),
    ],
)
def test_what_can_be_read_in_one_way(line: Line, sent: bytes):
    """Is taken, however it is written."""
    line.send(sent)

    assert said(line)["PATH_INFO"] == "/"


def test_a_wish_for_another_protocol_hides_no_host(patient: Served):
    """A head that is read once more, without that wish, is held to the same rules."""
    with closing(patient.connect()) as line:
        line.send(get(b"Connection: Upgrade", b"Upgrade: h2c", b"Host: a", b"Host: b") + BEHIND)
        assert line.answer()[0] == 400
        assert line.is_ended()
