"""Which engines these are: what other ones think can't be added to what these do, nor audited by them."""

from hashlib import sha256
from pathlib import Path
from typing import Final

import engines


def _hash() -> str:
    digest = sha256()
    for source in sorted(Path(engines.__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


ENGINES: Final = _hash()
"""A hash of the engines' source; it is the same whether they are compiled or not."""
