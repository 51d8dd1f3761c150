"""A web process: the application over its store, answering who connects."""

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
from api.http_server.listener import Listener
from api.http_server.processes import ConnectionCounts
from workers.processes.forkserver import STOPS
from workers.processes.logs import BufferedLogStream, exit_with_threads, set_up_logs
from workers.settings import CannotStart, Settings
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

IDLE_CONNECTIONS: Final = 1_024
"""So many connections may be open beside those of streams."""

RETRY_SECONDS: Final = 0.25
"""Between two looks whether the storage is there."""

GC_THRESHOLD: Final = 10_000
"""So many objects may be made before they are looked through: nearly all that a request makes goes with it anyway."""

FAILED_SECONDS: Final = 5.0
"""Between two looks that fail otherwise."""

log: Final = structlog.get_logger(__name__)


def answer(settings: Settings, listening: socket.socket, counts: ConnectionCounts) -> None:
    """Answer whoever connects to *listening*, until SIGTERM or SIGINT."""
    with closing(BufferedLogStream(sys.stderr)) as out:
        set_up_logs(settings.log_level, out)
        structlog.configure(cache_logger_on_first_use=True)  # they stay as they are now
        exit_with_threads()
        _answer(settings, listening, counts)


def _answer(settings: Settings, listening: socket.socket, counts: ConnectionCounts) -> None:
    store = open_store(settings)
    threading.Thread(target=_settle, args=(store,), name="layout", daemon=True).start()
    app = create_app(settings, store)
    own = services(app)
    threading.Thread(target=own.ledger.run, args=(threading.Event(),), name="ledger", daemon=True).start()
    gc.freeze()  # what is there now stays: to look through it again and again would hold requests up
    gc.set_threshold(GC_THRESHOLD)
    uvloop.run(_answer_until_stopped(Listener(app, limits(settings), own.feed.close, counts), listening))


async def _answer_until_stopped(listener: Listener, listening: socket.socket) -> None:
    shutdown_event = asyncio.Event()
    for number in STOPS:
        asyncio.get_running_loop().add_signal_handler(number, shutdown_event.set)
    await listener.serve(listening, shutdown_event)


def limits(settings: Settings) -> ConnectionLimits:
    """Return how much a web process accepts. All who come through a proxy have its address: it may have all."""
    connections = settings.streams + IDLE_CONNECTIONS
    if settings.proxies:
        return ConnectionLimits(connections, connections, 0, settings.body_limit)
    return ConnectionLimits(connections, connections // 4, connections // 4, settings.body_limit)


def _settle(store: Store) -> None:
    """End the process if the store, as soon as it is there, is none for these settings; log it if it may lose games."""
    pause = threading.Event()
    while True:
        try:
            store.health.check_layout()
            return _say_if_not_durable(store)
        except StorageUnavailable:
            pause.wait(RETRY_SECONDS)
        except CannotStart as reason:
            log.critical("cannot_start", reason=str(reason))
            return os.kill(os.getpid(), signal.SIGTERM)
        except Exception:  # whatever it was: people are answered all the same
            log.exception("settle_failed")
            pause.wait(FAILED_SECONDS)


def _say_if_not_durable(store: Store) -> None:
    """Log it if the storage may lose what was answered. Raises ``StorageUnavailable``."""
    condition = store.health.durability()
    if not condition.durable:
        log.warning("storage_not_durable", because=list(condition.reasons))
