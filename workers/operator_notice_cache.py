"""Keeps a process's copy of the operator's notice up to date, for resources and streams."""

from threading import Event
from typing import Final

import structlog

from workers.feed import Feed
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.store import Store

REFRESH_INTERVAL_SECONDS: Final = 1.0

log: Final = structlog.get_logger(__name__)


class NoticeCache:
    """Reads the notice once a second, and announces changes to the subscribers of a feed."""

    def __init__(self, store: Store, feed: Feed) -> None:
        self._store = store
        self._feed = feed

    def refresh(self) -> None:
        """Read the notice. Raises ``StorageUnavailable``, ``DamagedKey``."""
        self._feed.announce(self._store.notice.read())

    def run(self, stop: Event) -> None:
        """Refresh the notice until *stop* is set. While the store can't be read, the last notice is kept."""
        while True:
            try:
                self.refresh()
            except (StorageUnavailable, DamagedKey):
                pass  # the threads that need the store log the outage
            except Exception:
                log.exception("notice_failed")
            if stop.wait(REFRESH_INTERVAL_SECONDS):
                return
