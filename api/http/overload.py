"""Having too much to do: what can't be begun within two seconds is refused, and what takes long has its share alone.

A request is begun when its turn on the event loop has come. How long that takes is measured by calls that stand in the
same queue: one at a time, from when it is put there until it is its turn. Lists and the like take long in Python, and
are answered by threads, one for each of their kinds at a time: others wait for it on the loop, where they cost nothing.
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
from workers import greenlets
from workers.greenlets import current_task

View = TypeVar("View", bound=Callable[..., Response])
Value = TypeVar("Value")

LONGEST_SECONDS: Final = 2.0
"""How long a request may wait to be begun."""
SAMPLE_TTL_SECONDS: Final = 1.0
"""So long what was measured says something: a loop that nobody asks anything isn't measured."""


class EventLoopLag:
    """How long what comes now waits for its turn on the event loop of this process."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lag = 0.0
        self._measured_at = 0.0
        self._measures = False

    def check(self) -> None:
        """Raise ``Overloaded`` if the request that is begun now has waited too long."""
        task = current_task()
        if task is None:
            return
        if not self._measures:
            self._measures = True
            task.loop.call_soon(self._measured, self._clock())
        if self._lag > LONGEST_SECONDS and self._clock() - self._measured_at < SAMPLE_TTL_SECONDS:
            raise Overloaded

    def _measured(self, since: float) -> None:
        self._measured_at = self._clock()
        self._lag, self._measures = self._measured_at - since, False


class ConcurrencyLimiter:
    """Lets one of the requests of a kind be answered at a time; the others wait for their turn, as long as may be."""

    def __init__(self, seconds: float = LONGEST_SECONDS) -> None:
        self._seconds = seconds
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    def run(self, work: Callable[[], Response]) -> Response:
        """Return what *work* does in another thread. Raises ``Overloaded``."""
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
            return greenlets.to_thread(work)
        finally:
            self._release()

    async def _acquire(self, turn: "asyncio.Future[None]") -> None:
        await asyncio.wait([turn], timeout=self._seconds)
        if not turn.done():
            raise Overloaded

    def _leave(self, turn: "asyncio.Future[None]") -> None:
        """Wait no more; hand on a turn that has come at the same moment."""
        if not turn.cancel():
            self._release()

    def _release(self) -> None:
        """Let the one begin who has waited longest, and waits still."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False


def wait_for_news(coroutine: Coroutine[Any, Any, Value]) -> Value:
    """Return what *coroutine* does; it changes nothing. Raises ``ClientDisconnected`` when the client leaves."""
    try:
        return greenlets.wait_while_wanted(coroutine)
    except greenlets.Abandoned:
        raise ClientDisconnected from None


def run_exclusively_in_thread(view: View) -> View:
    """Let *view* run in a thread, once at a time in each process: others are answered meanwhile."""
    share = ConcurrencyLimiter()

    @wraps(view)
    def in_turn(*args: Any, **how: Any) -> Response:
        return share.run(partial(view, *args, **how))

    return cast(View, in_turn)
