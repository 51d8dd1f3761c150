"""What RFC 9110 and RFC 9112 ask of a server, as bytes that a client sends and what it must be answered.

Each row of ``CASES`` is a rule of one section, kept or broken. Requests are asked of two applications behind one web
server: paths of the product, and refusals, of the product's own; other paths of one that answers with what it was asked
(``http_lines.application``). ``GAME`` stands for the id of a game at version 0, ``TOKEN`` for the token of
its first seat.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from api.http_server.limits import MAX_CHUNK_OVERHEAD_BYTES, MAX_HEAD_BYTES, MAX_HEADERS, MAX_PIPELINED_REQUESTS

GAME: Final = b"/v1/games/GAME"
TOKEN: Final = b"Bearer TOKEN"
JSON: Final = "Content-Type: application/json"
MINIMUM_TARGET_BYTES: Final = 8_000
"""RFC 9112, 3: everybody should support request lines of so many."""


class Answer(NamedTuple):
    """What is expected of one response."""

    status: int = 200
    asked: Mapping[str, str | None] = {}
    """What the application was asked: some of its environment, and the body; None: it may not be there."""
    fields: Mapping[str, str | None] = {}
    """Fields of the response by lower-case name; None: it may not be there."""
    code: str = ""
    """Of a problem."""
    method: str = "GET"
    """Of the request: it says whether the response has a body."""
    text: bytes | None = None


class Case(NamedTuple):
    """A rule, the bytes that keep or break it, and what follows."""

    section: str
    """Number of the RFC and of its section."""
    rule: str
    sent: bytes
    answers: tuple[Answer, ...]
    is_last: bool = False
    """The server closes the connection after these answers, and answers nothing that comes behind."""
    is_half_closed: bool = False
    """The client closes its half after what it has sent."""
    after_continue: bytes = b""
    """Sent when ``100 Continue`` has come."""
    is_alone: bool = False
    """Nothing is sent behind it, and it is sent at once."""


def request(line: str, *fields: str, body: bytes = b"", host: str | None = "h", version: str = "1.1") -> bytes:
    """Return a request with these fields after its ``Host``."""
    lines = [f"{line} HTTP/{version}", *([] if host is None else [f"Host: {host}"]), *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def post(*fields: str, body: bytes = b"3\r\nabc\r\n0\r\n\r\n", version: str = "1.1") -> bytes:
    """Return a POST with a body; by itself in chunks, which *fields* have to say."""
    return request("POST /", *fields, body=body, version=version)


def chunked(body: bytes, *fields: str) -> bytes:
    """Return a POST with a body that is said to be in chunks."""
    return post("Transfer-Encoding: chunked", *fields, body=body)


def kept(section: str, rule: str, sent: bytes, *answers: Answer) -> Case:
    """Return a case after whose answers the connection stays; by itself one that is answered 200."""
    return Case(section, rule, sent, answers or (Answer(),))


def last(section: str, rule: str, sent: bytes, *answers: Answer) -> Case:
    """Return a case after whose answers the connection is closed."""
    return Case(section, rule, sent, answers or (Answer(),), is_last=True)


def refused(section: str, rule: str, sent: bytes, status: int = 400, code: str = "bad_request") -> Case:
    """Return a case that is refused with a problem, after which the connection is closed."""
    return last(section, rule, sent, Answer(status, code=code))


def asked(**environ: str | None) -> Answer:
    """Return the answer of who was asked that."""
    return Answer(asked=environ)


ABC: Final = asked(body="abc")

MESSAGES: Final = (
    kept("9112-2.2", "an empty line before the request line is ignored", b"\r\n" + request("GET /")),
    refused("9112-2.2", "every line ends with LF alone", b"GET / HTTP/1.1\nHost: h\n\n"),
    refused("9112-2.2", "the request line ends with LF alone", b"GET / HTTP/1.1\nHost: h\r\n\r\n"),
    refused("9112-2.2", "a field ends with LF alone", request("GET /", "X: a\nY: b")),
    refused("9112-2.2", "the empty line ends with LF alone", b"GET / HTTP/1.1\r\nHost: h\r\n\n"),
    refused("9112-2.2", "a field ends with CR alone", request("GET /", "X: a\rY: b")),
    refused("9112-2.2", "CR in the request line", request("GET /\r")),
    refused("9112-2.2", "two CR before LF", request("GET /", "X: a\r")),
    refused("9112-2.2", "a blank before the first field", request("GET /", " X: y", "Host: h", host=None)),
    refused("9112-2.2", "a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    refused("9112-2.2", "another protocol", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    refused("9112-2.2", "nonsense", b"nonsense\r\n\r\n"),
    kept("9112-2.3", "HTTP/1.1 is answered by HTTP/1.1", request("GET /"), asked(SERVER_PROTOCOL="HTTP/1.1")),
    last(
        "9112-2.3",
        "HTTP/1.0 is answered by HTTP/1.1",
        request("GET /", version="1.0"),
        asked(SERVER_PROTOCOL="HTTP/1.0"),
    ),
    refused("9112-2.3", "HTTP/0.9", b"GET /\r\n\r\n"),
    refused("9112-2.3", "HTTP/2.0", request("GET /", version="2.0")),
    refused("9112-2.3", "HTTP/3.0", request("GET /", version="3.0")),
    refused("9112-2.3", "the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    refused("9112-2.3", "http in lower case", b"GET / http/1.1\r\nHost: h\r\n\r\n"),
    refused("9112-2.3", "RTSP", b"GET /a RTSP/1.0\r\nHost: h\r\n\r\n"),
    refused("9112-2.3", "ICE", b"SOURCE /a ICE/1.0\r\nHost: h\r\n\r\n"),
    refused("9112-2.3", "a version of one digit", request("GET /", version="1")),
    refused("9112-2.3", "a version of three digits", request("GET /", version="1.10")),
    refused("9112-2.3", "a version with a leading zero", request("GET /", version="01.1")),
    refused("9112-2.3", "a blank behind the version", request("GET /", version="1.1 ")),
    # RFC 9110, 2.5, would have them taken for 1.1; a proxy may read them otherwise
    refused("9110-2.5", "HTTP/1.2", request("GET /", version="1.2")),
    refused("9110-2.5", "HTTP/1.7", request("GET /", version="1.7")),
)

REQUEST_LINES: Final = (
    refused("9112-3", "no target", b"GET HTTP/1.1\r\nHost: h\r\n\r\n"),
    refused("9112-3", "a blank in the target", request("GET /a b")),
    refused("9112-3", "a tab behind the method", request("GET\t/")),
    refused("9112-3", "a blank before the method", request(" GET /")),
    refused("9112-3", "no method", request("/")),
    kept("9112-3", "a long target", request("GET /" + "x" * (MINIMUM_TARGET_BYTES - 1))),
    refused("9112-3", "a target that is too long", request("GET /" + "x" * 9_000), 414, "uri_too_long"),
    refused("9112-3", "a target without end", b"GET /" + b"x" * 170_000, 414, "uri_too_long"),
    refused("9112-3.1", "a method in lower case is another", request("get /")),
    refused("9112-3.1", "a method that is no token", request("G(T /")),
    refused("9112-3.1", "a method that begins like another", request("GETS(/ /")),
    last(
        "9110-9.1",
        "an unknown method",
        request("FROB /v1/games"),
        Answer(405, fields={"allow": "GET, HEAD, POST, OPTIONS"}, code="method_not_allowed"),
    ),
    last(
        "9110-12.5.4",
        "an unknown method in Spanish",
        request("FROB /v1/games", "Accept-Language: es"),
        Answer(405, fields={"content-language": "es"}, code="method_not_allowed"),
    ),
    kept(
        "9110-15.5.6",
        "a method that the target doesn't have",
        request("DELETE /v1/rulesets"),
        Answer(405, fields={"allow": "GET, HEAD, OPTIONS"}, code="method_not_allowed"),
    ),
    kept("9112-3.2", "Host with a port", request("GET /", host="games.example.org:8080")),
    kept("9112-3.2", "Host in upper case, without a blank", request("GET /", "HOST:127.0.0.1", host=None)),
    kept("9112-3.2", "an IPv6 Host", request("GET /", host="[::1]:80")),
    kept("9112-3.2", "a Host with an underscore", request("GET /", host="my_games")),
    kept("9112-3.2", "an empty Host", request("GET /", host="")),
    last("9112-3.2", "no Host of HTTP/1.0", request("GET /", host=None, version="1.0")),
    refused("9112-3.2", "no Host", request("GET /", host=None)),
    refused("9112-3.2", "two Hosts", request("GET /", "Host: b", host="a")),
    refused("9112-3.2", "two Hosts that are the same", request("GET /", "host: a", host="a")),
    refused("9112-3.2", "two Hosts of HTTP/1.0", request("GET /", "Host: b", host="a", version="1.0")),
    refused("9112-3.2", "two Hosts and an upgrade", request("GET /", "Connection: Upgrade", "Upgrade: h2c", "Host: b")),
    refused("9112-3.2", "Hosts in a list", request("GET /", host="a, b")),
    refused("9112-3.2", "a Host with a blank", request("GET /", host="a b")),
    refused("9112-3.2", "a Host with a path", request("GET /", host="a/b")),
    refused("9112-3.2", "a Host with a user", request("GET /", host="u@a")),
    refused("9112-3.2", "a Host with a scheme", request("GET /", host="http://a")),
    refused("9112-3.2", "a Host with a port that is none", request("GET /", host="a:80a")),
    refused("9112-3.2", "a Host with half an address", request("GET /", host="[::1")),
    refused("9112-3.2", "a Host that isn't ASCII", request("GET /", host="é")),
    kept("9112-3.2.1", "path and query", request("GET /a/b?c=d?e"), asked(PATH_INFO="/a/b", QUERY_STRING="c=d?e")),
    kept("9112-3.2.1", "two slashes", request("GET //a"), asked(PATH_INFO="//a")),
    kept("9112-3.2.1", "a fragment is dropped", request("GET /a#b?c"), asked(PATH_INFO="/a", QUERY_STRING="")),
    kept("9112-3.2.1", "a percent", request("GET /a%2fb%00%zz"), asked(PATH_INFO="/a/b\0%zz")),
    refused("9112-3.2.1", "NUL", request("GET /\0")),
    refused("9112-3.2.1", "a control character", request("GET /\x01")),
    refused("9112-3.2.1", "DEL", request("GET /\x7f")),
    refused("9112-3.2.1", "a path without a slash", request("GET a/b")),
    kept(
        "9112-3.2.2",
        "absolute-form, whose host counts",
        request("GET http://else:1/a?b"),
        asked(PATH_INFO="/a", QUERY_STRING="b", HTTP_HOST="else:1"),
    ),
    kept("9112-3.2.2", "an absolute-form without a path", request("GET http://else"), asked(PATH_INFO="/")),
    kept(
        "9112-3.2.2",
        "an absolute-form with a query alone",
        request("GET http://else?b"),
        asked(PATH_INFO="/", QUERY_STRING="b"),
    ),
    kept("9110-4.2.3", "a scheme in upper case", request("GET HTTP://ELSE/a"), asked(PATH_INFO="/a")),
    refused("9112-3.2.2", "absolute-form without Host", request("GET http://else/", host=None)),
    refused("9112-3.2.2", "absolute-form beside a bad Host", request("GET http://else/", host="a b")),
    refused("9110-4.2.1", "an absolute-form without a host", request("GET http:///a")),
    refused("9110-4.2.1", "an absolute-form with a port alone", request("GET http://:80/a")),
    refused("9110-7.4", "https where there is no TLS", request("GET https://h/a")),
    refused("9110-7.4", "another scheme", request("GET ftp://h/a")),
    refused("9110-4.2.4", "an absolute-form with a user", request("GET http://u:p@else/")),
    last("9112-3.2.3", "CONNECT", request("CONNECT h:80"), Answer(404, code="not_found")),
    refused("9112-3.2.3", "authority-form of another method", request("GET h:80")),
    kept("9112-3.2.4", "the asterisk of OPTIONS", request("OPTIONS *"), asked(PATH_INFO="/*")),
    refused("9112-3.2.4", "the asterisk of GET", request("GET *")),
    refused("9112-3.2.4", "the asterisk of POST", request("POST *", "Content-Length: 0")),
)

FIELDS: Final = (
    kept("9110-5.1", "names in any case", request("GET /", "x-A: b"), asked(HTTP_X_A="b")),
    kept("9110-5.3", "two of a name, in order", request("GET /", "X: a", "Y: c", "x: b"), asked(HTTP_X="a,b")),
    kept("9110-5.5", "blanks before a value", request("GET /", "X: \t a b"), asked(HTTP_X="a b")),
    kept("9110-5.5", "blanks behind a value", request("GET /", "X: a b \t"), asked(HTTP_X="a b")),
    kept("9110-5.5", "a blank behind Host", request("GET /", host="h "), asked(HTTP_HOST="h")),
    kept("9110-5.5", "a blank behind a coding", post("Transfer-Encoding: chunked "), asked(body="abc")),
    kept("9110-5.5", "an empty value", request("GET /", "X:"), asked(HTTP_X="")),
    kept("9110-5.5", "a value beyond ASCII", request("GET /", "X: é"), asked(HTTP_X="é")),
    kept("9110-5.5", "a tab in a value", request("GET /", "X: a\tb"), asked(HTTP_X="a\tb")),
    refused("9110-5.5", "NUL in a value", request("GET /", "X: a\0b")),
    refused("9110-5.5", "a control character in a value", request("GET /", "X: \x01")),
    refused("9110-5.5", "DEL in a value", request("GET /", "X: \x7f")),
    refused("9110-5.6.2", "NUL in a name", request("GET /", "X\0: y")),
    refused("9110-5.6.2", "a name with a bracket", request("GET /", "X(: y")),
    refused("9110-5.6.2", "a name beyond ASCII", request("GET /", "é: y")),
    refused("9110-5.6.2", "a blank in a name", request("GET /", "X Y: z")),
    last("9110-5.6.1.2", "empty elements of a list", request("GET /", "Connection: , , close,")),
    refused("9112-5", "no colon", request("GET /", "X")),
    refused("9112-5", "no name", request("GET /", ": y")),
    refused("9112-5.1", "a blank before the colon", post("Content-Length : 3", body=b"abc")),
    refused("9112-5.1", "a tab before the colon", post("Transfer-Encoding\t: chunked")),
    refused("9112-5.2", "a value that goes on in the next line", request("GET /", "X: y", " z")),
    refused("9112-5.2", "a value that goes on behind a tab", request("GET /", "X: y", "\tz")),
    refused("9112-5.2", "a value that begins in the next line", post("Transfer-Encoding:", " chunked")),
    refused("9112-5.2", "a Host that goes on in the next line", request("GET /", " b", host="a")),
    kept("9110-5.4", "many fields", request("GET /", *(["X: y"] * (MAX_HEADERS - 1)))),
    refused("9110-5.4", "too many", request("GET /", *["X: y"] * MAX_HEADERS), 431, "header_fields_too_large"),
    refused(
        "9110-5.4",
        "a field that is too long",
        request("GET /", "X: " + "y" * MAX_HEAD_BYTES),
        431,
        "header_fields_too_large",
    ),
    refused(
        "9110-5.4",
        "a field without end",
        b"GET / HTTP/1.1\r\nHost: h\r\nX: y\r\nX: " + b"y" * 170_000,
        431,
        "header_fields_too_large",
    ),
)

LENGTH: Final = "Content-Length: 3"
CHUNKS: Final = "Transfer-Encoding: chunked"

FRAMING: Final = (
    kept("9112-6.1", "chunks", post(CHUNKS), ABC),
    kept("9112-6.1", "chunks in another case", post("transfer-ENCODING: Chunked"), ABC),
    refused("9112-6.1", "a length and chunks", post(LENGTH, CHUNKS)),
    refused("9112-6.1", "chunks and a length", post(CHUNKS, LENGTH)),
    refused("9112-6.1", "a length of 0 and chunks", post("Content-Length: 0", CHUNKS)),
    refused("9112-6.1", "chunks twice", post("Transfer-Encoding: chunked, chunked")),
    refused("9112-6.1", "chunks in two lines", post(CHUNKS, CHUNKS)),
    refused("9112-6.1", "gzip in chunks", post("Transfer-Encoding: gzip, chunked")),
    refused("9112-6.1", "chunks of HTTP/1.0", post(CHUNKS, version="1.0")),
    refused("9112-6.1", "chunks of HTTP/1.0 that stays", post("Connection: keep-alive", CHUNKS, version="1.0")),
    refused("9112-6.1", "chunks and a length of HTTP/1.0", post(CHUNKS, LENGTH, version="1.0")),
    kept("9112-6.2", "a length", post(LENGTH, body=b"abc"), ABC),
    kept("9112-6.2", "a length of 0", post("Content-Length: 0", body=b""), asked(body="")),
    kept("9112-6.2", "a length with leading zeros", post("Content-Length: 0003", body=b"abc"), ABC),
    kept("9112-6.2", "a length on GET", request("GET /", LENGTH, body=b"abc"), ABC),
    kept("9112-6.3", "no length and no chunks: no body", post(body=b""), asked(body="")),
    refused("9112-6.3", "two lengths", post(LENGTH, "Content-Length: 4", body=b"abc")),
    refused("9112-6.3", "two lengths that are the same", post(LENGTH, LENGTH, body=b"abc")),
    refused("9112-6.3", "lengths in a list", post("Content-Length: 3, 3", body=b"abc")),
    refused("9112-6.3", "different lengths in a list", post("Content-Length: 3, 4", body=b"abc")),
    refused("9112-6.3", "a length with a sign", post("Content-Length: +3", body=b"abc")),
    refused("9112-6.3", "a length below 0", post("Content-Length: -3", body=b"abc")),
    refused("9112-6.3", "a length in hexadecimal", post("Content-Length: 0x3", body=b"abc")),
    refused("9112-6.3", "a length with a fraction", post("Content-Length: 3.0", body=b"abc")),
    refused("9112-6.3", "a length with a blank", post("Content-Length: 3 3", body=b"abc")),
    refused("9112-6.3", "a length in quotes", post('Content-Length: "3"', body=b"abc")),
    refused("9112-6.3", "a length in other digits", post("Content-Length: \xb3", body=b"abc")),
    refused("9112-6.3", "a length of more than 64 bits", post("Content-Length: 18446744073709551619", body=b"abc")),
    refused("9112-6.3", "an empty length", post("Content-Length:", body=b"")),
    refused("9112-6.3", "chunks, then another coding", post("Transfer-Encoding: chunked, identity")),
    refused("9112-6.3", "chunks, then another coding, in two lines", post(CHUNKS, "Transfer-Encoding: identity")),
    refused("9112-6.3", "another coding", post("Transfer-Encoding: identity")),
    refused("9112-6.3", "another coding and a length", post("Transfer-Encoding: identity", LENGTH, body=b"abc")),
    refused("9112-6.3", "an empty coding", post("Transfer-Encoding:")),
    refused("9112-6.3", "a coding that ends like chunks", post("Transfer-Encoding: xchunked")),
    refused("9112-6.3", "chunks with a parameter", post("Transfer-Encoding: chunked;a=b")),
    refused("9112-6.3", "chunks behind a vertical tab", post("Transfer-Encoding: \x0bchunked")),
    refused("9112-6.3", "chunks in quotes", post('Transfer-Encoding: "chunked"')),
)

MOST: Final = MAX_CHUNK_OVERHEAD_BYTES

CHUNKED: Final = (
    kept("9112-7.1", "sizes in both cases", chunked(b"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n")),
    kept("9112-7.1", "a size with leading zeros", chunked(b"0003\r\nabc\r\n000\r\n\r\n"), ABC),
    kept("9112-7.1", "no data", chunked(b"0\r\n\r\n"), asked(body="")),
    kept("9112-7.1", "what looks like an end", chunked(b"5\r\n0\r\n\r\n\r\n0\r\n\r\n"), asked(body="0\r\n\r\n")),
    refused("9112-7.1", "a size with 0x", chunked(b"0x3\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "a size with a sign", chunked(b"+3\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "a size below 0", chunked(b"-3\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "a size with a blank", chunked(b"3 \r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "a blank before a size", chunked(b" 3\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "no size", chunked(b"\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "a size that is none", chunked(b"xyz\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "a size of more than 64 bits", chunked(b"ffffffffffffffff3\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "LF behind a size", chunked(b"3\nabc\n0\n\n")),
    refused("9112-7.1", "CR behind a size", chunked(b"3\rabc\r\n0\r\n\r\n")),
    refused("9112-7.1", "more data than the size", chunked(b"3\r\nabcd\r\n0\r\n\r\n")),
    refused("9112-7.1", "no CR LF behind the data", chunked(b"3\r\nabc0\r\n\r\n")),
    refused("9112-7.1", "LF behind the data", chunked(b"3\r\nabc\n0\r\n\r\n")),
    kept("9112-7.1.1", "an extension is ignored", chunked(b"3;a;b=c\r\nabc\r\n0;d\r\n\r\n"), ABC),
    kept("9112-7.1.1", "an extension in quotes", chunked(b'3;a="b;c"\r\nabc\r\n0\r\n\r\n'), ABC),
    kept("9112-7.1.1", "a long extension", chunked(b"3;" + b"x" * (MOST - 50) + b"\r\nabc\r\n0\r\n\r\n"), ABC),
    refused("9112-7.1.1", "LF in an extension", chunked(b"3;a\nb\r\nabc\r\n0\r\n\r\n")),
    refused("9112-7.1.1", "NUL in an extension", chunked(b"3;a\0b\r\nabc\r\n0\r\n\r\n")),
    refused(
        "9112-7.1.1",
        "an extension that is too long",
        chunked(b"3;" + b"x" * 20_000 + b"\r\nabc\r\n0\r\n\r\n"),
        431,
        "header_fields_too_large",
    ),
    refused(
        "9112-7.1.1",
        "many extensions that are too long together",
        chunked(b"1;%b\r\na\r\n" % (b"x" * 1_000) * 20 + b"0\r\n\r\n"),
        431,
        "header_fields_too_large",
    ),
    kept(
        "9112-7.1.2",
        "a trailer is dropped, and is no header",
        chunked(b"3\r\nabc\r\n0\r\nX-Forwarded-For: 1.2.3.4\r\nAuthorization: x\r\n\r\n", "X-Forwarded-For: 9.9.9.9"),
        asked(body="abc", HTTP_X_FORWARDED_FOR="9.9.9.9", HTTP_AUTHORIZATION=None),
    ),
    kept("9112-7.1.2", "a long trailer", chunked(b"3\r\nabc\r\n0\r\nX: " + b"y" * (MOST - 50) + b"\r\n\r\n"), ABC),
    refused("9112-7.1.2", "a trailer that goes on", chunked(b"3\r\nabc\r\n0\r\nX: y\r\n z\r\n\r\n")),
    refused("9112-7.1.2", "a blank before a trailer's colon", chunked(b"3\r\nabc\r\n0\r\nX : y\r\n\r\n")),
    refused("9112-7.1.2", "NUL in a trailer", chunked(b"3\r\nabc\r\n0\r\nX: a\0\r\n\r\n")),
    refused(
        "9112-7.1.2",
        "a trailer that is too long",
        chunked(b"3\r\nabc\r\n0\r\nX: " + b"y" * 50_000 + b"\r\n\r\n"),
        431,
        "header_fields_too_large",
    ),
    kept("9110-10.1.4", "a client that takes trailers", request("GET /", "Connection: TE", "TE: trailers")),
)

THREE: Final = request("GET /1") + request("POST /2", LENGTH, body=b"abc") + request("GET /3")
BROKEN: Final = Answer(400, code="bad_request")
STAY: Final = {"connection": "keep-alive"}

KEEP: Final = "Connection: keep-alive"
CLOSE: Final = "Connection: close"
CLOSE_KEEP: Final = "Connection: close, keep-alive"

CONNECTIONS: Final = (
    kept(
        "9112-9.3.2",
        "answers in the order of their requests",
        THREE,
        asked(PATH_INFO="/1"),
        asked(PATH_INFO="/2", body="abc"),
        asked(PATH_INFO="/3"),
    ),
    Case(
        "9112-9.3.2",
        "too many requests ahead of their answers",
        request("GET /") * (MAX_PIPELINED_REQUESTS + 2),
        (*[Answer()] * MAX_PIPELINED_REQUESTS, BROKEN),
        is_last=True,
        is_alone=True,
    ),
    last("9112-9.3", "HTTP/1.0 ends", request("GET /", version="1.0"), Answer(fields={"connection": "close"})),
    kept(
        "9112-9.3",
        "HTTP/1.0 that asks to stay",
        request("GET /", "Connection: Keep-Alive", version="1.0"),
        Answer(fields=STAY),
    ),
    last("9112-9.3", "HTTP/1.0 that asks for both", request("GET /", f"{KEEP}, close", version="1.0")),
    last("9112-9.3", "HTTP/1.0 that asks for both, close first", request("GET /", CLOSE_KEEP, version="1.0")),
    last("9112-9.3", "HTTP/1.0 that asks for both in two fields", request("GET /", KEEP, CLOSE, version="1.0")),
    kept("9112-9.3", "HTTP/1.1 stays", request("GET /"), Answer(fields={"connection": None})),
    last(
        "9112-9.6",
        "close ends the connection, and nothing behind it is answered",
        request("GET /1", "Connection: close"),
        Answer(fields={"connection": "close"}, asked={"PATH_INFO": "/1"}),
    ),
    last("9112-9.6", "close in another case, in a list", request("GET /", "Connection: x, CLOSE")),
    last("9112-9.6", "close in a second field", request("GET /", "Connection: x", "Connection: close")),
    kept("9112-9.6", "an option that isn't close", request("GET /", "Connection: closed, xclose")),
    kept("9112-9.6", "close in another field", request("GET /", "X-Connection: close")),
    last(
        "9112-9.6",
        "close after what breaks the rules, and the answers before it",
        request("GET /first") + request("GET /", host="a b"),
        asked(PATH_INFO="/first"),
        Answer(400, fields={"connection": "close"}, code="bad_request"),
    ),
    kept(
        "9112-9.3",
        "a refused body is read, and the connection stays",
        request("POST /v1/games/nobody/actions", JSON, "Content-Length: 100000", body=b"x" * 100_000),
        Answer(404, code="no_such_game"),
    ),
    Case("9112-9.5", "a half-closed GET is answered", request("GET /a"), (asked(PATH_INFO="/a"),), True, True),
    Case("9112-9.5", "a half-closed POST is answered", post(LENGTH, body=b"abc"), (ABC,), True, True),
    Case("9112-9.5", "half-closed chunks are answered", post(CHUNKS), (ABC,), True, True),
    Case("9112-9.5", "half-closed requests are answered", THREE, (Answer(), Answer(), Answer()), True, True),
    Case("9112-8", "a half-closed part of a head isn't", b"GET / HTTP/1.1\r\nHost: h\r\n", (), True, True),
    Case("9112-8", "a half-closed part of a body isn't acted on", post(LENGTH, body=b"ab"), (BROKEN,), True, True),
    Case("9112-8", "a half-closed part of chunks isn't", chunked(b"3\r\nabc\r\n"), (BROKEN,), True, True),
)

METHODS: Final = (
    kept("9110-9.3.2", "HEAD has no body", request("HEAD /v1/rulesets"), Answer(method="HEAD")),
    kept("9110-9.3.2", "nor has a refused HEAD", request("HEAD /v1/nothing"), Answer(404, method="HEAD")),
    kept(
        "9110-9.3.7",
        "OPTIONS",
        request("OPTIONS /v1/games"),
        Answer(200, fields={"allow": "GET, HEAD, POST, OPTIONS"}, method="OPTIONS"),
    ),
    kept(
        "9110-9.3.8",
        "TRACE repeats nothing",
        request("TRACE /v1/games", "Cookie: secret"),
        Answer(405, fields={"allow": "GET, HEAD, POST, OPTIONS"}, code="method_not_allowed"),
    ),
    kept(
        "9110-15.5.2",
        "401 says how to authenticate",
        request(f"POST {GAME.decode()}/actions", JSON, "Content-Length: 2", body=b"{}"),
        Answer(401, fields={"www-authenticate": 'Bearer realm="regicide"'}, code="no_token"),
    ),
    kept("9110-15.3.5", "204 has no body and no length", request("GET /none"), Answer(204)),
    kept("9110-15.4.5", "304 has no body", request("GET /same"), Answer(304)),
    kept("9110-15.4.5", "304 and 204 in a row", request("GET /same") + request("GET /none"), Answer(304), Answer(204)),
    last(
        "9112-6.1",
        "chunks aren't sent to HTTP/1.0",
        request("GET /ticks/3/2", "Connection: keep-alive", version="1.0"),
        Answer(text=b"001122", fields={"transfer-encoding": None, "connection": "close"}),
    ),
    kept(
        "9112-7.1",
        "what has no length yet goes out in chunks",
        request("GET /ticks/3/2"),
        Answer(text=b"001122", fields={"transfer-encoding": "chunked"}),
    ),
)

EXPECT: Final = "Expect: 100-continue"

EXPECTATIONS: Final = (
    Case(
        "9110-10.1.1", "100, then the answer", post(EXPECT, LENGTH, body=b""), (Answer(100), ABC), False, False, b"abc"
    ),
    Case(
        "9110-10.1.1",
        "in another case",
        post("expect: 100-CONTINUE", LENGTH, body=b""),
        (Answer(100), ABC),
        after_continue=b"abc",
    ),
    Case("9110-10.1.1", "no 100 where the body is there", post(EXPECT, LENGTH, body=b"abc"), (ABC,), is_alone=True),
    Case(
        "9110-10.1.1",
        "with a blank behind it",
        post(f"{EXPECT} ", LENGTH, body=b""),
        (Answer(100), ABC),
        after_continue=b"abc",
    ),
    kept("9110-10.1.1", "no 100 where there is no body", request("GET /", EXPECT)),
    last("9110-10.1.1", "no 100 to HTTP/1.0", post(EXPECT, LENGTH, body=b"abc", version="1.0"), ABC),
    Case(
        "9110-10.1.1",
        "a final answer instead of 100",
        request("POST /unread", EXPECT, "Content-Length: 900"),
        (Answer(fields={"connection": "close"}, asked={"PATH_INFO": "/unread"}),),
        is_last=True,
        is_alone=True,
    ),
    Case(
        "9110-10.1.1",
        "a refusal instead of 100",
        request(f"POST {GAME.decode()}/actions", JSON, EXPECT, "Content-Length: 900"),
        (Answer(401, fields={"connection": "close"}, code="no_token"),),
        is_last=True,
        is_alone=True,
    ),
)

RULES: Final = "GET /v1/rulesets/regicide/rules"
BODY: Final = b'{"text": "play 5S"}'
ACT: Final = (f"POST {GAME.decode()}/actions", JSON, f"Content-Length: {len(BODY)}")
LOOK: Final = f"GET {GAME.decode()}"
SEAT: Final = f"Authorization: {TOKEN.decode()}"
AT_0: Final = Answer(fields={"etag": '"0"'})
SAME: Final = Answer(304, fields={"etag": '"0"', "cache-control": "private, no-store"})

CONDITIONS: Final = (
    kept("9110-13.1.2", "If-None-Match of the version", request(LOOK, 'If-None-Match: "0"'), SAME),
    kept("9110-13.1.2", "weakly", request(LOOK, 'If-None-Match: W/"0"'), SAME),
    kept("9110-13.1.2", "in a list, with empty elements", request(LOOK, 'If-None-Match: , "7", , "0"'), SAME),
    kept("9110-13.1.2", "in two fields", request(LOOK, 'If-None-Match: "7"', 'If-None-Match: "0"'), SAME),
    kept("9110-13.1.2", "of any", request(LOOK, "If-None-Match: *"), SAME),
    kept("9110-13.1.2", "of another", request(LOOK, 'If-None-Match: "7"'), AT_0),
    kept(
        "9110-13.1.3",
        "If-Modified-Since counts nothing beside it",
        request(LOOK, 'If-None-Match: "7"', "If-Modified-Since: Sun, 06 Nov 2044 08:49:37 GMT"),
        AT_0,
    ),
    kept("9110-13.1.3", "nor where it is no date", request(LOOK, "If-Modified-Since: yesterday"), AT_0),
    kept(
        "9110-13.1.4",
        "nor If-Unmodified-Since where nothing says when it changed",
        request(LOOK, "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT"),
        AT_0,
    ),
    kept(
        "9110-13.1.1",
        "If-Match of another version",
        request(*ACT, SEAT, 'If-Match: "7"', body=BODY),
        Answer(412, code="stale_version"),
    ),
    kept(
        "9110-13.1.1",
        "If-Match never weakly",
        request(*ACT, SEAT, 'If-Match: W/"0"', body=BODY),
        Answer(412, code="stale_version"),
    ),
    kept(
        "9110-13.2.2",
        "If-Match before If-None-Match",
        request(*ACT, SEAT, 'If-Match: "7"', 'If-None-Match: "0"', body=BODY),
        Answer(412, code="stale_version"),
    ),
    kept(
        "9110-13.2.1",
        "no condition of who may not act",
        request(*ACT, 'If-Match: "7"', body=BODY),
        Answer(401, code="no_token"),
    ),
    kept(
        "9110-13.2.1",
        "no condition of what isn't there",
        request("GET /v1/games/nothing", "If-None-Match: *"),
        Answer(404, code="no_such_game"),
    ),
    kept(
        "9110-13.1.2",
        "HEAD as GET",
        request(f"HEAD {GAME.decode()}", 'If-None-Match: "0"'),
        SAME._replace(method="HEAD"),
    ),
)

CONTENT: Final = (
    kept(
        "9110-14.2",
        "a range is ignored",
        request("GET /v1/rulesets", "Range: bytes=0-9"),
        Answer(fields={"content-range": None}),
    ),
    kept(
        "9110-14.2",
        "also one that nothing satisfies",
        request("GET /v1/rulesets", "Range: bytes=99999999-", 'If-Range: "x"'),
        Answer(fields={"content-range": None}),
    ),
    kept(
        "9110-12.5.3",
        "a coding that is taken",
        request("GET /v1/rulesets", "Accept-Encoding: gzip"),
        Answer(fields={"content-encoding": "gzip"}),
    ),
    kept(
        "9110-12.5.3",
        "another coding, where one isn't taken",
        request("GET /v1/rulesets", "Accept-Encoding: gzip;q=0, br"),
        Answer(fields={"content-encoding": "br"}),
    ),
    kept(
        "9110-12.5.3",
        "a coding that is wanted more",
        request("GET /v1/rulesets", "Accept-Encoding: br;q=0.5, gzip"),
        Answer(fields={"content-encoding": "gzip"}),
    ),
    kept(
        "9110-12.5.3",
        "no coding is wanted more",
        request("GET /v1/rulesets", "Accept-Encoding: identity, *;q=0.5"),
        Answer(fields={"content-encoding": None}),
    ),
    kept(
        "9110-12.5.3",
        "no coding is taken",
        request("GET /v1/rulesets", "Accept-Encoding: gzip;q=0, br;q=0, zstd"),
        Answer(fields={"content-encoding": None}),
    ),
    kept(
        "9110-12.5.1",
        "a type that is wanted more",
        request(RULES, "Accept: text/markdown;q=0.5, text/html"),
        Answer(fields={"content-type": "text/html; charset=utf-8"}),
    ),
    kept(
        "9110-12.5.1",
        "a type with a weight of 0 isn't sent",
        request(RULES, "Accept: text/html;q=0, text/markdown"),
        Answer(fields={"content-type": "text/markdown; charset=utf-8"}),
    ),
    kept("9110-6.6.1", "one Date", request("GET /openapi.yaml")),
    kept(
        "9110-15.5.16",
        "a content coding that isn't taken",
        request(*ACT, SEAT, "Content-Encoding: gzip", body=BODY),
        Answer(415, code="unsupported_media_type"),
    ),
    last(
        "9110-15.5.14",
        "a body that is too large, sent to its end",
        request("POST /v1/games", JSON, "Content-Length: 3000000", body=b"x" * 3_000_000),
        Answer(413, fields={"connection": "close"}, code="content_too_large"),
    ),
    last(
        "9110-15.5.14",
        "chunks that are too large",
        request("POST /v1/games", JSON, CHUNKS, body=b"100000\r\n" + b"x" * 0x100000 + b"\r\n0\r\n\r\n"),
        Answer(413, fields={"connection": "close"}, code="content_too_large"),
    ),
    last(
        "9110-7.8",
        "an upgrade isn't taken",
        request("GET /a", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: x"),
        asked(PATH_INFO="/a", HTTP_UPGRADE=None),
    ),
    last(
        "9110-7.8",
        "a body beside the wish for an upgrade",
        post("Connection: Upgrade", "Upgrade: h2c", "X-A: 1", LENGTH, body=b"abc"),
        asked(body="abc", HTTP_X_A="1", HTTP_HOST="h"),
    ),
    last(
        "9110-7.8",
        "chunks beside the wish for an upgrade",
        post("Connection: Upgrade", "Upgrade: websocket", CHUNKS),
        ABC,
    ),
    kept("9110-7.8", "Upgrade without Connection", request("GET /", "Upgrade: h2c")),
    last("9110-7.8", "an upgrade of HTTP/1.0", request("GET /", "Connection: Upgrade", "Upgrade: h2c", version="1.0")),
)

CASES: Final = (
    *MESSAGES,
    *REQUEST_LINES,
    *FIELDS,
    *FRAMING,
    *CHUNKED,
    *CONNECTIONS,
    *METHODS,
    *EXPECTATIONS,
    *CONDITIONS,
    *CONTENT,
)
