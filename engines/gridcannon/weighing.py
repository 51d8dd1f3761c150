"""How an adept judges a board: what its royals risk, what the others' risk, what ploys in hand are worth.

It looks at what is public and no further: of the draw pile it uses which cards are in it, never their order (G22).
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from engines.cards import ACE, PACK, Card, rank_of
from engines.gridcannon.board import HITS, LIES_ON, LINES, NOTHING, VALUE, is_number
from engines.gridcannon.state import PLACING, Stack, State

NUMBERS: Final = tuple([card for card in PACK if is_number(card)])
MOST: Final = 11
"""More than any card hits for."""

LAYS: Final = tuple([sum([1 << card for card in NUMBERS if LIES_ON[card][top]]) for top in (*PACK, NOTHING)])
"""By top: a bit for each number that can be laid on it (G8)."""

HITTERS: Final = tuple(
    [
        tuple([sum([1 << card for card in NUMBERS if HITS[royal][card] >= wanted]) for wanted in range(MOST + 1)])
        for royal in PACK
    ]
)
"""By royal and what is wanted: a bit for each number that hits it for as much (G9)."""


@dataclass(frozen=True)
class Weights:
    """What the adept cares for, in royals: judged by eye, and proved by ``benchmarks/gridcannon_statistics.py``."""

    lost: float = 6.0
    """Being out, beyond the royal lost."""
    rival: float = 1.0
    """A rival's royal with two players."""
    rival_of_many: float = 0.6
    """A rival's royal with four."""
    rival_out: float = 0.5
    """A rival gone for good, beyond the royal."""
    ace: float = 0.3
    joker: float = 0.45
    """A ploy kept for later."""
    exposed: float = 0.85
    """One's own royal on a line that kills, if the trigger can be pulled before one's next turn."""
    lingering: float = 0.25
    """The same, when nobody happened to pull it."""
    aimed: float = 0.6
    """A rival's royal on a line that kills, if the trigger can be pulled: its player may break the line first."""
    building: float = 0.5
    """A line that one more card makes deadly, against one that is."""
    pressure: float = 0.12
    """A line that does all the damage that is needed but for the last point."""
    ambush: float = 0.7
    """A rival holds a ploy that pulls the trigger of a line that kills."""
    armour: float = 0.015
    """A point of armour: it must be stripped before a royal can be killed."""
    hoard: float = 0.75
    """Each further ploy of an arsenal, against the one before."""
    patience: int = 300
    """In that many turns ploys lose the worth of being kept: somebody must break what has become a siege."""


WEIGHTS: Final = Weights()


class Outlook:
    """The judgement of one seat, made ready for one decision."""

    margin: ClassVar[float] = 0.1
    """What a ploy must gain beyond its own worth."""

    def __init__(self, state: State, seat: int, weights: Weights = WEIGHTS) -> None:
        self.seat = seat
        self._weights = weights
        self._rival = weights.rival if state.players == 2 else weights.rival_of_many
        self._pile = 0
        """A bit for each card of the draw pile."""
        for card in state.draw_pile:
            self._pile |= 1 << card
        self._share = 1 / max(1, len(state.draw_pile))
        self._risks: dict[tuple[Card, Card, Card, Card, Stack, int], float] = {}
        """Of lines that don't kill yet, by all that they depend on when no card is in hand."""

    def worth(self, state: State, tops: list[Card]) -> float:
        """Return how good a position is for the seat: about the difference in living royals, risks taken off.

        *tops* are its top cards, or others that might lie there.
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
        """Return about the chance that the royal in *slot* is killed soon (G9, G10)."""
        near, far, trigger = LINES[slot]
        royal, one, other = state.royals[slot], tops[near], tops[far]
        if HITS[royal][one] + HITS[royal][other] >= state.needed(slot):
            return self._deadly(state, slot, tops)
        if state.phase == PLACING:
            return self._loading(state, slot, tops)
        line = (royal, one, other, tops[trigger], state.armour[slot], state.lives.count(0))
        risk = self._risks.get(line)
        if risk is None:
            risk = self._risks[line] = self._loading(state, slot, tops)
        return risk

    def _deadly(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the risk on a line that kills once somebody pulls its trigger."""
        weights, owner, trigger = self._weights, state.owners[state.royals[slot] & 3], LINES[slot][2]
        pull = self._pull(state, owner, tops[trigger])
        pull = max(pull, weights.ambush * self._may_ambush(state, owner, trigger, tops))
        if owner == self.seat:
            return weights.exposed * pull + weights.lingering * (1 - pull)
        return weights.aimed * pull if state.phase != PLACING or state.turn != self.seat else pull

    def _loading(self, state: State, slot: int, tops: list[Card]) -> float:
        """Return the risk on a line that doesn't kill yet."""
        weights, royal, needed = self._weights, state.royals[slot], state.needed(slot)
        near, far, trigger = LINES[slot]
        by_near, by_far = HITS[royal][tops[near]], HITS[royal][tops[far]]
        pull = self._pull(state, state.owners[royal & 3], tops[trigger])
        build = self._build(royal, tops[near], needed - by_far) + self._build(royal, tops[far], needed - by_near)
        attack = by_near + by_far
        stripped = falling_armour(state.armour[slot], attack)
        return weights.building * build * pull + weights.pressure * attack / needed + weights.armour * stripped * pull

    def _pull(self, state: State, owner: int, top: Card) -> float:
        """Return the chance that somebody but *owner* can lay a card on a trigger with this top soon."""
        if state.phase == PLACING and state.turn != owner and LIES_ON[state.drawn][top]:
            return 1.0
        lays = (self._pile & LAYS[top]).bit_count() * self._share
        if owner != self.seat or state.players == 2:
            return lays
        turns = sum([1 for lives in state.lives if lives]) - 1
        return float(1 - (1 - lays) ** turns)

    def _build(self, royal: Card, top: Card, wanted: int) -> float:
        """Return the chance that a card is drawn that can be laid on *top* and hits *royal* for *wanted* or more."""
        fit = HITTERS[royal][max(0, min(wanted, MOST))] & LAYS[top]
        return (self._pile & fit).bit_count() * self._share

    def _may_ambush(self, state: State, owner: int, trigger: int, tops: list[Card]) -> bool:
        """Somebody but *owner* holds a joker that pulls the trigger, or an ace that brings a card to it (G13)."""
        for player, arsenal in enumerate(state.arsenals):
            if player == owner:
                continue
            for card in arsenal:
                if rank_of(card) != ACE:
                    if tops[trigger] != NOTHING:
                        return True
                elif any(LIES_ON[other][tops[trigger]] for cell, other in enumerate(tops) if cell != trigger):
                    return True
        return False

    def _hands(self, state: State) -> float:
        """Return what the ploys are worth, the seat's own and its rivals'."""
        weights, total = self._weights, 0.0
        for player, arsenal in enumerate(state.arsenals):
            share = 1.0 if player == self.seat else -0.5 * self._rival
            for card in sorted(arsenal, reverse=True):
                total += share * (weights.ace if rank_of(card) == ACE else weights.joker)
                share *= weights.hoard
        return total * max(0.0, 1 - state.turns / weights.patience)


def falling_armour(armour: Stack, attack: int) -> int:
    """Return the points of armour that an attack which doesn't kill strips (G11)."""
    points = 0
    for card in reversed(armour):
        if attack < points + VALUE[card]:
            break
        points += VALUE[card]
    return points
