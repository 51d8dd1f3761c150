"""``regicide serve``: the store, the workers and the web server, from one command, until Ctrl-C.

    serve ─┬─ valkey-server      on a private socket; not if REDIS_URL names another
           ├─ python -m workers  the pool of RQ workers, and the sweeper, which enqueues lost jobs again
           └─ python -m api      the web server, with WEB_WORKERS processes that answer

A child that dies is restarted. All children end with ``serve``, even if ``serve`` is killed. If the store can't be
started, as on a full disk, the start is repeated until it succeeds. Meanwhile requests are answered with 503.

In a checkout without compiled engines, the engines are compiled in the background. Then the workers and the web server
are replaced.
"""

import errno
import json
import os
import secrets
import shutil
import signal
import socket
import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Final

from engines.core.mypyc_support import is_compiled
from workers.processes.engine_compilation import Compilation
from workers.processes.redis_server import DiskFull, RedisServer, StartCancelled, own_server
from workers.processes.stop_flag import StopFlag
from workers.processes.supervisor import SupervisedProcess
from workers.settings import READINESS_TTL_SECONDS, CannotStart, Settings, StoreUnreachable

SLOW_START_NOTICE_SECONDS: Final = 60.0
"""Seconds after which a slow start is reported."""

POLL_INTERVAL_SECONDS: Final = 0.05
"""Seconds between two checks of the store's process and of a starting server."""

RETRY_DELAY_SECONDS: Final = 1.0
"""Seconds before a failed start of the store is tried again."""

PORT_TIMEOUT_SECONDS: Final = 3.0
"""Seconds within which a killed predecessor should release the port."""

COMPILE_COMMAND_VARIABLE: Final = "REGICIDE_COMPILE_COMMAND"
"""Environment variable with the command that compiles a checkout's engines. ``make serve`` sets it."""

OPERATOR_TOKEN_BYTES: Final = 24

ANY_IPV4_ADDRESS: Final = "0.0.0.0"  # noqa: S104  it is only compared with HOST
REMOTE_EXAMPLE_ADDRESS: Final = "192.0.2.1"
"""An address that is reserved for documentation, so no computer has it (RFC 5737)."""

ROOT_WARNING: Final = (
    "The server runs as root. Whoever finds a hole in it has the whole machine: let a user of its own run it"
    " (docs/operating.md)."
)


def serve(settings: Settings) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP. Raises ``CannotStart`` with a sentence for the terminal."""
    stop = StopFlag()
    if not settings.operator_token and sys.stdout.isatty():  # without a terminal a log would keep the token
        settings = replace(settings, operator_token=secrets.token_urlsafe(OPERATOR_TOKEN_BYTES))
    store = own_server(settings, report=_print_error)
    _stop_on_signals(stop, store)
    _wait_for_free_port(settings, stop)
    with ExitStack() as running, suppress(StartCancelled):
        if store is not None:
            running.callback(store.stop)
            settings = replace(settings, redis_url=store.url)
        children = _start_children(settings, running)  # the children import their modules while the store starts
        _start_and_wait_for_store(settings, store, stop)
        for child in children:
            child.release()
        if os.geteuid() == 0:
            _print_error(ROOT_WARNING)
        keeper = _StoreSupervisor(store)
        if _is_ready(settings, stop, keeper):
            _announce(settings)
            _compile(children, running)
        while not stop.wait(POLL_INTERVAL_SECONDS):
            keeper.restart_if_dead()


def _stop_on_signals(stop: StopFlag, store: RedisServer | None) -> None:
    """Let SIGINT, SIGTERM and SIGHUP set *stop* and cancel a start of the store."""

    def end(*_: object) -> None:
        stop.set()
        if store is not None:
            store.cancel_start()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def _announce(settings: Settings) -> None:
    """Print the server's URL, and how the engines run."""
    with suppress(OSError):  # a failed write must not stop the server
        print(f"Regicide is served at {server_url(settings)} (Ctrl-C ends it).", flush=True)  # noqa: T201
    if url := _url_elsewhere(settings):
        _print_error(f"On other computers: {url}")
    if settings.operator_token and "REGICIDE_OPERATOR_TOKEN" not in os.environ:
        _print_error(f"The operator's token until the server ends: {settings.operator_token}")
    if settings.operator_token:
        _print_error(f"The operator's page: {server_url(settings)}/operator")
    _print_error(f"The engines are {'compiled' if is_compiled() else 'interpreted'}.{_command_line_hint()}")


