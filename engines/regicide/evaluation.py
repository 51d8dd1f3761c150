"""How good a play is: what is certain and what is likely of its outcome, from one hand and what is public."""

from typing import Final

from engines.core.cards import CLUBS, DIAMONDS, HEARTS, PACK, SPADES
from engines.regicide.actions import Play
from engines.regicide.covering import COST, cheapest
from engines.regicide.state import State
from engines.regicide.tables import (
    FIRST_JESTER,
    FIRST_ROYAL,
    HAND_LIMIT,
    HEALTH,
    NOBODY,
    SUFFER,
    VALUE,
)
from engines.regicide.weights import JESTER_WORTH, WEIGHTS, WORTHS

MEAN_VALUE: Final = 5.4
"""What an unknown card is worth: 2-10 and the companions, evenly."""

MEAN_WORTH: Final = 7.0
"""What an unknown card is worth with its power."""

ALL_HEALTH: Final = sum([HEALTH[enemy] for enemy in PACK[FIRST_ROYAL:FIRST_JESTER]])
"""Of all twelve enemies."""

FLIPPED: Final = 0.02
"""What a medal less is, against a win."""

PLENTY: Final = 1000.0
"""More value than any blow asks for."""

HEART: Final = 1 << HEARTS
DIAMOND: Final = 1 << DIAMONDS
CLUB: Final = 1 << CLUBS
SPADE: Final = 1 << SPADES


def value(position: State) -> float:
    """Return 1 for a win, a little less for each flip (R18); else half the share of all damage that is done."""
    if position.enemy == NOBODY:
        return 1 - FLIPPED * position.flips
    left = HEALTH[position.enemy] - position.damage
    for enemy in position.castle:
        left += HEALTH[enemy]
    return 0.5 * (1 - left / ALL_HEALTH)


class Evaluation:
    """How good a play is for a seat: one decision, made ready, against which each action is weighed."""

    __slots__ = (
        "attack",
        "hand",
        "health",
        "left",
        "position",
        "powers",
        "rooms",
        "spare",
        "tavern",
        "value",
        "weights",
        "worth",
        "worths",
    )

    def __init__(self, position: State, seat: int) -> None:
        players = position.players
        self.position, self.weights, self.worths = position, WEIGHTS[players], WORTHS[players]
        self.hand = sorted(position.hands[seat])
        self.value = self.worth = 0
        for card in self.hand:
            self.value += VALUE[card]
            self.worth += self.worths[card]
        self.powers = position.powers
        self.attack = position.attack
        self.health = HEALTH[position.enemy]
        self.left = self.health - position.damage
        self.tavern = len(position.tavern)
        limit = HAND_LIMIT[players]
        self.rooms = [limit - len(position.hands[(seat + after) % players]) for after in range(players)]
        """What each hand has room for, from this seat on."""
        self.spare = MEAN_VALUE * (limit - self.rooms[1]) if players > 1 else PLENTY

    def throw(self, play: Play) -> tuple[float, int]:
        """Return what a play is worth before the next blow is paid for, and that blow: 0 if nothing is to be paid.

        Its powers, its damage, what stays in hand, and whether that is enough.
        """
        if not play.suits:
            return (self._jester(), 0) if play.cards else self._idle()
        weights = self.weights
        attack, suits = play.attack, play.suits & self.powers
        score, own, tavern = 0.0, 0, self.tavern
        if suits & HEART:
            healed = min(attack, len(self.position.discard))
            score = weights.healed * healed * max(0.0, 1 - tavern / weights.full_tavern)
            tavern += healed
        if suits & DIAMOND:
            own, others = self._draws(len(play.cards), attack, tavern)
            score += weights.drawn * others
        damage = 2 * attack if suits & CLUB else attack
        left = self.left - damage
        kept = self.worth
        for card in play.cards:
            kept -= self.worths[card]
        score += weights.worth * (kept / 10 + own * MEAN_WORTH)
        if left <= 0:
            return score + self._kill(len(self.hand) - len(play.cards) + own, left), 0
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

    def spent(self, cards: int) -> int:
        """Return what *cards* of the hand, a bit for each, are worth in it, in tenths."""
        worth = 0
        for card in self.hand:
            if cards >> card & 1:
                worth += self.worths[card]
        return worth

    def price(self, cards: int, blow: int) -> float:
        """Return what it costs to cover *blow* once *cards*, a bit for each, have been played."""
        # Great ranks first are about heaviest first: that is as quick, and another order costs the same.
        kept = [card for card in reversed(self.hand) if card < FIRST_JESTER and not cards >> card & 1]
        return self.weights.worth * (cheapest(kept, blow, self.position.players) >> COST) / 10

    def least_price(self, blow: int) -> float:
        """Return what covering *blow* costs at least."""
        return self.weights.worth * blow

    def _idle(self) -> tuple[float, int]:
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
        """Return how many cards a diamond of *count* brings to the seat, which plays *played* cards, and to others.

        In each round the seat draws first, if it has room, then whoever else still has (R6).
        """
        rooms = self.rooms
        own_room = rooms[0] + played
        room = played
        for each in rooms:
            room += each
        room = min(room, tavern)
        count = min(count, room)
        if len(rooms) == 1:
            return count, 0
        own = drawn = 0
        while own < own_room and drawn < count:
            for other in range(1, len(rooms)):
                if rooms[other] > own:
                    drawn += 1
            drawn += 1
            own += 1
        return own, count - own
