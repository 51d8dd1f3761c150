"""Waits until the store is usable, before any process is started that needs it."""

from contextlib import closing
from threading import Event
from time import monotonic
from typing import Final

from redis import Redis

from workers.settings import Settings, StoreUnreachable
from workers.storage.clients import connect
from workers.storage.errors import StorageUnavailable
from workers.storage.keys import Keys
from workers.storage.layout import check_layout
from workers.storage.startup_checks import Reporter, check_stores, durability
from workers.store_addresses import Address

STORE_TIMEOUT_SECONDS: Final = 5.0
"""Seconds to wait for an external store that is starting."""

POLL_INTERVAL_SECONDS: Final = 0.05
"""Seconds between two checks of the store."""


def wait_for_store(settings: Settings, tell: Reporter) -> None:
    """Wait until the store of REDIS_URL answers and fits the settings. Raises ``CannotStart``.

    There is no time limit for a store that is loading its data. *tell* gets warnings about the store's configuration.
    """
    if settings.redis_url is None:
        return
    check_stores(settings, STORE_TIMEOUT_SECONDS, tell)
    with closing(connect(settings)) as store:
        _wait_until_usable(store, settings.partitions, Address.read(settings.redis_url).place)
        for reason in durability(store).readiness_reasons(settings.replicas):
            tell(str(reason.phrase))


def _wait_until_usable(store: Redis, partitions: int, place: str) -> None:
    """Wait until the store accepts writes and fits the settings. Raises ``UnusableStore``."""
    until, pause = monotonic() + STORE_TIMEOUT_SECONDS, Event()
    while True:
        try:
            return check_layout(store, Keys(partitions))
        except StorageUnavailable as error:
            if monotonic() > until:
                raise StoreUnreachable(f"{place} takes no writes: its own log says why.") from error
        pause.wait(POLL_INTERVAL_SECONDS)
