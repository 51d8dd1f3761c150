"""Encodes observations as fragments: byte strings in which each byte is one bit, 0 or 1. An observation joins them."""

from typing import Final

from engines.core.cards import PACK

PACK_SIZE: Final = len(PACK)
"""Number of bits of a set of cards."""
CHUNK_BITS: Final = 9
"""Number of bits that one look-up in ``CHUNK_FRAGMENTS`` encodes; six look-ups encode a set of cards."""

CHUNK_FRAGMENTS: Final[tuple[bytes, ...]] = tuple(
    [bytes([value >> place & 1 for place in range(CHUNK_BITS)]) for value in range(1 << CHUNK_BITS)]
)
"""The fragment for each integer of ``CHUNK_BITS`` bits, the lowest bit first."""


def one_hot(length: int) -> tuple[bytes, ...]:
    """Return fragments of *length* bits. Fragment *i* has only bit *i* set; the last fragment has no bit set."""
    return tuple([bytes([place == value for place in range(length)]) for value in range(length + 1)])


FLAG_FRAGMENTS: Final[tuple[bytes, ...]] = (b"\0", b"\1")
"""The fragments of False and True."""
NO_CARDS_FRAGMENT: Final = bytes(PACK_SIZE)
ONE_CARD_FRAGMENTS: Final[tuple[bytes, ...]] = one_hot(PACK_SIZE)
"""The fragment of the set with only one card, by that card. The last fragment is the empty set."""


def add_cards(cards: int, fragments: list[bytes]) -> None:
    """Append a set of cards as bits; *cards* is a mask as ``cards.mask_of`` returns it."""
    fragments.append(CHUNK_FRAGMENTS[cards & 511])
    fragments.append(CHUNK_FRAGMENTS[cards >> 9 & 511])
    fragments.append(CHUNK_FRAGMENTS[cards >> 18 & 511])
    fragments.append(CHUNK_FRAGMENTS[cards >> 27 & 511])
    fragments.append(CHUNK_FRAGMENTS[cards >> 36 & 511])
    fragments.append(CHUNK_FRAGMENTS[cards >> 45 & 511])
