"""``regicide serve``: the store, the workers and the web server, from one command, until Ctrl-C.

    serve ─┬─ valkey-server      on a private socket; not if REDIS_URL names another
           ├─ python -m workers  the pool of RQ workers and the sweeper
           └─ python -m api      the web server, with WEB_WORKERS processes that answer

Whichever dies is started again, however often, and all of them end with ``serve``, however it ends. A store that can't
be started, as while the disk is full, is tried again until it can; requests are answered 503 meanwhile.

In a checkout whose engines aren't compiled yet they are meanwhile, in the background; then the workers and the web
server are exchanged.
"""

import errno
import json
import os
import shutil
import signal
import socket
import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Final

from engines.core.compiled import is_compiled
from workers.processes.compilation import Compilation
from workers.processes.redis_server import DiskFull, RedisServer, StartCancelled, own_server
from workers.processes.stop_flag import StopFlag
from workers.processes.supervisor import SupervisedProcess
from workers.settings import READY_SECONDS, CannotStart, Settings, StoreUnreachable

PATIENT_SECONDS: Final = 60.0
"""After which it is said that the server isn't ready yet."""

LOOK_SECONDS: Final = 0.05
"""Between two looks at a store that might have died, and at a server that isn't ready yet."""

TRY_SECONDS: Final = 1.0
"""Before a store that couldn't be started is tried again."""

PORT_SECONDS: Final = 3.0
"""As long as a predecessor that was killed may need to leave the port."""

COMPILE_COMMAND: Final = "REGICIDE_COMPILE_COMMAND"
"""The variable with the command that compiles the engines of a checkout: ``make serve`` sets it."""

AS_ROOT: Final = (
    "The server runs as root. Whoever finds a hole in it has the whole machine: let a user of its own run it"
    " (docs/operating.md)."
)


def serve(settings: Settings) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP. Raises ``CannotStart`` with a sentence for the person at the terminal."""
    stop = StopFlag()
    store = own_server(settings, report=_say)

    def end(*_: object) -> None:
        stop.set()
        if store is not None:
            store.cancel_start()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    _await_port(settings, stop)
    with ExitStack() as running, suppress(StartCancelled):
        if store is not None:
            running.callback(store.stop)
            settings = replace(settings, redis_url=store.url)
        children = _start_children(settings, running)  # they import while the store is started
        _begin_store(settings, store, stop)
        for child in children:
            child.release()
        if os.geteuid() == 0:
            _say(AS_ROOT)
        keeper = _StoreSupervisor(store)
        if _is_ready(settings, stop, keeper):
            with suppress(OSError):  # nobody need listen
                print(f"Regicide is served at {address(settings)} (Ctrl-C ends it).", flush=True)  # noqa: T201
            _say(f"The engines are {'compiled' if is_compiled() else 'interpreted'}.{_other_commands()}")
            _compile(children, running)
        while not stop.wait(LOOK_SECONDS):
            keeper.look()


class CannotBind(CannotStart):
    """Nothing can be served where HOST and PORT say."""

    status = 2


class PortTaken(CannotBind):
    """Somebody listens there."""

    status = 1


class _StoreSupervisor:
    """Starts our own store again whenever it has died, and says once why that can't be done now."""

    def __init__(self, store: RedisServer | None) -> None:
        self._store = store
        self._readiness_error = ""
        self._not_before = 0.0

    def look(self) -> None:
        """Start it again if it has died. Raises ``StartCancelled``."""
        if self._store is None or monotonic() < self._not_before:
            return
        try:
            if self._store.restart_if_dead():
                _say("The store had ended, and was started again.")
        except StartCancelled:
            raise
        except CannotStart as reason:
            if str(reason) != self._readiness_error:
                _say(str(reason))
            self._readiness_error, self._not_before = str(reason), monotonic() + TRY_SECONDS
        else:
            self._readiness_error = ""


def _begin_store(settings: Settings, store: RedisServer | None, stop: StopFlag) -> None:
    """Start our own store, if there is one, and look whether the store fits the settings. Raises ``CannotStart``."""
    try:
        if store is not None:
            store.start()
        _check_store(settings, stop)
    except (DiskFull, StoreUnreachable) as reason:
        if store is None:
            raise
        _say(str(reason))  # our own is started as soon as it can be


