"""Seals of AIs' notes: published when an action is committed, so that a later change of a note is detected.

A seal reveals nothing during the game, because the game key is secret; how far an AI has searched depends on what its
seat knows. When the record has revealed the seed, anyone can compute the seals (docs/fairness.md).
"""

import hmac
from collections.abc import Iterable
from hashlib import sha256
from json import dumps

from engines.core.types import Json


def seal(key: bytes, version: int, seat: int, level: str, work: tuple[int, int]) -> str:
    """Return the seal of the note on the action that made *version*; *work*: its iterations, and a second search's."""
    iterations, helper = work
    return hmac.digest(key, f"note {version} {seat} {level} {iterations} {helper}".encode(), "sha256").hex()


def chain(commitment: str, seals: Iterable[str]) -> str:
    """Return the last link of the hash chain of *seals*, whose first link is the commitment of the seed."""
    link = commitment
    for one in seals:
        link = sha256((link + one).encode()).hexdigest()
    return link


def view_hash(view: Json) -> str:
    """Return the SHA-256 of a view as canonical JSON (sorted keys, no spaces), which proves what an AI saw."""
    return sha256(dumps(view, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()
