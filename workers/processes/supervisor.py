"""Supervision: child processes that are restarted when they die, and that exit when their supervisor dies.

The supervisor holds the write end of each child's standard input. When the supervisor dies, the child reads the end of
its input and exits (``exit_with_supervisor``).

A child may be held back until the store is available. Meanwhile it imports its modules, which takes most of the time
of its start.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

SUPERVISED_VARIABLE: Final = "REGICIDE_SUPERVISED"
"""Environment variable of supervised processes.

Its value is ``HELD_VARIABLE_VALUE`` for a process that must wait for ``release``.
"""

HELD_VARIABLE_VALUE: Final = "held"

STOP_TIMEOUT_SECONDS: Final = 8.0
"""Time after which a child that was terminated is killed."""

RESTART_DELAY_SECONDS: Final = 0.1
"""Delay before a child that died is restarted."""

RETRY_DELAY_SECONDS: Final = 2.0
"""Delay before a restart after an exit with ``CANNOT_START_EXIT_CODE``, or if no process could be started."""

CANNOT_START_EXIT_CODE: Final = 2
"""Exit status of a child that can't be started with these settings (``UnusableStore``, ``BadSetting``)."""

Reporter = Callable[[str], None]
"""Function that prints a sentence, on the terminal for example."""


class SupervisedProcess:
    """A child process that is restarted whenever it dies, until ``stop``. A *held* child waits for ``release``."""

    def __init__(
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
        """Return the id of the current process."""
        return self._process.pid

    def release(self) -> None:
        """Let this child begin its work. Children that replace it later are not held."""
        with self._changing:
            self._is_held = False
            if self._process.stdin is not None:
                with suppress(OSError):  # this child has died, and its successor won't be held
                    self._process.stdin.write(b"\n")
                    self._process.stdin.flush()

    def restart(self) -> None:
        """Terminate the child and wait for its exit. The supervision then starts it again."""
        self._ended = self._process
        _stop_process(self._ended)

    def stop(self) -> None:
        """Terminate the child and wait for its exit."""
        with self._changing:  # no child is being started during this block, and none will be afterwards
            self._stopping.set()
        _stop_process(self._process)
        self._thread.join()
        _close_input(self._process)

    def _spawn(self) -> subprocess.Popen[bytes]:
        """Start the child in a session of its own, so that Ctrl-C does not reach it."""
        environ = {**self._environ, SUPERVISED_VARIABLE: HELD_VARIABLE_VALUE if self._is_held else "1"}
        return subprocess.Popen(  # noqa: S603  our own commands
            self._command, stdin=subprocess.PIPE, env=environ, start_new_session=True
        )

    def _supervise(self) -> None:
        while True:
            status = self._process.wait()
            if self._process is not self._ended and not self._stopping.is_set():
                self._report(f"The process {self.name} ended with status {status}, and is started again.")
            self._stopping.wait(RETRY_DELAY_SECONDS if status == CANNOT_START_EXIT_CODE else RESTART_DELAY_SECONDS)
            while not self._is_started_again():
                self._stopping.wait(RETRY_DELAY_SECONDS)
            if self._stopping.is_set():
                return

    def _is_started_again(self) -> bool:
        """Start the child again. Return False if the start failed. After ``stop``, return True without starting it."""
        with self._changing:
            if self._stopping.is_set():
                return True
            _close_input(self._process)
            try:
                self._process = self._spawn()
            except OSError as error:  # the cause is temporary: too many processes, or no memory
                self._report(f"The process {self.name} can't be started now ({error.strerror}), and is tried again.")
                return False
            return True


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):  # the child died before it read its input
            process.stdin.close()


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process and wait for its exit. After ``STOP_TIMEOUT_SECONDS`` the process is killed."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def exit_with_supervisor() -> None:
    """Start a thread that terminates this process, as by SIGTERM, when the supervisor dies.

    If this process is held, wait for its release first. If it has no supervisor, do nothing.
    """
    if SUPERVISED_VARIABLE not in os.environ:
        return
    if os.environ[SUPERVISED_VARIABLE] == HELD_VARIABLE_VALUE and not os.read(sys.stdin.fileno(), 1):
        sys.exit()

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor", daemon=True).start()