def _check_store(settings: Settings, stop: StopFlag) -> None:
    """Wait until the store answers and fits the settings. Raises ``CannotStart``; ``StartCancelled`` if told to *stop*.

    It is done in a process apart: what that imports would stay in this one, which lives long, and needs it no more.
    """
    forking = get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    apart = forking.Process(target=_checked, args=(settings, theirs))
    apart.start()
    theirs.close()
    try:
        while not ours.poll(LOOK_SECONDS):
            if stop.is_set():
                raise StartCancelled("The store was still reading its games.")
        refusal = ours.recv()
    finally:
        apart.kill()
        apart.join()
    if refusal is not None:
        raise refusal


def _checked(settings: Settings, told: Connection) -> None:
    """Send why the store can't be used; None if it can."""
    from api.commands.check_store import check_store  # noqa: PLC0415  in the process apart alone

    try:
        check_store(settings, _say)
        told.send(None)
    except CannotStart as refusal:
        told.send(refusal)


def _start_children(settings: Settings, running: ExitStack) -> list[SupervisedProcess]:
    """Start the workers and the web server, which end with *running*, and are held."""
    environ = {**os.environ, "REDIS_URL": settings.redis_url or ""}
    children = list[SupervisedProcess]()
    for name in ("workers", "api"):
        children.append(SupervisedProcess(name, [sys.executable, "-P", "-m", name], environ, _say, held=True))
        running.callback(children[-1].stop)
    return children


def _compile(children: list[SupervisedProcess], running: ExitStack) -> None:
    """Compile the engines in the background if they aren't, and then exchange the children, one after the other.

    A worker finishes its turn before it ends; a turn that is owed meanwhile waits in the outbox.
    """
    command = os.environ.get(COMPILE_COMMAND)
    if not command or is_compiled():
        return

    def exchange() -> None:
        for child in children:
            child.restart()

    running.callback(Compilation(command, _say, exchange).stop)


def _other_commands() -> str:
    """Return a sentence that says how the command line is called here, if this is how it was."""
    program = Path(sys.argv[0])
    if program.name != "regicide":
        return ""
    known = shutil.which(program.name)
    is_on_path = known is not None and Path(known).samefile(program)
    return f" More commands: {program.name if is_on_path else program} --help"


def _say(sentence: str) -> None:
    with suppress(OSError):  # what can't be said, as when the disk of a log is full, must not end us
        print(sentence, file=sys.stderr, flush=True)  # noqa: T201  for the person at the terminal


def address(settings: Settings) -> str:
    """Return where a client on this machine finds the server."""
    host = _host(settings)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _host(settings: Settings) -> str:
    """Return the host by which this machine reaches the server."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - it is only compared


def free_port() -> int:
    """Return a port of this machine that nobody listens on now."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_port(settings: Settings, stop: StopFlag) -> None:
    """Refuse a port that somebody listens on, before anything is started.

    A server that was killed a moment ago may need a moment to leave it.
    """
    until = monotonic() + PORT_SECONDS
    while not stop.wait(LOOK_SECONDS):
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
            raise _no_place(kind, settings, str(error.strerror)) from error
        except (TypeError, UnicodeError) as error:  # what Python makes of é..x
            raise _no_place(CannotBind, settings, "That is no host") from error


def _no_place(kind: type[CannotBind], settings: Settings, reason: str) -> CannotBind:
    return kind(f"Nothing can be served at {settings.host} port {settings.port}: {reason}. Set HOST or PORT.")


def _is_ready(settings: Settings, stop: StopFlag, keeper: _StoreSupervisor) -> bool:
    """Wait until the server and a worker answer, or the end is asked for; say it if that takes long.

    Another web process may have looked a moment before, and tells for a while what it saw: that is waited for, too.
    """
    quiet_until, is_told = monotonic() + PATIENT_SECONDS, False
    while (trouble := _readiness_error(settings)) is not None:
        if monotonic() > quiet_until and not is_told:
            _say(f"The server at {address(settings)} isn't ready yet: {trouble}")
            is_told = True
        keeper.look()
        if stop.wait(LOOK_SECONDS):
            return False
    return not stop.wait(READY_SECONDS)


def _readiness_error(settings: Settings) -> str | None:
    """Ask the server whether it is ready; return why not."""
    with closing(HTTPConnection(_host(settings), settings.port, timeout=1.0)) as server:
        try:
            server.request("GET", "/readyz")
            answer = server.getresponse()
            return None if answer.status == HTTPStatus.OK else str(json.load(answer)["detail"])
        except (OSError, HTTPException):
            return "It doesn't listen."
