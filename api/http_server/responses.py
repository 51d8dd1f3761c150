"""Responses as they are written: their heads, and bodies that are sent as things happen."""

from collections.abc import AsyncIterator, Callable, Iterable
from http import HTTPStatus
from typing import Final, Protocol

STATUS_LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
CHUNKED: Final = "Transfer-Encoding: chunked\r\n"

Headers = list[tuple[str, str]]


class StreamingBody(Protocol):
    """A body that is sent as things happen."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield what is sent."""

    def close(self) -> None:
        """Release what it holds; called once, whether or not anything was read."""


Application = Callable[..., "Iterable[bytes] | StreamingBody"]
"""As PEP 3333 has it, but that a body may also be asynchronous (``StreamingBody``)."""


def head(status: int, headers: Headers, *more: str) -> bytes:
    """Return the head of a response; *more* are lines as they are."""
    lines = [f"{name}: {value}\r\n" for name, value in headers]
    return "".join([STATUS_LINES[status], *lines, *more, "\r\n"]).encode("latin-1")


def length(status: int, method: str, headers: Headers, text: bytes) -> str:
    """Return the line that says how long a body is, if there is one and the headers don't say so."""
    if status in {204, 304} or method == "HEAD" or any(name.lower() == "content-length" for name, _ in headers):
        return ""
    return f"Content-Length: {len(text)}\r\n"
