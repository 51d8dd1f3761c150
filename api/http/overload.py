"""Overload protection: requests that waited too long are refused, and slow views run one at a time.

A request starts when its callback reaches the head of the event loop's queue. The waiting time there (the lag) is
measured by another callback in the same queue. Only one measurement runs at a time. Slow views, such as lists of games,
run in threads, but only one call of each view at a time. Further requests wait on the event loop, where they need no
thread. The networks of the waiting requests take turns, so that the requests of one network, however many, delay a
request of another network by one call only.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Mapping
from functools import partial, wraps
from time import monotonic
from typing import Any, Final, TypeVar, cast

from flask import Response
from werkzeug.exceptions import ClientDisconnected

from api.http.current_request import requesting_network
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


class RoundRobinQueue:
    """Waiting calls, dequeued round robin by network, and first come, first served within a network."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def lengths(self) -> Mapping[str, int]:
        """Return the number of waiting calls of each network that has any, the next network first."""
        return {network: len(calls) for network, calls in self._calls.items()}

    def enqueue(self, network: str, call: "asyncio.Future[None]") -> None:
        """Append a call to those of its network. A network without calls is added at the end."""
        self._calls.setdefault(network, deque()).append(call)

    def remove(self, network: str, call: "asyncio.Future[None]") -> None:
        """Remove a call that waits."""
        calls = self._calls[network]
        calls.remove(call)
        if not calls:
            del self._calls[network]

    def dequeue(self) -> "asyncio.Future[None] | None":
        """Remove and return the next call, or None if none waits. Its network goes to the end."""
        if not self._calls:
            return None
        network, calls = self._calls.popitem(last=False)
        call = calls.popleft()
        if calls:
            self._calls[network] = calls
        return call


class ConcurrencyLimiter:
    """Runs one call at a time. Other calls wait for at most ``MAX_WAIT_SECONDS``, and their networks take turns."""

    def __init__(self, seconds: float = MAX_WAIT_SECONDS) -> None:
        self._seconds = seconds
        self.is_taken = False
        """True while a call runs."""
        self.waiting: Final = RoundRobinQueue()

    def run(self, network: str, work: Callable[[], Response]) -> Response:
        """Run *work* in a thread for a client in *network* and return its result. Raises ``Overloaded``."""
        task = current_task()
        if task is None:
            return work()
        if self.is_taken:
            turn = task.loop.create_future()
            self.waiting.enqueue(network, turn)
            try:
                wait_for_news(self._acquire(turn))
            except (Overloaded, ClientDisconnected):
                self._leave(network, turn)
                raise
        self.is_taken = True
        try:
            return asyncio_greenlets.to_thread(work)
        finally:
            self._release()

    async def _acquire(self, turn: "asyncio.Future[None]") -> None:
        await asyncio.wait([turn], timeout=self._seconds)
        if not turn.done():
            raise Overloaded

    def _leave(self, network: str, turn: "asyncio.Future[None]") -> None:
        """Leave the queue. If the turn was already granted, grant it to the next call instead."""
        if turn.done():
            self._release()
        else:
            self.waiting.remove(network, turn)

    def _release(self) -> None:
        """Grant the turn to the next call."""
        turn = self.waiting.dequeue()
        if turn is None:
            self.is_taken = False
        else:
            turn.set_result(None)


def wait_for_news(coroutine: Coroutine[Any, Any, Value]) -> Value:
    """Return the result of a coroutine. Raises ``ClientDisconnected`` when the client disconnects.

    The coroutine is cancelled then, so it must have no side effects.
    """
    try:
        return asyncio_greenlets.wait_while_wanted(coroutine)
    except asyncio_greenlets.Abandoned:
        raise ClientDisconnected from None


def run_exclusively_in_thread(view: View) -> View:
    """Return a function that runs *view* in a thread. Each process runs only one call of it at a time.

    The networks of waiting clients take turns.
    """
    share = ConcurrencyLimiter()

    @wraps(view)
    def in_turn(*args: Any, **kwargs: Any) -> Response:
        return share.run(requesting_network(), partial(view, *args, **kwargs))

    return cast(View, in_turn)
