"""``Adept``, the player of Regicide without search (one-step evaluation), which also guides searches.

``Adept`` uses only its own hand and public information, never the sampled cards of a world.
"""

from collections.abc import Mapping
from math import inf
from random import Random
from typing import ClassVar, Final

from engines.regicide.actions import FLIP, NO_PLAY, YIELD, Choose, Discard, FlipJester, Play
from engines.regicide.covering import COST_SHIFT, UNCOVERABLE, cards_of, cheapest, heaviest_first
from engines.regicide.evaluation import Evaluation, value
from engines.regicide.plays_of_hand import plays
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import CHOOSE, NO_ENEMY, SUFFER
from engines.ruleset import Action, ScoredActions, SearchGuide

NO_SIGNALS: Final[Mapping[int, str]] = {}
PLAY_SCORE_SCALE: Final = 8.0
SUFFER_SCORE_SCALE: Final = 2.0
"""``PLAY_SCORE_SCALE`` and ``SUFFER_SCORE_SCALE``: points of score that make an action e times as likely in a search.

``PLAY_SCORE_SCALE`` is for step 1 of a turn, in which a seat plays cards, ``SUFFER_SCORE_SCALE`` for step 4, in which
it discards (R2).
"""


class Adept(SearchGuide[RegicidePosition]):
    """Scores each action by its known effects and the expected effects of hidden cards, and takes the best."""

    depth: ClassVar[int] = 6
    horizon: ClassVar[int] = 10_000
    """Maximum number of actions of a rollout; so large that every rollout reaches the end of the game."""

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return the best action by one step of lookahead; among equally good ones the first."""
        if position.phase == CHOOSE:
            return Choose(next_seat(position, seat, signals))
        if position.phase == SUFFER:
            return self._suffer(position, seat)
        return self._act(position, seat)

    def signal(self, position: RegicidePosition, seat: int, rng: Random) -> str | None:
        """Return ``eager`` if some play doesn't risk the game, else ``reluctant`` (R22)."""
        scale = Evaluation(position, seat)
        risk = -scale.weights.death / 2
        return "eager" if any(self._score(scale, play) > risk for play in plays(scale.hand)) else "reluctant"

    def score_actions(self, position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return every legal action with its score."""
        legal = position.legal(seat)
        if position.phase == CHOOSE:
            chosen = Choose(next_seat(position, seat, signals))
            return [(action, float(action == chosen)) for action in legal]
        scale, unit = Evaluation(position, seat), SUFFER_SCORE_SCALE if position.phase == SUFFER else PLAY_SCORE_SCALE
        return [(action, self._score(scale, action) / unit) for action in legal]

    def next(self, position: RegicidePosition, rng: Random) -> tuple[int, Action]:
        return position.turn, self.choose(position, position.turn, rng, NO_SIGNALS)

    def value(self, position: RegicidePosition, seat: int) -> float:
        """Return the value of the position, which is the same for all seats."""
        return value(position)

    def win_probability(self, position: RegicidePosition, seat: int) -> float:
        """Return 1 for a victory with any medal, 0 for a defeat, and before the end the value."""
        return value(position) if not position.is_over else float(position.enemy == NO_ENEMY)

    def _suffer(self, position: RegicidePosition, seat: int) -> Action:
        """Return the cheapest discard, or a flip if a new hand is worth more."""
        hand = heaviest_first(position.hands[seat])
        card_set = cheapest(hand, position.attack, position.players)
        cost = card_set >> COST_SHIFT
        if position.jesters_left and (cost == UNCOVERABLE or Evaluation(position, seat).flip() > -cost / 10):
            return FLIP
        return Discard(cards_of(card_set, hand))

    def _act(self, position: RegicidePosition, seat: int) -> Action:
        """Return the best action of step 1."""
        scale = Evaluation(position, seat)
        options = plays(scale.hand)
        if position.may_yield(seat):
            options.append(NO_PLAY)
        flip = scale.flip() if position.jesters_left else -inf  # lower than any score if there is no Jester to flip
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
    """Return the option with the highest score, or *best* if no option scores more than *top*.

    Among options with equal scores the one with the higher upper bound is returned, else the first. The cost of
    covering an attack is slow to compute. Therefore it is computed in the order of the upper bounds, until no bound
    exceeds the best score.
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


def next_seat(position: RegicidePosition, seat: int, signals: Mapping[int, str]) -> int:
    """Return the best next seat: by signal (``eager`` first), then by the most cards, then *seat* itself."""

    def bound(other: int) -> tuple[int, int, bool]:
        eagerness = {"eager": 1, "reluctant": -1}.get(signals.get(other, ""), 0)
        return eagerness, len(position.hands[other]), other == seat

    return max(range(position.players), key=bound)
