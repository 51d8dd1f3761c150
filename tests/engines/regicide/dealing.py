"""The verifiable dealer once more, so that deals can be checked card by card (docs/fairness.md)."""

import hmac
from collections.abc import Iterator


class Dealer:
    """The verifiable dealer, written from docs/fairness.md alone."""

    def __init__(self, seed: str) -> None:
        """Begin the stream of words of *seed*."""
        self._words = self._stream(seed.encode())

    @staticmethod
    def _stream(key: bytes) -> Iterator[int]:
        block = 0
        while True:
            digest = hmac.digest(key, str(block).encode(), "sha256")
            yield from (int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4))
            block += 1

    def below(self, bound: int) -> int:
        """Return a number below *bound*; words that would favour small numbers are passed over."""
        return next(word for word in self._words if word < bound * (2**32 // bound)) % bound

    def shuffled(self, cards: list[str]) -> list[str]:
        """Return *cards* shuffled from the last place down."""
        pile = list(cards)
        for place in range(len(pile) - 1, 0, -1):
            other = self.below(place + 1)
            pile[place], pile[other] = pile[other], pile[place]
        return pile
