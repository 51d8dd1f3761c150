"""Scores of plays in Regicide, from one hand and public information."""

from typing import Final

from engines.core.cards import CLUBS, DIAMONDS, HEARTS, PACK, SPADES
from engines.regicide.actions import Play
from engines.regicide.covering import COST_SHIFT, cheapest
from engines.regicide.state import State
from engines.regicide.tables import FIRST_JESTER, FIRST_ROYAL, HAND_LIMIT, HEALTH, NO_ENEMY, SUFFER, VALUE
from engines.regicide.weights import JESTER_WORTH, WEIGHTS, WORTHS

MEAN_VALUE: Final = 5.4
"""Estimated mean value of an unknown card. The mean of the companions and the cards from 2 to 10 is 5.5."""

MEAN_WORTH: Final = 7.0
"""Estimated mean worth of an unknown card, its power included, in points (not tenths)."""

ALL_HEALTH: Final = sum([HEALTH[enemy] for enemy in PACK[FIRST_ROYAL:FIRST_JESTER]])
"""Total health of all twelve enemies."""

FLIP_COST: Final = 0.02
"""Loss of value per flipped Jester, if a win without a flip has the value 1 (R18)."""

COVERS_ANY_ATTACK: Final = 1000.0
"""A value that covers any attack."""

HEARTS_BIT: Final = 1 << HEARTS
DIAMONDS_BIT: Final = 1 << DIAMONDS
CLUBS_BIT: Final = 1 << CLUBS
SPADES_BIT: Final = 1 << SPADES


def value(position: State) -> float:
    """Return the value of a position, from 0 to 1.

    A win is worth 1 minus ``FLIP_COST`` per flip (R18). Any other position is worth half the share of all enemies'
    health that damage has removed.
    """
    if position.enemy == NO_ENEMY:
        return 1 - FLIP_COST * position.flips
    left = HEALTH[position.enemy] - position.damage
    for enemy in position.castle:
        left += HEALTH[enemy]
    return 0.5 * (1 - left / ALL_HEALTH)


