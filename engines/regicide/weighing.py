"""How an adept judges a play: what is certain and what is likely of its outcome, from one hand and what is public."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from engines.cards import CLUBS, DIAMONDS, HEARTS, PACK, SPADES, Card, suit_of
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import FIRST_JESTER, HAND_LIMIT, HEALTH, SUFFER, VALUE, Throw

MEAN_VALUE: Final = 5.4
"""What an unknown card is worth: 2-10 and the companions, evenly."""

MEAN_WORTH: Final = 7.0
"""What an unknown card is worth with its power."""

SUIT_WORTH: Final = (10, 29, 5, 18)
"""What a suit's power adds to a card's worth, in tenths: C, D, H, S."""

JESTER_WORTH: Final = 62
"""In tenths."""

WORTH: Final = tuple(
    [JESTER_WORTH if card >= FIRST_JESTER else 10 * VALUE[card] + SUIT_WORTH[suit_of(card)] for card in PACK]
)
"""By card: what it is worth in hand, in tenths."""

PLENTY: Final = 1000.0
"""More value than any blow asks for."""

LEAST_OVERHEAD: Final = 5
"""What a discard costs beyond the value that it covers, at least, in tenths."""

HOPELESS: Final = 1 << 40
"""More than any hand is worth."""

HEART: Final = 1 << HEARTS
DIAMOND: Final = 1 << DIAMONDS
CLUB: Final = 1 << CLUBS
SPADE: Final = 1 << SPADES


@dataclass(frozen=True)
class Weights:
    """What the adept cares for; found by a random search over 20,000 games, wins counted ten enemies."""

    won: float = 10000.0
    kill: float = 30.0
    exact: float = 3.2
    """An exact kill, for each 10 points that the royal is worth."""
    overkill: float = 0.2
    """A point of damage wasted."""
    damage: float = 0.9
    """A point of damage done."""
    death: float = 1000.0
    """Not surviving the blow."""
    gamble: float = 43.0
    """Surviving the blow only if the cards drawn are good."""
    bare: float = 60.0
    """Meeting the next enemy with an empty hand."""
    flip: float = 46.0
    """A Jester to flip (R17)."""
    jester: float = 14.8
    """A Jester in hand."""
    cancelled: float = 40.0
    """Immunity taken from an unhurt enemy."""
    worth: float = 1.1
    """A point of worth kept in hand."""
    drawn: float = 5.5
    """A card drawn by somebody else."""
    healed: float = 3.8
    """A card healed into an empty Tavern; less the fuller it is."""
    full_tavern: float = 28.0
    """The Tavern that needs no healing."""
    shield: float = 1.8
    """A point of attack shielded, for each blow that is still to come."""
    turn_damage: float = 15.3
    """Damage that a turn does, for guessing how many blows are to come."""
    thin: float = 1.4
    """A point by which the next player's hand is likely short of the blow."""
    wounded: float = 1.5
    """The enemy still standing."""


@cache
def spent(cards: tuple[Card, ...]) -> int:
    """Return what *cards* are worth in hand, in tenths."""
    return sum([WORTH[card] for card in cards])


@lru_cache(maxsize=1 << 17)
def cheapest(hand: tuple[Card, ...], attack: int) -> tuple[int, tuple[Card, ...]]:
    """Return the least worth, in tenths, that covers *attack* from *hand*, and the cards; no cards if it can't be."""
    best, best_cards = HOPELESS, ()
    open_sets: list[tuple[int, int, tuple[Card, ...]]] = [(0, 0, ())]
    for card in sorted(hand, key=VALUE.__getitem__, reverse=True):
        value, worth = VALUE[card], WORTH[card]
        for total, cost, cards in open_sets[:]:
            cost += worth
            if cost >= best:
                continue
            total += value
            if total >= attack:
                best, best_cards = cost, (*cards, card)
            else:
                open_sets.append((total, cost, (*cards, card)))
    return best, tuple(sorted(best_cards))


