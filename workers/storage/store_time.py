"""The clock of the store's server: one clock for all machines (workers/clock_jumps.py)."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from redis import Redis

from workers.storage.commands import run_command


class StoreTime:
    """The clock of a store. With *clock*, which tests set, scripts use that clock instead."""

    def __init__(self, redis: Redis, clock: Callable[[], datetime] | None = None) -> None:
        self._redis = redis
        self.clock = clock

    def __call__(self) -> float:
        """Return the time in epoch seconds. Raises ``StorageUnavailable``."""
        if self.clock is not None:
            return self.clock().timestamp()
        reply: Any = run_command(self._redis.time)
        return float(reply[0]) + float(reply[1]) / 1e6

    def argument(self) -> str:
        """Return the time argument of a script: epoch seconds, or "" for the server's own clock."""
        return "" if self.clock is None else repr(self.clock().timestamp())