class Evaluation:
    """Scores the plays of one seat for one decision."""

    __slots__ = (
        "attack",
        "free_hand_slots",
        "hand",
        "health",
        "left",
        "position",
        "powers",
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
        self.free_hand_slots = [limit - len(position.hands[(seat + after) % players]) for after in range(players)]
        """Number of free places in each hand, clockwise from this seat."""
        self.spare = MEAN_VALUE * (limit - self.free_hand_slots[1]) if players > 1 else COVERS_ANY_ATTACK

    def score_play(self, play: Play) -> tuple[float, int]:
        """Return the score of a play without the cost of covering, and the attack to cover (0 if none).

        The score includes powers, damage, the cards that stay in hand, and whether these cover the attack.
        """
        if not play.suits:
            return (self._jester(), 0) if play.cards else self._idle()
        weights = self.weights
        attack, suits = play.attack, play.suits & self.powers
        score, own, tavern = 0.0, 0, self.tavern
        if suits & HEARTS_BIT:
            healed = min(attack, len(self.position.discard))
            score = weights.healed * healed * max(0.0, 1 - tavern / weights.full_tavern)
            tavern += healed
        if suits & DIAMONDS_BIT:
            own, others = self._draws(len(play.cards), attack, tavern)
            score += weights.drawn * others
        damage = 2 * attack if suits & CLUBS_BIT else attack
        left = self.left - damage
        kept = self.worth
        for card in play.cards:
            kept -= self.worths[card]
        score += weights.worth * (kept / 10 + own * MEAN_WORTH)
        if left <= 0:
            return score + self._kill(len(self.hand) - len(play.cards) + own, left), 0
        enemy_attack = self.attack
        if suits & SPADES_BIT:
            saved = min(attack, enemy_attack)
            enemy_attack -= saved
            score += weights.shield * saved * (left / weights.turn_damage)
        return self.score_blow(score + weights.damage * damage, self.value - attack, own, enemy_attack, left)

    def score_blow(self, score: float, value: int, drawn: int, enemy_attack: int, left: int) -> tuple[float, int]:
        """Return *score* minus the risk of the enemy's attack, and the attack to cover (R13, R14).

        *value* is the total value of the kept cards, *drawn* the number of cards drawn, *left* the enemy's health. The
        risk for the next player is included. The attack to cover is 0 if the kept cards can't cover the attack.
        """
        weights = self.weights
        if value < enemy_attack:
            short = enemy_attack - value - drawn * MEAN_VALUE
            if short > 0 or drawn == 0:
                end = weights.flip if self.position.jesters_left else weights.death
                return score - weights.worth * enemy_attack - end - short, 0
            score -= weights.worth * (enemy_attack + MEAN_WORTH) + weights.gamble / (1 + drawn)
        score -= weights.thin * max(0.0, enemy_attack - self.spare) + weights.wounded * left / self.health
        return score, enemy_attack if value >= enemy_attack else 0

    def spent(self, cards: int) -> int:
        """Return the total worth of the hand's *cards* (bits), in tenths."""
        worth = 0
        for card in self.hand:
            if cards >> card & 1:
                worth += self.worths[card]
        return worth

    def cover_cost(self, cards: int, enemy_attack: int) -> float:
        """Return the cost of covering the attack after *cards* (bits) were played."""
        # The reversed hand has decreasing ranks and therefore decreasing values, as ``cheapest`` requires. Cards of
        # equal value are in another order than by ``heaviest_first``, but the cost is the same.
        kept = [card for card in reversed(self.hand) if card < FIRST_JESTER and not cards >> card & 1]
        return self.weights.worth * (cheapest(kept, enemy_attack, self.position.players) >> COST_SHIFT) / 10

    def min_cover_cost(self, enemy_attack: int) -> float:
        """Return a lower bound of ``cover_cost``."""
        return self.weights.worth * enemy_attack

    def _idle(self) -> tuple[float, int]:
        """Return the score of a yield, in the form of ``score_play`` (R15)."""
        return self.score_blow(self.weights.worth * self.worth / 10, self.value, 0, self.attack, self.left)

    def flip(self) -> float:
        """Return the score of a new hand compared with the present one (R17)."""
        fresh = min(HAND_LIMIT[1], self.tavern) * MEAN_WORTH
        enemy_attack = self.attack if self.position.phase == SUFFER else 0
        return self.weights.worth * (fresh - enemy_attack - self.worth / 10) - self.weights.flip

    def _jester(self) -> float:
        """Return the score of a Jester: no immunity, and no attack this turn (R10)."""
        weights = self.weights
        score = weights.worth * (self.worth - JESTER_WORTH) / 10 - weights.jester
        return score + weights.cancelled * (self.left / self.health) if self.position.immune else score

    def _kill(self, cards: int, left: int) -> float:
        """Return the score of a kill.

        *cards* is the number of cards that the hand then has; *left* is the excess damage, as a negative number, or 0.
        """
        weights = self.weights
        if not self.position.castle:
            return weights.won
        score = weights.kill if cards else weights.kill - weights.bare
        return score + (weights.exact * self.health / 20 if left == 0 else weights.overkill * left)

    def _draws(self, played: int, count: int, tavern: int) -> tuple[int, int]:
        """Return how many of *count* cards drawn for diamonds go to the seat, and how many to other seats.

        In each round the seat draws first, if its hand has room, then every other seat with room (R6). Before that, the
        seat has played *played* cards. The Tavern has *tavern* cards.
        """
        free_hand_slots = self.free_hand_slots
        own_room = free_hand_slots[0] + played
        room = played
        for each in free_hand_slots:
            room += each
        room = min(room, tavern)
        count = min(count, room)
        if len(free_hand_slots) == 1:
            return count, 0
        own = drawn = 0
        while own < own_room and drawn < count:
            for other in range(1, len(free_hand_slots)):
                if free_hand_slots[other] > own:
                    drawn += 1
            drawn += 1
            own += 1
        return own, count - own
