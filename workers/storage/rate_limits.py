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
from workers.storage.connection import call, pipelined
from workers.storage.errors import DamagedKey
from workers.storage.keys import Keys
from workers.storage.tokens import Token, token_exists

WINDOW_SECONDS: Final = 60
SHARES: Final = 50
"""So many shares make a budget."""

MOST_REMEMBERED: Final = 10_000
"""So many clients are remembered at a time; others' shares lapse early."""


@dataclass(frozen=True)
class RateLimitStatus:
    """How a client stands after a request."""

    budget: str
    limit: int
    left: int
    """Requests that it may still make in this window; negative if this one was too many."""
    seconds: int
    """Until the window ends."""


@dataclass
class _Lease:
    """Requests that a process may still hand out, those that nobody has taken yet, and when both lapse."""

    held: int
    untaken: int
    until: float


class RateLimiter:
    """The budgets of all clients, as one process sees them."""

    def __init__(self, redis: Redis, names: Keys, clock: Callable[[], float] = monotonic) -> None:
        self._redis = redis
        self._keys = names
        self._clock = clock
        self._shares: dict[tuple[str, str], _Lease] = {}
        self._owners: dict[str, str] = {}
        """By the hash of a token that there is: the game or task that pays for it."""
        self._lock = Lock()

    def spend(self, budget: str, limit: int, token: Token | None, address: str) -> RateLimitStatus:
        """Spend one of *limit* requests: of the game's or task's whose token it is, else of the address's.

        Raises ``StorageUnavailable``.
        """
        owner = address if token is None else self._owners.get(token.hash)
        if owner is None and token is not None:
            owner = self._owner(token)
        # Whoever invents tokens gains nothing by it, and a share for each would cost those at the same address.
        payer, share = (budget, owner or address), max(1, limit // SHARES) if owner else 1
        held = self._spend_held(payer, limit)
        return self._spend_taken(payer, limit, self._take(payer, limit, share)) if held is None else held

    def spend_here(self, budget: str, limit: int, address: str) -> RateLimitStatus:
        """Spend one of *limit* requests that an address may make of this process; nobody else is asked."""
        payer = (budget, address)
        held = self._spend_held(payer, limit)
        taken = _Lease(limit, 0, self._clock() + WINDOW_SECONDS)
        return self._spend_taken(payer, limit, taken) if held is None else held

    def _owner(self, token: Token) -> str | None:
        """Return what pays for a token; None if there is no such token. Raises ``StorageUnavailable``."""
        if not token_exists(self._redis, self._keys, token):
            return None
        owner = token.game or token.job or token.hash
        if len(self._owners) >= MOST_REMEMBERED:
            self._owners.clear()
        self._owners[token.hash] = owner
        return owner

    def _take(self, payer: tuple[str, str], limit: int, share: int) -> _Lease:
        """Take a *share* from what the payer may still ask for in this window.

        One that would last longer than a window is of before the store's clock was set back: it is over.
        """
        name = keys.budget(*payer)

        def order(pipe: Pipeline) -> None:
            pipe.pttl(name)
            pipe.incrby(name, share)
            pipe.pexpire(name, WINDOW_SECONDS * 1000, nx=True)
            pipe.pttl(name)

        try:
            before, taken, _, milliseconds = pipelined(self._redis, order)
        except DamagedKey:  # it lasts a minute at most, and there is nothing in it to keep
            call(lambda: self._redis.delete(name))
            return self._take(payer, limit, share)
        if before > WINDOW_SECONDS * 1000:
            call(lambda: self._redis.delete(name))
            return self._take(payer, limit, share)
        return _Lease(share, limit - taken, self._clock() + milliseconds / 1000)

    def _spend_held(self, payer: tuple[str, str], limit: int) -> RateLimitStatus | None:
        """Spend one of the share that is held; None if the storage must be asked."""
        with self._lock:
            share, now = self._shares.get(payer), self._clock()
            if share is None or share.until <= now or (share.held == 0 and share.untaken > 0):
                return None
            left = share.held + share.untaken - 1
            share.held = max(0, share.held - 1)
        return RateLimitStatus(payer[0], limit, left, ceil(share.until - now))

    def _spend_taken(self, payer: tuple[str, str], limit: int, taken: _Lease) -> RateLimitStatus:
        """Spend one of a share that was *taken*, as far as that is within the budget, and hold the rest."""
        granted = max(0, taken.held + min(0, taken.untaken))
        taken.untaken = max(0, taken.untaken)
        with self._lock:
            now = self._clock()
            known = self._shares.get(payer)
            if known is None and len(self._shares) >= MOST_REMEMBERED:
                self._shares.clear()
            taken.held = max(0, granted - 1)
            if known is not None and known.until > now:
                taken.held += known.held
            self._shares[payer] = taken
            left = taken.held + taken.untaken if granted else -1
        return RateLimitStatus(payer[0], limit, left, max(1, ceil(taken.until - now)))
