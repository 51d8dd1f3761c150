"""Rate limits: how many requests a client may make per minute, counted in the store for all processes.

A count in the store is a durable write, which costs more than most requests. Therefore a process leases several
requests at a time and counts their use itself. Unused requests of a lease expire at the end of the window. With several
processes a client may therefore get a few requests less than the limit.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from threading import Lock
from time import monotonic
from typing import Final

from redis import Redis
from redis.client import Pipeline

from workers.storage import keys
from workers.storage.commands import run_command, run_pipeline
from workers.storage.errors import DamagedKey
from workers.storage.keys import Keys
from workers.storage.tokens import Token, token_exists

WINDOW_SECONDS: Final = 60
LEASES_PER_WINDOW: Final = 50
"""A lease is for the limit's number of requests divided by this number, but for at least one request."""

RESERVE_DIVISOR: Final = 8
"""A token's reserve is its game's limit divided by this number."""

MAX_REMEMBERED_CLIENTS: Final = 10_000
"""Maximum number of clients whose leases a process keeps. Above it the process drops all its leases."""


@dataclass(frozen=True)
class RateLimitStatus:
    """The state of a client's rate limit after a request."""

    budget: str
    limit: int
    remaining: int
    """Requests that remain in this window. The number is negative if this request was refused."""
    seconds: int
    """Seconds until the window ends."""


@dataclass
class _Lease:
    """The requests under one limit that this process has leased for one client."""

    available: int
    """Number of leased requests that the client has not used yet."""
    unclaimed: int
    """Requests of the limit that no process has leased yet. Negative if more were leased than the limit."""
    expires: float
    """The end of the window, a time of the process's clock."""


class RateLimiter:
    """The rate limits of all clients, as one process sees them."""

    def __init__(self, redis: Redis, names: Keys, clock: Callable[[], float] = monotonic) -> None:
        self._redis = redis
        self._keys = names
        self._clock = clock
        self._leases: dict[tuple[str, str], _Lease] = {}
        self._owners: dict[str, str] = {}
        """The game or job that a request counts for, by the hash of an existing token."""
        self._in_progress: Counter[tuple[str, str]] = Counter()
        """Number of requests that are being counted now, by limit and hash of the token."""
        self._lock = Lock()

    def consume(self, budget: str, limit: int, token: Token | None, address: str) -> RateLimitStatus:
        """Count a request for the token's game or job, or for the address if the token is missing or unknown.

        *limit* is the number of requests per minute, and *budget* the name of this limit. When the limit of a game is
        used up, a token that has sent fewer than ``limit // RESERVE_DIVISOR`` requests since half of it was used up may
        go on to that number, which each process counts for itself. Returns the state after the request. Raises
        ``StorageUnavailable``.
        """
        owner = address if token is None else self._owners.get(token.hash)
        if owner is None and token is not None:
            owner = self._owner(token)
        # A request with an unknown token counts for the address, so that invented tokens give no more requests. It
        # takes a lease of one request, so that it doesn't reserve a whole batch of the address's requests.
        if owner is None:
            return self._consume(budget, address, limit, 1)
        size = max(1, limit // LEASES_PER_WINDOW)
        if token is None or limit < RESERVE_DIVISOR:
            return self._consume(budget, owner, limit, size)
        with self._marked_in_progress(budget, token.hash):
            standing = self._consume(budget, owner, limit, size)
            if standing.remaining >= limit // 2:
                return standing
            own = self.consume_local(f"{budget} of a token", limit // RESERVE_DIVISOR, token.hash)
            # Requests of this token that the store has counted and this process hasn't yet are counted as used.
            others = self._in_progress[budget, token.hash] - 1
            return standing if standing.remaining >= 0 or own.remaining < others else replace(own, budget=budget)

    @contextmanager
    def _marked_in_progress(self, budget: str, token: str) -> Iterator[None]:
        """Context manager that counts a request of a token as in progress."""
        name = budget, token
        with self._lock:
            self._in_progress[name] += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_progress[name] -= 1
                if not self._in_progress[name]:
                    del self._in_progress[name]

    def _consume(self, budget: str, client: str, limit: int, size: int) -> RateLimitStatus:
        """Count a request for *client*; if a new lease is needed, it is for *size* requests."""
        budget_key = (budget, client)
        held = self._consume_held(budget_key, limit)
        return self._consume_new(budget_key, limit, self._new_lease(budget_key, limit, size)) if held is None else held

    def consume_local(self, budget: str, limit: int, address: str) -> RateLimitStatus:
        """Count a request of an address in this process only, without the store. *limit* is per minute."""
        budget_key = (budget, address)
        held = self._consume_held(budget_key, limit)
        taken = _Lease(limit, 0, self._clock() + WINDOW_SECONDS)
        return self._consume_new(budget_key, limit, taken) if held is None else held

    def _owner(self, token: Token) -> str | None:
        """Return the game or job of a token, or None if no such token exists. Raises ``StorageUnavailable``."""
        if not token_exists(self._redis, self._keys, token):
            return None
        owner = token.game or token.job or token.hash
        if len(self._owners) >= MAX_REMEMBERED_CLIENTS:
            self._owners.clear()
        self._owners[token.hash] = owner
        return owner

    def _new_lease(self, budget_key: tuple[str, str], limit: int, size: int) -> _Lease:
        """Lease *size* requests of the current window.

        A window longer than ``WINDOW_SECONDS`` began before the store's clock was set back, and is discarded.
        """
        name = keys.budget(*budget_key)

        def fill(pipe: Pipeline) -> None:
            pipe.pttl(name)
            pipe.incrby(name, size)
            pipe.pexpire(name, WINDOW_SECONDS * 1000, nx=True)
            pipe.pttl(name)

        try:
            before, taken, _, milliseconds = run_pipeline(self._redis, fill)
        except DamagedKey:  # the damaged key would expire within a minute anyway
            run_command(lambda: self._redis.delete(name))
            return self._new_lease(budget_key, limit, size)
        if before > WINDOW_SECONDS * 1000:
            run_command(lambda: self._redis.delete(name))
            return self._new_lease(budget_key, limit, size)
        return _Lease(size, limit - taken, self._clock() + milliseconds / 1000)

    def _consume_held(self, budget_key: tuple[str, str], limit: int) -> RateLimitStatus | None:
        """Count one request against the current lease. Return None if a new lease is needed."""
        with self._lock:
            lease, now = self._leases.get(budget_key), self._clock()
            if lease is None or lease.expires <= now or (lease.available == 0 and lease.unclaimed > 0):
                return None
            remaining = lease.available + lease.unclaimed - 1
            lease.available = max(0, lease.available - 1)
        return RateLimitStatus(budget_key[0], limit, remaining, ceil(lease.expires - now))

    def _consume_new(self, budget_key: tuple[str, str], limit: int, lease: _Lease) -> RateLimitStatus:
        """Count one request against a new lease and keep the lease. The request is refused if the lease is empty."""
        granted = max(0, lease.available + min(0, lease.unclaimed))
        lease.unclaimed = max(0, lease.unclaimed)
        with self._lock:
            now = self._clock()
            current = self._leases.get(budget_key)
            if current is None and len(self._leases) >= MAX_REMEMBERED_CLIENTS:
                self._leases.clear()
            lease.available = max(0, granted - 1)
            if current is not None and current.expires > now:
                lease.available += current.available
            self._leases[budget_key] = lease
            remaining = lease.available + lease.unclaimed if granted else -1
        return RateLimitStatus(budget_key[0], limit, remaining, max(1, ceil(lease.expires - now)))
