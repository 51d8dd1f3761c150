"""Stopping a search: asked at each of its iterations, it says whether the result is still wanted."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from workers.processes.stop_flag import StopFlag

CHECK_INTERVAL_SECONDS: Final = 0.02
"""How often the storage is asked: a question takes 0.1 ms, and a search must stop within 50."""

SHUTTING_DOWN: Final = StopFlag()
"""Set when this process is to end: what takes long, and can be done again, isn't wanted any more."""


class StopCheck:
    """The ``should_stop`` of a search: true once *is_wanted* has said no.

    It asks the storage itself, every 20 ms. A thread that asks would be slower: each time it would have to take the
    interpreter from the search, which takes 5 ms, and a search that is over before the first question, as most are,
    would pay for the thread's start.
    """

    def __init__(self, is_wanted: Callable[[], bool], interval: float = CHECK_INTERVAL_SECONDS) -> None:
        self.calls = 0
        """How often the search has asked."""
        self.stopped = False
        self.began = monotonic()
        self._is_wanted, self._interval = is_wanted, interval
        self._next = self.began + interval

    def __call__(self) -> bool:
        """Tell the search whether to stop."""
        self.calls += 1
        if not self.stopped and monotonic() >= self._next:
            self.stopped = not self._is_wanted()
            self._next = monotonic() + self._interval
        return self.stopped
