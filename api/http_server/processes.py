"""The web processes: forked by a supervisor, restarted when they die, stopped with the supervisor.

They share one listening socket, which the supervisor opens. If a process dies, another one accepts connections that
wait. Each process writes its number of connections to shared memory, so that the process with the fewest accepts first.
"""

import errno
import mmap
import os
import signal
import socket
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Final

import structlog

from workers.processes.child_forking import STOP_SIGNALS, Forker, signals_blocked, unblock_signals

BACKLOG: Final = 4_096  # maximum number of connections that wait to be accepted
RESTART_DELAY_SECONDS: Final = 0.1  # delay before a dead process is restarted
PORT_TIMEOUT_SECONDS: Final = 3.0  # time for a killed predecessor's processes to release the port
KILL_DELAY_SECONDS: Final = 6.0  # delay after SIGTERM before a process is killed

log: Final = structlog.get_logger(__name__)


class ConnectionCounts:
    """Number of connections per process, in shared memory. Each process writes only its own slot."""

    def __init__(self, count: int) -> None:
        self._counts = memoryview(mmap.mmap(-1, 4 * count)).cast("I")
        self._slot = 0

    def begin(self, slot: int) -> None:
        """Use *slot* for this process and set it to 0."""
        self._slot, self._counts[slot] = slot, 0

    def note(self, count: int) -> None:
        """Set the number of connections of this process."""
        self._counts[self._slot] = count

    def has_idler_sibling(self) -> bool:
        """Return whether another process has fewer connections."""
        return self._counts[self._slot] > min(self._counts)


Work = Callable[[ConnectionCounts], None]


def listen(host: str, port: int, seconds: float = PORT_TIMEOUT_SECONDS) -> socket.socket:
    """Return a listening, non-blocking socket. The host ``::`` includes IPv4. Raises ``OSError``.

    If another program uses the port, try again for *seconds*.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    until, pause = monotonic() + seconds, threading.Event()
    while True:
        try:
            listening = socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=both)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or monotonic() > until:
                raise
            pause.wait(RESTART_DELAY_SECONDS)
        else:
            listening.settimeout(0)
            return listening


def run(count: int, work: Work) -> None:
    """Run *work* in *count* processes and restart those that exit, until SIGTERM or SIGINT."""
    counts = ConnectionCounts(count)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: None)
    forker = Forker()
    processes = [_start(forker, work, counts, slot) for slot in range(count)]
    while woken not in wait([woken, *[process.sentinel for process in processes]]):
        for slot, process in enumerate(processes):
            if not process.is_alive():
                log.warning("web_process_died", pid=process.pid, status=process.exitcode)
                wait([woken], RESTART_DELAY_SECONDS)
                processes[slot] = _start(forker, work, counts, slot)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(KILL_DELAY_SECONDS)
        process.kill()
        process.join()


def _start(forker: Forker, work: Work, counts: ConnectionCounts, slot: int) -> BaseProcess:
    process = forker.process("web", _terminate_self, _child_main, work, counts, slot)
    with signals_blocked():  # signals are blocked until the child has its own handlers
        process.start()
    return process


def _child_main(work: Work, counts: ConnectionCounts, slot: int) -> None:
    """Entry point of a forked process: restore default signal handlers, then run *work*."""
    signal.set_wakeup_fd(-1)
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    unblock_signals()
    counts.begin(slot)
    work(counts)


def _terminate_self() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
