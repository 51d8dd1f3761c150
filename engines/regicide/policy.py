"""Players of Regicide without search: ``Novice``, and ``Adept`` (one-step evaluation).

Both use their own hand and public information, never the sampled cards of a world.
"""

from collections.abc import Mapping
from math import inf
from random import Random
from typing import ClassVar, Final

from engines.core.cards import Card
from engines.regicide.actions import FLIP, NO_PLAY, YIELD, Choose, Discard, FlipJester, Play, Yield
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
"""Points of score that make an action e times as likely to be tried, in step 1 and in step 4."""


class Novice(Policy[RegicidePosition]):
    """Plays at random what surely doesn't lose at once, and discards as little as possible."""

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return an action that doesn't end the game at once, if there is one."""
        legal = position.legal(seat)
        if position.phase == SUFFER:
            discards = [action for action in legal if isinstance(action, Discard)]
            return min(discards, key=lambda action: _worth(position.hands[seat], action.mask), default=legal[0])
        safe = [action for action in legal if _is_safe(position, seat, action)]
        return rng.choice(safe or legal)


class Adept(SearchGuide[RegicidePosition]):
    """Scores each action by its certain and expected effects, and takes the best."""

    depth: ClassVar[int] = 6
    horizon: ClassVar[int] = 10_000
    """Rollouts go to the end of the game."""

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return the best action by one step of lookahead; of equals the first."""
        if position.phase == CHOOSE:
            return Choose(_next_seat(position, seat, signals))
        if position.phase == SUFFER:
            return self._suffer(position, seat)
        return self._act(position, seat)

    def signal(self, position: RegicidePosition, seat: int, rng: Random) -> str | None:
        """Return eager if some play doesn't risk the game, else reluctant (R22)."""
        scale = Evaluation(position, seat)
        risk = -scale.weights.death / 2
        return "eager" if any(self._score(scale, play) > risk for play in plays(scale.hand)) else "reluctant"

    def score_actions(self, position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return every legal action with its score."""
        legal = position.legal(seat)
        if position.phase == CHOOSE:
            chosen = Choose(_next_seat(position, seat, signals))
            return [(action, float(action == chosen)) for action in legal]
        scale, unit = Evaluation(position, seat), SUFFERED if position.phase == SUFFER else PLAYED
        return [(action, self._score(scale, action) / unit) for action in legal]

    def next(self, position: RegicidePosition, rng: Random) -> tuple[int, Action]:
        return position.turn, self.choose(position, position.turn, rng, UNSIGNALLED)

    def value(self, position: RegicidePosition, seat: int) -> float:
        """Return the value of the position: all seats win together."""
        return value(position)

    def win_probability(self, position: RegicidePosition, seat: int) -> float:
        """Return 1 for a victory with any medal, 0 for a defeat."""
        return value(position) if not position.is_over else float(position.enemy == NOBODY)

    def _suffer(self, position: RegicidePosition, seat: int) -> Action:
        """Return the cheapest discard, or a flip if a new hand is worth more."""
        hand = heaviest_first(position.hands[seat])
        card_set = cheapest(hand, position.attack, position.players)
        cost = card_set >> COST
        if position.jesters_left and (cost == UNCOVERABLE or Evaluation(position, seat).flip() > -cost / 10):
            return FLIP
        return Discard(cards_of(card_set, hand))

    def _act(self, position: RegicidePosition, seat: int) -> Action:
        """Return the best action of step 1."""
        scale = Evaluation(position, seat)
        options = plays(scale.hand)
        if position.may_yield(seat):
            options.append(NO_PLAY)
        flip = scale.flip() if position.jesters_left else -inf  # below any other score
        best = _best(scale, options, FLIP, flip)
        return YIELD if best is NO_PLAY else best

    def _score(self, scale: Evaluation, action: Action) -> float:
        if isinstance(action, Discard):
            return -scale.spent(action.mask) / 10
        if isinstance(action, FlipJester):
            return scale.flip()
        play = action if isinstance(action, Play) else NO_PLAY
        score, enemy_attack = scale.score_play(play)
        return score - scale.cover_cost(play.mask, enemy_attack) if enemy_attack else score


def _best(scale: Evaluation, options: list[Play], best: Action, top: float) -> Action:
    """Return the option with the highest score, or *best*, which scores *top*.

    Of equal scores the one with the highest upper bound wins, then the first. The cost of covering an attack is slow to
    compute, so it is computed in the order of the upper bounds, until none exceeds the best score.
    """
    bounds, best_bound = list[float](), inf
    for option in options:
        score, enemy_attack = scale.score_play(option)
        bounds.append(score - scale.min_cover_cost(enemy_attack) if enemy_attack else -inf)
        if not enemy_attack and score > top:
            best, top, best_bound = option, score, score
    while True:
        index, most = -1, top
        for other, bound in enumerate(bounds):
            if bound > most:
                index, most = other, bound
        if index < 0:
            return best
        score, enemy_attack = scale.score_play(options[index])
        score -= scale.cover_cost(options[index].mask, enemy_attack)
        if score > top or (score == top and most > best_bound):
            best, top, best_bound = options[index], score, most
        bounds[index] = -inf


def _worth(hand: list[Card], mask: int) -> int:
    """Return the total value of the cards of *mask* (bits)."""
    return sum([VALUE[card] for card in hand if mask >> card & 1])


def _is_safe(position: RegicidePosition, seat: int, action: Action) -> bool:
    """Return whether *action* surely doesn't lose: the attack is covered (R14), the next seat can act (R16)."""
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
    enemy_attack = position.attack - value if suits & SPADE else position.attack
    return _can_go_on(position, seat, _staying(kept, enemy_attack), yielded=False)


def _staying(hand: list[Card], enemy_attack: int) -> int:
    """Return how many cards of *hand* can stay when the others cover the attack; -1 if they can't (R13)."""
    staying = len(hand)
    for worth in sorted([VALUE[card] for card in hand], reverse=True):
        if enemy_attack <= 0:
            return staying
        enemy_attack -= worth
        staying -= 1
    return staying if enemy_attack <= 0 else -1


def _can_go_on(position: RegicidePosition, seat: int, staying: int, *, yielded: bool) -> bool:
    """Return whether the game goes on when *seat* keeps *staying* cards (R14, R16)."""
    if staying < 0:
        return False
    if position.players == 1:
        return staying > 0 or position.jesters_left > 0 or (position.solo_yield and not yielded)
    after = (seat + 1) % position.players
    marks = position.yielded.count(True) - position.yielded[seat] - position.yielded[after] + yielded
    return bool(position.hands[after]) or marks < position.players - 1


def _next_seat(position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> int:
    """Return the best next seat: eager first, reluctant last, then the one with most cards."""

    def bound(other: int) -> tuple[int, int, bool]:
        eagerness = {"eager": 1, "reluctant": -1}.get(signals.get(other, ""), 0)
        return eagerness, len(position.hands[other]), other == seat

    return max(range(position.players), key=bound)
