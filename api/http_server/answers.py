"""Answers as they go out: the lines of their heads, and bodies that go on while things happen."""

from collections.abc import AsyncIterator, Callable, Iterable
from http import HTTPStatus
from typing import Final, Protocol

LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}
WITHOUT_BODY: Final = frozenset((HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED))
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

Headers = list[tuple[str, str]]


class Live(Protocol):
    """The body of an answer that goes on while things happen."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield what is sent."""

    def close(self) -> None:
        """Stop: nobody reads any more."""


Application = Callable[..., "Iterable[bytes] | Live"]
"""As PEP 3333 has it, but that an answer may also go on (``Live``)."""


def head(status: int, headers: Headers, *more: str) -> bytes:
    """Return the head of an answer; *more* are lines as they are, the last of them with the empty one."""
    return "".join([LINES[status], *[f"{name}: {value}\r\n" for name, value in headers], *more]).encode("latin-1")


def length(status: int, method: str, headers: Headers, text: bytes) -> str:
    """Return the line that says how long a body is, if there is one and the headers don't say so."""
    if status in WITHOUT_BODY or method == "HEAD" or any(name.lower() == "content-length" for name, _ in headers):
        return ""
    return f"Content-Length: {len(text)}\r\n"
