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
from typing import Any, Final, Generic, TypeVar, cast

from greenlet import getcurrent, greenlet

T = TypeVar("T")

THREADS: Final = ThreadPoolExecutor(32, thread_name_prefix="aside")
"""In which is done what would hold up the loop. They start when they are needed."""


class Task(greenlet, Generic[T]):
    """One call of a function on the thread of the running event loop."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(self._work)
        self.loop = asyncio.get_running_loop()
        self._call = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self._done: asyncio.Future[None] | None = None

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

    def _work(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:  # noqa: BLE001  it is raised where the result is waited for
            self._error = error
        if self._done is not None and not self._done.done():
            self._done.set_result(None)


def current() -> "Task[Any] | None":
    """Return the greenlet of a loop in which the caller runs; None if it is none."""
    running = getcurrent()
    return running if isinstance(running, Task) else None


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what *coroutine* does: on the loop, while others run there; without one, on a loop of its own."""
    task = current()
    if task is None:
        return asyncio.run(coroutine)
    return _finished(task, task.loop.create_task(coroutine))


def aside(work: Callable[[], T]) -> T:
    """Return what *work* does: in another thread, if the caller would hold up a loop."""
    task = current()
    if task is None:
        return work()
    context = copy_context()
    return _finished(task, asyncio.wrap_future(THREADS.submit(lambda: context.run(work)), loop=task.loop))


def _finished(task: "Task[Any]", future: "asyncio.Future[T]") -> T:
    """Switch to the loop until *future* is done, and return its result."""
    future.add_done_callback(lambda _: task.switch())
    task.pause()
    return future.result()
