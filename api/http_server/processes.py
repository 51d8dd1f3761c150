"""The web processes: forked by one that listens, started again when they die, ended with it.

They listen at one socket, which the process that forks them has opened: when one dies, those who wait to be taken
are taken by another. So that each gets as many, each says in memory that they share how many it has.
"""

import errno
import mmap
import os
import signal
import socket
import threading
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Final

import structlog

from workers.processes.forkserver import STOPS, signals_blocked

BACKLOG: Final = 4_096  # so many may wait to be taken
PAUSE_SECONDS: Final = 0.1  # before a process that died is started again
LEAVE_SECONDS: Final = 3.0  # so long the processes of one that was killed may need to leave the port
KILL_SECONDS: Final = 6.0  # a process that hasn't ended so long after it was asked to is killed

log: Final = structlog.get_logger(__name__)


class ConnectionCounts:
    """How many connections each process has, in memory that all of them share. Each writes its own number alone."""

    def __init__(self, count: int) -> None:
        self._counts = memoryview(mmap.mmap(-1, 4 * count)).cast("I")
        self._slot = 0

    def begin(self, slot: int) -> None:
        """Count from now on for the process in *slot*, which has none yet."""
        self._slot, self._counts[slot] = slot, 0

    def note(self, count: int) -> None:
        """Say how many this process has."""
        self._counts[self._slot] = count

    def has_idler_sibling(self) -> bool:
        """Return whether another process has fewer."""
        return self._counts[self._slot] > min(self._counts)


Work = Callable[[ConnectionCounts], None]


def listen(host: str, port: int, seconds: float = LEAVE_SECONDS) -> socket.socket:
    """Return a socket that listens, at ``::`` to IPv4 too; a predecessor has *seconds* to leave. Raises ``OSError``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    until, pause = monotonic() + seconds, threading.Event()
    while True:
        try:
            listening = socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=both)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or monotonic() > until:
                raise
            pause.wait(PAUSE_SECONDS)
        else:
            listening.settimeout(0)
            return listening


def run(count: int, work: Work) -> None:
    """Let *count* processes do *work*, and others in place of those that end, until SIGTERM or SIGINT."""
    counts = ConnectionCounts(count)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in STOPS:
        signal.signal(number, lambda *_: None)
    alive = os.pipe()  # its writing end is ours alone: others read when we have died
    processes = [_start(work, counts, slot, alive) for slot in range(count)]
    while woken not in wait([woken, *[process.sentinel for process in processes]]):
        for slot, process in enumerate(processes):
            if not process.is_alive():
                log.warning("web_process_died", pid=process.pid, status=process.exitcode)
                wait([woken], PAUSE_SECONDS)
                processes[slot] = _start(work, counts, slot, alive)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(KILL_SECONDS)
        process.kill()
        process.join()


def _start(work: Work, counts: ConnectionCounts, slot: int, alive: tuple[int, int]) -> BaseProcess:
    process = get_context("fork").Process(target=_child_main, args=(work, counts, slot, alive), name="web")
    with signals_blocked():  # until it has handlers of its own
        process.start()
    return process


def _child_main(work: Work, counts: ConnectionCounts, slot: int, alive: tuple[int, int]) -> None:
    """Restore the default signal handlers, then do *work*."""
    signal.set_wakeup_fd(-1)
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    os.close(alive[1])
    threading.Thread(target=_exit_with_parent, args=(alive[0],), name="parent", daemon=True).start()
    counts.begin(slot)
    work(counts)


def _exit_with_parent(alive: int) -> None:
    """End when the process that forked us was killed; its sentinel in ``multiprocessing`` is held by siblings, too."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)