class Scale:
    """One decision of one seat, made ready: what all that it may do is weighed against."""

    __slots__ = (
        "attack",
        "hand",
        "health",
        "left",
        "position",
        "powers",
        "seat",
        "spare",
        "tavern",
        "value",
        "weights",
        "worth",
    )

    def __init__(self, position: RegicidePosition, seat: int, weights: Weights) -> None:
        self.position, self.seat, self.weights = position, seat, weights
        self.hand = tuple(sorted(position.hands[seat]))
        self.value = sum([VALUE[card] for card in self.hand])
        self.worth = sum([WORTH[card] for card in self.hand])
        self.powers = position.powers
        self.attack = position.attack
        self.health = HEALTH[position.enemy]
        self.left = self.health - position.damage
        self.tavern = len(position.tavern)
        self.spare = PLENTY
        if position.players > 1:
            self.spare = MEAN_VALUE * len(position.hands[(seat + 1) % position.players])

    def throw(self, throw: Throw) -> tuple[float, int]:
        """Return what a play is worth before the next blow is paid for, and that blow: 0 if nothing is to be paid.

        Its powers, its damage, what stays in hand, and whether that is enough.
        """
        if not throw.suits:
            return self._jester(), 0
        weights, position = self.weights, self.position
        attack, suits = throw.attack, throw.suits & self.powers
        score, own, tavern = 0.0, 0, self.tavern
        if suits & HEART:
            healed = min(attack, len(position.discard))
            score = weights.healed * healed * max(0.0, 1 - tavern / weights.full_tavern)
            tavern += healed
        if suits & DIAMOND:
            own, others = self._draws(len(throw.cards), attack, tavern)
            score += weights.drawn * others
        damage = 2 * attack if suits & CLUB else attack
        left = self.left - damage
        kept = self.worth - spent(throw.cards)
        score += weights.worth * (kept / 10 + own * MEAN_WORTH)
        if left <= 0:
            return score + self._kill(len(self.hand) - len(throw.cards) + own, left), 0
        blow = self.attack
        if suits & SPADE:
            saved = min(attack, blow)
            blow -= saved
            score += weights.shield * saved * (left / weights.turn_damage)
        return self.suffering(score + weights.damage * damage, self.value - attack, own, blow, left)

    def suffering(self, score: float, value: int, drawn: int, blow: int, left: int) -> tuple[float, int]:
        """Weigh the enemy's blow on *value* kept and on cards drawn, and the next player's chances (R13, R14)."""
        weights = self.weights
        if value < blow:
            short = blow - value - drawn * MEAN_VALUE
            if short > 0 or drawn == 0:
                end = weights.flip if self.position.jesters_left else weights.death
                return score - weights.worth * blow - end - short, 0
            score -= weights.worth * (blow + MEAN_WORTH) + weights.gamble / (1 + drawn)
        score -= weights.thin * max(0.0, blow - self.spare) + weights.wounded * left / self.health
        return score, blow if value >= blow else 0

    def price(self, cards: tuple[Card, ...], blow: int) -> float:
        """Return what it costs to cover *blow* once *cards* have been played."""
        kept = tuple([card for card in self.hand if card not in cards])
        return self.weights.worth * cheapest(kept, blow)[0] / 10

    def least_price(self, blow: int) -> float:
        """Return what covering *blow* costs at least."""
        return self.weights.worth * (blow + LEAST_OVERHEAD / 10)

    def idle(self) -> tuple[float, int]:
        """Weigh a yield, as ``throw`` weighs a play (R15)."""
        return self.suffering(self.weights.worth * self.worth / 10, self.value, 0, self.attack, self.left)

    def flip(self) -> float:
        """Weigh a fresh hand against this one (R17)."""
        fresh = min(HAND_LIMIT[1], self.tavern) * MEAN_WORTH
        blow = self.attack if self.position.phase == SUFFER else 0
        return self.weights.worth * (fresh - blow - self.worth / 10) - self.weights.flip

    def _jester(self) -> float:
        """Weigh a Jester: the enemy's immunity for a turn without a blow (R10)."""
        weights = self.weights
        score = weights.worth * (self.worth - JESTER_WORTH) / 10 - weights.jester
        return score + weights.cancelled * (self.left / self.health) if self.position.immune else score

    def _kill(self, cards: int, left: int) -> float:
        """Weigh a defeat: what is left in hand meets the next enemy at once (R12)."""
        weights = self.weights
        if not self.position.castle:
            return weights.won
        score = weights.kill if cards else weights.kill - weights.bare
        return score + (weights.exact * self.health / 20 if left == 0 else weights.overkill * left)

    def _draws(self, played: int, count: int, tavern: int) -> tuple[int, int]:
        """Return how many cards a diamond of *count* brings to the seat, which plays *played* cards, and to others."""
        position, seat = self.position, self.seat
        limit = HAND_LIMIT[position.players]
        room = [limit - len(hand) for hand in position.hands]
        room[seat] += played
        count = min(count, tavern, sum(room))
        if position.players == 1:
            return count, 0
        return shares(tuple(room[seat:] + room[:seat]), count)


@lru_cache(maxsize=1 << 16)
def shares(room: tuple[int, ...], count: int) -> tuple[int, int]:
    """Return how many of *count* cards the first seat draws, and the others, when all have that much room (R6)."""
    left, turn = list(room), 0
    for _ in range(count):
        while not left[turn]:
            turn = (turn + 1) % len(left)
        left[turn] -= 1
        turn = (turn + 1) % len(left)
    own = room[0] - left[0]
    return own, count - own
