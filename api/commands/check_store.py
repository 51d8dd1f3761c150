"""The check of a store before anything is started on it."""

from contextlib import closing
from threading import Event
from time import monotonic
from typing import Final

from redis import Redis

from workers.addresses import Address
from workers.settings import Settings, StoreUnreachable
from workers.storage.clients import connect
from workers.storage.errors import StorageUnavailable
from workers.storage.health_checks import Reporter, check_stores, durability
from workers.storage.keys import Keys
from workers.storage.layout import check_layout

STORE_SECONDS: Final = 5.0
"""How long a store that somebody else starts may take."""

LOOK_SECONDS: Final = 0.05
"""Between two looks at a store that isn't ready yet."""


def check_store(settings: Settings, tell: Reporter) -> None:
    """Wait a few seconds until the store that REDIS_URL names answers and fits the settings. Raises ``CannotStart``.

    A store that reads its games is waited for as long as it takes. What is to be said of it otherwise is told.
    """
    if settings.redis_url is None:
        return
    check_stores(settings, STORE_SECONDS, tell)
    with closing(connect(settings)) as store:
        _settle(store, settings.partitions, Address.read(settings.redis_url).place)
        for reason in durability(store).readiness_reasons(settings.replicas):
            tell(str(reason.phrase))


def _settle(store: Redis, partitions: int, place: str) -> None:
    """Return when the store takes writes, and fits the settings. Raises ``UnusableStore``."""
    until, pause = monotonic() + STORE_SECONDS, Event()
    while True:
        try:
            return check_layout(store, Keys(partitions))
        except StorageUnavailable as error:
            if monotonic() > until:
                raise StoreUnreachable(f"{place} takes no writes: its own log says why.") from error
        pause.wait(LOOK_SECONDS)
