"""A hash of the engines' source code: processes with equal hashes compute equal results."""

from hashlib import sha256
from pathlib import Path
from typing import Final

import engines


def _hash() -> str:
    digest = sha256()
    for source in sorted(Path(engines.__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


ENGINES_HASH: Final = _hash()
"""The same for compiled and interpreted engines. Partial results with another hash must not be combined."""
