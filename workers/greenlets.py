"""Greenlets on an event loop: code without ``await`` that waits, while the loop's thread goes on with others.

A request is answered by plain functions. Each runs in a greenlet on the thread of the event loop; where it must wait,
for the storage or for news of a game, it switches to the loop, which switches back when what it waits for is there
(``wait_for``). So one thread answers many requests, and none hands the interpreter's lock to another::

    loop       begins A .......... begins B ... A's answer came: on with A ...
    A                 asks, waits                                       is done
    B                                  asks, waits

What would keep the thread busy or blocked goes into a thread (``aside``). Outside of such a greenlet, in a thread of
its own or in a worker, both simply do what they say.
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
"""In which is done what would hold up the loop. They start when they are needed."""

MAX_IDLE: Final = 64
"""So many greenlets of a crew are kept for the next call."""


class Abandoned(Exception):
    """Nobody wants any more what was waited for."""


class GreenletTask(greenlet, Generic[T]):
    """One call of a function on the thread of the running event loop."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(self._child_main)
        self.loop = asyncio.get_running_loop()
        self._call = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self._done: asyncio.Future[None] | None = None
        self.is_abandoned = False
        """Nobody wants the result any more (``wait_while_wanted``)."""
        self.abandonable: asyncio.Future[Any] | None = None

    async def result(self) -> T:
        """Run it to its end, and return or raise what it did."""
        self.switch()
        if not self.dead:
            self._done = self.loop.create_future()
            await self._done
        if self._error is not None:
            raise self._error
        return cast(T, self._result)

    def pause(self) -> None:
        """Let the loop go on until somebody switches back. Raises what they throw."""
        cast(greenlet, self.parent).switch()

    def abandon(self) -> None:
        """Raise ``Abandoned`` where it waits for something that changes nothing, now or later. Call it on the loop."""
        self.is_abandoned = True
        if self.abandonable is not None:
            self.abandonable.cancel()

    def _child_main(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:  # noqa: BLE001  it is raised where the result is waited for
            self._error = error
        if self._done is not None and not self._done.done():
            self._done.set_result(None)


class GreenletPool:
    """Greenlets of one loop that do one call after the other: a new one has memory to ask for, and to give back."""

    def __init__(self) -> None:
        self._idle: list[GreenletTask[None]] = []
        self._next: Callable[[], object]

    def do(self, work: Callable[[], object]) -> None:
        """Do *work* in a greenlet, on the thread of the running event loop, until it waits or is done."""
        self._next = work
        member = self._idle.pop() if self._idle else GreenletTask(self._serve)
        member.switch()

    def _serve(self) -> None:
        member = cast("GreenletTask[None]", current_task())
        while True:
            member.is_abandoned = False
            self._next()
            if len(self._idle) == MAX_IDLE:
                return
            self._idle.append(member)
            member.pause()


def current_task() -> "GreenletTask[Any] | None":
    """Return the greenlet of a loop in which the caller runs; None if it is none."""
    running = getcurrent()
    return running if isinstance(running, GreenletTask) else None


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what *coroutine* does: on the loop, while others run there; without one, on a loop of its own."""
    task = current_task()
    if task is None:
        return asyncio.run(coroutine)
    return _wait_for_future(task, task.loop.create_task(coroutine))


def wait_while_wanted(coroutine: Coroutine[Any, Any, T]) -> T:
    """Do as ``wait_for``, but raise ``Abandoned`` as soon as nobody wants the result (``GreenletTask.abandon``)."""
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
    """Return what *work* does: in another thread, if the caller would hold up a loop."""
    task = current_task()
    return work() if task is None else _wait_for_future(task, _submit(task, work))


class SingleFlight(Generic[T]):
    """What *work* comes to, done in another thread; all who ask while it is fresh share one go at it.

    ::

        A asks, work begins ... B asks, waits too ... A, B are told ... C is told at once ... D, later: it begins anew
    """

    def __init__(self, work: Callable[[], T], seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._work, self._seconds, self._clock = work, seconds, clock
        self._until = -inf
        self._future: asyncio.Future[T] | None = None

    def result(self) -> T:
        """Return what it came to at most so many seconds after it began. Raises what *work* raises."""
        task = current_task()
        if task is None:
            return self._work()
        future = self._future
        if future is None or (future.done() and self._clock() >= self._until):
            self._until = self._clock() + self._seconds
            future = self._future = _submit(task, self._work)
        return future.result() if future.done() else _wait_for_future(task, future)


def _submit(task: "GreenletTask[Any]", work: Callable[[], T]) -> "asyncio.Future[T]":
    """Begin *work* in another thread."""
    context = copy_context()
    return asyncio.wrap_future(EXECUTOR.submit(lambda: context.run(work)), loop=task.loop)


def _wait_for_future(task: "GreenletTask[Any]", future: "asyncio.Future[T]") -> T:
    """Switch to the loop until *future* is done, and return its result."""
    future.add_done_callback(lambda _: task.switch())
    task.pause()
    return future.result()
