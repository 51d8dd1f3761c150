"""Compilation of the engines in the background, at low priority, while the server runs the interpreted engines.

``REGICIDE_COMPILE_COMMAND`` is the command that compiles them. It writes the compiled engines to where processes that
start later find them.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

NICENESS: Final = "19"
CHECK_COMPILED_SCRIPT: Final = "from engines.core.mypyc_support import is_compiled; raise SystemExit(not is_compiled())"

COMPILING_MESSAGE: Final = (
    "The engines are being compiled in the background, once; until then the AIs take longer to think."
)
COMPILED_MESSAGE: Final = "The engines are compiled, in {seconds:.0f} s. The processes that run them are exchanged."
STAYS_INTERPRETED_MESSAGE: Final = "The engines stay interpreted. {reason}"
NOT_FOUND_MESSAGE: Final = "They have been compiled, but aren't found where they are looked for."


class Compilation:
    """A running compilation. *report* receives sentences on its progress. *on_compiled* is called if it succeeds."""

    def __init__(self, command: str, report: Callable[[str], None], on_compiled: Callable[[], None]) -> None:
        self._report = report
        self._on_compiled = on_compiled
        self._stopping = Event()
        self._began = monotonic()
        report(COMPILING_MESSAGE)
        self._process = _spawn(shlex.split(command))
        Thread(target=self._wait, name="compilation", daemon=True).start()

    def stop(self) -> None:
        """Terminate the compilation if it is running."""
        self._stopping.set()
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait()

    def _wait(self) -> None:
        output, _ = self._process.communicate()
        if self._stopping.is_set():
            return
        reason = _reason(output, self._process.returncode)
        if reason:
            self._report(STAYS_INTERPRETED_MESSAGE.format(reason=reason))
            return
        self._report(COMPILED_MESSAGE.format(seconds=monotonic() - self._began))
        self._on_compiled()


def _spawn(command: list[str]) -> subprocess.Popen[str]:
    """Start the command at the lowest CPU priority, in a session of its own, so that Ctrl-C does not reach it.

    Linux may first divide the processors among sessions and apply niceness only within each session. Therefore the
    session gets a niceness too.
    """
    process = subprocess.Popen(  # noqa: S603  the Makefile sets the command
        ["nice", "-n", NICENESS, *command],  # noqa: S607  POSIX has it
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    group = Path(f"/proc/{process.pid}/autogroup")
    with suppress(OSError):  # the file doesn't exist, or the process has ended
        group.write_text(NICENESS)
    return process


def _reason(output: str, status: int) -> str:
    """Return why the command has left no compiled engines, or an empty text if compiled engines are found."""
    if status:
        lines = [line for line in output.splitlines() if line.strip() and not line.startswith("make")]
        return lines[-1] if lines else f"The command that compiles them ended with status {status}."
    found = subprocess.run([sys.executable, "-P", "-c", CHECK_COMPILED_SCRIPT], check=False)  # noqa: S603  a constant script
    return NOT_FOUND_MESSAGE if found.returncode else ""
