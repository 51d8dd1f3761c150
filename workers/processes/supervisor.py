"""Supervision: child processes that are started again when they die, and that end when their supervisor dies.

The supervisor holds the writing end of each child's standard input. When it dies, however that comes about, the child
reads the end of its input and ends itself (``exit_with_supervisor``).
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final

import structlog

SUPERVISED: Final = "REGICIDE_SUPERVISED"
"""The variable by which a process knows that it has a supervisor."""

STOP_SECONDS: Final = 8.0
"""A child that hasn't ended by then is killed."""

PAUSE_SECONDS: Final = 0.2
"""Before a child that died is started again."""

log = structlog.get_logger(__name__)


class SupervisedProcess:
    """A child process that is started again whenever it dies, until ``stop``."""

    def __init__(self, name: str, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self.name = name
        self._command = command
        self._environ = environ
        self._stopping = threading.Event()
        self._process = self._spawn()
        self._thread = threading.Thread(target=self._supervise, name=f"supervise-{name}", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The process that lives now."""
        return self._process.pid

    def stop(self) -> None:
        """Ask the child to end, and wait until it has."""
        self._stopping.set()
        self._process.terminate()
        if not self._ended_within(STOP_SECONDS):
            self._process.kill()
        self._thread.join()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _spawn(self) -> subprocess.Popen[bytes]:
        """Start the child in a session of its own, out of Ctrl-C's reach."""
        return subprocess.Popen(  # noqa: S603 - our own commands
            self._command, stdin=subprocess.PIPE, env={**self._environ, SUPERVISED: "1"}, start_new_session=True
        )

    def _supervise(self) -> None:
        while True:
            status = self._process.wait()
            if self._stopping.wait(PAUSE_SECONDS):
                return
            log.warning("restarted", process=self.name, status=status)
            self._process = self._spawn()

    def _ended_within(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


def exit_with_supervisor() -> None:
    """Watch for the supervisor's death in a thread; end this process then, as SIGTERM would.

    Does nothing in a process that has no supervisor.
    """
    if SUPERVISED not in os.environ:
        return

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor", daemon=True).start()
