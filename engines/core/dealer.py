"""Shuffling: a verifiable dealer for hosted games, and a fast one for search.

The verifiable dealer is specified in docs/fairness.md: block *i* is the HMAC-SHA256 of the decimal number *i* with the
seed text as key. The 32 bytes of a block are eight big-endian words of 32 bits, used in order.
"""

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

VALUES_PER_WORD: Final = 1 << 32
WORDS_IN_BLOCK: Final = 8


class Dealer(ABC):
    """The only source of shuffles and random numbers in a position."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """Return a uniform random integer from 0 to *bound* - 1."""

    @abstractmethod
    def shuffle(self, cards: list[Any]) -> None:
        """Shuffle *cards* in place; index 0 is the top."""


class SeededDealer(Dealer):
    """The dealer of hosted games: a seed text determines a stream of words, which is the same on every machine.

    Each call of ``Ruleset.new`` or ``Position.apply`` gets a dealer of its own, and all shuffles in it use one stream.
    A seed that is costly to compute can be passed as a function. The function is called when the first word is needed:
    most actions don't shuffle, and never need it.
    """

    def __init__(self, seed: str | Callable[[], str]) -> None:
        """Set the seed text. Raises ``UnicodeEncodeError`` for a text with lone surrogates."""
        self._seed = None if isinstance(seed, str) else seed
        self._key = seed.encode() if isinstance(seed, str) else b""
        self._blocks = 0
        self._words: list[int] = []

    def below(self, bound: int) -> int:
        """Return the next word of the stream modulo *bound*, so that all results are equally probable.

        Words are skipped unless they are below the largest multiple of *bound* that is at most 2**32.
        """
        limit = VALUES_PER_WORD - VALUES_PER_WORD % bound
        while True:
            word = self._word()
            if word < limit:
                return word % bound

    def shuffle(self, cards: list[Any]) -> None:
        """Shuffle by Fisher-Yates, from the last index down to 1; fewer than two cards use no word."""
        for index in range(len(cards) - 1, 0, -1):
            other = self.below(index + 1)
            cards[index], cards[other] = cards[other], cards[index]

    def _word(self) -> int:
        if not self._words:
            if self._seed is not None and not self._blocks:
                self._key = self._seed().encode()
            block = hmac.digest(self._key, str(self._blocks).encode(), "sha256")
            self._blocks += 1
            self._words = [int.from_bytes(block[4 * i : 4 * i + 4], "big") for i in reversed(range(WORDS_IN_BLOCK))]
        return self._words.pop()


class SimulationDealer(Dealer):
    """The dealer of simulations: uniform and fast, not verifiable."""

    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def below(self, bound: int) -> int:
        return int(self._random() * bound)

    def shuffle(self, cards: list[Any]) -> None:
        random = self._random
        for index in range(len(cards) - 1, 0, -1):
            other = int(random() * (index + 1))
            cards[index], cards[other] = cards[other], cards[index]


class CoupledDealer(Dealer):
    """A dealer for comparing simulations: with equal *luck*, similar piles get similar orders (common random numbers).

    *pile* is the draw pile at the start of the simulation, in a random order that no player knows. ``shuffle`` keeps
    the order of the cards that have stayed in the pile. It inserts each added card at a random place, which depends on
    the luck, the card and the number of earlier shuffles. Because the old order is unknown, the result is uniform.
    """

    def __init__(self, pile: Sequence[int], luck: int) -> None:
        rng = Random(luck)
        self._luck, self._mixed, self._random = luck, 0, rng.random
        places = [rng.random() for _ in pile]
        places.sort()
        self._places: dict[int, float] = {}
        """Sort key of each card for ``shuffle``, 0 to 1. An added card's key exceeds those of cards drawn before."""
        for index, card in enumerate(pile):
            self._places[card] = places[index]

    def below(self, bound: int) -> int:
        return int(self._random() * bound)

    def shuffle(self, cards: list[Any]) -> None:
        places, last, known, drawn = self._places, -1.0, 0, 0.0
        for card in cards:
            place = places.get(card, -1.0)
            if place <= last:
                break
            last = place
            known += 1
        if known:
            first = places[cards[0]]
            for place in places.values():
                if drawn < place < first:
                    drawn = place
        for card in cards[known:]:  # added to the pile since the last shuffle
            places[card] = drawn + (1 - drawn) * Random((self._luck << 8) + 60 * self._mixed + card).random()
        self._mixed += 1
        cards.sort(key=places.__getitem__)


class NoShuffleDealer(Dealer):
    """A dealer that leaves cards in order, to show what an action does apart from chance."""

    def below(self, bound: int) -> int:
        return 0

    def shuffle(self, cards: list[Any]) -> None:
        """Leave *cards* in order."""


NO_SHUFFLE: Final = NoShuffleDealer()


def commitment(seed: bytes) -> str:
    """Return the hexadecimal SHA-256 of the secret seed's 32 bytes. It is published before anybody joins."""
    return hashlib.sha256(seed).hexdigest()


def game_key(seed: bytes, client_seeds: Sequence[str]) -> bytes:
    """Return the game key: the secret seed mixed with every seat's client seed (empty if a seat gave none)."""
    return hmac.digest(seed, "\n".join(client_seeds).encode(), "sha256")


def action_seed(key: bytes, number: int) -> str:
    """Return the seed text of action *number* of the game; 0 is the deal."""
    return hmac.digest(key, str(number).encode(), "sha256").hex()


def player_seed(key: bytes, version: int, seat: int) -> str:
    """Return the seed text of the AI of *seat* at *version*. It can't be predicted, and is published in the record."""
    return hmac.digest(key, f"ai {version} {seat}".encode(), "sha256").hex()
