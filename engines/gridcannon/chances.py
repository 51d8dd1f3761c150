"""What a board promises: the chances of each seat to win, as games among adepts and among their betters have shown.

A seat's strength is a sum of what it has, each thing times what it was worth in those games (``Stakes``); its chances
are to a rival's as e to the difference of their strengths. The worths are a logistic regression of the winner on the
board at the start of a turn. Only what is public counts: which cards are in the draw pile, never their order (G22).
"""

from dataclasses import dataclass
from math import exp, log
from typing import ClassVar, Final

from engines.cards import ACE, QUEEN, Card, rank_of
from engines.gridcannon.board import HITS, LIES_ON, LINES, NOTHING
from engines.gridcannon.state import OVER, PLACING, Stack, State
from engines.gridcannon.weighing import HITTERS, LAYS, MOST, WEIGHTS, Outlook, Weights

CERTAIN: Final = 12.0
"""The logarithm of the odds when the game is won."""

PULLED: Final = 1 << 45
"""The bit of a line's number that says that the card in hand can pull the trigger."""


@dataclass(frozen=True)
class Stakes:
    """What things are worth to their owner: logarithms of odds. Chances count from 0 to 1, before the next own turn."""

    lives: tuple[float, ...]
    """Living royals, wherever they are: from none to six."""
    ploys: tuple[float, float, float, float]
    """An ace, a joker, each further ace, a second joker."""
    royals: tuple[float, float, float]
    """A Jack, a Queen, a King on the board."""
    deadly: float
    """A line that kills once its trigger is pulled."""
    pulled: float
    """Such a line, times the chance that it is pulled before one's next turn."""
    shot: float
    """Such a line, times the chance that it is pulled within a round."""
    last_shot: float
    last_pulled: float
    """The same, when it is one's last royal: added to the former."""
    build: float
    """The chance of a card that makes a line deadly."""
    built: float
    """That, times the chance that the trigger is pulled."""
    ratio: float
    """What a line does of the damage that is needed."""
    pull: float
    """The chance of a card that can be laid on the trigger of a line that doesn't kill yet."""
    last_built: float
    armour: float
    """A point of armour."""
    unplaced: float
    """No living royal on the board (G16)."""


ON_TURN_OF_TWO: Final = Stakes(
    lives=(0.0, -0.969, -0.393, -0.005, 0.375, 0.540, 0.662),
    ploys=(0.418, 0.465, 0.345, 0.473),
    royals=(0.212, -0.033, 0.288),
    deadly=-0.223,
    pulled=0.0,
    shot=-0.123,
    last_shot=-2.914,
    last_pulled=0.0,
    build=-0.135,
    built=0.106,
    ratio=-0.171,
    pull=-0.003,
    last_built=-3.679,
    armour=0.0325,
    unplaced=-0.240,
)
WAITING_OF_TWO: Final = Stakes(
    lives=(0.0, -1.061, -0.452, -0.087, 0.268, 0.476, 0.644),
    ploys=(0.422, 0.511, 0.382, 0.524),
    royals=(0.163, -0.032, 0.304),
    deadly=-0.247,
    pulled=-0.001,
    shot=-0.001,
    last_shot=-0.931,
    last_pulled=-0.931,
    build=-0.095,
    built=0.334,
    ratio=-0.209,
    pull=-0.056,
    last_built=-4.080,
    armour=0.0310,
    unplaced=-0.191,
)
ON_TURN_OF_FOUR: Final = Stakes(
    lives=(0.0, -0.349, 0.097, 0.256),
    ploys=(0.236, 0.323, 0.293, 0.429),
    royals=(0.227, 0.018, 0.400),
    deadly=-0.510,
    pulled=0.0,
    shot=0.315,
    last_shot=-1.498,
    last_pulled=0.0,
    build=-0.374,
    built=0.188,
    ratio=-0.183,
    pull=-0.085,
    last_built=-2.106,
    armour=0.0149,
    unplaced=-0.022,
)
WAITING_OF_FOUR: Final = Stakes(
    lives=(0.0, -0.334, 0.081, 0.249),
    ploys=(0.229, 0.304, 0.264, 0.335),
    royals=(0.149, -0.021, 0.375),
    deadly=-0.392,
    pulled=-0.250,
    shot=0.360,
    last_shot=-0.807,
    last_pulled=-0.321,
    build=-0.456,
    built=0.681,
    ratio=-0.162,
    pull=-0.084,
    last_built=-3.802,
    armour=0.0190,
    unplaced=0.053,
)


