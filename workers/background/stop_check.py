"""Stopping a search: each iteration checks whether the search's result is still wanted."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from workers.processes.stop_flag import StopFlag

CHECK_INTERVAL_SECONDS: Final = 0.02
"""Interval between two reads of the store: a read takes 0.1 ms, and a search must stop within 50 ms."""

SHUTTING_DOWN: Final = StopFlag()
"""Flag that is set when this process shuts down. Jobs that can be repeated, such as reviews, then stop early."""


class StopCheck:
    """The ``should_stop`` function of a search. It returns True once *is_wanted* has returned False.

    The check reads the store in the search's own thread, every 20 ms. A separate thread would be slower: each check
    would wait 5 ms for the interpreter lock, and most searches end before the first check.
    """

    def __init__(self, is_wanted: Callable[[], bool], interval: float = CHECK_INTERVAL_SECONDS) -> None:
        self.calls = 0
        """Number of calls by the search."""
        self.stopped = False
        self.began = monotonic()
        self._is_wanted, self._interval = is_wanted, interval
        self._next = self.began + interval

    def __call__(self) -> bool:
        """Return whether the search is to stop."""
        self.calls += 1
        if not self.stopped and monotonic() >= self._next:
            self.stopped = not self._is_wanted()
            self._next = monotonic() + self._interval
        return self.stopped
