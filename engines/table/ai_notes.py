"""What an AI noted of its choice, sealed as it is committed: nobody can write it otherwise afterwards, unseen.

A seal tells nothing while the game runs, since the game key is secret: how far an AI has searched depends on what its
seat knows. When the record has revealed the seed, everybody can make the seals again (docs/fairness.md).
"""

import hmac
from collections.abc import Iterable
from hashlib import sha256
from json import dumps

from engines.core.types import Json


def seal(key: bytes, version: int, seat: int, level: str, work: tuple[int, int]) -> str:
    """Return the seal of the AI's choice that made *version*; *work*: its iterations, and those of a second search."""
    iterations, helper = work
    return hmac.digest(key, f"note {version} {seat} {level} {iterations} {helper}".encode(), "sha256").hex()


def chain(commitment: str, seals: Iterable[str]) -> str:
    """Return the last link of the chain of *seals*, in order; it begins with the commitment of the game's seed."""
    link = commitment
    for one in seals:
        link = sha256((link + one).encode()).hexdigest()
    return link


def view_hash(view: Json) -> str:
    """Return the hex SHA-256 of a view as UTF-8 JSON, keys sorted, no spaces: what an AI's record shows that it saw."""
    return sha256(dumps(view, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()
