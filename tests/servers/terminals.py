"""A command in a pseudo-terminal: what it shows, what is typed, and the terminal afterwards."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fcntl import ioctl
from time import monotonic
from typing import Final

from tests.servers.served import COMMAND
from tests.waiting import AGES

COLUMNS, LINES = 80, 24
CHUNK: Final = 1 << 16
LEAVES_SCREEN: Final = "\x1b[?1049l"
"""What a program sends to leave the alternate screen."""


class Terminal:
    """A `regicide` command in a pseudo-terminal of its own."""

    def __init__(self, words: Sequence[str], **environ: str) -> None:
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self._slave = slave
        self._open = [slave, self._master]
        self.before = termios.tcgetattr(slave)
        self.shown = ""
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", **environ},
            start_new_session=True,
        )

    def type(self, text: str) -> None:
        """Type some keys."""
        os.write(self._master, text.encode())

    def read(self, seconds: float = 0.05) -> str:
        """Return what is shown within so many seconds; nothing is not waited for after that."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        new = ""
        if ready:
            with suppress(OSError):
                new = os.read(self._master, CHUNK).decode("utf-8", "replace")
        self.shown += new
        return new

    def wait_for(self, *patterns: str, seconds: float = AGES) -> str:
        """Wait until one of these regular expressions is found in what is shown from now on; return which."""
        until, seen = monotonic() + seconds, ""
        while True:
            seen += self.read()
            for pattern in patterns:
                if re.search(pattern, seen):
                    return pattern
            assert self.process.poll() is None, f"it ended with {self.process.returncode}: {self.shown[-2000:]}"
            assert monotonic() < until, f"none of {patterns} in {seen[-2000:]!r}"

    def end(self, seconds: float = AGES) -> int:
        """Wait for its end and return the exit status; what it shows is read meanwhile."""
        until = monotonic() + seconds
        while self.process.poll() is None:
            self.read()
            assert monotonic() < until, f"it doesn't end: {self.shown[-2000:]!r}"
        while self.read():
            pass
        return self.process.returncode

    def is_as_before(self) -> bool:
        """Return whether the terminal's modes are what they were."""
        return termios.tcgetattr(self._slave) == self.before

    def close(self) -> None:
        """End the command and close the terminal."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close the terminal's window."""
        while self._open:
            os.close(self._open.pop())


@contextmanager
def terminal(*words: str, **environ: str) -> Iterator[Terminal]:
    """Run a command in a terminal of 80 columns and 24 lines; end it with the block."""
    opened = Terminal(words, **environ)
    try:
        yield opened
    finally:
        opened.close()
