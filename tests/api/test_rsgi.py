"""Streams whose client has gone; what it does over a real connection is in test_hosting.py and tests/servers."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # not said to be public

from api.rsgi import _send_stream


class Endless:
    """A stream that counts what was read of it, and whether its place was given back."""

    def __init__(self) -> None:
        self.read, self.is_closed = 0, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            self.read += 1
            yield b"news"

    def close(self) -> None:
        self.is_closed = True


class Gone:
    """A line to a client that goes after so many messages; with None before it was even answered."""

    def __init__(self, after: int | None) -> None:
        self._left = after

    def response_stream(self, _status: int, _headers: object) -> "Gone":
        if self._left is None:
            raise ProtocolClosed
        return self

    async def send_bytes(self, _text: bytes) -> None:
        if not self._left:
            raise ProtocolClosed
        self._left -= 1


def sent(after: int | None) -> Endless:
    """Return a body that was sent to somebody who has gone."""
    body, line = Endless(), Gone(after)
    protocol: Any = line
    asyncio.run(_send_stream(protocol, 200, [], body))
    return body


def test_who_goes_gives_their_place_back():
    """In the middle of a stream, or before its first word: then nothing is read for them."""
    bodys = [sent(3), sent(0), sent(None)]

    assert [body.is_closed for body in bodys] == [True] * 3
    assert [body.read for body in bodys] == [4, 1, 0]
