"""Players of Regicide that are weaker than ``Adept``: they score plays in the same way, by fewer criteria.

None of them considers the hands or the draws of teammates. ``NOVICE`` and ``BEGINNER`` also ignore the attacks after
the next one and the effect of a suit in later plays, and ``NOVICE`` discards as few cards as possible. No player makes
a play that it knows to lose at once, unless all its plays do (``survives``).
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Final

from engines.core.cards import PACK, Card
from engines.regicide.actions import FLIP, NO_PLAY, YIELD, Choose, Discard, Play
from engines.regicide.evaluation import CLUBS_BIT, DIAMONDS_BIT, SPADES_BIT, Evaluation
from engines.regicide.plays_of_hand import plays
from engines.regicide.policy import Adept, next_seat
from engines.regicide.rules import RegicidePosition
from engines.regicide.state import State
from engines.regicide.tables import CHOOSE, FIRST_JESTER, HEALTH, SUFFER, VALUE
from engines.regicide.weights import WEIGHTS, WORTHS, Weights
from engines.ruleset import Action, Policy

VALUES_IN_TENTHS: Final = tuple([10 * VALUE[card] for card in PACK])
"""By card: its value in tenths, used as its worth if its power is ignored."""


def own_hand_only(weights: Weights) -> Weights:
    """Return weights without those for teammates' hands and draws, exact kills, excess damage, and an empty hand."""
    return replace(weights, drawn=0.0, thin=0.0, bare=0.0, exact=0.0, overkill=0.0)


def this_turn_only(weights: Weights) -> Weights:
    """Return ``own_hand_only`` weights that also ignore later attacks, and heal only into a nearly empty Tavern."""
    return replace(own_hand_only(weights), shield=0.0, wounded=0.0, full_tavern=15.0)


OWN_HAND_WEIGHTS: Final = tuple([own_hand_only(weights) for weights in WEIGHTS])
THIS_TURN_WEIGHTS: Final = tuple([this_turn_only(weights) for weights in WEIGHTS])
"""Weights of ``NOVICE`` and ``BEGINNER``, by player count."""


class PartialEvaluation(Evaluation):
    """An evaluation with given weights. Unless *sees_powers*, the worth of a card in hand is only its value."""

    def __init__(self, position: State, seat: int, weights: Weights, *, sees_powers: bool) -> None:
        super().__init__(position, seat)
        self.weights = weights
        self.worths = WORTHS[position.players] if sees_powers else VALUES_IN_TENTHS
        self.worth = sum([self.worths[card] for card in self.hand])


class Beginner(Policy[RegicidePosition]):
    """Chooses the play with the best partial evaluation among those that don't lose at once."""

    def __init__(self, weights: tuple[Weights, ...], *, sees_powers: bool, fewest_cards: bool) -> None:
        """Take *weights* by player count. *fewest_cards*: discard by ``by_number``, instead of as ``Adept``."""
        self._weights, self._sees_powers, self._fewest_cards = weights, sees_powers, fewest_cards
        self._adept = Adept()

    def choose(self, position: RegicidePosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action:
        """Return the action with the best partial evaluation; among equally good ones the first."""
        if position.phase == CHOOSE:
            return Choose(next_seat(position, seat, signals))
        if position.phase == SUFFER:
            return self._suffer(position, seat, rng)
        return self._act(position, seat)

    def signal(self, position: RegicidePosition, seat: int, rng: Random) -> str | None:
        """Return the signal that ``Adept`` would give (R22)."""
        return self._adept.signal(position, seat, rng)

    def _act(self, position: RegicidePosition, seat: int) -> Action:
        scale = PartialEvaluation(position, seat, self._weights[position.players], sees_powers=self._sees_powers)
        options = plays(scale.hand)
        if position.may_yield(seat):
            options.append(NO_PLAY)
        if not options:
            return FLIP
        options = [option for option in options if survives(position, seat, option)] or options
        scores = list[float]()
        for option in options:
            score, attack = scale.score_play(option)
            scores.append(score - scale.cover_cost(option.mask, attack) if attack else score)
        top = max(scores)
        if position.jesters_left and scale.flip() > top:
            return FLIP
        best = options[scores.index(top)]
        return YIELD if best is NO_PLAY else best

    def _suffer(self, position: RegicidePosition, seat: int, rng: Random) -> Action:
        """Return ``Adept``'s choice.

        With *fewest_cards*, return the first discard by ``by_number`` instead, or a flip if no discard is legal.
        """
        if not self._fewest_cards:
            return self._adept.choose(position, seat, rng, {})
        discards = [action for action in position.legal(seat) if isinstance(action, Discard)]
        return min(discards, key=by_number, default=FLIP)


def by_number(discard: Discard) -> tuple[int, int]:
    """Return a sort key: the fewest cards first, then the least total value."""
    cards: tuple[Card, ...] = discard.cards
    return len(cards), sum([VALUE[card] for card in cards])


def survives(position: RegicidePosition, seat: int, play: Play) -> bool:
    """Return whether *play* may be survived: the attack can be covered (R14), and the next seat can act (R16).

    ``NO_PLAY`` stands for a yield. A Jester and a play that draws cards may always be survived.
    """
    hand = position.hands[seat]
    if play is NO_PLAY:
        return _can_go_on(position, seat, _staying(hand, position.attack), yielded=True)
    attack, suits = play.attack, play.suits & position.powers
    if play.cards[0] >= FIRST_JESTER or (suits & DIAMONDS_BIT and position.tavern):
        return True
    damage = 2 * attack if suits & CLUBS_BIT else attack
    kept = [card for card in hand if card not in play.cards]
    if position.damage + damage >= HEALTH[position.enemy]:
        return bool(kept) or position.players > 1
    enemy_attack = position.attack - attack if suits & SPADES_BIT else position.attack
    return _can_go_on(position, seat, _staying(kept, enemy_attack), yielded=False)


def _staying(hand: list[Card], enemy_attack: int) -> int:
    """Return the number of cards left in *hand* after the most valuable ones cover the attack; -1 if they can't."""
    staying = len(hand)
    for worth in sorted([VALUE[card] for card in hand], reverse=True):
        if enemy_attack <= 0:
            return staying
        enemy_attack -= worth
        staying -= 1
    return staying if enemy_attack <= 0 else -1


def _can_go_on(position: RegicidePosition, seat: int, staying: int, *, yielded: bool) -> bool:
    """Return whether the game continues if *seat* keeps *staying* cards (R14, R16)."""
    if staying < 0:
        return False
    if position.players == 1:
        return staying > 0 or position.jesters_left > 0 or (position.solo_yield and not yielded)
    after = (seat + 1) % position.players
    marks = position.yielded.count(True) - position.yielded[seat] - position.yielded[after] + yielded
    return bool(position.hands[after]) or marks < position.players - 1


NOVICE: Final = Beginner(THIS_TURN_WEIGHTS, sees_powers=False, fewest_cards=True)
BEGINNER: Final = Beginner(THIS_TURN_WEIGHTS, sees_powers=False, fewest_cards=False)
APPRENTICE: Final = Beginner(OWN_HAND_WEIGHTS, sees_powers=True, fewest_cards=False)