class Chances(Outlook):
    """One seat's chances, made ready for one decision, or for a search from one position.

    In a search the draw pile counts as it was at its root: what a line is worth is worked out once.
    """

    margin: ClassVar[float] = 0.2

    def __init__(
        self, state: State, seat: int, weights: Weights = WEIGHTS, known: dict[int, float] | None = None
    ) -> None:
        super().__init__(state, seat, weights)
        self._share = 1 / max(1, len(state.draw_pile) + len(state.aside))
        two = state.players == 2
        self._on_turn: Stakes = ON_TURN_OF_TWO if two else ON_TURN_OF_FOUR
        self._waiting: Stakes = WAITING_OF_TWO if two else WAITING_OF_FOUR
        self._known: dict[int, float] = {} if known is None else known
        """What lines do to their owners, by all that they depend on: the same for all who judge from *state*."""

    def worth(self, state: State, tops: list[Card]) -> float:
        """Return the logarithm of the odds that the seat wins."""
        if state.phase == OVER:
            winner = None if state.outcome is None else state.outcome["winner"]
            return 0.0 if winner is None else CERTAIN if winner == self.seat else -CERTAIN
        if not state.lives[self.seat]:
            return -CERTAIN
        strengths = self._strengths(state, tops)
        own, rivals = strengths[self.seat], 0.0
        for seat, lives in enumerate(state.lives):
            if lives and seat != self.seat:
                rivals += exp(strengths[seat] - own)
        return -log(rivals)

    def _strengths(self, state: State, tops: list[Card]) -> list[float]:
        """Return the strength of every seat."""
        owners, known, drawn, turn = state.owners, self._known, NOTHING, state.turn
        if state.phase == PLACING:
            drawn = state.drawn
        situations, standing = self._situations(state), 0
        strengths = [0.0] * state.players
        for slot in range(12):
            if not state.alive[slot]:
                continue
            royal = state.royals[slot]
            near, far, trigger = LINES[slot]
            seat, top = owners[royal & 3], tops[trigger]
            standing |= 1 << seat
            # One number for all that a line's worth depends on: a dict finds it three times as fast as a tuple.
            line = (((situations[seat] << 6 | royal) << 6 | tops[near]) << 6 | tops[far]) << 6 | top
            line = line << 8 | state.armour_points(slot)
            if LIES_ON[drawn][top] and seat != turn:
                line |= PULLED
            worth = known.get(line)
            if worth is None:
                worth = known[line] = self._line(state, slot, tops, pulled=line >= PULLED)
            strengths[seat] += worth
        for seat in range(state.players):
            strengths[seat] += self._apart_from_lines(state, seat, stands=bool(standing >> seat & 1))
        return strengths

    def _situations(self, state: State) -> list[int]:
        """Return for each seat, in one number, what a line's worth depends on beyond the cards."""
        living = state.players - state.lives.count(0)
        return [
            2 * (8 * living + waits(state, seat)) + (1 if lives == 1 else 0) for seat, lives in enumerate(state.lives)
        ]

    def _apart_from_lines(self, state: State, seat: int, *, stands: bool) -> float:
        """Return what a seat has in lives and in hand, and what having no royal on the board is worth (G16)."""
        stakes, arsenal = self._on_turn if seat == state.turn else self._waiting, state.arsenals[seat]
        strength = stakes.lives[state.lives[seat]]
        if arsenal:
            strength += in_hand(stakes, arsenal)
        return strength if stands else strength + stakes.unplaced

    def _line(self, state: State, slot: int, tops: list[Card], *, pulled: bool) -> float:
        """Return what a royal on the board is worth to its owner, its line of fire considered (G9, G10)."""
        royal, armour = state.royals[slot], state.armour[slot]
        near, far, trigger = [tops[cell] for cell in LINES[slot]]
        seat = state.owners[royal & 3]
        last, stakes = state.lives[seat] == 1, self._on_turn if seat == state.turn else self._waiting
        hits, needed = HITS[royal], state.needed(slot)
        pull = 1.0 if pulled else (self._pile & LAYS[trigger]).bit_count() * self._share
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
        """Return the chance of a card that can be laid on *top* and hits *royal* for *wanted*."""
        return (self._pile & HITTERS[royal][min(wanted, MOST)] & LAYS[top]).bit_count() * self._share


def waits(state: State, seat: int) -> int:
    """Return how many others have a turn before *seat* has."""
    turns, other = 0, state.turn
    while other != seat:
        turns += state.lives[other] > 0
        other = (other + 1) % state.players
    return turns


def in_hand(stakes: Stakes, arsenal: Stack) -> float:
    """Return what ploys are worth to their owner."""
    aces = 0
    for card in arsenal:
        aces += rank_of(card) == ACE
    jokers = len(arsenal) - aces
    ace, joker, further, second = stakes.ploys
    worth = ace + further * (aces - 1) if aces else 0.0
    return worth + (joker + second * (jokers > 1) if jokers else 0.0)
