"""An event loop on which tests have requests answered, as the web server does, and which nothing may hold up.

Whoever asks a socket that blocks there, sleeps, or waits for another thread fails: all other requests would wait too.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Condition, Thread, current_thread
from traceback import walk_stack
from typing import Any, Final, TypeVar

import pytest

from workers.asyncio_greenlets import GreenletTask

T = TypeVar("T")

SECONDS: Final = 60.0
"""Longer than any answer takes."""

ON_SOCKETS: Final = ("connect", "recv", "recv_into", "send", "sendall")


class Blocked(BaseException):
    """The loop's thread was held up. Nothing may catch it but who waits for the answer."""


LOOP: Final = asyncio.new_event_loop()
THREAD: Final = Thread(target=LOOP.run_forever, name="event-loop", daemon=True)
THREAD.start()


def answered(ask: Callable[[], T]) -> T:
    """Return what *ask* returns or raises, called in a greenlet of the loop."""

    async def answer() -> T:
        return await GreenletTask(ask).result()

    return asyncio.run_coroutine_threadsafe(answer(), LOOP).result(SECONDS)


@contextmanager
def guarded() -> Iterator[None]:
    """Let whatever would block the loop's thread raise ``Blocked``."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ON_SOCKETS:
            patch.setattr(socket.socket, name, _watched(getattr(socket.socket, name), _would_block))
        patch.setattr(time, "sleep", _watched(time.sleep, lambda seconds, *_: seconds > 0))
        patch.setattr(
            Condition, "wait", _watched(Condition.wait, lambda _, seconds=None: seconds != 0 and not _starts_thread())
        )
        yield


def _would_block(one: socket.socket, *_: Any) -> bool:
    return one.gettimeout() != 0


def _starts_thread() -> bool:
    """Whoever starts a thread waits a few microseconds until it runs."""
    return any(frame.f_code is Thread.start.__code__ for frame, _ in walk_stack(None))


def _watched(do: Callable[..., Any], blocks: Callable[..., bool]) -> Callable[..., Any]:
    @wraps(do)
    def watched(*args: Any, **how: Any) -> Any:
        if current_thread() is THREAD and blocks(*args):
            raise Blocked(do.__qualname__)
        return do(*args, **how)

    return watched
