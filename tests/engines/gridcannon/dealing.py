"""The verifiable dealer and the opening, written again from their description (docs/fairness.md; G3, G4, G23).

It is here so that nothing of the engine checks itself.
"""

import hmac
from collections.abc import Iterator
from itertools import count, cycle

from tests.engines.gridcannon.table import CELLS, FAMILIES, NUMBERS, PACK, ROYALS, SUITS, grid
from tests.engines.referee import Json


class Dealer:
    """One stream of 32-bit words for each seed text."""

    def __init__(self, seed: str) -> None:
        self.rejected = 0
        self._words = self._stream(seed.encode())

    @staticmethod
    def _stream(key: bytes) -> Iterator[int]:
        for number in count():
            block = hmac.digest(key, str(number).encode(), "sha256")
            for place in range(0, 32, 4):
                yield int.from_bytes(block[place : place + 4], "big")

    def below(self, limit: int) -> int:
        """Return a number under *limit*: words from the uneven rest of 2**32 are passed over."""
        word = next(self._words)
        while word >= limit * (2**32 // limit):
            self.rejected += 1
            word = next(self._words)
        return word % limit

    def shuffle(self, pile: list[str]) -> list[str]:
        """Return *pile* shuffled, from the last place down to place 1."""
        pile = list(pile)
        for place in range(len(pile) - 1, 0, -1):
            other = self.below(place + 1)
            pile[place], pile[other] = pile[other], pile[place]
        return pile


def shuffled(pile: list[str], seed: str = "s") -> list[str]:
    """Return *pile* after the one shuffle of an action that was given *seed*."""
    return Dealer(seed).shuffle(pile)


def families_of(players: int, chosen: list[str | None] | None = None) -> list[str]:
    """Return each seat's family: the chosen ones, the others in the order of G1."""
    chosen = chosen or [None] * players
    left = iter(family for family in FAMILIES[players] if family not in chosen)
    return [family or next(left) for family in chosen]


def family_seat(families: list[str], royal: str) -> int:
    """Return the seat whose family *royal* is of."""
    return next(seat for seat, family in enumerate(families) if royal[1] in SUITS[family])


def opening(players: int, options: Json, seed: str) -> tuple[Json, int]:
    """Return the position that ``new`` must answer, and how many words the dealer passed over."""
    dealer = Dealer(seed)
    families = families_of(players, options.get("families"))
    without = {"AC", "AD", "X2"} if options.get("reduced_ploys") else set()
    aside = dealer.shuffle(ROYALS)
    pile = dealer.shuffle([card for card in PACK if card not in ROYALS and card not in without])
    first = [next(card for card in aside if family_seat(families, card) == seat) for seat in range(players)]
    laid: list[str] = []
    arsenals: list[list[str]] = [[] for _ in range(players)]
    for seat in cycle(range(players)):
        card = pile.pop(0)
        (laid if card in NUMBERS else arsenals[seat]).append(card)
        if len(laid) == 8:
            break
    free = [cell for cell in CELLS if cell != "c3"]
    return {
        "ruleset": "gridcannon",
        "players": players,
        "phase": "setup",
        "turn": 0,
        "turns": 0,
        "families": families,
        "grid": grid() | {cell: [card] for cell, card in zip(free, laid, strict=True)},
        "royals": {},
        "draw_pile": pile,
        "known_bottom": 0,
        "drawn": None,
        "opening": [{"seat": seat, "card": card} for seat, card in enumerate(first)],
        "aside": [card for card in aside if card not in first],
        "arsenals": arsenals,
        "ploys": [],
        "recalled": [],
        "turn_limit": options.get("turn_limit", 1000),
        "outcome": None,
    }, dealer.rejected
