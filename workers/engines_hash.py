"""A hash of the engines' source, which says whether results of two processes come from the same engines."""

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
"""The same whether they are compiled or not. Results of other engines can't be added to what these find."""
