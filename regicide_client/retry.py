"""HTTP requests with retries of transient errors."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from regicide_client.errors import ProblemError, ServerUnreachable

MIN_DELAY_SECONDS: Final = 0.05
MAX_DELAY_SECONDS: Final = 1.0
TRANSPORT_ERRORS: Final = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)
CONNECT_ERRORS: Final = (httpx.ConnectError, httpx.ConnectTimeout)
RETRYABLE_STATUSES: Final = frozenset({429, 502, 503, 504})
UNPROCESSED_STATUSES: Final = frozenset({429})
"""Statuses by which a server says that it did not process the request, so that any request may be sent again."""
READ_TIMEOUT_SECONDS: Final = 25.0
"""Seconds without data after which a stream counts as broken. The server sends data at least every 10 s."""


@dataclass(frozen=True)
class Clock:
    """A monotonic clock in seconds, and a sleep function."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Backoff:
    """Exponential backoff, for at most *seconds* from the first failure."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds, self._clock = seconds, clock
        self.reset()

    def reset(self) -> None:
        """Reset after a success: the next failure starts again with the shortest pause and all *seconds*."""
        self._until: float | None = None
        self._pause = MIN_DELAY_SECONDS

    def pause(self, at_least: float = 0.0) -> bool:
        """Sleep before a retry and return True. Return False at once if the sleep would exceed the time for retries."""
        now, pause = self._clock.now(), max(self._pause, at_least)
        if self._until is None:
            self._until = now + self._seconds
        if now + pause > self._until:
            return False
        self._clock.sleep(pause)
        self._pause = min(2 * self._pause, MAX_DELAY_SECONDS)
        return True


class RetryableProblem(Exception):
    """A transient problem. ``seconds`` is the minimum time to wait before a retry."""

    def __init__(self, problem: ProblemError, seconds: float) -> None:
        super().__init__(problem.detail)
        self.problem, self.seconds = problem, seconds


class RetryingClient:
    """Sends requests to one server, and retries transient errors for *retry_seconds*.

    *repeatable* requests are retried after any transient error, other requests only if they were not processed.
    If the server sends ``Retry-After``, retries wait that long, but never beyond *retry_seconds*.
    """

    def __init__(self, http: httpx.Client, url: object, retry_seconds: float, clock: Clock) -> None:
        self.clock = clock
        self._http, self.url, self._retry_seconds = http, url, retry_seconds

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def backoff(self) -> Backoff:
        """Return a new backoff."""
        return Backoff(self._retry_seconds, self.clock)

    def send(self, method: str, path: str, *, repeatable: bool, **kwargs: Any) -> httpx.Response:
        """Send a request, with retries, and return the response. Raises ``ProblemError``, ``ServerUnreachable``."""
        backoff = self.backoff()
        with translate_errors(self.url):
            while True:
                try:
                    response = self._http.request(method, path, **kwargs)
                except TRANSPORT_ERRORS as error:
                    if not (repeatable or isinstance(error, CONNECT_ERRORS)) or not backoff.pause():
                        raise
                    continue
                if not response.is_error:
                    return response
                if not _is_retryable(response, repeatable=repeatable) or not backoff.pause(_retry_after(response)):
                    raise ProblemError.of(response)

    @contextmanager
    def lines(self, path: str, headers: dict[str, str]) -> Iterator[Iterator[str]]:
        """Context manager: open a stream, without retries, and give an iterator of its lines.

        Raises ``ProblemError``, ``RetryableProblem`` and httpx's errors.
        """
        timeout = httpx.Timeout(self._http.timeout.connect, read=READ_TIMEOUT_SECONDS)
        with self._http.stream("GET", path, headers=headers, timeout=timeout) as response:
            if response.is_error:
                response.read()
                problem = ProblemError.of(response)
                raise (
                    RetryableProblem(problem, _retry_after(response))
                    if _is_retryable(response, repeatable=True)
                    else problem
                )
            yield response.iter_lines()


@contextmanager
def translate_errors(url: object) -> Iterator[None]:
    """Context manager: convert httpx's errors into ``ServerUnreachable``."""
    try:
        yield
    except (httpx.RequestError, httpx.InvalidURL) as error:
        raise ServerUnreachable(url, error) from error


def authorized(token: str | None) -> dict[str, str]:
    """Return the ``Authorization`` header for a token."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _is_retryable(response: httpx.Response, *, repeatable: bool) -> bool:
    """Return whether the request may be sent again after this error response."""
    if not repeatable:
        return response.status_code in UNPROCESSED_STATUSES
    return response.status_code in RETRYABLE_STATUSES or ProblemError.of(response).code == "in_progress"


def _retry_after(response: httpx.Response) -> float:
    """Return the seconds of ``Retry-After``, which is a number or a date (RFC 9110). Return 0 without the header."""
    header = response.headers.get("Retry-After", "0")
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return 0.0
