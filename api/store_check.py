"""The check of a store before anything is started on it."""

from contextlib import closing
from threading import Event
from time import monotonic
from typing import Final

from workers.addresses import Address
from workers.settings import Settings, UnusableStore
from workers.storage.checks import check_stores
from workers.storage.clients import connect
from workers.storage.errors import StorageUnavailable
from workers.storage.keys import Keys
from workers.storage.layout import settle

STORE_SECONDS: Final = 5.0
"""How long a store that somebody else starts may take."""

LOOK_SECONDS: Final = 0.05
"""Between two looks at a store that isn't ready yet."""


def check_store(settings: Settings) -> None:
    """Wait a few seconds until the store that REDIS_URL names answers and fits the settings. Raises ``CannotStart``."""
    if settings.redis_url is None:
        return None
    until, pause = monotonic() + STORE_SECONDS, Event()
    check_stores(settings, STORE_SECONDS)
    with closing(connect(settings)) as store:
        while True:
            try:
                return settle(store, Keys(settings.partitions))
            except StorageUnavailable as error:
                if monotonic() > until:
                    place = Address.read(settings.redis_url).place
                    raise UnusableStore(f"{place} takes no writes: its own log says why.") from error
            pause.wait(LOOK_SECONDS)
