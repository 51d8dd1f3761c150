"""The data folder of the embedded store: its lock, its log, and the marker of its server.

A server can load only what a server of the same kind and of the same or an older version wrote. It reports anything
else as a bad file. Therefore a marker in the folder names the server that wrote it. That server, or a newer one of its
kind, is started again, even if PATH has another server.
"""

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from json import dumps, loads
from pathlib import Path
from typing import Final, Self

from workers.settings import CannotStart

SERVER_MARKER: Final = "server.json"
LOG_FILE: Final = "server.log"
OLDER_LOG_FILE: Final = "server.log.1"
MAX_LOG_BYTES: Final = 1 << 20
"""Size above which a log is rotated at the next start."""

AOF_MANIFEST_FILE: Final = "appendonly.aof.manifest"
AOF_FOLDER: Final = "appendonlydir"
"""Folder inside the data folder that has the server's append-only file (AOF) and its manifest."""

VERSION_OUTPUT: Final = re.compile(r"(?P<kind>\w+) server v=(?P<version>[0-9]+(?:\.[0-9]+)*)")
VERSION_TIMEOUT_SECONDS: Final = 10.0
LOCK_TIMEOUT_SECONDS: Final = 2.0  # time to wait for a lock, until the server of a killed process has exited
RETRY_DELAY_SECONDS: Final = 0.02


class FolderInUse(CannotStart):
    """Another server uses the same folder."""


class IncompatibleServer(CannotStart):
    """No installed server can load the folder."""

    status = 2


@dataclass(frozen=True)
class KnownServer:
    """A server binary, with its kind and version."""

    kind: str
    """``Valkey`` or ``Redis``, as its ``--version`` says."""
    version: str
    path: str

    @classmethod
    def of(cls, binary: Path) -> Self | None:
        """Return the kind and version of a server binary, or None if the file is missing or is no known server."""
        try:
            output = subprocess.run(  # noqa: S603
                [binary, "--version"], check=False, capture_output=True, timeout=VERSION_TIMEOUT_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        match = VERSION_OUTPUT.match(output.stdout.decode(errors="replace"))
        return None if match is None else cls(match["kind"], match["version"], str(binary.absolute()))

    def reads(self, writer: "KnownServer") -> bool:
        """Return whether this server can load what *writer* wrote: this server is of the same kind, and not older."""
        return self.kind == writer.kind and _numbers(self.version) >= _numbers(writer.version)

    def __str__(self) -> str:
        """Return kind, version and path as text for messages."""
        return f"{self.kind} {self.version} ({self.path})"


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def read_server_marker(folder: Path) -> KnownServer | None:
    """Return the server that wrote the store in *folder*, or None if it is unknown."""
    try:
        stored = loads((folder / SERVER_MARKER).read_text("utf-8"))
        return KnownServer(stored["kind"], stored["version"], stored["path"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def write_server_marker(folder: Path, binary: Path) -> None:
    """Write the marker of *binary* into *folder*. Raises ``OSError``."""
    server = KnownServer.of(binary)
    if server is not None and server != read_server_marker(folder):
        part = folder / f"{SERVER_MARKER}.part"
        part.write_text(dumps(asdict(server)), "utf-8")
        part.replace(folder / SERVER_MARKER)


def server_of(folder: Path, candidates: Callable[[], Iterable[Path]]) -> Path:
    """Return the server for *folder*: the one that wrote its games, or the first candidate that can read them.

    *candidates* returns the installed servers, the preferred one first. Raises ``IncompatibleServer``, and the errors
    of *candidates*.
    """
    writer = read_server_marker(folder) if (folder / AOF_FOLDER).exists() else None
    if writer is None:
        return next(iter(candidates()))
    same = KnownServer.of(Path(writer.path))
    if same is not None and same.reads(writer):
        return Path(writer.path)
    others = [server for path in candidates() if (server := KnownServer.of(path)) is not None]
    compatible = next((server for server in others if server.reads(writer)), None)
    if compatible is None:
        here = " and ".join(str(server) for server in others) or "no other server"
        raise IncompatibleServer(
            f"The games in {folder} were written by {writer}, which isn't here any more; {here} can't read them. "
            "Install that one again, or set REGICIDE_DATA to another folder."
        )
    return Path(compatible.path)


def is_whole(file: Path, binary: Path) -> bool:
    """Return whether *file* is a complete snapshot. The server's check program, which is the same binary, decides."""
    check = binary.name.replace("server", "check-rdb")
    completed = subprocess.run([check, str(file)], executable=binary, check=False, capture_output=True)  # noqa: S603
    return completed.returncode == 0


class ServerLog:
    """The server's log file, to which each start appends."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOG_FILE
        self._from = 0

    def begin(self) -> None:
        """Prepare the log for a start: rotate a large log, and remember where the lines of this start begin.

        Raises ``OSError``.
        """
        if self.path.exists() and self.path.stat().st_size > MAX_LOG_BYTES:
            self.path.replace(self.path.with_name(OLDER_LOG_FILE))
        self._from = self.path.stat().st_size if self.path.exists() else 0

    def tail(self) -> str:
        """Return the last 500 characters that were written to the log since this start."""
        return self._text().strip()[-500:] or "none."

    def _text(self) -> str:
        with self.path.open("rb") as log:
            log.seek(self._from)
            return log.read().decode(errors="replace")


def lock(file: Path) -> int:
    """Lock a folder by its lock file *file*. Return the descriptor that holds the lock. Raises ``FolderInUse``."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while not _try_lock(descriptor):
        if time.monotonic() > deadline:
            owner = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise FolderInUse(
                f"Process {owner} keeps its games in {file.parent} already. "
                "Stop it, or set REGICIDE_DATA to another folder."
            )
        time.sleep(RETRY_DELAY_SECONDS)  # flock has no timeout of its own
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _try_lock(descriptor: int) -> bool:
    """Lock a file without waiting. Return False if another process holds the lock."""
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
