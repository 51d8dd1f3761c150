"""Sending requests, and sending them again for a while when what is in the way will pass."""

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
"""Whatever was asked has not been done."""
READ_TIMEOUT_SECONDS: Final = 25.0
"""Seconds without a sign of life after which a stream is taken for broken; there should be one every 10."""


@dataclass(frozen=True)
class Clock:
    """What time it is, in seconds since whenever, and how to let it pass."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Backoff:
    """How often something is tried again: after pauses that grow, for so many seconds since it first went wrong."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds, self._clock = seconds, clock
        self.reset()

    def reset(self) -> None:
        """Forget what went wrong: something has gone well."""
        self._until: float | None = None
        self._pause = MIN_DELAY_SECONDS

    def pause(self, at_least: float = 0.0) -> bool:
        """Pause, and return True; return False at once if that would take too long."""
        now, pause = self._clock.now(), max(self._pause, at_least)
        if self._until is None:
            self._until = now + self._seconds
        if now + pause > self._until:
            return False
        self._clock.sleep(pause)
        self._pause = min(2 * self._pause, MAX_DELAY_SECONDS)
        return True


class RetryableProblem(Exception):
    """A problem that will pass, perhaps after so many seconds."""

    def __init__(self, problem: ProblemError, seconds: float) -> None:
        super().__init__(problem.detail)
        self.problem, self.seconds = problem, seconds


class RetryingClient:
    """Sends requests to one server, and repeats them for *retry_seconds* while it is away or has too much to do.

    What may be asked twice (*repeatable* says) is repeated whatever went wrong, the rest only if it wasn't heard.
    ``Retry-After`` is heeded, as far as the time goes.
    """

    def __init__(self, http: httpx.Client, url: object, retry_seconds: float, clock: Clock) -> None:
        self.clock = clock
        self._http, self._url, self._retry_seconds = http, url, retry_seconds

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def backoff(self) -> Backoff:
        """Return a backoff of which nothing has been used up."""
        return Backoff(self._retry_seconds, self.clock)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise ``ServerUnreachable`` in place of httpx's errors."""
        with translate_errors(self._url):
            yield

    def send(self, method: str, path: str, *, repeatable: bool, **kwargs: Any) -> httpx.Response:
        """Return the answer, if it is a good one. Raises ``Problem``, ``ServerUnreachable``."""
        backoff = self.backoff()
        with self.translate_errors():
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
        """Give the lines of an answer as they come. Raises ``Problem``, ``RetryableProblem`` and httpx's own errors."""
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
    """Raise ``ServerUnreachable`` in place of httpx's errors."""
    try:
        yield
    except (httpx.RequestError, httpx.InvalidURL) as error:
        raise ServerUnreachable(url, error) from error


def authorized(token: str | None) -> dict[str, str]:
    """Return the header that says who asks."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _is_retryable(response: httpx.Response, *, repeatable: bool) -> bool:
    """The same request may succeed soon, and may be sent again."""
    if not repeatable:
        return response.status_code in UNPROCESSED_STATUSES
    return response.status_code in RETRYABLE_STATUSES or ProblemError.of(response).code == "in_progress"


def _retry_after(response: httpx.Response) -> float:
    """Return how many seconds the server asks to wait: a number or a date (RFC 9110); 0 if it doesn't."""
    header = response.headers.get("Retry-After", "0")
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return 0.0
