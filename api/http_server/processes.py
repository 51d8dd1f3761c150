"""The web processes: forked by one that listens, started again when they die, ended with it.

They listen at one socket, which the process that forks them has opened: when one dies, those who wait to be taken
are taken by another.
"""

import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Final

import structlog

from workers.processes.forkserver import STOPS, signals_blocked

BACKLOG: Final = 4_096
"""So many may wait to be taken."""
PAUSE_SECONDS: Final = 0.1
"""Before a process that died is started again."""
KILL_SECONDS: Final = 6.0
"""A process that hasn't ended so long after it was asked to is killed."""

log: Final = structlog.get_logger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises ``OSError``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listening.settimeout(0)
    return listening


def run(count: int, work: Callable[[], None]) -> None:
    """Let *count* processes do *work*, and others in place of those that end, until SIGTERM or SIGINT."""
    with ExitStack() as open_ends:
        woken, wake = (open_ends.enter_context(closing(end)) for end in socket.socketpair())
        wake.settimeout(0)
        signal.set_wakeup_fd(wake.fileno())
        for number in STOPS:
            signal.signal(number, lambda *_: None)
        processes = [_start(work) for _ in range(count)]
        while woken not in wait([woken, *[process.sentinel for process in processes]]):
            alive = [process for process in processes if process.is_alive()]
            for process in set(processes) - set(alive):
                log.warning("web_process_died", pid=process.pid, status=process.exitcode)
            if wait([woken], PAUSE_SECONDS):
                break
            processes = alive + [_start(work) for _ in range(count - len(alive))]
        _end(processes)


def _start(work: Callable[[], None]) -> BaseProcess:
    process = get_context("fork").Process(target=_work, args=(work,), name="web")
    with signals_blocked():  # until it has handlers of its own
        process.start()
    return process


def _work(work: Callable[[], None]) -> None:
    """Do *work* as a process of its own: what the one that forked it does about signals isn't its own."""
    signal.set_wakeup_fd(-1)
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    work()


def _end(processes: list[BaseProcess]) -> None:
    """Ask them to end, wait until they have, and kill who takes too long."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(KILL_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
