"""One request as it comes in: its head, its body as far as it is there, and both as PEP 3333 has them."""

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Protocol
from urllib.parse import unquote_to_bytes

import httptools
from werkzeug.exceptions import BadRequest, RequestHeaderFieldsTooLarge, RequestURITooLarge

from api.errors import REFUSAL
from api.http_server.shares import MOST_HEADERS, MOST_OF_HEAD, MOST_OF_TARGET

UNKNOWN_METHOD: Final = re.compile(rb"([A-Z][A-Z-]{0,31}) (/\S*) HTTP/1\.[01]\r\n")
VERSIONS: Final = ("1.1", "1.0")
HOST: Final = re.compile(rb"(?:\[[0-9A-Za-z:._~%-]+\]|[A-Za-z0-9._~%-]*)(?::[0-9]*)?")
"""What a ``Host`` may be: a name or an address, a port; or nothing, of who knows no name."""


class Body(Protocol):
    """What is read of a body."""

    def read(self, size: int = -1) -> bytes:
        """Return all that is left of it."""


class Request:
    """One request; its body grows while it comes in."""

    __slots__ = (
        *("method", "target", "version", "headers", "body", "keep_alive", "refusal"),
        *("is_head_complete", "is_complete", "is_continued", "is_cut"),
    )

    def __init__(self) -> None:
        self.method = "GET"
        self.target = b""
        self.version = "1.1"
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()
        self.is_head_complete = False
        self.is_complete = False
        self.is_cut = False
        """More of the body came than anybody takes: the rest isn't kept."""
        self.is_continued = False
        """``100 Continue`` was said."""
        self.keep_alive = False
        """Its connection can be used again."""
        self.refusal: Exception | None = None

    def size(self) -> int:
        """Return how many bytes its target and its headers have."""
        return len(self.target) + sum(len(name) + len(value) for name, value in self.headers)

    def fault(self) -> Exception | None:
        """Return why a request with this head is refused; None if it isn't."""
        if len(self.target) > MOST_OF_TARGET:
            return RequestURITooLarge()
        if len(self.headers) > MOST_HEADERS or self.size() > MOST_OF_HEAD:
            return RequestHeaderFieldsTooLarge()
        return None if self._is_read_alike_by_all() else BadRequest()

    def _is_read_alike_by_all(self) -> bool:
        """Return whether a proxy takes it for the same host, and for as long, as we do (RFC 9112, 3.2, 6.1).

        The parser has refused what else could be read in two ways, a length beside chunks, say.
        """
        hosts, is_new = 0, self.version == "1.1"
        for name, value in self.headers:
            field = name.lower()
            if field == b"host":
                hosts += 1
                if HOST.fullmatch(value) is None:
                    return False
            elif field == b"transfer-encoding" and not (is_new and value.lower() == b"chunked"):
                return False
        return self.version in VERSIONS and (hosts == 1 or not (hosts or is_new))

    def waits_for_continue(self) -> bool:
        """Return whether the client sends the body only when it is asked to; those of HTTP/1.0 don't know of that."""
        if self.is_complete or self.is_continued or self.body or self.version != "1.1":
            return False
        return any(name.lower() == b"expect" and value.lower() == b"100-continue" for name, value in self.headers)

    def without_upgrade(self) -> bytes:
        """Return its head as if it wished for no other protocol, and for an end after its answer."""
        kept = [header for header in self.headers if header[0].lower() not in {b"connection", b"upgrade"}]
        lines = [b"%b: %b" % header for header in [*kept, (b"Connection", b"close")]]
        first = b"%b %b HTTP/%b" % (self.method.encode(), self.target, self.version.encode())
        return b"\r\n".join([first, *lines, b"", b""])

    def environ(self, client: tuple[Any, ...], server: tuple[Any, ...], body: Body) -> dict[str, Any]:
        """Return it as PEP 3333 has it.

        A name with an underscore would pass for one with a hyphen, and overrule what a proxy of ours has said: it is
        left out, as web servers do.
        """
        path, _, query = self.target.partition(b"#")[0].partition(b"?")
        if path[:1] != b"/":
            path, query = _absolute(path, query)
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1"),
            "QUERY_STRING": query.decode("latin-1"),
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
            "SERVER_PROTOCOL": f"HTTP/{self.version}",
            "REMOTE_ADDR": client[0],
            "HTTP_HOST": "",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": body,
            "wsgi.input_terminated": True,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        given: set[str] = set()
        for name, value in self.headers:
            key = _key(name)
            if key is None:
                continue
            text = value.decode("latin-1")
            environ[key] = f"{environ[key]},{text}" if key in given else text
            given.add(key)
        if self.refusal is not None:
            environ[REFUSAL] = self.refusal
        return environ


class Waiting:
    """A body that isn't all there: who reads it waits for it."""

    def __init__(self, request: Request, wait: Callable[[Request], None]) -> None:
        self._wait = wait
        self._request = request
        self._read = False

    def read(self, _size: int = -1) -> bytes:
        """Return the body when it is there, or as much as is kept of one that is too long.

        Raises what is wrong with it.
        """
        if self._read:
            return b""
        self._read = True
        self._wait(self._request)
        return bytes(self._request.body)


@lru_cache(1024)
def _key(name: bytes) -> str | None:
    """Return the name of a header in the environment, if it may be there."""
    if b"_" in name:
        return None
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


def _absolute(path: bytes, query: bytes) -> tuple[bytes, bytes]:
    """Return path and query of a target in absolute form, ``http://host/path``; of others what is no path of ours."""
    scheme, slashes, rest = path.partition(b"://")
    if not slashes or scheme.lower() not in {b"http", b"https"}:
        return b"/" + path, query
    return b"/" + rest.partition(b"/")[2], query


def of_unknown_method(data: bytes) -> Request | None:
    """Return the request that *data* begins with, if its method is all that the parser doesn't know of it."""
    line = UNKNOWN_METHOD.match(data)
    if line is None:
        return None
    request = Request()
    request.method, request.target = line[1].decode("ascii"), line[2]
    request.is_complete = True
    return request


def wants_upgrade(parser: httptools.HttpRequestParser) -> bool:
    """Return whether the client wishes to go on by another protocol, and has a request of HTTP as well."""
    return bool(parser.should_upgrade()) and parser.get_method() != b"CONNECT"
