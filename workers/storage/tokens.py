"""Tokens: who asks. The storage knows their hashes alone, each beside the game or task whose it is.

A token names its game, or its job: ``rs_<game>_<random>``, ``rj_<job>_<random>``. So it is looked up in one place, and
there is no list of all tokens. What a token says of itself proves nothing: its hash must be there.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Final, Self

from redis import Redis
from redis.client import Pipeline

from workers.storage.connection import pipelined
from workers.storage.keys import Keys

TOKEN: Final = re.compile(r"r([shij])_([0-9a-f]{20})_[A-Za-z0-9_-]{43}")
"""Of a seat, a host, an invitation or a job; whose; 256 random bits."""

JOB: Final = "j"


def digest(token: str) -> str:
    """Return what is kept of a token: its SHA-256, in hex."""
    return sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class Token:
    """A token that somebody sent: its hash, and the game or the job that it names, if it is written like a token."""

    hash: str
    """What is kept of it."""
    game: str | None = None
    job: str | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the token of this text, whatever that is."""
        named = TOKEN.fullmatch(text)
        if named is None:
            return cls(digest(text))
        kind, owner = named.groups()
        return cls(digest(text), job=owner) if kind == JOB else cls(digest(text), game=owner)

    def is_among(self, hashes: list[bytes | None]) -> bool:
        """It is one of those of which the storage has the *hashes*."""
        return any(compare_digest(one, self.hash.encode()) for one in hashes if one is not None)


def queue_owner_lookup(pipe: Pipeline, keys: Keys, token: Token) -> None:
    """Ask in *pipe* for the hashes of the game or job that a token names, if it names one."""
    if token.game is not None:
        pipe.hvals(keys.tokens(token.game))
    elif token.job is not None:
        pipe.hmget(keys.task(token.job), "owner")


def token_exists(redis: Redis, keys: Keys, token: Token) -> bool:
    """Some game or task has this token."""
    return any(
        token.is_among(hashes) for hashes in pipelined(redis, lambda pipe: queue_owner_lookup(pipe, keys, token))
    )
