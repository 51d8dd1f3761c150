"""Runs a program as a child process that gets questions and returns answers as lines of JSON, with a timeout."""

import json
import os
import selectors
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from math import isinf
from time import monotonic
from typing import Final

from regicide_client.errors import RegicideError
from regicide_client.types import Json

MAX_LINE_BYTES: Final = 1 << 20
CHUNK_BYTES: Final = 1 << 16
MAX_QUOTED_BYTES: Final = 80
"""Number of bytes of an invalid answer that are quoted."""
GRACEFUL_SHUTDOWN_SECONDS: Final = 1.0
"""Time for which a program may run after its input was closed."""


class ProgramNotFound(RegicideError):
    """The program can't be run."""


class ProgramError(RegicideError):
    """The program exited, timed out, or sent an invalid answer. The message says which, and ``kind`` names it."""

    kind = "illegal"


class ProgramEnded(ProgramError):
    """The program exited, or closed its input or output."""

    kind = "crash"


class ProgramTimeout(ProgramError):
    """The program didn't answer in time."""

    kind = "timeout"


class Program:
    """A running program. Its standard error is that of this process.

    ``ask`` waits at most *seconds*, even if the program doesn't read, doesn't write or doesn't stop writing.
    """

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._seconds = seconds
        self._received = bytearray()
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the user chooses the command
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise ProgramNotFound(f"{command[0]} can't be run: {error.strerror}.") from error
        assert self._process.stdin is not None  # noqa: S101  # both streams are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)

    def ask(self, *lines: Json) -> Json | str | None:
        """Send *lines* and return the answer: an object, a text or null. Raises ``ProgramError``."""
        self._receive()
        if self._received:
            raise ProgramError("It says more than it is asked.")
        text = "".join(json.dumps(line) + "\n" for line in lines)
        return _parse_answer(self._exchange(memoryview(text.encode())))

    def tell(self, line: Json) -> None:
        """Send a line that needs no answer. The line is lost if the program doesn't read it or has ended."""
        unsent, deadline = memoryview((json.dumps(line) + "\n").encode()), monotonic() + GRACEFUL_SHUTDOWN_SECONDS
        with selectors.DefaultSelector() as ready, suppress(ProgramEnded):
            ready.register(self._stdin, selectors.EVENT_WRITE)
            while unsent and ready.select(max(0.0, deadline - monotonic())):
                unsent = unsent[self._write(unsent) :]

    def end(self) -> None:
        """Close the program's input, wait at most ``GRACEFUL_SHUTDOWN_SECONDS`` for its exit, then kill it."""
        self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACEFUL_SHUTDOWN_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the program and its process group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._stdin.close()
        self._stdout.close()

    def _exchange(self, unsent: memoryview) -> bytes:
        """Write *unsent* and return the first line that the program writes."""
        deadline = monotonic() + self._seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self._stdout, selectors.EVENT_READ)
            ready.register(self._stdin, selectors.EVENT_WRITE)
            while unsent or b"\n" not in self._received:
                if not (able := ready.select(max(0.0, deadline - monotonic()))):
                    raise ProgramTimeout(f"It hasn't answered within {self._seconds:g} s.")
                if any(key.fileobj is self._stdout for key, _ in able):
                    self._receive()
                else:
                    unsent = unsent[self._write(unsent) :]
                    if not unsent:
                        ready.unregister(self._stdin)
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        return line

    def _write(self, unsent: memoryview) -> int:
        try:
            return os.write(self._stdin.fileno(), unsent[:CHUNK_BYTES])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise self._death() from None

    def _receive(self) -> None:
        try:
            chunk = os.read(self._stdout.fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            raise self._death()
        self._received += chunk
        if len(self._received) > MAX_LINE_BYTES:
            raise ProgramError(f"It has said more than {MAX_LINE_BYTES} bytes in one go.")

    def _death(self) -> ProgramEnded:
        try:
            status = self._process.wait(GRACEFUL_SHUTDOWN_SECONDS)
        except subprocess.TimeoutExpired:
            return ProgramEnded("It has closed its output or input.")
        return ProgramEnded(f"It has ended, with the status {status}.")


def _parse_answer(line: bytes) -> Json | str | None:
    """Parse an answer. Raises ``ProgramError``."""
    try:
        answer: object = json.loads(line, parse_constant=_no_json, parse_float=_number)
        json.dumps(answer, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ProgramError(f"It has answered no JSON: {line[:MAX_QUOTED_BYTES]!r}.") from None
    if answer is None or isinstance(answer, dict | str):
        return answer
    raise ProgramError(f"It has answered neither an object, a text nor null: {line[:MAX_QUOTED_BYTES]!r}.")


def _no_json(constant: str) -> object:
    """Refuse NaN and Infinity, which ``json`` accepts."""
    raise ValueError(f"{constant} is no JSON")


def _number(word: str) -> float:
    """Parse a number. A number that ``json`` would read as infinity, such as 1e999, is refused."""
    number = float(word)
    if isinf(number):
        raise ValueError(f"{word} is too great")
    return number
