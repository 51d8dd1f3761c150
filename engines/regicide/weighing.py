"""How an adept judges a play: what is certain and what is likely of its outcome, from one hand and what is public."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from engines.cards import CLUBS, DIAMONDS, HEARTS, PACK, SPADES, Card, suit_of
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import (
    FIRST_JESTER,
    FIRST_ROYAL,
    HAND_LIMIT,
    HEALTH,
    JESTERS,
    NOBODY,
    SUFFER,
    VALUE,
    Throw,
)

MEAN_VALUE: Final = 5.4
"""What an unknown card is worth: 2-10 and the companions, evenly."""

MEAN_WORTH: Final = 7.0
"""What an unknown card is worth with its power."""

JESTER_WORTH: Final = 62
"""What a Jester is worth in hand, in tenths."""

ALL_HEALTH: Final = sum([HEALTH[enemy] for enemy in PACK[FIRST_ROYAL:FIRST_JESTER]])
"""Of all twelve enemies."""

FLIPPED: Final = 0.02
"""What a medal less is, against a win."""

PLENTY: Final = 1000.0
"""More value than any blow asks for."""

HOPELESS: Final = 1 << 40
"""More than any hand is worth."""

HEART: Final = 1 << HEARTS
DIAMOND: Final = 1 << DIAMONDS
CLUB: Final = 1 << CLUBS
SPADE: Final = 1 << SPADES


@dataclass(frozen=True)
class Weights:
    """What the adept cares for; found by the cross-entropy method, wins counted as ten enemies."""

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
    suits: tuple[int, int, int, int] = (10, 29, 5, 18)
    """What a suit's power adds to a card's worth in hand, in tenths: C, D, H, S."""


ALONE: Final = Weights(
    kill=25.0,
    exact=3.2,
    overkill=0.3,
    damage=2.2,
    gamble=26.0,
    bare=37.0,
    flip=89.0,
    jester=3.0,
    cancelled=34.0,
    drawn=4.2,
    healed=4.9,
    full_tavern=48.0,
    shield=1.57,
    turn_damage=8.4,
    wounded=3.9,
    suits=(3, 58, 8, 10),
)
TWO: Final = Weights(
    kill=13.8,
    exact=4.8,
    overkill=0.25,
    damage=1.65,
    gamble=48.0,
    bare=54.0,
    jester=11.3,
    cancelled=33.0,
    worth=1.35,
    drawn=9.3,
    healed=5.3,
    full_tavern=34.5,
    shield=2.65,
    turn_damage=15.1,
    wounded=1.07,
    suits=(3, 41, 4, 10),
)
THREE: Final = Weights(
    kill=8.3,
    exact=5.6,
    overkill=0.11,
    damage=1.31,
    gamble=19.3,
    bare=58.0,
    jester=7.0,
    cancelled=29.0,
    worth=1.3,
    drawn=7.55,
    healed=4.8,
    full_tavern=30.7,
    shield=1.83,
    turn_damage=26.0,
    thin=0.42,
    wounded=1.94,
    suits=(2, 56, 2, 6),
)
FOUR: Final = Weights(
    kill=10.5,
    exact=4.6,
    overkill=0.35,
    damage=1.41,
    gamble=52.0,
    bare=71.0,
    jester=15.0,
    cancelled=51.0,
    worth=1.71,
    drawn=7.3,
    healed=5.0,
    full_tavern=35.0,
    shield=1.53,
    turn_damage=14.3,
    thin=0.8,
    wounded=1.64,
    suits=(3, 34, 4, 17),
)
WEIGHTS: Final = (ALONE, ALONE, TWO, THREE, FOUR)
"""By player count."""


def _worths(weights: Weights) -> tuple[int, ...]:
    suited = [10 * VALUE[card] + weights.suits[suit_of(card)] for card in PACK[:FIRST_JESTER]]
    return (*suited, *[JESTER_WORTH for _ in JESTERS])


WORTHS: Final = tuple([_worths(weights) for weights in WEIGHTS])
"""By player count and card: what it is worth in hand, in tenths."""


def value(position: RegicidePosition) -> float:
    """Return 1 for a win, a little less for each flip (R18); else half the share of all damage that is done."""
    if position.enemy == NOBODY:
        return 1 - FLIPPED * position.flips
    left = sum([HEALTH[enemy] for enemy in position.castle]) + HEALTH[position.enemy] - position.damage
    return 0.5 * (1 - left / ALL_HEALTH)


@cache
def spent(cards: tuple[Card, ...], players: int) -> int:
    """Return what *cards* are worth in hand, in tenths."""
    return sum([WORTHS[players][card] for card in cards])


@lru_cache(maxsize=1 << 17)
def cheapest(hand: tuple[Card, ...], attack: int, players: int) -> tuple[int, tuple[Card, ...]]:
    """Return the least worth, in tenths, that covers *attack* from *hand*, and the cards; no cards if it can't be."""
    worths, best, best_cards = WORTHS[players], HOPELESS, tuple[Card, ...]()
    short: list[tuple[int, int, tuple[Card, ...]]] = [(0, 0, ())]
    for card in sorted(hand, key=VALUE.__getitem__, reverse=True):
        for value, worth, cards in short[:]:
            total, cost = value + VALUE[card], worth + worths[card]
            if cost >= best:
                continue
            if total >= attack:
                best, best_cards = cost, (*cards, card)
            else:
                short.append((total, cost, (*cards, card)))
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

    def __init__(self, position: RegicidePosition, seat: int) -> None:
        players = position.players
        self.position, self.seat, self.weights = position, seat, WEIGHTS[players]
        self.hand = tuple(sorted(position.hands[seat]))
        self.value = sum([VALUE[card] for card in self.hand])
        worths = WORTHS[players]
        self.worth = sum([worths[card] for card in self.hand])
        self.powers = position.powers
        self.attack = position.attack
        self.health = HEALTH[position.enemy]
        self.left = self.health - position.damage
        self.tavern = len(position.tavern)
        self.spare = PLENTY
        if players > 1:
            self.spare = MEAN_VALUE * len(position.hands[(seat + 1) % players])

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
        kept = self.worth - spent(throw.cards, position.players)
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
        return self.weights.worth * cheapest(kept, blow, self.position.players)[0] / 10

    def least_price(self, blow: int) -> float:
        """Return what covering *blow* costs at least."""
        return self.weights.worth * blow

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
