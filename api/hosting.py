"""The application as a web server loads it: settings from the environment, and an end with its parent."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Final

from flask import Flask

from api import create_app
from workers.logs import set_up_logs
from workers.settings import Settings
from workers.store import open_store

STOPS: Final = (signal.SIGINT, signal.SIGTERM)


def application() -> Flask:
    """Return the application by the environment's settings, for any WSGI server (``factory``)."""
    settings = Settings.from_environment(os.environ)
    set_up_logs(settings.log_level)
    _end_with_parent()
    app = create_app(settings, open_store(settings))
    post = app.extensions["ledger"].run
    threading.Thread(target=post, args=(threading.Event(),), name="ledger", daemon=True).start()
    _when_told_to_end(app.extensions["feed"].close)
    return app


def _when_told_to_end(act: Callable[[], None]) -> None:
    """Call *act* when a signal tells this process to end: the web server waits for the streams, which wait for games.

    The web server will set its own handlers, so we listen beside them.
    """
    told, telling = os.pipe()
    os.set_blocking(telling, False)
    signal.set_wakeup_fd(telling)

    def listen() -> None:
        while os.read(told, 1)[0] not in STOPS:
            pass
        act()

    threading.Thread(target=listen, name="end", daemon=True).start()


def _end_with_parent() -> None:
    """End when the web server's main process was killed: a worker without it would hold the port for ever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
