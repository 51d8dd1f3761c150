"""Seals: HMACs of AIs' notes, published with the AIs' actions, so that a later change of a note is detected.

A note contains the number of iterations of an AI's search. Because that number may depend on what the AI's seat knows,
the note is secret during the game, and only its seal is published. The seal reveals nothing, because the game key is
secret. After the game the record reveals the seed, and anyone can compute the seals (docs/fairness.md).
"""

import hmac
from collections.abc import Iterable
from hashlib import sha256
from json import dumps

from engines.core.types import Json


def seal(key: bytes, version: int, seat: int, level: str, work: tuple[int, int]) -> str:
    """Return the seal, in hexadecimal, of the note on the action that led to *version*.

    *work* has the iterations of the search, and those of the second search that versions before 1.0 ran (else 0).
    """
    iterations, helper = work
    return hmac.digest(key, f"note {version} {seat} {level} {iterations} {helper}".encode(), "sha256").hex()


def chain(commitment: str, seals: Iterable[str]) -> str:
    """Return the last link of the hash chain of *seals*.

    The first link is *commitment*, the hash of the secret seed. Each further link is the SHA-256 of a text, which is
    the previous link followed by the next seal. All are in hexadecimal.
    """
    link = commitment
    for one in seals:
        link = sha256((link + one).encode()).hexdigest()
    return link


def view_hash(view: Json) -> str:
    """Return the SHA-256 of a view as canonical JSON (sorted keys, no spaces). It proves what an AI saw."""
    return sha256(dumps(view, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()
