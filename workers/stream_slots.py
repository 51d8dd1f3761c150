"""Places for who watches live: so many in a process, of which one client has a share at most."""

from collections import Counter
from typing import Final

from workers.metrics import STREAMS
from workers.storage.errors import TooManyStreams

SHARES: Final = 10
MIN_SLOTS: Final = 32
"""One client has a tenth of the places, but so many at least: all who live behind one router are one client."""


class StreamSlots:
    """The places of a process. Whoever uses it holds a lock."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._max_per_client = max(MIN_SLOTS, limit // SHARES)
        self._by_client: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._by_client.total()

    def acquire(self, client: str) -> None:
        """Give *client*, an address, a place. Raises ``TooManyStreams`` if all are taken, or the client's share is."""
        if len(self) >= self._limit or self._by_client[client] >= self._max_per_client:
            raise TooManyStreams
        self._by_client[client] += 1
        STREAMS.inc()

    def release(self, client: str) -> None:
        """Let somebody else have the place that *client* had."""
        self._by_client[client] -= 1
        if not self._by_client[client]:
            del self._by_client[client]
        STREAMS.dec()
