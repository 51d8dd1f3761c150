"""The watcher of the embedded server: a shell that ends the server when the process that started both is killed."""

import subprocess
import time
from pathlib import Path
from typing import Final

from workers.processes.store_folder import Reporter

SCRIPT: Final = 'read -r _; kill -TERM "$1"; [ -z "$2" ] || rm -rf "$2"'
"""Shell script of the watcher. It waits until its input, a pipe of its starter, is closed.

Then it terminates the server, whose process id is $1, and deletes the folder $2, if given.
"""

RETRY_SECONDS: Final = 1.0
"""Minimum time between two replacements of a watcher, for watchers that end at once."""
REPLACED_MESSAGE: Final = "The process that ends the store if this one is killed had ended, and was started again."


class ServerWatcher:
    """The watcher of one server at a time. *socket_folder* is deleted after the server's end, if given."""

    def __init__(self, socket_folder: Path | None, report: Reporter) -> None:
        self._socket_folder = socket_folder
        self._report = report
        self._process: subprocess.Popen[bytes] | None = None
        self._next_start_at = 0.0
        """Time of ``monotonic`` before which a watcher that has ended isn't replaced again."""

    def start(self, server_pid: int) -> None:
        """Start the watcher in a session of its own, so that Ctrl-C does not reach it. Raises ``OSError``."""
        self._process = subprocess.Popen(  # noqa: S603  a constant script and a path of ours
            ["/bin/sh", "-c", SCRIPT, "watcher", str(server_pid), str(self._socket_folder or "")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def restart_if_dead(self, server_pid: int) -> None:
        """Start the watcher again if it has ended, and report it. Raises ``OSError``."""
        if self._process is None or self._process.poll() is not None:
            if time.monotonic() < self._next_start_at:
                return
            self.end()
            self.start(server_pid)
            self._next_start_at = time.monotonic() + RETRY_SECONDS
            self._report(REPLACED_MESSAGE)

    def end(self) -> None:
        """Kill the watcher, if there is one, so that it can't signal a process that has got the server's former id."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process = None
