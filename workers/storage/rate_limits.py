"""Rate limits: how many requests a client may make in a minute, counted in the storage for all processes together.

Asking the storage each time would cost more than most requests do (a count is a durable write). So a process takes a
share of a budget at a time and hands it out by itself. A share that isn't used up lapses with the window: with several
processes a client may get a few requests less than it might.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from threading import Lock
from time import monotonic
from typing import Final

from redis import Redis
from redis.client import Pipeline

from workers.storage import keys
from workers.storage.connection import run_command, run_pipeline
from workers.storage.keys import Keys
from workers.storage.tokens import Token, token_exists

WINDOW_SECONDS: Final = 60
LEASES_PER_WINDOW: Final = 50
"""So many shares make a budget."""

MAX_REMEMBERED: Final = 10_000
"""So many clients are remembered at a time; others' shares lapse early."""


@dataclass(frozen=True)
class RateLimitStatus:
    """How a client stands after a request."""

    budget: str
    limit: int
    remaining: int
    """Requests that it may still make in this window; negative if this one was too many."""
    seconds: int
    """Until the window ends."""


@dataclass
class _Lease:
    """Requests that a process may still hand out, those that nobody has taken yet, and when both lapse."""

    available: int
    unclaimed: int
    expires: float


class RateLimiter:
    """The budgets of all clients, as one process sees them."""

    def __init__(self, redis: Redis, names: Keys, clock: Callable[[], float] = monotonic) -> None:
        self._redis = redis
        self._keys = names
        self._clock = clock
        self._leases: dict[tuple[str, str], _Lease] = {}
        self._owners: dict[str, str] = {}
        """By the hash of a token that there is: the game or task that pays for it."""
        self._lock = Lock()

    def consume(self, budget: str, limit: int, token: Token | None, address: str) -> RateLimitStatus:
        """Spend one of *limit* requests: of the game's or task's whose token it is, else of the address's.

        Raises ``StorageUnavailable``.
        """
        owner = address if token is None else self._owners.get(token.hash)
        if owner is None and token is not None:
            owner = self._owner(token)
        # Whoever invents tokens gains nothing by it, and a share for each would cost those at the same address.
        budget_key, size = (budget, owner or address), max(1, limit // LEASES_PER_WINDOW) if owner else 1
        held = self._consume_held(budget_key, limit)
        return self._consume_new(budget_key, limit, self._new_lease(budget_key, limit, size)) if held is None else held

    def consume_local(self, budget: str, limit: int, address: str) -> RateLimitStatus:
        """Spend one of *limit* requests that an address may make of this process; nobody else is asked."""
        budget_key = (budget, address)
        held = self._consume_held(budget_key, limit)
        taken = _Lease(limit, 0, self._clock() + WINDOW_SECONDS)
        return self._consume_new(budget_key, limit, taken) if held is None else held

    def _owner(self, token: Token) -> str | None:
        """Return what pays for a token; None if there is no such token. Raises ``StorageUnavailable``."""
        if not token_exists(self._redis, self._keys, token):
            return None
        owner = token.game or token.job or token.hash
        if len(self._owners) >= MAX_REMEMBERED:
            self._owners.clear()
        self._owners[token.hash] = owner
        return owner

    def _new_lease(self, budget_key: tuple[str, str], limit: int, size: int) -> _Lease:
        """Take a *share* from what the payer may still ask for in this window.

        One that would last longer than a window is of before the store's clock was set back: it is over.
        """
        name = keys.budget(*budget_key)

        def fill(pipe: Pipeline) -> None:
            pipe.pttl(name)
            pipe.incrby(name, size)
            pipe.pexpire(name, WINDOW_SECONDS * 1000, nx=True)
            pipe.pttl(name)

        before, taken, _, milliseconds = run_pipeline(self._redis, fill)
        if before > WINDOW_SECONDS * 1000:
            run_command(lambda: self._redis.delete(name))
            return self._new_lease(budget_key, limit, size)
        return _Lease(size, limit - taken, self._clock() + milliseconds / 1000)

    def _consume_held(self, budget_key: tuple[str, str], limit: int) -> RateLimitStatus | None:
        """Spend one of the share that is held; None if the storage must be asked."""
        with self._lock:
            lease, now = self._leases.get(budget_key), self._clock()
            if lease is None or lease.expires <= now or (lease.available == 0 and lease.unclaimed > 0):
                return None
            remaining = lease.available + lease.unclaimed - 1
            lease.available = max(0, lease.available - 1)
        return RateLimitStatus(budget_key[0], limit, remaining, ceil(lease.expires - now))

    def _consume_new(self, budget_key: tuple[str, str], limit: int, lease: _Lease) -> RateLimitStatus:
        """Spend one of a share that was *taken*, as far as that is within the budget, and hold the rest."""
        granted = max(0, lease.available + min(0, lease.unclaimed))
        lease.unclaimed = max(0, lease.unclaimed)
        with self._lock:
            now = self._clock()
            current = self._leases.get(budget_key)
            if current is None and len(self._leases) >= MAX_REMEMBERED:
                self._leases.clear()
            lease.available = max(0, granted - 1)
            if current is not None and current.expires > now:
                lease.available += current.available
            self._leases[budget_key] = lease
            remaining = lease.available + lease.unclaimed if granted else -1
        return RateLimitStatus(budget_key[0], limit, remaining, max(1, ceil(lease.expires - now)))
