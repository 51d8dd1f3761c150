"""Players of Regicide without search: ``Novice``, legal and not suicidal, and ``Adept``, who weighs each action once.

Both look at their own hand and at what is public, never at the cards that a world was dreamt with.
"""

from collections.abc import Mapping
from math import inf
from random import Random
from typing import ClassVar, Final

from engines.core.cards import Card
from engines.regicide.actions import FLIP, NOTHING, YIELD, Choose, Discard, FlipJester, Play, Yield
from engines.regicide.covering import COST, UNCOVERABLE, cards_of, cheapest, heaviest_first
from engines.regicide.evaluation import CLUB, SPADE, Evaluation, value
from engines.regicide.hands import plays
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import (
    CHOOSE,
    FIRST_JESTER,
    HEALTH,
    NOBODY,
    SUFFER,
    VALUE,
)
from engines.ruleset import Action, Policy, ScoredActions, SearchGuide

UNSIGNALLED: Final[Mapping[int, str]] = {}
PLAYED: Final = 8.0
SUFFERED: Final = 2.0
"""So many points of score make an action e times as likely to be tried, in step 1 and in step 4."""


class Novice(Policy[RegicidePosition]):
    """Plays anything that it survives for sure, and gives up as little as it can."""

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return one of the actions that don't end the game at once, if there is one."""
        legal = position.legal(seat)
        if position.phase == SUFFER:
            discards = [action for action in legal if isinstance(action, Discard)]
            return min(discards, key=lambda action: _worth(position.hands[seat], action.mask), default=legal[0])
        safe = [action for action in legal if _is_safe(position, seat, action)]
        return rng.choice(safe or legal)


class Adept(SearchGuide[RegicidePosition]):
    """Scores each action by what is certain and what is likely of its outcome, and takes the best."""

    depth: ClassVar[int] = 6
    horizon: ClassVar[int] = 10_000
    """To the end."""

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return the best action by one look ahead; of equals the first."""
        if position.phase == CHOOSE:
            return Choose(_next_seat(position, seat, signals))
        if position.phase == SUFFER:
            return self._suffer(position, seat)
        return self._act(position, seat)

    def signal(self, position: RegicidePosition, seat: int, rng: Random) -> str | None:
        """Say eager if some play doesn't risk the game, else reluctant (R22)."""
        scale = Evaluation(position, seat)
        risk = -scale.weights.death / 2
        return "eager" if any(self._score(scale, play) > risk for play in plays(scale.hand)) else "reluctant"

    def weigh(self, position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return every legal action with its score."""
        legal = position.legal(seat)
        if position.phase == CHOOSE:
            chosen = Choose(_next_seat(position, seat, signals))
            return [(action, float(action == chosen)) for action in legal]
        scale, unit = Evaluation(position, seat), SUFFERED if position.phase == SUFFER else PLAYED
        return [(action, self._score(scale, action) / unit) for action in legal]

    def next(self, position: RegicidePosition, rng: Random) -> tuple[int, Action]:
        """Return what the seat on turn does."""
        return position.turn, self.choose(position, position.turn, rng, UNSIGNALLED)

    def value(self, position: RegicidePosition, seat: int) -> float:
        """Return what the team has reached: all win together."""
        return value(position)

    def chance(self, position: RegicidePosition, seat: int) -> float:
        """Return 1 for a victory of whatever medal, 0 for a defeat."""
        return value(position) if not position.is_over else float(position.enemy == NOBODY)

    def _suffer(self, position: RegicidePosition, seat: int) -> Action:
        """Give up what is worth least, or flip for a hand that is worth more."""
        hand = heaviest_first(position.hands[seat])
        found = cheapest(hand, position.attack, position.players)
        cost = found >> COST
        if position.jesters_left and (cost == UNCOVERABLE or Evaluation(position, seat).flip() > -cost / 10):
            return FLIP
        return Discard(cards_of(found, hand))

    def _act(self, position: RegicidePosition, seat: int) -> Action:
        """Return the best of step 1."""
        scale = Evaluation(position, seat)
        options = plays(scale.hand)
        if position.may_yield(seat):
            options.append(NOTHING)
        flip = scale.flip() if position.jesters_left else -inf  # then anything is better
        best = _best(scale, options, FLIP, flip)
        return YIELD if best is NOTHING else best

    def _score(self, scale: Evaluation, action: Action) -> float:
        if isinstance(action, Discard):
            return -scale.spent(action.mask) / 10
        if isinstance(action, FlipJester):
            return scale.flip()
        play = action if isinstance(action, Play) else NOTHING
        score, blow = scale.throw(play)
        return score - scale.price(play.mask, blow) if blow else score


def _best(scale: Evaluation, options: list[Play], best: Action, top: float) -> Action:
    """Return what scores most, *best*, which scores *top*, or one of *options*.

    Of equals it is what promised most, the blow paid for at the least, and of these the first. What a blow costs is
    worked out only where it can matter: for what promises most, until nothing promises more than has been reached.
    """
    promises, promised = list[float](), inf
    for option in options:
        score, blow = scale.throw(option)
        promises.append(score - scale.least_price(blow) if blow else -inf)
        if not blow and score > top:
            best, top, promised = option, score, score
    while True:
        place, most = -1, top
        for other, promise in enumerate(promises):
            if promise > most:
                place, most = other, promise
        if place < 0:
            return best
        score, blow = scale.throw(options[place])
        score -= scale.price(options[place].mask, blow)
        if score > top or (score == top and most > promised):
            best, top, promised = options[place], score, most
        promises[place] = -inf


def _worth(hand: list[Card], mask: int) -> int:
    """Return what the cards of *mask*, a bit for each, are worth together."""
    return sum([VALUE[card] for card in hand if mask >> card & 1])


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
    value, suits = action.attack, action.suits & position.powers
    damage = 2 * value if suits & CLUB else value
    kept = [card for card in hand if card not in action.cards]
    if position.damage + damage >= HEALTH[position.enemy]:
        return bool(kept) or position.players > 1
    blow = position.attack - value if suits & SPADE else position.attack
    return _can_go_on(position, seat, _staying(kept, blow), yielded=False)


def _staying(hand: list[Card], blow: int) -> int:
    """Return how many cards of *hand* can stay when the others cover *blow*; -1 if not even all of them do (R13)."""
    staying = len(hand)
    for worth in sorted([VALUE[card] for card in hand], reverse=True):
        if blow <= 0:
            return staying
        blow -= worth
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


def _next_seat(position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> int:
    """Return who had best go next: the eager first, the reluctant last, then the fullest hand."""

    def promise(other: int) -> tuple[int, int, bool]:
        eagerness = {"eager": 1, "reluctant": -1}.get(signals.get(other, ""), 0)
        return eagerness, len(position.hands[other]), other == seat

    return max(range(position.players), key=promise)
