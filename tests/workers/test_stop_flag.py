"""A flag that a signal's handler sets, wherever the main thread is just then."""

import subprocess
import sys
from threading import Timer
from time import monotonic

from tests.waiting import AGES, allowed
from workers.processes.stop_flag import StopFlag

INTERRUPTED = """
import sys
from workers.processes.stop_flag import StopFlag

def step(number):
    flag, steps = StopFlag(), iter(range(number, -1, -1))

    def interrupt(*_):
        if next(steps, None) == 0:
            sys.settrace(None)
            flag.set()
        return interrupt

    sys.settrace(interrupt)
    flag.wait(0.001)
    sys.settrace(None)
    return flag.is_set()

number = 0
while step(number):
    assert number < 10_000
    number += 1
print(number)
"""
"""Sets a flag at each step of a wait, one after the other, as a handler would; says how many steps there are."""


def test_it_is_set_at_any_step_of_a_wait():
    """By the thread that waits: nothing that it holds just then is wanted for it."""
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], check=True, capture_output=True, text=True, timeout=allowed(AGES)
    )

    assert int(ended.stdout) > 3


def test_a_wait_ends_when_it_is_set():
    """At once, and whoever waits then doesn't wait."""
    flag, began = StopFlag(), monotonic()
    Timer(0.05, flag.set).start()

    assert flag.wait(30)
    assert flag.wait(30)
    assert flag.is_set()
    assert monotonic() - began < allowed(10)


def test_a_wait_ends_by_itself():
    """When time is up."""
    flag = StopFlag()

    assert not flag.wait(0.01)
    assert not flag.is_set()
