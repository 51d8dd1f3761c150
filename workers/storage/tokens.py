"""Tokens of clients. The store has only their hashes, with the game or job that each belongs to.

A token contains the id of its game or job: ``rs_<game>_<random>``, ``rj_<job>_<random>``. Therefore a token is
looked up in one place, without an index of all tokens. The id alone proves nothing: the token's hash must be stored
with the game or job.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Final, Self

from redis import Redis
from redis.client import Pipeline

from workers.storage.commands import run_pipeline
from workers.storage.keys import Keys

TOKEN_PATTERN: Final = re.compile(r"r([shij])_([0-9a-f]{20})_[A-Za-z0-9_-]{43}")
"""Kind (``s`` seat, ``h`` host, ``i`` invitation, ``j`` job), id of the game or job, and 256 random bits."""

JOB_KIND: Final = "j"

HOST_HOLDER: Final = "host"
INVITE_HOLDER: Final = "invite"
"""Holders of a game's tokens that are no seats."""


def digest(token: str) -> str:
    """Return the SHA-256 of a token in hexadecimal. The store has only this hash, not the token."""
    return sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class Token:
    """A token that a client sent: its hash, and its game or job if it is well-formed."""

    hash: str
    game: str | None = None
    job: str | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a token. Any text is accepted."""
        named = TOKEN_PATTERN.fullmatch(text)
        if named is None:
            return cls(digest(text))
        kind, owner = named.groups()
        return cls(digest(text), job=owner) if kind == JOB_KIND else cls(digest(text), game=owner)

    def is_among(self, hashes: list[bytes | None]) -> bool:
        """Return whether the token's hash is among *hashes*."""
        return any(compare_digest(one, self.hash.encode()) for one in hashes if one is not None)


def queue_owner_lookup(pipe: Pipeline, keys: Keys, token: Token) -> None:
    """Add to *pipe* a read of the token hashes of the game or job that *token* names. Add nothing if it names none."""
    if token.game is not None:
        pipe.hvals(keys.tokens(token.game))
    elif token.job is not None:
        pipe.hmget(keys.task(token.job), "owner")


def token_exists(redis: Redis, keys: Keys, token: Token) -> bool:
    """Return whether any game or job has this token."""
    owners = run_pipeline(redis, lambda pipe: queue_owner_lookup(pipe, keys, token))
    return any(token.is_among(hashes) for hashes in owners)
