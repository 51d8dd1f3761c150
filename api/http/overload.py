"""Overload protection: requests that waited too long are refused, and slow views run one at a time.

A request starts when its callback reaches the head of the event loop's queue. The waiting time there (the lag) is
measured by another callback in the same queue. Only one measurement runs at a time. Slow views, such as lists of games,
run in threads, but only one call of each view at a time. Further requests wait on the event loop, where they need no
thread.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from time import monotonic
from typing import Any, Final, TypeVar, cast

from flask import Response
from werkzeug.exceptions import ClientDisconnected

from api.problems.errors import Overloaded
from workers import asyncio_greenlets
from workers.asyncio_greenlets import current_task

View = TypeVar("View", bound=Callable[..., Response])
Value = TypeVar("Value")

MAX_WAIT_SECONDS: Final = 2.0
"""Maximum seconds that a request may wait to start."""
SAMPLE_TTL_SECONDS: Final = 1.0
"""Seconds for which a measured lag is valid. Lag is measured only while requests arrive."""


class EventLoopLag:
    """Lag of the event loop of this process."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lag = 0.0
        self._measured_at = 0.0
        self._measures = False

    def check(self) -> None:
        """Raise ``Overloaded`` if requests wait too long at present. Start the next measurement of the lag."""
        task = current_task()
        if task is None:
            return
        if not self._measures:
            self._measures = True
            task.loop.call_soon(self._record_lag, self._clock())
        if self._lag > MAX_WAIT_SECONDS and self._clock() - self._measured_at < SAMPLE_TTL_SECONDS:
            raise Overloaded

    def _record_lag(self, since: float) -> None:
        self._measured_at = self._clock()
        self._lag, self._measures = self._measured_at - since, False


class ConcurrencyLimiter:
    """Runs one call at a time. Other calls wait in order, for at most ``MAX_WAIT_SECONDS``."""

    def __init__(self, seconds: float = MAX_WAIT_SECONDS) -> None:
        self._seconds = seconds
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    def run(self, work: Callable[[], Response]) -> Response:
        """Run *work* in a thread and return its result. Raises ``Overloaded``."""
        task = current_task()
        if task is None:
            return work()
        if self._is_taken:
            turn = task.loop.create_future()
            self._waiting.append(turn)
            try:
                wait_for_news(self._acquire(turn))
            except (Overloaded, ClientDisconnected):
                self._leave(turn)
                raise
        self._is_taken = True
        try:
            return asyncio_greenlets.to_thread(work)
        finally:
            self._release()

    async def _acquire(self, turn: "asyncio.Future[None]") -> None:
        await asyncio.wait([turn], timeout=self._seconds)
        if not turn.done():
            raise Overloaded

    def _leave(self, turn: "asyncio.Future[None]") -> None:
        """Leave the queue. If the turn was already granted, grant it to the next call instead."""
        if not turn.cancel():
            self._release()

    def _release(self) -> None:
        """Grant the turn to the call that has waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False


def wait_for_news(coroutine: Coroutine[Any, Any, Value]) -> Value:
    """Return the result of a coroutine. Raises ``ClientDisconnected`` when the client disconnects.

    The coroutine is cancelled then, so it must have no side effects.
    """
    try:
        return asyncio_greenlets.wait_while_wanted(coroutine)
    except asyncio_greenlets.Abandoned:
        raise ClientDisconnected from None


def run_exclusively_in_thread(view: View) -> View:
    """Return a function that runs *view* in a thread. Each process runs only one call of it at a time."""
    share = ConcurrencyLimiter()

    @wraps(view)
    def in_turn(*args: Any, **kwargs: Any) -> Response:
        return share.run(partial(view, *args, **kwargs))

    return cast(View, in_turn)
