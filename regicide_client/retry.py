"""How requests get there: again, for a while, when something is in the way that will pass."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from regicide_client.types import Json

FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0
BROKEN: Final = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)
UNSENT: Final = (httpx.ConnectError, httpx.ConnectTimeout)
PASSING: Final = frozenset({429, 502, 503, 504})
REFUSED: Final = frozenset({429})
"""Whatever was asked has not been done."""
SILENCE: Final = 25.0
"""Seconds without a sign of life after which a stream is taken for broken; there should be one every 10."""


class Problem(Exception):
    """The server said no; nothing has changed, unless ``body`` says that it can't tell."""

    def __init__(self, body: Json) -> None:
        super().__init__(body["detail"])
        self.status: int = body["status"]
        self.code: str = body["code"]
        self.detail: str = body["detail"]
        self.body = body

    @classmethod
    def of(cls, response: httpx.Response) -> "Problem":
        """Return the problem of an answer; ``unknown`` if whoever answers speaks of none."""
        try:
            body = response.json()
        except ValueError:
            body = None
        if isinstance(body, dict) and {"code", "detail"} <= set(body):
            return cls({**body, "status": response.status_code})
        said = f"{response.status_code} {response.reason_phrase}".strip()
        detail = f"The answer to {response.request.method} {response.request.url} is {said}, and not from a house."
        return cls({"status": response.status_code, "code": "unknown", "detail": detail})


@dataclass(frozen=True)
class Clock:
    """What time it is, in seconds since whenever, and how to let it pass."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Patience:
    """How often something is tried again: after pauses that grow, for so many seconds since it first went wrong."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds, self._clock = seconds, clock
        self.renew()

    def renew(self) -> None:
        """Forget what went wrong: something has gone well."""
        self._until: float | None = None
        self._pause = FIRST_PAUSE

    def lasts(self, at_least: float = 0.0) -> bool:
        """Pause, and return True; return False at once if that would take too long."""
        now, pause = self._clock.now(), max(self._pause, at_least)
        if self._until is None:
            self._until = now + self._seconds
        if now + pause > self._until:
            return False
        self._clock.sleep(pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        return True


class Courier:
    """Sends requests to one server.

    What may be asked twice is asked again while the server or its storage is away or has too much to do; what may not
    (*repeatable* says) only if it wasn't heard. ``Retry-After`` is heeded, as far as *patience* goes.
    """

    def __init__(self, http: httpx.Client, patience: float, clock: Clock) -> None:
        self.clock = clock
        self._http, self._patience = http, patience

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def patience(self) -> Patience:
        """Return fresh patience."""
        return Patience(self._patience, self.clock)

    def send(self, method: str, path: str, *, repeatable: bool, **how: Any) -> httpx.Response:
        """Return the answer, if it is a good one. Raises ``Problem``, ``httpx.TransportError``."""
        patience = self.patience()
        while True:
            try:
                response = self._http.request(method, path, **how)
            except BROKEN as error:
                if not (repeatable or isinstance(error, UNSENT)) or not patience.lasts():
                    raise
                continue
            if not response.is_error:
                return response
            if not _is_passing(response, repeatable=repeatable) or not patience.lasts(_retry_after(response)):
                raise Problem.of(response)

    @contextmanager
    def lines(self, path: str, headers: dict[str, str]) -> Iterator[Iterator[str]]:
        """Give the lines of an answer as they come. Raises ``Problem``, ``Passing``, ``httpx.TransportError``."""
        timeout = httpx.Timeout(self._http.timeout.connect, read=SILENCE)
        with self._http.stream("GET", path, headers=headers, timeout=timeout) as response:
            if response.is_error:
                response.read()
                problem = Problem.of(response)
                raise Passing(problem, _retry_after(response)) if _is_passing(response, repeatable=True) else problem
            yield response.iter_lines()


class Passing(Exception):
    """A problem that will pass, perhaps after so many seconds."""

    def __init__(self, problem: Problem, seconds: float) -> None:
        super().__init__(problem.detail)
        self.problem, self.seconds = problem, seconds


def authorized(token: str | None) -> dict[str, str]:
    """Return the header that says who asks."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _is_passing(response: httpx.Response, *, repeatable: bool) -> bool:
    """The same request may succeed soon, and may be sent again."""
    if not repeatable:
        return response.status_code in REFUSED
    return response.status_code in PASSING or Problem.of(response).code == "in_progress"


def _retry_after(response: httpx.Response) -> float:
    """Return how many seconds the server asks to wait: a number or a date (RFC 9110); 0 if it doesn't."""
    said = response.headers.get("Retry-After", "0")
    if said.isdecimal():
        return float(said)
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return 0.0
