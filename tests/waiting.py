"""Waiting for what is promised: limits of time on a free machine, and what they are on a loaded one."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Final

LOAD: Final = Path("/proc/loadavg")
AGES: Final = 60.0
"""Longer than anything takes that comes about at all."""


def allowed(seconds: float) -> float:
    """Return how long may take what takes *seconds* on a free machine: as much longer as threads share each processor.

    The threads are those that are ready to run, now or on average over the last minute. Without ``/proc``, *seconds*.
    """
    if not LOAD.exists():
        return seconds
    average, _, _, threads, _ = LOAD.read_text("ascii").split()
    ready = max(float(average), float(threads.partition("/")[0]))
    return seconds * max(1.0, ready / (os.cpu_count() or 1))


def comes_true(claim: Callable[[], bool], within: float = AGES, pause: float = 0.02) -> bool:
    """Look again and again until *claim* holds, for *within* seconds of a free machine."""
    began, never = monotonic(), Event()
    while not claim():
        if monotonic() - began > allowed(within):
            return claim()
        never.wait(pause)
    return True


def stays_untrue(claim: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Look again and again for *seconds*, whatever else the machine does; return whether *claim* never holds."""
    until, never = monotonic() + seconds, Event()
    while monotonic() < until:
        if claim():
            return False
        never.wait(pause)
    return True
