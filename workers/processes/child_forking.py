"""Forked child processes: they start fast, share the memory of imported modules, and end when their parent dies.

A process that forks has no thread but the one that waits for the death of its supervisor, because a child would inherit
the locks that other threads hold.
"""

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
PROCESS_NAME_FILE: Final = Path("/proc/self/comm")
"""File with the name of a process that ``top`` and ``ps -o comm`` show. It exists on Linux only."""


class Forker:
    """Forks children that notice when this process dies: they read from a pipe whose write end only this process holds.

    The sentinel of ``multiprocessing`` does not show the parent's death, because siblings hold the sentinel too.
    """

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()  # a collection in a child would write to these objects and copy the pages that processes share
        self._alive, self._held = os.pipe()

    def process(self, name: str, orphaned: Callable[[], None], work: Callable[..., None], *args: Any) -> BaseProcess:
        """Return a process to be started with ``signals_blocked``. It calls *orphaned* when this process dies."""
        arguments = (name, orphaned, work, args)
        return get_context("fork").Process(target=self._child_main, args=arguments, name=name, daemon=True)

    def _child_main(self, name: str, orphaned: Callable[[], None], work: Callable[..., None], args: Any) -> None:
        os.close(self._held)
        with suppress(OSError):
            PROCESS_NAME_FILE.write_text(name)
        threading.Thread(target=self._wait_for_death, args=(orphaned,), name="parent", daemon=True).start()
        work(*args)

    def _wait_for_death(self, orphaned: Callable[[], None]) -> None:
        os.read(self._alive, 1)
        orphaned()


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM during the block. Processes started in it call ``unblock_signals`` when ready."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock_signals() -> None:
    """Receive SIGINT and SIGTERM in a process that was started while they were blocked."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