class CannotBind(CannotStart):
    """The server can't listen on HOST and PORT."""

    status = 2


class PortTaken(CannotBind):
    """Another program is listening on the port."""

    status = 1


class _StoreSupervisor:
    """Restarts the embedded store when it has died. If it can't be restarted, reports each reason only once."""

    def __init__(self, store: RedisServer | None) -> None:
        self._store = store
        self._readiness_error = ""
        self._not_before = 0.0

    def restart_if_dead(self) -> None:
        """Restart the store if it has died. Raises ``StartCancelled``."""
        if self._store is None or monotonic() < self._not_before:
            return
        try:
            if self._store.restart_if_dead():
                _print_error("The store had ended, and was started again.")
        except StartCancelled:
            raise
        except CannotStart as reason:
            if str(reason) != self._readiness_error:
                _print_error(str(reason))
            self._readiness_error, self._not_before = str(reason), monotonic() + RETRY_DELAY_SECONDS
        else:
            self._readiness_error = ""


def _start_and_wait_for_store(settings: Settings, store: RedisServer | None, stop: StopFlag) -> None:
    """Start the embedded store, if it is used, and wait until the store is usable. Raises ``CannotStart``."""
    try:
        if store is not None:
            store.start()
        _wait_for_store(settings, stop)
    except (DiskFull, StoreUnreachable) as reason:
        if store is None:
            raise
        _print_error(str(reason))  # ``_StoreSupervisor`` tries again to start the embedded store


def _wait_for_store(settings: Settings, stop: StopFlag) -> None:
    """Wait until the store is usable. Raises ``CannotStart``, and ``StartCancelled`` if *stop* is set.

    The check runs in a child process, because its imports would stay in the memory of this process.
    """
    forking = get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    apart = forking.Process(target=_send_check_result, args=(settings, theirs))
    apart.start()
    theirs.close()
    try:
        while not ours.poll(POLL_INTERVAL_SECONDS):
            if stop.is_set():
                raise StartCancelled("The store was still reading its games.")
        refusal = ours.recv()
    finally:
        apart.kill()
        apart.join()
    if refusal is not None:
        raise refusal


def _send_check_result(settings: Settings, told: Connection) -> None:
    """Send through the pipe *told* the reason why the store can't be used, or None if it can be used.

    This process ends with its parent: it has inherited the lock of the store's folder, and the pipe whose end tells the
    store's watcher that the parent has died.
    """
    Thread(target=_exit_with_parent, name="parent", daemon=True).start()
    from api.commands.wait_for_store import wait_for_store  # noqa: PLC0415  only the child process needs it

    try:
        wait_for_store(settings, _print_error)
        told.send(None)
    except CannotStart as refusal:
        told.send(refusal)


