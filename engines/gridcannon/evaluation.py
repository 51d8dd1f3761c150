"""Evaluation of a board for a seat: the risks of its royals and of its rivals' royals, and the ploys in hand.

``Evaluation`` uses weights set by hand, in units of a royal. ``OddsEvaluation`` uses weights fitted to games of AIs: a
seat's strength is a weighted sum of what it has (``OddsWeights``), and its odds against a rival are e to the power of
the difference of their strengths. The weights are from a logistic regression of the winner on the board at the start of
a turn.

Both classes use only public information: which cards are in the draw pile, but not their order (G22).
"""

from math import exp, log
from typing import ClassVar, Final

from engines.core.cards import ACE, PACK, QUEEN, Card, rank_of
from engines.gridcannon.board import ATTACK_ON_ROYAL, CAN_LIE_ON, LINES, NO_CARD, VALUE, is_number
from engines.gridcannon.state import OVER, PLACING, Stack, State
from engines.gridcannon.weights import (
    ON_TURN_OF_FOUR,
    ON_TURN_OF_TWO,
    WAITING_OF_FOUR,
    WAITING_OF_TWO,
    WEIGHTS,
    OddsWeights,
    Weights,
)

NUMBER_CARDS: Final = tuple([card for card in PACK if is_number(card)])
UNREACHABLE_ATTACK: Final = 11
"""One more than the largest attack of a card: points that no card reaches.

It is the last index of ``ATTACKERS_BY_ROYAL_AND_POINTS[royal]``.
"""

LAYABLE_CARDS_BY_TOP: Final = tuple(
    [sum([1 << card for card in NUMBER_CARDS if CAN_LIE_ON[card][top]]) for top in (*PACK, NO_CARD)]
)
"""By top card: the number cards that can be laid on it, as bits (G8)."""

ATTACKERS_BY_ROYAL_AND_POINTS: Final = tuple(
    [
        tuple(
            [
                sum([1 << card for card in NUMBER_CARDS if ATTACK_ON_ROYAL[royal][card] >= wanted])
                for wanted in range(UNREACHABLE_ATTACK + 1)
            ]
        )
        for royal in PACK
    ]
)
"""By royal and points: the number cards that attack the royal with at least these points, as bits (G9)."""

CERTAIN_WIN_LOG_ODDS: Final = 12.0
"""Log-odds that stand for a certain win."""

PLOY_FADE_FIRST_TURN: Final = 200
PLOY_FADE_LAST_TURN: Final = 500
"""Between these turns the weight of unused ploys falls to 0, which breaks stalemates."""

RIVAL_CAN_PULL_BIT: Final = 1 << 45
"""Bit of a cache key (``OddsEvaluation._known``) for a royal's line of fire.

It is set if a rival of the royal's owner can lay the card in hand on the trigger of the line.
"""


