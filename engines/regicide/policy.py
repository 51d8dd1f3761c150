"""Players of Regicide without search: ``Novice``, legal and not suicidal, and ``Adept``, who weighs each action once.

Both look at their own hand and at what is public, never at the cards that a world was dreamt with.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Final

from engines.cards import CLUBS, DIAMONDS, HEARTS, SPADES, Card, suit_of
from engines.regicide.actions import Choose, Discard, FlipJester, Play, Yield
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import CHOOSE, FIRST_JESTER, HAND_LIMIT, HEALTH, SUFFER, VALUE, covers, plays
from engines.ruleset import Action, Policy

MEAN_VALUE: Final = 5.4
"""What an unknown card is worth: 2-10 and the companions, evenly."""


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


MEAN_WORTH: Final = 7.0
"""What an unknown card is worth with its power."""

SUIT_WORTH: Final = (1.0, 2.9, 0.5, 1.8)
"""What a suit's power adds to a card's worth: C, D, H, S."""

JESTER_WORTH: Final = 6.2


@cache
def worth(card: Card) -> float:
    """Return what *card* is worth in hand."""
    if card >= FIRST_JESTER:
        return JESTER_WORTH
    return VALUE[card] + SUIT_WORTH[suit_of(card)]


@lru_cache(maxsize=1 << 16)
def cheapest(hand: tuple[Card, ...], attack: int) -> tuple[float, Discard | None]:
    """Return the least worth that covers *attack* from *hand*, sorted, and how; None if the hand doesn't cover."""
    best: tuple[float, Discard | None] = (0.0, None)
    for discard in covers(hand, attack):
        cost = sum([worth(card) for card in discard.cards])
        if best[1] is None or cost < best[0]:
            best = (cost, discard)
    return best


class Novice(Policy[RegicidePosition]):
    """Plays anything that it survives for sure, and gives up as little as it can."""

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return one of the actions that don't end the game at once, if there is one."""
        legal = position.legal(seat)
        if position.phase == SUFFER:
            discards = [action for action in legal if isinstance(action, Discard)]
            return min(discards, key=lambda action: sum([VALUE[card] for card in action.cards]), default=legal[0])
        safe = [action for action in legal if _is_safe(position, seat, action)]
        return rng.choice(safe or legal)


class Adept(Policy[RegicidePosition]):
    """Scores each action by what is certain and what is likely of its outcome, and takes the best."""

    def __init__(self, weights: Weights = Weights()) -> None:
        self._weights = weights

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return the best action by one look ahead; of equals the first."""
        legal = position.legal(seat)
        if len(legal) == 1:
            return legal[0]
        if position.phase == CHOOSE:
            return Choose(_next_seat(position, seat, signals))
        scores = [self._score(position, seat, action) for action in legal]
        return legal[scores.index(max(scores))]

    def signal(self, position: RegicidePosition, seat: int, rng: Random) -> str | None:
        """Say eager if some play doesn't risk the game, else reluctant (R22)."""
        hand = tuple(sorted(position.hands[seat]))
        risk = -self._weights.death / 2
        return "eager" if any(self._play(position, seat, hand, play) > risk for play in plays(hand)) else "reluctant"

    def _score(self, position: RegicidePosition, seat: int, action: Action) -> float:
        hand = tuple(sorted(position.hands[seat]))
        if isinstance(action, Discard):
            return -sum([worth(card) for card in action.cards])
        if isinstance(action, FlipJester):
            return self._flip(position, hand)
        if isinstance(action, Play):
            return self._play(position, seat, hand, action)
        return self._blow(position, seat, hand, 0.0, position.attack, HEALTH[position.enemy] - position.damage)

    def _flip(self, position: RegicidePosition, hand: tuple[Card, ...]) -> float:
        """Weigh a fresh hand against this one (R17)."""
        weights = self._weights
        fresh = min(HAND_LIMIT[1], len(position.tavern)) * MEAN_WORTH
        blow = position.attack if position.phase == SUFFER else 0
        gain = fresh - blow - sum([worth(card) for card in hand])
        return weights.worth * gain - weights.flip

    def _play(self, position: RegicidePosition, seat: int, hand: tuple[Card, ...], action: Play) -> float:
        """Weigh a play: its powers, its damage, the blow that follows, what stays in hand."""
        cards, weights = action.cards, self._weights
        kept = tuple([card for card in hand if card not in cards])
        if cards[0] >= FIRST_JESTER:
            return self._jester(position, kept)
        attack = sum([VALUE[card] for card in cards])
        suits = {suit_of(card) for card in cards if position.acts(suit_of(card))}
        score = 0.0
        tavern, own = len(position.tavern), 0.0
        if HEARTS in suits:
            healed = min(attack, len(position.discard))
            score += weights.healed * healed * max(0.0, 1 - tavern / weights.full_tavern)
            tavern += healed
        if DIAMONDS in suits:
            own, others = _draws(position, seat, len(cards), attack, tavern)
            score += weights.drawn * others
        damage = 2 * attack if CLUBS in suits else attack
        left = HEALTH[position.enemy] - position.damage - damage
        if left <= 0:
            return score + self._kill(position, kept, own, left)
        blow = position.attack
        if SPADES in suits:
            saved = min(attack, blow)
            blow -= saved
            score += weights.shield * saved * (left / weights.turn_damage)
        return score + weights.damage * damage + self._blow(position, seat, kept, own, blow, left)

    def _jester(self, position: RegicidePosition, kept: tuple[Card, ...]) -> float:
        """Weigh a Jester: the enemy's immunity for a turn without a blow (R10)."""
        weights = self._weights
        if not position.immune:
            return weights.worth * sum([worth(card) for card in kept]) - weights.jester
        gain = weights.cancelled * (1 - position.damage / HEALTH[position.enemy])
        return weights.worth * sum([worth(card) for card in kept]) + gain - weights.jester

    def _kill(self, position: RegicidePosition, kept: tuple[Card, ...], drawn: float, left: int) -> float:
        """Weigh a defeat: what is left in hand meets the next enemy at once (R12)."""
        weights = self._weights
        score = weights.kill + weights.worth * (sum([worth(card) for card in kept]) + drawn * MEAN_WORTH)
        score += weights.exact * VALUE[position.enemy] / 10 if left == 0 else weights.overkill * left
        if not position.castle:
            return weights.won
        if not kept and drawn == 0:
            score -= weights.bare
        return score

    def _blow(
        self, position: RegicidePosition, seat: int, kept: tuple[Card, ...], drawn: float, blow: int, left: int
    ) -> float:
        """Weigh the enemy's blow on what is kept and drawn, and the next player's chances."""
        weights = self._weights
        value = sum([VALUE[card] for card in kept])
        score = weights.worth * (sum([worth(card) for card in kept]) + drawn * MEAN_WORTH)
        if value + drawn * MEAN_VALUE < blow or (drawn == 0 and value < blow):
            short = blow - value - drawn * MEAN_VALUE
            return score - weights.worth * blow - (weights.flip if position.jesters_left else weights.death) - short
        if blow:
            score -= weights.worth * (cheapest(kept, blow)[0] if value >= blow else blow + MEAN_WORTH)
            if value < blow:
                score -= weights.gamble / (1 + drawn)
        following = position.hands[(seat + 1) % position.players] if position.players > 1 else ()
        short = blow - MEAN_VALUE * len(following) if position.players > 1 else 0.0
        return score - weights.thin * max(0.0, short) - weights.wounded * left / HEALTH[position.enemy]


