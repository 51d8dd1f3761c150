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
from functools import partial
from json import dumps, loads
from pathlib import Path
from typing import Final, Self

from workers.processes.lock_holders import PROC, end_process, lock_holders
from workers.settings import CannotStart, UnusableStore

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
LOCK_TIMEOUT_SECONDS: Final = 2.0
"""Seconds to wait for a lock. Within these the watcher of a killed process normally ends its server."""

RETRY_DELAY_SECONDS: Final = 0.02
SERVER_PROGRAM_PREFIXES: Final = ("valkey-", "redis-")
"""Beginnings of the names of server programs; on Debian ``redis-server`` is a link to ``redis-check-rdb``."""
ORPHAN_MESSAGE: Final = "The store of a server that was killed still ran, as process {pid}: it was ended."

Reporter = Callable[[str], None]
"""Function that prints a sentence, on the terminal for example."""


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


def another_users(folder: Path) -> UnusableStore:
    """Return the error of a store whose files this user may not read."""
    return UnusableStore(f"The store in {folder} is another user's: run this as that user, or as root.")


def has_store(folder: Path) -> bool:
    """Return whether there are files of a store in *folder*. Raises ``UnusableStore``."""
    try:
        return (folder / AOF_FOLDER).exists()
    except PermissionError as error:
        raise another_users(folder) from error
    except OSError as error:
        raise UnusableStore(f"Games can't be kept in {folder}: {error.strerror}. Set REGICIDE_DATA.") from error


def server_of(folder: Path, candidates: Callable[[], Iterable[Path]]) -> Path:
    """Return the server for *folder*: the one that wrote its games, or the first candidate that can read them.

    *candidates* returns the installed servers, the preferred one first. Raises ``IncompatibleServer``,
    ``UnusableStore``, and the errors of *candidates*.
    """
    writer = read_server_marker(folder) if has_store(folder) else None
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


def lock(file: Path, report: Reporter | None = None) -> int:
    """Lock a folder by its lock file *file*. Return the descriptor that holds the lock. Raises ``FolderInUse``.

    If the lock's owner was killed and has left its server behind, the server is ended; *report* gets a sentence on it.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take_over(descriptor, file, report or (lambda _: None))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _take_over(descriptor: int, file: Path, report: Reporter) -> None:
    """Lock *file* by its *descriptor*, and end orphaned servers that hold the lock. Raises ``FolderInUse``."""
    while not _is_locked_within(descriptor, LOCK_TIMEOUT_SECONDS):
        ended = _end_orphaned_server(file)
        if ended is not None:
            report(ORPHAN_MESSAGE.format(pid=ended))
        elif not _try_lock(descriptor):  # the holder may have ended while it was looked at
            raise _in_use(file)


def _is_locked_within(descriptor: int, seconds: float) -> bool:
    """Lock a file, and wait for its holder if needed. Return False if it is still locked after *seconds*."""
    deadline = time.monotonic() + seconds
    while not _try_lock(descriptor):
        if time.monotonic() > deadline:
            return False
        time.sleep(RETRY_DELAY_SECONDS)  # flock has no timeout of its own
    return True


def _try_lock(descriptor: int) -> bool:
    """Lock a file without waiting. Return False if another process holds the lock."""
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _end_orphaned_server(file: Path) -> int | None:
    """End a server that alone holds the lock *file*. Return its process id, or None if none ended."""
    for pid in lock_holders(file):
        if end_process(pid, partial(_is_orphaned_server, pid, file)):
            return pid
    return None


def _is_orphaned_server(pid: int, file: Path) -> bool:
    """Return whether process *pid* holds the lock *file*, and nothing but servers holds it.

    The owner of a running server holds the lock too, under whatever process id: in a container it has another one.
    """
    holders = lock_holders(file)
    return pid in holders and all(map(_is_server, holders))


def _is_server(pid: int) -> bool:
    """Return whether process *pid* is a Valkey or Redis, by the name of its program. The program isn't run."""
    try:
        return (PROC / str(pid) / "exe").readlink().name.startswith(SERVER_PROGRAM_PREFIXES)
    except OSError:
        return False


def _owner(file: Path) -> int | None:
    """Return the process id that the last owner of the lock *file* has written, or None if there is none."""
    written = file.read_text("ascii", "replace").strip()
    return int(written) if written.isdecimal() else None


def _in_use(file: Path) -> FolderInUse:
    """Return the error that names the process that holds the lock *file*: its owner, if that is one of several."""
    owner, holders = _owner(file), lock_holders(file)
    if holders:
        who = f"Process {owner if owner in holders else holders[0]} keeps"
    else:  # another user's, in another container, or on a system that doesn't say who holds a lock
        who = f"Process {owner}, or a server that it left behind, keeps"
    return FolderInUse(f"{who} its games in {file.parent} already. Stop it, or set REGICIDE_DATA to another folder.")
