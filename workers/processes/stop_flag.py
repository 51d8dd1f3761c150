"""A flag that a signal handler sets and the main thread waits for."""

from contextlib import suppress
from queue import Empty, SimpleQueue


class StopFlag:
    """A flag that says whether a process was told to stop.

    A handler runs in the main thread. Setting an ``Event`` could deadlock there, if the handler interrupts the thread
    while it holds the event's lock, at the beginning or the end of a wait.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._news = SimpleQueue[None]()

    def set(self) -> None:
        """Set the flag for good. A signal handler may call this."""
        self._is_set = True
        self._news.put(None)  # this is allowed even if the handler interrupts a get of the same thread

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the flag is set, for at most *seconds* if given. Return whether the flag is set.

        Only one thread may wait at a time.
        """
        if not self._is_set:
            with suppress(Empty):
                self._news.get(timeout=seconds)
        return self._is_set