class Evaluation:
    """Evaluates positions for one seat and one decision, with the draw pile at the time of the decision."""

    margin: ClassVar[float] = 0.1
    """Minimum gain from a ploy, beyond the ploy's own worth."""

    def __init__(self, state: State, seat: int, weights: Weights = WEIGHTS) -> None:
        self.seat = seat
        self._weights = weights
        self._rival = weights.rival if state.players == 2 else weights.rival_of_many
        self._pile = 0
        """The cards in the draw pile, as bits."""
        for card in state.draw_pile:
            self._pile |= 1 << card
        self._share = 1 / max(1, len(state.draw_pile))
        self._risks: dict[tuple[Card, Card, Card, Card, Stack, int], float] = {}
        """Cache of the risks of lines that don't kill yet; unused in the phase ``PLACING``."""

    def worth(self, state: State, tops: list[Card]) -> float:
        """Return the value of a position: about the difference in living royals, minus the risks.

        *tops* are the top cards of all cells. They may differ from the position's, to evaluate a move that isn't made.
        """
        total = self._hands(state)
        for player, lives in enumerate(state.lives):
            if player == self.seat:
                total += lives or -self._weights.lost
            else:
                total -= self._rival * lives if lives else -self._weights.rival_out
        for slot, alive in enumerate(state.alive):
            if alive:
                safety = -self.risk(state, slot, tops)
                if state.armour[slot]:
                    safety += self._weights.armour * state.armour_points(slot)
                own = state.owners[state.royals[slot] & 3] == self.seat
                total += safety if own else -self._rival * safety
        return total

    def risk(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the approximate probability that the royal in *slot* is killed soon (G9, G10)."""
        near, far, trigger = LINES[slot]
        royal, one, other = state.royals[slot], tops[near], tops[far]
        if ATTACK_ON_ROYAL[royal][one] + ATTACK_ON_ROYAL[royal][other] >= state.needed(slot):
            return self._deadly(state, slot, tops)
        if state.phase == PLACING:
            return self._loading(state, slot, tops)
        line = (royal, one, other, tops[trigger], state.armour[slot], state.lives.count(0))
        risk = self._risks.get(line)
        if risk is None:
            risk = self._risks[line] = self._loading(state, slot, tops)
        return risk

    def _deadly(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the risk from a line that kills as soon as its trigger is pulled."""
        weights, owner, trigger = self._weights, state.owners[state.royals[slot] & 3], LINES[slot][2]
        pull = self._pull(state, owner, tops[trigger])
        pull = max(pull, weights.ambush * self._may_ambush(state, owner, trigger, tops))
        if owner == self.seat:
            return weights.exposed * pull + weights.lingering * (1 - pull)
        return weights.aimed * pull if state.phase != PLACING or state.turn != self.seat else pull

    def _loading(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the risk from a line that doesn't kill yet."""
        weights, royal, needed = self._weights, state.royals[slot], state.needed(slot)
        near, far, trigger = LINES[slot]
        by_near, by_far = ATTACK_ON_ROYAL[royal][tops[near]], ATTACK_ON_ROYAL[royal][tops[far]]
        pull = self._pull(state, state.owners[royal & 3], tops[trigger])
        build = self._build(royal, tops[near], needed - by_far) + self._build(royal, tops[far], needed - by_near)
        attack = by_near + by_far
        stripped = falling_armour(state.armour[slot], attack)
        return weights.building * build * pull + weights.pressure * attack / needed + weights.armour * stripped * pull

    def _pull(self, state: State, owner: int, top: Card) -> float:
        """Return the probability that a seat other than *owner* can soon lay a card on a trigger with this top card."""
        if state.phase == PLACING and state.turn != owner and CAN_LIE_ON[state.drawn][top]:
            return 1.0
        lays = (self._pile & LAYABLE_CARDS_BY_TOP[top]).bit_count() * self._share
        if owner != self.seat or state.players == 2:
            return lays
        turns = sum([1 for lives in state.lives if lives]) - 1
        return float(1 - (1 - lays) ** turns)

    def _build(self, royal: Card, top: Card, wanted: int) -> float:
        """Return the probability of drawing a card that fits on *top* and hits *royal* for at least *wanted*."""
        fit = ATTACKERS_BY_ROYAL_AND_POINTS[royal][max(0, min(wanted, UNREACHABLE_ATTACK))] & LAYABLE_CARDS_BY_TOP[top]
        return (self._pile & fit).bit_count() * self._share

    def _may_ambush(self, state: State, owner: int, trigger: int, tops: list[Card]) -> bool:
        """Return whether a rival of *owner* has a joker or an ace that can pull the trigger (G13)."""
        for player, arsenal in enumerate(state.arsenals):
            if player == owner:
                continue
            for card in arsenal:
                if rank_of(card) != ACE:
                    if tops[trigger] != NO_CARD:
                        return True
                elif any(CAN_LIE_ON[other][tops[trigger]] for cell, other in enumerate(tops) if cell != trigger):
                    return True
        return False

    def _hands(self, state: State) -> float:
        """Return the value of the seat's ploys minus a part of the value of its rivals' ploys."""
        weights, total = self._weights, 0.0
        for player, arsenal in enumerate(state.arsenals):
            share = 1.0 if player == self.seat else -0.5 * self._rival
            for card in sorted(arsenal, reverse=True):
                total += share * (weights.ace if rank_of(card) == ACE else weights.joker)
                share *= weights.hoard
        return total * max(0.0, 1 - state.turns / weights.patience)


class OddsEvaluation(Evaluation):
    """Evaluates the odds that one seat wins, for one decision or one search.

    A search always uses the draw pile of its root, so that the value of each line is computed only once.
    """

    margin: ClassVar[float] = 0.2

    def __init__(
        self, state: State, seat: int, weights: Weights = WEIGHTS, known: dict[int, float] | None = None
    ) -> None:
        super().__init__(state, seat, weights)
        self._share = 1 / max(1, len(state.draw_pile) + len(state.aside))
        self._patience = min(
            1.0, max(0.0, 1 - (state.turns - PLOY_FADE_FIRST_TURN) / (PLOY_FADE_LAST_TURN - PLOY_FADE_FIRST_TURN))
        )
        two = state.players == 2
        self._on_turn: OddsWeights = ON_TURN_OF_TWO if two else ON_TURN_OF_FOUR
        self._waiting: OddsWeights = WAITING_OF_TWO if two else WAITING_OF_FOUR
        self._known: dict[int, float] = {} if known is None else known
        """Cache of the value of each line to its owner, shared by all seats' evaluations from *state*."""

    def worth(self, state: State, tops: list[Card]) -> float:
        """Return the log odds that the seat wins."""
        if state.phase == OVER:
            winner = None if state.outcome is None else state.outcome["winner"]
            return 0.0 if winner is None else CERTAIN_WIN_LOG_ODDS if winner == self.seat else -CERTAIN_WIN_LOG_ODDS
        if not state.lives[self.seat]:
            return -CERTAIN_WIN_LOG_ODDS
        strengths = self.strengths(state, tops)
        own, rivals = strengths[self.seat], 0.0
        for seat, lives in enumerate(state.lives):
            if lives and seat != self.seat:
                rivals += exp(strengths[seat] - own)
        return -log(rivals)

    def strengths(self, state: State, tops: list[Card]) -> list[float]:
        """Return the strength of every seat."""
        owners, known, drawn, turn = state.owners, self._known, NO_CARD, state.turn
        if state.phase == PLACING:
            drawn = state.drawn
        contexts, standing = self._line_contexts(state), 0
        strengths = [0.0] * state.players
        for slot in range(12):
            if not state.alive[slot]:
                continue
            royal = state.royals[slot]
            near, far, trigger = LINES[slot]
            seat, top = owners[royal & 3], tops[trigger]
            standing |= 1 << seat
            # The cache key is one integer, which a dict finds three times as fast as a tuple.
            line = (((contexts[seat] << 6 | royal) << 6 | tops[near]) << 6 | tops[far]) << 6 | top
            line = line << 8 | state.armour_points(slot)
            if CAN_LIE_ON[drawn][top] and seat != turn:
                line |= RIVAL_CAN_PULL_BIT
            worth = known.get(line)
            if worth is None:
                worth = known[line] = self._line(state, slot, tops, pulled=line >= RIVAL_CAN_PULL_BIT)
            strengths[seat] += worth
        for seat in range(state.players):
            strengths[seat] += self._apart_from_lines(state, seat, stands=bool(standing >> seat & 1))
        return strengths

    def _line_contexts(self, state: State) -> list[int]:
        """Return by seat a part of the cache key of its lines: all that their value depends on, except cards.

        That is the number of living seats, ``waits``, and whether the seat has only one living royal.
        """
        living = state.players - state.lives.count(0)
        return [
            2 * (8 * living + waits(state, seat)) + (1 if lives == 1 else 0) for seat, lives in enumerate(state.lives)
        ]

    def _apart_from_lines(self, state: State, seat: int, *, stands: bool) -> float:
        """Return the part of a seat's strength from lives, ploys, and the lack of a royal on the board (G16).

        *stands* is True if the seat has a living royal on the board.
        """
        stakes, arsenal = self._on_turn if seat == state.turn else self._waiting, state.arsenals[seat]
        strength = stakes.lives[state.lives[seat]]
        if arsenal:
            strength += self._patience * in_hand(stakes, arsenal)
        return strength if stands else strength + stakes.unplaced

    def _line(self, state: State, slot: int, tops: list[Card], *, pulled: bool) -> float:
        """Return the value of a royal on the board to its owner, given its line of fire (G9, G10).

        *pulled* is True if a rival of the owner can lay the card in hand on the trigger.
        """
        royal, armour = state.royals[slot], state.armour[slot]
        near, far, trigger = [tops[cell] for cell in LINES[slot]]
        seat = state.owners[royal & 3]
        last, stakes = state.lives[seat] == 1, self._on_turn if seat == state.turn else self._waiting
        hits, needed = ATTACK_ON_ROYAL[royal], state.needed(slot)
        pull = 1.0 if pulled else (self._pile & LAYABLE_CARDS_BY_TOP[trigger]).bit_count() * self._share
        worth = stakes.royals[rank_of(royal) - QUEEN + 1]
        if armour:
            worth += stakes.armour * state.armour_points(slot)
        if hits[near] + hits[far] >= needed:
            next_turn = 1 - (1 - pull) ** waits(state, seat)
            shot = 1 - (1 - pull) ** (len(state.lives) - state.lives.count(0) - 1)
            worth += stakes.deadly + stakes.pulled * next_turn + stakes.shot * shot
            return worth + (stakes.last_shot * shot + stakes.last_pulled * next_turn if last else 0.0)
        build = self._fits(royal, near, needed - hits[far]) + self._fits(royal, far, needed - hits[near])
        worth += stakes.build * build + (stakes.built + (stakes.last_built if last else 0.0)) * build * pull
        return worth + stakes.ratio * (hits[near] + hits[far]) / needed + stakes.pull * pull

    def _fits(self, royal: Card, top: Card, wanted: int) -> float:
        """Return the probability of drawing a card that fits on *top* and hits *royal* for at least *wanted*."""
        return (
            self._pile
            & ATTACKERS_BY_ROYAL_AND_POINTS[royal][min(wanted, UNREACHABLE_ATTACK)]
            & LAYABLE_CARDS_BY_TOP[top]
        ).bit_count() * self._share


def falling_armour(armour: Stack, attack: int) -> int:
    """Return how many points of armour are removed by an attack that doesn't kill (G11)."""
    points = 0
    for card in reversed(armour):
        if attack < points + VALUE[card]:
            break
        points += VALUE[card]
    return points


def waits(state: State, seat: int) -> int:
    """Return the number of other seats' turns before that of *seat*, the present turn included."""
    turns, other = 0, state.turn
    while other != seat:
        turns += state.lives[other] > 0
        other = (other + 1) % state.players
    return turns


def in_hand(stakes: OddsWeights, arsenal: Stack) -> float:
    """Return the value of an arsenal's ploys to their owner."""
    aces = 0
    for card in arsenal:
        aces += rank_of(card) == ACE
    jokers = len(arsenal) - aces
    ace, joker, further, second = stakes.ploys
    worth = ace + further * (aces - 1) if aces else 0.0
    return worth + (joker + second * (jokers > 1) if jokers else 0.0)
