"""A web process: the application over its store, on a listening socket."""

import asyncio
import gc
import os
import signal
import socket
import sys
import threading
from contextlib import closing
from typing import Final

import structlog
import uvloop

from api.app import create_app
from api.http.services import services
from api.http_server.limits import ConnectionLimits
from api.http_server.processes import ConnectionCounts
from api.http_server.wsgi_server import WsgiServer
from workers.operator_notice_cache import NoticeCache
from workers.processes.child_forking import STOP_SIGNALS
from workers.processes.logs import BufferedLogStream, exit_with_threads, set_up_logs
from workers.settings import CannotStart, Settings
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

IDLE_CONNECTIONS: Final = 1_024
"""Maximum number of open connections in addition to those of streams."""

STORE_CHECK_SECONDS: Final = 0.25
"""Seconds before an unavailable store is checked again."""

GC_THRESHOLD: Final = 10_000
"""Threshold of the youngest garbage-collector generation.

It is high, because collections find little: almost all objects are freed when their request ends.
"""

ERROR_RETRY_SECONDS: Final = 5.0
"""Seconds before the store is checked again after an unexpected error."""

log: Final = structlog.get_logger(__name__)


def run_web_process(settings: Settings, listening: socket.socket, counts: ConnectionCounts) -> None:
    """Serve connections of *listening* until SIGTERM or SIGINT."""
    with closing(BufferedLogStream(sys.stderr)) as out:
        set_up_logs(settings.log_level, out)
        structlog.configure(cache_logger_on_first_use=True)  # the configuration doesn't change later
        exit_with_threads()
        _serve(settings, listening, counts)


def _serve(settings: Settings, listening: socket.socket, counts: ConnectionCounts) -> None:
    store = open_store(settings)
    threading.Thread(target=_verify_store, args=(store,), name="layout", daemon=True).start()
    app = create_app(settings, store)
    own = services(app)
    threading.Thread(target=own.ledger.run, args=(threading.Event(),), name="ledger", daemon=True).start()
    notices = NoticeCache(store, own.feed)
    threading.Thread(target=notices.run, args=(threading.Event(),), name="notice", daemon=True).start()
    gc.freeze()  # the collector skips these objects from now on, because scanning them would delay requests
    gc.set_threshold(GC_THRESHOLD)
    uvloop.run(_serve_until_stopped(WsgiServer(app, limits(settings), own.feed.close, counts), listening))


async def _serve_until_stopped(server: WsgiServer, listening: socket.socket) -> None:
    shutdown_event = asyncio.Event()
    for number in STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, shutdown_event.set)
    await server.serve(listening, shutdown_event)


def limits(settings: Settings) -> ConnectionLimits:
    """Return the limits of a web process.

    Behind a proxy one address may have all connections, because all of them come from the proxy's address.
    """
    connections = settings.streams + IDLE_CONNECTIONS
    if settings.proxies:
        return ConnectionLimits(connections, connections, 0, settings.body_limit)
    return ConnectionLimits(connections, connections // 4, connections // 4, settings.body_limit)


def _verify_store(store: Store) -> None:
    """Wait for the store, and log a warning if it may lose games.

    Stop this process with SIGTERM if the store does not fit the settings.
    """
    pause = threading.Event()
    while True:
        try:
            store.health.check_layout()
            return _warn_if_not_durable(store)
        except StorageUnavailable:
            pause.wait(STORE_CHECK_SECONDS)
        except CannotStart as reason:
            log.critical("cannot_start", reason=str(reason))
            return os.kill(os.getpid(), signal.SIGTERM)
        except Exception:  # a failed check is retried and must not stop the server
            log.exception("settle_failed")
            pause.wait(ERROR_RETRY_SECONDS)


def _warn_if_not_durable(store: Store) -> None:
    """Log a warning if the store may lose acknowledged moves. Raises ``StorageUnavailable``."""
    condition = store.health.durability()
    if not condition.durable:
        log.warning("storage_not_durable", because=list(condition.reasons))
