"""A flag that a signal's handler sets, and that the main thread waits for."""

from contextlib import suppress
from queue import Empty, SimpleQueue


class StopFlag:
    """Whether a process was told to stop.

    A handler runs in the main thread, wherever that is: one that sets an ``Event`` waits for ever if it comes while
    the same thread, about to wait for that event or waking up, holds its lock.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._news = SimpleQueue[None]()

    def set(self) -> None:
        """Set it for good, from a handler as well."""
        self._is_set = True
        self._news.put(None)  # that a get is interrupted by a put of the same thread is no matter

    def is_set(self) -> bool:
        """Say whether it is set."""
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Wait until it is set, for *seconds* at most; say whether it is. For one thread at a time."""
        if not self._is_set:
            with suppress(Empty):
                self._news.get(timeout=seconds)
        return self._is_set
