"""Slots for live streams: each process has a limited number, and each client may occupy only a share of them."""

from collections import Counter
from typing import Final

from workers.metrics import OPEN_STREAMS
from workers.storage.errors import TooManyStreams

CLIENT_SHARE_DIVISOR: Final = 10
MIN_SLOTS: Final = 32
"""Number of slots that a client may occupy even if a tenth of all slots is less.

Clients behind one router have one address, so they count as one client.
"""


class StreamSlots:
    """The slots of a process. The object isn't thread-safe: callers must hold a lock."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._max_per_client = max(MIN_SLOTS, limit // CLIENT_SHARE_DIVISOR)
        self._by_client: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._by_client.total()

    def acquire(self, client: str) -> None:
        """Give *client*, an address, a slot. Raises ``TooManyStreams`` if all slots or the client's share are taken."""
        if len(self) >= self._limit or self._by_client[client] >= self._max_per_client:
            raise TooManyStreams
        self._by_client[client] += 1
        OPEN_STREAMS.inc()

    def release(self, client: str) -> None:
        self._by_client[client] -= 1
        if not self._by_client[client]:
            del self._by_client[client]
        OPEN_STREAMS.dec()
