"""Observations as bits: fragments of bytes, each 0 or 1, that are joined."""

from typing import Final

from engines.core.cards import PACK

WIDTH: Final = len(PACK)
"""Number of bits of a set of cards."""
CHUNK: Final = 9
"""Six chunks make a set of cards."""

CHUNKS: Final[tuple[bytes, ...]] = tuple(
    [bytes([value >> place & 1 for place in range(CHUNK)]) for value in range(1 << CHUNK)]
)
"""By value: the bits of a chunk, the lowest first."""


def one_hot(length: int) -> tuple[bytes, ...]:
    """Return by index a fragment of *length* bits with that one set; the last has none."""
    return tuple([bytes([place == value for place in range(length)]) for value in range(length + 1)])


FLAG: Final[tuple[bytes, ...]] = (b"\0", b"\1")
"""A single bit."""
NO_CARDS: Final = bytes(WIDTH)
ONE_CARD: Final[tuple[bytes, ...]] = one_hot(WIDTH)
"""By card: a set of it alone; the last is empty."""


def add_cards(cards: int, fragments: list[bytes]) -> None:
    """Append a set of cards, a bit for each as in ``cards.mask_of``."""
    fragments.append(CHUNKS[cards & 511])
    fragments.append(CHUNKS[cards >> 9 & 511])
    fragments.append(CHUNKS[cards >> 18 & 511])
    fragments.append(CHUNKS[cards >> 27 & 511])
    fragments.append(CHUNKS[cards >> 36 & 511])
    fragments.append(CHUNKS[cards >> 45 & 511])