def _is_safe(position: RegicidePosition, seat: int, action: Action) -> bool:
    """*action* surely doesn't lose: the blow is covered (R14), and whoever begins next can act (R16)."""
    hand = position.hands[seat]
    if isinstance(action, Choose):
        return bool(position.hands[action.seat]) or position.may_yield(action.seat)
    if isinstance(action, Yield):
        return _can_go_on(position, seat, _staying(hand, position.attack), yielded=True)
    if not isinstance(action, Play):
        return False
    if action.cards[0] >= FIRST_JESTER:
        return True
    value = sum([VALUE[card] for card in action.cards])
    suits = {suit_of(card) for card in action.cards if position.acts(suit_of(card))}
    damage = 2 * value if CLUBS in suits else value
    kept = [card for card in hand if card not in action.cards]
    if position.damage + damage >= HEALTH[position.enemy]:
        return bool(kept) or position.players > 1
    blow = position.attack - value if SPADES in suits else position.attack
    return _can_go_on(position, seat, _staying(kept, blow), yielded=False)


def _staying(hand: list[Card], blow: int) -> int:
    """Return how many cards of *hand* can stay when the others cover *blow*; -1 if not even all of them do (R13)."""
    staying = len(hand)
    for value in sorted([VALUE[card] for card in hand], reverse=True):
        if blow <= 0:
            return staying
        blow -= value
        staying -= 1
    return staying if blow <= 0 else -1


def _can_go_on(position: RegicidePosition, seat: int, staying: int, *, yielded: bool) -> bool:
    """The game isn't lost, by the blow or by whoever begins after *seat*, which has *staying* cards then (R14, R16)."""
    if staying < 0:
        return False
    if position.players == 1:
        return staying > 0 or position.jesters_left > 0 or (position.solo_yield and not yielded)
    after = (seat + 1) % position.players
    marks = position.yielded.count(True) - position.yielded[seat] - position.yielded[after] + yielded
    return bool(position.hands[after]) or marks < position.players - 1


def _draws(position: RegicidePosition, seat: int, played: int, count: int, tavern: int) -> tuple[int, int]:
    """Return how many cards a diamond of *count* brings to *seat*, which played *played* cards, and to others (R6)."""
    limit = HAND_LIMIT[position.players]
    room = [limit - len(hand) for hand in position.hands]
    room[seat] += played
    own, others, turn = 0, 0, seat
    for _ in range(min(count, tavern, sum(room))):
        while not room[turn]:
            turn = (turn + 1) % position.players
        room[turn] -= 1
        if turn == seat:
            own += 1
        else:
            others += 1
        turn = (turn + 1) % position.players
    return own, others


def _next_seat(position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> int:
    """Return who had best go next: the eager first, the reluctant last, then the fullest hand."""

    def promise(other: int) -> tuple[int, int, bool]:
        eagerness = {"eager": 1, "reluctant": -1}.get(signals.get(other, ""), 0)
        return eagerness, len(position.hands[other]), other == seat

    return max(range(position.players), key=promise)
