"""Greenlets on an event loop: synchronous functions that yield to the loop where they wait.

Each request is handled by a plain function in a greenlet on the loop's thread. Where the function waits, for the store
or for a change of a game, the greenlet switches to the loop. The loop switches back when the awaited result is there
(``wait_for``). Thus one thread serves many requests without contention for the interpreter lock::

    loop       starts A .......... starts B ... A's reply arrives: resumes A ...
    A                 sends, waits                                      returns
    B                                  sends, waits

Work that would block the loop runs in another thread (``to_thread``). Outside of a greenlet ``wait_for`` and
``to_thread`` simply run the work.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from math import inf
from time import monotonic
from typing import Any, Final, Generic, TypeVar, cast

from greenlet import getcurrent, greenlet

T = TypeVar("T")

EXECUTOR: Final = ThreadPoolExecutor(32, thread_name_prefix="aside")
"""Threads for work that would block the loop. They are started on demand."""

MAX_IDLE_GREENLETS: Final = 64
"""Maximum number of idle greenlets that a pool keeps."""


class Abandoned(Exception):
    """Raised in a greenlet whose result is no longer wanted."""


class GreenletTask(greenlet, Generic[T]):
    """One call of a function in a greenlet on the thread of the running event loop."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(self._child_main)
        self.loop = asyncio.get_running_loop()
        self._call = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self._done: asyncio.Future[None] | None = None
        self.is_abandoned = False
        """True if the result is no longer wanted (``wait_while_wanted``)."""
        self.abandonable: asyncio.Future[Any] | None = None
        """The future for which ``wait_while_wanted`` waits now, or None."""

    async def result(self) -> T:
        """Run the function and return its result, or raise its error."""
        self.switch()
        if not self.dead:
            self._done = self.loop.create_future()
            await self._done
        if self._error is not None:
            raise self._error
        return cast(T, self._result)

    def pause(self) -> None:
        """Switch to the loop. Return when this greenlet is switched to again, or raise what is thrown into it."""
        cast(greenlet, self.parent).switch()

    def abandon(self) -> None:
        """Make the present or the next ``wait_while_wanted`` raise ``Abandoned``. Call this on the loop's thread."""
        self.is_abandoned = True
        if self.abandonable is not None:
            self.abandonable.cancel()

    def _child_main(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:  # noqa: BLE001  ``result`` raises it again
            self._error = error
        if self._done is not None and not self._done.done():
            self._done.set_result(None)


class GreenletPool:
    """A pool of reusable greenlets of one event loop. Reuse saves allocating a stack for each call."""

    def __init__(self) -> None:
        self._idle: list[GreenletTask[None]] = []
        self._next: Callable[[], object]

    def do(self, work: Callable[[], object]) -> None:
        """Run *work* in a greenlet on the loop's thread until it waits or returns."""
        self._next = work
        member = self._idle.pop() if self._idle else GreenletTask(self._serve)
        member.switch()

    def _serve(self) -> None:
        member = cast("GreenletTask[None]", current_task())
        while True:
            member.is_abandoned = False
            self._next()
            if len(self._idle) == MAX_IDLE_GREENLETS:
                return
            self._idle.append(member)
            member.pause()


def current_task() -> "GreenletTask[Any] | None":
    """Return the caller's greenlet, or None outside of one."""
    running = getcurrent()
    return running if isinstance(running, GreenletTask) else None


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run *coroutine* on the greenlet's loop or, outside of a greenlet, on a new loop. Return its result."""
    task = current_task()
    if task is None:
        return asyncio.run(coroutine)
    return _wait_for_future(task, task.loop.create_task(coroutine))


def wait_while_wanted(coroutine: Coroutine[Any, Any, T]) -> T:
    """Like ``wait_for``, but raise ``Abandoned`` as soon as the result is not wanted (``GreenletTask.abandon``)."""
    task = current_task()
    if task is None:
        return asyncio.run(coroutine)
    if task.is_abandoned:
        coroutine.close()
        raise Abandoned
    future: asyncio.Future[T] = task.loop.create_task(coroutine)
    task.abandonable = future
    try:
        return _wait_for_future(task, future)
    except asyncio.CancelledError:
        raise Abandoned from None
    finally:
        task.abandonable = None


def to_thread(work: Callable[[], T]) -> T:
    """Run *work* and return its result. If the caller is a greenlet, *work* runs in a thread."""
    task = current_task()
    return work() if task is None else _wait_for_future(task, _submit(task, work))


class SingleFlight(Generic[T]):
    """Runs *work* in a thread once for all concurrent callers and reuses the result for *seconds*.

    ::

        A calls, work starts ... B calls, waits too ... A, B return ... C returns at once ... later D: starts again
    """

    def __init__(self, work: Callable[[], T], seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._work, self._seconds, self._clock = work, seconds, clock
        self._until = -inf
        self._future: asyncio.Future[T] | None = None

    def result(self) -> T:
        """Return the result of a run of *work* that started at most *seconds* ago. Raises what *work* raises.

        Outside of a greenlet every call runs *work*.
        """
        task = current_task()
        if task is None:
            return self._work()
        future = self._future
        if future is None or (future.done() and self._clock() >= self._until):
            self._until = self._clock() + self._seconds
            future = self._future = _submit(task, self._work)
        return future.result() if future.done() else _wait_for_future(task, future)


def _submit(task: "GreenletTask[Any]", work: Callable[[], T]) -> "asyncio.Future[T]":
    """Start *work* in another thread, in a copy of the caller's context."""
    context = copy_context()
    return asyncio.wrap_future(EXECUTOR.submit(lambda: context.run(work)), loop=task.loop)


def _wait_for_future(task: "GreenletTask[Any]", future: "asyncio.Future[T]") -> T:
    """Switch to the loop until *future* is done, and return its result."""
    future.add_done_callback(lambda _: task.switch())
    task.pause()
    return future.result()