def _exit_with_parent() -> None:
    """Wait until the process that forked this one has died, then exit."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _start_children(settings: Settings, running: ExitStack) -> list[SupervisedProcess]:
    """Start the workers and the web server. They are stopped when *running* is closed."""
    environ = {**os.environ, "REDIS_URL": settings.redis_url or "", "REGICIDE_OPERATOR_TOKEN": settings.operator_token}
    children = list[SupervisedProcess]()
    for name in ("workers", "api"):
        children.append(SupervisedProcess(name, [sys.executable, "-P", "-m", name], environ, _print_error, held=True))
        running.callback(children[-1].stop)
    return children


def _compile(children: list[SupervisedProcess], running: ExitStack) -> None:
    """Compile the engines in the background if needed, then replace the workers and the web server one by one.

    A worker finishes its turn before it exits. Meanwhile due turns wait in the store.
    """
    command = os.environ.get(COMPILE_COMMAND_VARIABLE)
    if not command or is_compiled():
        return

    def exchange() -> None:
        for child in children:
            child.restart()

    running.callback(Compilation(command, _print_error, exchange).stop)


def _command_line_hint() -> str:
    """Return a sentence on how to run other commands. It is empty unless this is the ``regicide`` program."""
    program = Path(sys.argv[0])
    if program.name != "regicide":
        return ""
    known = shutil.which(program.name)
    is_on_path = known is not None and Path(known).samefile(program)
    return f" More commands: {program.name if is_on_path else program} --help"


def _print_error(sentence: str) -> None:
    with suppress(OSError):  # a failed write, for example to a full disk, must not stop the server
        print(sentence, file=sys.stderr, flush=True)  # noqa: T201  for the terminal


def server_url(settings: Settings) -> str:
    """Return the server's URL for a client on this machine."""
    host = _host(settings)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _url_elsewhere(settings: Settings) -> str | None:
    """Return the URL for other computers, or None if the server doesn't listen for them or there is no network."""
    if settings.host != ANY_IPV4_ADDRESS:
        return None
    with closing(socket.socket(type=socket.SOCK_DGRAM)) as probe:
        try:
            # This sends nothing, but selects the local address of the datagram socket.
            probe.connect((REMOTE_EXAMPLE_ADDRESS, 9))
        except OSError:
            return None
        return f"http://{probe.getsockname()[0]}:{settings.port}"


def _host(settings: Settings) -> str:
    """Return the host by which this machine reaches the server."""
    return {ANY_IPV4_ADDRESS: "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)


def free_port() -> int:
    """Return a port of this machine that is free now."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_free_port(settings: Settings, stop: StopFlag) -> None:
    """Wait until the port is free, or *stop* is set. This must be called before any process is started.

    A killed predecessor has ``PORT_TIMEOUT_SECONDS`` to release the port. Raises ``PortTaken`` after that time.
    """
    until = monotonic() + PORT_TIMEOUT_SECONDS
    while not stop.wait(POLL_INTERVAL_SECONDS):
        try:
            _check_port(settings)
        except PortTaken:
            if monotonic() > until:
                raise
        else:
            return


def _check_port(settings: Settings) -> None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            kind = PortTaken if error.errno == errno.EADDRINUSE else CannotBind
            raise _cannot_bind(kind, settings, str(error.strerror)) from error
        except (TypeError, UnicodeError) as error:  # Python's IDNA codec raises these, for example for é..x
            raise _cannot_bind(CannotBind, settings, "That is no host") from error


def _cannot_bind(kind: type[CannotBind], settings: Settings, reason: str) -> CannotBind:
    return kind(f"Nothing can be served at {settings.host} port {settings.port}: {reason}. Set HOST or PORT.")


def _is_ready(settings: Settings, stop: StopFlag, keeper: _StoreSupervisor) -> bool:
    """Wait until the server is ready. Return False if *stop* is set before. A slow start is reported.

    Once it is ready, wait another ``READINESS_TTL_SECONDS``: for so long a web process may repeat an earlier "not
    ready".
    """
    quiet_until, is_told = monotonic() + SLOW_START_NOTICE_SECONDS, False
    while (trouble := _readiness_error(settings)) is not None:
        if monotonic() > quiet_until and not is_told:
            _print_error(f"The server at {server_url(settings)} isn't ready yet: {trouble}")
            is_told = True
        keeper.restart_if_dead()
        if stop.wait(POLL_INTERVAL_SECONDS):
            return False
    return not stop.wait(READINESS_TTL_SECONDS)


def _readiness_error(settings: Settings) -> str | None:
    """Return why the server is not ready, or None."""
    with closing(HTTPConnection(_host(settings), settings.port, timeout=1.0)) as server:
        try:
            server.request("GET", "/readyz")
            answer = server.getresponse()
            return None if answer.status == HTTPStatus.OK else str(json.load(answer)["detail"])
        except (OSError, HTTPException):
            return "It doesn't listen."
