"""Supervision: child processes that are started again when they die, and that end when their supervisor dies.

The supervisor holds the writing end of each child's standard input. When it dies, however that comes about, the child
reads the end of its input and ends itself (``exit_with_supervisor``).

A child may be held until what it needs is there: it imports meanwhile, which takes most of its start, and does nothing.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

SUPERVISED: Final = "REGICIDE_SUPERVISED"
"""The variable by which a process knows that it has a supervisor: ``HELD`` if that will tell it when to begin."""

HELD: Final = "held"

STOP_TIMEOUT_SECONDS: Final = 8.0
"""A child that hasn't ended by then is killed."""

RESTART_DELAY_SECONDS: Final = 0.1
"""Before a child that died is started again."""

RETRY_DELAY_SECONDS: Final = 2.0
"""Before that, if it said that it can't be started as it is, or if no process could be started."""

CANNOT_START: Final = 2
"""The status of a child that can't be started as it is (``UnusableStore``, ``BadSetting``)."""

Reporter = Callable[[str], None]
"""Told a sentence for the person at the terminal."""


class SupervisedProcess:
    """A child process that is started again whenever it dies, until ``stop``; it is *held* until ``release``."""

    def __init__(  # which child, and who is told of it
        self, name: str, command: Sequence[str], environ: Mapping[str, str], report: Reporter, *, held: bool = False
    ) -> None:
        self.name = name
        self._report = report
        self._command = command
        self._environ = environ
        self._is_held = held
        self._stopping = threading.Event()
        self._changing = threading.Lock()
        self._ended: subprocess.Popen[bytes] | None = None
        self._process = self._spawn()
        self._thread = threading.Thread(target=self._supervise, name=f"supervise-{name}", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The process that lives now."""
        return self._process.pid

    def release(self) -> None:
        """Let the child begin, as will those that follow it."""
        with self._changing:
            self._is_held = False
            if self._process.stdin is not None:
                with suppress(OSError):  # it has died: another follows
                    self._process.stdin.write(b"\n")
                    self._process.stdin.flush()

    def restart(self) -> None:
        """End the child well, wait until it has ended, and let another be started."""
        self._ended = self._process
        _end(self._ended)

    def stop(self) -> None:
        """End the child well, and wait until it has ended."""
        with self._changing:  # no child is being started; none is from now on
            self._stopping.set()
        _end(self._process)
        self._thread.join()
        _close_input(self._process)

    def _spawn(self) -> subprocess.Popen[bytes]:
        """Start the child in a session of its own, out of Ctrl-C's reach."""
        environ = {**self._environ, SUPERVISED: HELD if self._is_held else "1"}
        return subprocess.Popen(  # noqa: S603 - our own commands
            self._command, stdin=subprocess.PIPE, env=environ, start_new_session=True
        )

    def _supervise(self) -> None:
        while True:
            status = self._process.wait()
            if self._process is not self._ended and not self._stopping.is_set():
                self._report(f"The process {self.name} ended with status {status}, and is started again.")
            self._stopping.wait(RETRY_DELAY_SECONDS if status == CANNOT_START else RESTART_DELAY_SECONDS)
            while not self._is_started_again():
                self._stopping.wait(RETRY_DELAY_SECONDS)
            if self._stopping.is_set():
                return

    def _is_started_again(self) -> bool:
        """Start the child again, unless that isn't wanted any more; say whether one of both is so."""
        with self._changing:
            if self._stopping.is_set():
                return True
            _close_input(self._process)
            try:
                self._process = self._spawn()
            except OSError as error:  # too many processes, no memory: that passes
                self._report(f"The process {self.name} can't be started now ({error.strerror}), and is tried again.")
                return False
            return True


def _close_input(process: subprocess.Popen[bytes]) -> None:
    """Let go of what a process that has ended would read."""
    if process.stdin is not None:
        with suppress(OSError):  # it died before it read what was written
            process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and wait until it has; kill it if that takes too long."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def exit_with_supervisor() -> None:
    """Watch for the supervisor's death in a thread; end this process then, as SIGTERM would.

    Wait before that until the supervisor lets us begin, if we are held. Does nothing in a process that has none.
    """
    if SUPERVISED not in os.environ:
        return
    if os.environ[SUPERVISED] == HELD and not os.read(sys.stdin.fileno(), 1):
        sys.exit()

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor", daemon=True).start()
