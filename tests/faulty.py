"""A store that answers with an error: a line before a real server, which answers whatever is asked as long as told to.

It stands for what a real one seldom does when a test wants it: a disk that can't be written, a script without an end, a
cluster that moves. It knows no more of the protocol than where a command ends, and an answer.
"""

import socket
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from typing import Final

import hiredis

from tests.store_line import CHUNK, StoreLine

ERRORS: Final = {
    "BUSY": "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    "NOREPLICAS": "NOREPLICAS Not enough good replicas to write.",
    "MISCONF": "MISCONF Errors writing to the AOF file: No space left on device",
    "READONLY": "READONLY You can't write against a read only replica.",
    "MOVED": "MOVED 3999 127.0.0.1:1",
    "LOADING": "LOADING Valkey is loading the dataset in memory",
    "OOM": "OOM command not allowed when used memory > 'maxmemory'.",
    "MASTERDOWN": "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "NOPERM": "NOPERM User default has no permissions to run the 'set' command",
    "NOAUTH": "NOAUTH Authentication required.",
}
"""By code: what servers say."""

PATIENCE: Final = 5.0
NOTHING_YET: Final = object()
"""What a reader says that waits for more: by itself it would say False, which is equal to an answer of 0."""


class FaultyLine(StoreLine):
    """A proxy that answers with an error as long as it is told to."""

    def __init__(self, server_url: str, folder: Path) -> None:
        super().__init__(server_url, folder)
        self.fault: str | None = None
        """The error that it answers with; None: it carries everything."""
        self.passes = 0
        """So many commands of each write are carried all the same: then the error comes within a pipeline."""

    def carry(self, client: socket.socket) -> None:
        """Carry one connection."""
        _Carrier(self, client, self.server).run()


class _Carrier:
    """Carries one connection."""

    def __init__(self, line: FaultyLine, client: socket.socket, server: str) -> None:
        self._line = line
        self._client = client
        self._upstream = socket.socket(socket.AF_UNIX)
        self._path = server
        self._waiting = 0
        self._changed = Condition()

    def run(self) -> None:
        """Carry commands there until either end hangs up."""
        with self._client, self._upstream, suppress(OSError):
            self._upstream.connect(self._path)
            Thread(target=self._carry_back, daemon=True).start()
            reader = hiredis.Reader(notEnoughData=NOTHING_YET)
            while sent := self._client.recv(CHUNK):
                reader.feed(sent)
                commands = list(iter(reader.gets, NOTHING_YET))
                fault, passes = self._line.fault, self._line.passes
                carried = len(commands) if fault is None else passes
                self._carry(commands[:carried])
                if fault is not None:
                    self._await_answers()
                    self._client.sendall(f"-{fault}\r\n".encode() * len(commands[carried:]))

    def _carry(self, commands: list[list[bytes]]) -> None:
        with self._changed:
            self._waiting += len(commands)
        self._upstream.sendall(
            b"".join(
                hiredis.pack_command(tuple(command))  # type: ignore[arg-type]  # any number
                for command in commands
            )
        )

    def _await_answers(self) -> None:
        """Answers come in the order of the commands."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, PATIENCE)

    def _carry_back(self) -> None:
        reader = hiredis.Reader(notEnoughData=NOTHING_YET)
        with suppress(OSError):
            while said := self._upstream.recv(CHUNK):
                self._client.sendall(said)
                reader.feed(said)
                answers = len(list(iter(reader.gets, NOTHING_YET)))
                with self._changed:
                    self._waiting -= answers
                    self._changed.notify_all()
        with suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)
