"""One request: its head, the part of its body received so far, and its WSGI environment (PEP 3333)."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from werkzeug.exceptions import BadRequest, RequestHeaderFieldsTooLarge, RequestURITooLarge

from api.http_server.limits import MAX_HEADERS, MAX_TARGET_BYTES
from api.problems.errors import REFUSAL_KEY

VALID_HOST: Final = re.compile(rb"(?:\[[0-9A-Za-z:._~%-]+\]|[A-Za-z0-9._~%-]*)(?::[0-9]*)?")
"""A valid ``Host``: a name or address with an optional port, or nothing."""
ABSOLUTE_FORM_PATTERN: Final = re.compile(rb"http://([^/?#:][^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
"""A target in absolute form: the authority, which replaces ``Host`` (RFC 9112, 3.2.2), and the rest."""
FRAMING_HEADERS: Final = frozenset((b"host", b"transfer-encoding", b"connection", b"expect"))
"""Headers on the host, the body's length, the end of the connection, and ``100 Continue``."""
BASE_ENVIRON: Final[dict[str, Any]] = {
    "SCRIPT_NAME": "",
    "HTTP_HOST": "",
    "wsgi.version": (1, 0),
    "wsgi.url_scheme": "http",
    "wsgi.input_terminated": True,
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}


@dataclass(slots=True, eq=False)
class Request:
    """One request, whose body grows while it is received."""

    method: str = "GET"
    target: bytes = b""
    version: str = "1.1"
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)
    body_truncated: bool = False  # the rest is unwanted, too large or cut off, and is discarded
    expects_continue: bool = False  # the client waits for ``100 Continue`` before it sends the body
    is_complete: bool = False
    keep_alive: bool = False  # the connection can be reused
    refusal: Exception | None = None
    wait_for_body: Callable[[], None] | None = None  # it returns when ``body`` is complete, or raises

    def find_error(self) -> Exception | None:
        """Return the reason for which a request with this head is refused, or None."""
        if len(self.target) > MAX_TARGET_BYTES:
            return RequestURITooLarge()
        if len(self.headers) > MAX_HEADERS:
            return RequestHeaderFieldsTooLarge()
        return None if self._is_unambiguous() and self._has_valid_target() else BadRequest()

    def _is_unambiguous(self) -> bool:
        """Return whether a proxy would read the same host and body length (RFC 9112, 3.2, 6.1).

        Also set ``keep_alive`` and ``expects_continue`` from the headers.
        """
        hosts, is_new = 0, self.version == "1.1"
        for name, value in self.headers:
            field = name.lower()
            if field not in FRAMING_HEADERS:
                continue
            if field == b"host":
                hosts += 1
                if VALID_HOST.fullmatch(value) is None:
                    return False
            elif field == b"transfer-encoding" and not (is_new and value.lower() == b"chunked"):
                return False
            elif field == b"connection":
                self.keep_alive &= b"close" not in value.lower().replace(b" ", b"").split(b",")
            elif field == b"expect" and is_new:
                self.expects_continue = value.lower() == b"100-continue"
        return self.version in {"1.1", "1.0"} and (hosts == 1 or not (hosts or is_new))

    def _has_valid_target(self) -> bool:
        """Return whether the target's form is allowed for the method (RFC 9112, 3.2; RFC 9110, 4.2)."""
        if self.target[:1] == b"/":
            return True
        if self.target == b"*" or self.method == "CONNECT":
            return self.method in {"OPTIONS", "CONNECT"}
        absolute = ABSOLUTE_FORM_PATTERN.fullmatch(self.target)
        return absolute is not None and VALID_HOST.fullmatch(absolute[1]) is not None

    def without_upgrade(self) -> bytes:
        """Return the head without ``Upgrade`` and with ``Connection: close``."""
        kept = [header for header in self.headers if header[0].lower() not in {b"connection", b"upgrade"}]
        lines = [b"%b: %b" % header for header in [*kept, (b"Connection", b"close")]]
        first = b"%b %b HTTP/%b" % (self.method.encode(), self.target, self.version.encode())
        return b"\r\n".join([first, *lines, b"", b""])

    def read(self, _size: int = -1) -> bytes:
        """Return the complete body at the first call, after waiting for it, and empty bytes later.

        The application calls this method as ``wsgi.input.read``.
        """
        wait, self.wait_for_body = self.wait_for_body, None
        if wait is None:
            return b""
        wait()
        return bytes(self.body)

    def environ(self, client: tuple[Any, ...], server: tuple[Any, ...]) -> dict[str, Any]:
        """Return the WSGI environment of the request (PEP 3333)."""
        absolute = ABSOLUTE_FORM_PATTERN.fullmatch(self.target) if self.target[:1] != b"/" else None
        target = self.target if absolute is None else absolute[2]
        path, _, query = target.partition(b"#")[0].partition(b"?")
        path = b"/" + path.removeprefix(b"/")
        environ = BASE_ENVIRON | self._header_variables()
        environ["REQUEST_METHOD"] = self.method
        environ["PATH_INFO"] = (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1")
        environ["QUERY_STRING"] = query.decode("latin-1")
        environ["SERVER_NAME"], environ["SERVER_PORT"] = server[0], str(server[1])
        environ["SERVER_PROTOCOL"], environ["REMOTE_ADDR"] = f"HTTP/{self.version}", client[0]
        environ["wsgi.input"] = self
        if absolute is not None:
            environ["HTTP_HOST"] = absolute[1].decode("latin-1")
        if self.refusal is not None:
            environ[REFUSAL_KEY] = self.refusal
        return environ

    def _header_variables(self) -> dict[str, str]:
        variables = {_variable(name): value.decode("latin-1") for name, value in self.headers}
        if len(variables) == len(self.headers) and "" not in variables:
            return variables
        variables.clear()
        for name, value in self.headers:
            key, text = _variable(name), value.decode("latin-1")
            variables[key] = f"{variables[key]},{text}" if key in variables else text
        variables.pop("", None)
        return variables


@lru_cache(1024)
def _variable(name: bytes) -> str:
    """Return a header's environment variable, or "" if the header must be ignored because its name has ``_``.

    ``X_Forwarded_For`` would get the same variable as ``X-Forwarded-For``, the header of a trusted proxy.
    """
    key = "" if b"_" in name else name.decode("latin-1").upper().replace("-", "_")
    return key if key in {"", "CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
