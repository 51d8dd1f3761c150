"""A fork server: a process that has imported what its children need, so that they start fast and share memory.

Our other processes can't fork, because a child would inherit locks held by their threads. The fork server has one
thread. It exits after its last child and its parent have exited.
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
"""The multiprocessing context of processes forked so."""

STOPS: Final = (signal.SIGINT, signal.SIGTERM)


def prepare(module: str) -> None:
    """Start the fork server and let it import *module* in the background.

    It imports from where this process would; Python's own would look into the working directory first.
    """
    FORKED.set_forkserver_preload([module])
    track()  # it would start with the first child otherwise, and undo ``signals_blocked``
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
    """Block SIGINT and SIGTERM; a process started in the block unblocks them itself."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
