"""The processes that hold the lock on a file, and how one of them is ended.

The kernel says who holds a lock (``/proc/PID/fdinfo``, on Linux). A process id that was written down says less: its
process may have died, and another one may have that id now.
"""

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
STOP_TIMEOUT_SECONDS: Final = 10.0
"""Seconds after which a process that got SIGTERM is killed."""


def lock_holders(file: Path) -> list[int]:
    """Return the ids of the processes that hold a lock on *file*.

    Processes of other users are missing, unless root asks. Without ``PROC`` the list is empty.
    """
    if not (PROC / "self" / "fdinfo").exists():
        return []
    ids = (int(folder.name) for folder in PROC.iterdir() if folder.name.isdecimal())
    return [pid for pid in ids if holds_lock(pid, file)]


def holds_lock(pid: int, file: Path) -> bool:
    """Return whether process *pid* has a descriptor by which *file* is locked."""
    with suppress(OSError):  # the process has ended, or it is another user's
        return any(_is_lock(pid, number.name, file) for number in (PROC / str(pid) / "fd").iterdir())
    return False


def _is_lock(pid: int, number: str, file: Path) -> bool:
    """Return whether *file* is locked by descriptor *number* of process *pid*."""
    with suppress(FileNotFoundError):  # the process has closed it meanwhile
        is_lock = "FLOCK" in (PROC / str(pid) / "fdinfo" / number).read_text("ascii")
        return is_lock and (PROC / str(pid) / "fd" / number).samefile(file)
    return False


def end_process(pid: int, is_meant: Callable[[], bool]) -> bool:
    """End process *pid* if *is_meant* says that this is the process to end. Return whether it has ended.

    The process gets SIGTERM, and SIGKILL after ``STOP_TIMEOUT_SECONDS``. *is_meant* is called when the process can't be
    mistaken any more for a later one with the same id. Where the system can't ensure that, nothing is ended: on others
    than Linux, and on Linux before 5.3.
    """
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):  # a Python built for an older Linux lacks it
        return False
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        return is_meant() and _ends(process)
    finally:
        os.close(process)


def _ends(process: int) -> bool:
    """Send SIGTERM, then SIGKILL, to a process that is given by its descriptor. Return whether it has ended."""
    if sys.platform != "linux":
        return False
    ended = select.poll()
    ended.register(process, select.POLLIN)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):  # it has ended already
            signal.pidfd_send_signal(process, number)
        if ended.poll(STOP_TIMEOUT_SECONDS * 1000):
            return True
    return False
