"""Watching a game live: each version once and in order, however often the line breaks."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import httpx

from regicide_client.retry import BROKEN, Courier, Passing
from regicide_client.types import Json

ENDED: Final = ("finished", "abandoned")
LINES: Final = "application/x-ndjson"


def follow(
    courier: Courier, path: str, headers: dict[str, str], after: int | None, is_over: Callable[[int], bool]
) -> Iterator[Json]:
    """Yield a stream's messages: a snapshot unless *after* is given, then the versions after, until the game ends.

    When the line breaks it is taken up after the last version heard of, for as long as patience lasts without a
    message. *is_over* looks whether a version was the last. Raises ``Problem``, ``httpx.TransportError``.
    """
    patience, heard = courier.patience(), after
    while True:
        last = {} if heard is None else {"Last-Event-ID": str(heard)}
        seconds = 0.0
        reason: Exception = httpx.RemoteProtocolError("The stream ended before the game did.")
        try:
            with courier.lines(path, {**headers, **last, "Accept": LINES}) as lines:
                for message in _messages(lines, heard):
                    patience.renew()
                    heard = message["version"]
                    yield message
                    if message["status"] in ENDED:
                        return
            if heard is not None and is_over(heard):
                return
        except Passing as passing:
            reason, seconds = passing.problem, passing.seconds
        except BROKEN as broken:
            reason = broken
        if not patience.lasts(seconds):
            raise reason


def _messages(lines: Iterable[str], heard: int | None) -> Iterator[Json]:
    """Yield the messages that are news; an empty line is a sign of life."""
    for line in lines:
        if not line.strip():
            continue
        try:
            message: Json = json.loads(line)
        except ValueError:
            raise httpx.RemoteProtocolError("The stream ended within a line.") from None
        if heard is None or message["version"] > heard:
            yield message
