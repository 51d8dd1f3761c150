"""Live streams: each version once and in order, however often the connection breaks."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import httpx

from regicide_client.retry import TRANSPORT_ERRORS, RetryableProblem, RetryingClient, translate_errors
from regicide_client.types import Json

ENDED_GAME_STATUSES: Final = ("finished", "abandoned")
NDJSON_MEDIA_TYPE: Final = "application/x-ndjson"


def follow(
    client: RetryingClient, path: str, headers: dict[str, str], after: int | None, is_over: Callable[[int], bool]
) -> Iterator[Json]:
    """Yield a stream's messages: a snapshot unless *after* is given, then later versions, until the game ends.

    A broken connection is resumed after the last version received, until ``retry_seconds`` have passed without a
    message. *is_over* returns whether a version is the last of the game. It is called when a stream ends before a
    message has said that the game has ended. Raises ``ProblemError``, ``ServerUnreachable``.
    """
    with translate_errors(client.url):
        yield from _follow(client, path, headers, after, is_over)


def _follow(
    client: RetryingClient, path: str, headers: dict[str, str], version: int | None, is_over: Callable[[int], bool]
) -> Iterator[Json]:
    """Yield the messages after *version*. Raises ``ProblemError`` and httpx's errors."""
    backoff = client.backoff()
    while True:
        last = {} if version is None else {"Last-Event-ID": str(version)}
        seconds = 0.0
        reason: Exception = httpx.RemoteProtocolError("The stream ended before the game did.")
        try:
            with client.lines(path, {**headers, **last, "Accept": NDJSON_MEDIA_TYPE}) as lines:
                for message in _messages(lines, version):
                    backoff.reset()
                    version = message["version"]
                    yield message
                    if message["status"] in ENDED_GAME_STATUSES:
                        return
            if version is not None and is_over(version):
                return
        except RetryableProblem as later:
            reason, seconds = later.problem, later.seconds
        except TRANSPORT_ERRORS as broken:
            reason = broken
        if not backoff.pause(seconds):
            raise reason


def _messages(lines: Iterable[str], version: int | None) -> Iterator[Json]:
    """Yield the messages after *version*, or all without it. Empty lines (keep-alives) and notices are skipped."""
    for line in lines:
        if not line.strip():
            continue
        try:
            message: Json = json.loads(line)
        except ValueError:
            raise httpx.RemoteProtocolError("The stream ended within a line.") from None
        if "version" not in message:  # the message is the operator's notice
            continue
        if version is None or message["version"] > version:
            yield message
