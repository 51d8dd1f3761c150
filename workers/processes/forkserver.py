"""A process that has imported what a child needs, and forks each child: it starts at once, and shares that memory.

Our own processes can't fork: a child would inherit whatever lock one of their threads holds just then. The forkserver
has one thread. It ends by itself when its last child and the process that began it have ended.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.resource_tracker import ensure_running as track
from typing import Final

FORKED: Final = multiprocessing.get_context("forkserver")
"""What makes processes that are forked so."""

STOPS: Final = (signal.SIGINT, signal.SIGTERM)


def prepare(module: str) -> None:
    """Begin a forkserver, and let it import *module*, while this process does something else.

    It finds what this process would: by itself Python would look into the working directory first.
    """
    FORKED.set_forkserver_preload([module])
    track()  # by itself it would start with the first child, and lift ``signals_blocked``
    before = dict(os.environ)
    os.environ.update(PYTHONPATH=os.pathsep.join(sys.path), PYTHONSAFEPATH="1")
    try:
        with signals_blocked():
            forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Put off the signals that stop us; a process that is started meanwhile puts them off until it unblocks them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
