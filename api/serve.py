"""``regicide serve``: the store, the workers and the web server, from one command, until Ctrl-C.

    serve ─┬─ valkey-server      on a private socket; not if REDIS_URL names another
           ├─ python -m workers  the pool of RQ workers and the sweeper
           └─ python -m api      granian, with WEB_WORKERS processes that answer

Whichever dies is started again, and all of them end with ``serve``, however it ends. In a checkout whose engines aren't
compiled yet they are meanwhile, in the background; then the workers and the web server are exchanged.
"""

import os
import signal
import socket
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from typing import Final

from engines.compiled import is_compiled
from workers.processes.compilation import Compilation
from workers.processes.redis_server import own_server
from workers.processes.supervisor import SupervisedProcess
from workers.settings import CannotStart, Settings

READY_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.05
"""Between two looks at a server that isn't ready yet."""

REVIVE_SECONDS: Final = 0.5
"""Between two looks at a store that might have died."""


COMPILE_COMMAND: Final = "REGICIDE_COMPILE_COMMAND"
"""The variable with the command that compiles the engines of a checkout: ``make serve`` sets it."""


AS_ROOT: Final = (
    "The server runs as root. Whoever finds a hole in it has the whole machine: let a user of its own run it"
    " (docs/operating.md)."
)


class NotReady(CannotStart):
    """The web server didn't come to answer."""


def serve(settings: Settings) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP. Raises ``CannotStart`` with a sentence for the person at the terminal."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    if os.geteuid() == 0:
        _say(AS_ROOT)
    _check_port(settings)
    with ExitStack() as running:
        store = own_server(settings, tell=_say)
        if store is not None:
            running.enter_context(store)
            settings = replace(settings, redis_url=store.url)
        _check_store(settings)
        children = _start_children(settings, running)
        if _is_ready(settings, stop):
            print(f"Regicide is served at {address(settings)} (Ctrl-C ends it).", flush=True)  # noqa: T201
            _compile(children, running)
        while not stop.wait(REVIVE_SECONDS):
            if store is not None:
                store.revive()


def _check_store(settings: Settings) -> None:
    """Wait until the store answers and fits the settings. Raises ``CannotStart``.

    It is done in a process apart: what that imports would stay in this one, which lives long, and needs it no more.
    """
    with ProcessPoolExecutor(1, get_context("fork")) as apart:
        apart.submit(_checked, settings).result()


def _checked(settings: Settings) -> None:
    from api.store_check import check_store  # noqa: PLC0415  in the process apart alone

    check_store(settings)


def _start_children(settings: Settings, running: ExitStack) -> list[SupervisedProcess]:
    """Start the workers and the web server, which end with *running*."""
    environ = {**os.environ, "REDIS_URL": settings.redis_url or ""}
    children = []
    for name in ("workers", "api"):
        children.append(SupervisedProcess(name, [sys.executable, "-P", "-m", name], environ, _say))
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


def _say(sentence: str) -> None:
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


def _check_port(settings: Settings) -> None:
    """Refuse a port that somebody listens on, before anything is started."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise _no_place(settings, str(error.strerror)) from error
        except (TypeError, UnicodeError) as error:  # what Python makes of é..x
            raise _no_place(settings, "That is no host") from error


def _no_place(settings: Settings, reason: str) -> CannotStart:
    return CannotStart(f"Nothing can be served at {settings.host} port {settings.port}: {reason}. Set HOST or PORT.")


def _is_ready(settings: Settings, stop: threading.Event) -> bool:
    """Wait until the server and a worker answer, or the end is asked for."""
    for _ in range(int(READY_SECONDS / LOOK_SECONDS)):
        if _answers(settings):
            return True
        if stop.wait(LOOK_SECONDS):
            return False
    raise NotReady(f"The server at {address(settings)} didn't become ready within {READY_SECONDS:.0f} s.")


def _answers(settings: Settings) -> bool:
    """Ask the server whether it is ready."""
    with closing(HTTPConnection(_host(settings), settings.port, timeout=1.0)) as server:
        try:
            server.request("GET", "/readyz")
            return server.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False  # it doesn't listen yet
