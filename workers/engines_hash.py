"""A hash of the engines' source code: processes with equal hashes compute equal results."""

from hashlib import sha256
from pathlib import Path
from typing import Final

import engines

UNHASHED_FOLDERS: Final = {"benchmarks", "training"}
"""Subfolders of a game that the hash leaves out: AI decisions don't depend on them, and wheels lack them."""


def _hash() -> str:
    digest = sha256()
    for source in sorted(Path(engines.__file__).parent.rglob("*.py")):
        if source.parent.name not in UNHASHED_FOLDERS:
            digest.update(source.read_bytes())
    return digest.hexdigest()


ENGINES_HASH: Final = _hash()
"""The hash of this process's engines. Compiled and interpreted engines have the same hash.

Partial results of engines with different hashes must not be combined.
"""
