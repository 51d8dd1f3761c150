"""The application as granian loads it: settings from the environment; it ends when its parent process does."""

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait

from api import create_app
from api.rsgi import RsgiApp
from api.services import services
from workers.processes.logs import set_up_logs
from workers.settings import Settings
from workers.storage.store import open_store


def application() -> RsgiApp:
    """Return the application by the environment's settings, for granian's RSGI (``factory``)."""
    settings = Settings.from_environment(os.environ)
    set_up_logs(settings.log_level)
    _end_with_parent()
    app = create_app(settings, open_store(settings))
    own = services(app)
    threading.Thread(target=own.ledger.run, args=(threading.Event(),), name="ledger", daemon=True).start()
    return RsgiApp(app, settings.threads + settings.streams, own.feed.close)


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
