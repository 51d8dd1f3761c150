"""The player of imagined games: a quick hand that lays numbers where they kill and threaten, for search to look ahead.

It weighs only what a card changes, line by line, and pulls a trigger by a ploy when that kills.
"""

from collections.abc import Mapping
from math import exp
from random import Random
from typing import ClassVar, Final

from engines.cards import ACE, PACK, Card, rank_of
from engines.gridcannon.actions import (
    ARMOURS,
    DRAW,
    FORCES,
    PLACES,
    REASSIGNS,
    RETURN,
    ROYALS,
    Declare,
    Recall,
)
from engines.gridcannon.board import (
    AIMS,
    FORCED_ATTACK,
    HEALTH,
    HITS,
    LIES_ON,
    LINES,
    NOTHING,
    REASSIGNMENT,
    is_number,
    is_royal,
)
from engines.gridcannon.policy import Adept
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING, PLACING, SETUP
from engines.gridcannon.weighing import WEIGHTS, Outlook
from engines.ruleset import Action, Guide, Weighed

ADEPT: Final = Adept()
LAST: Final = 6.0
"""A seat's last royal, in royals."""
NUMBERS: Final = tuple([card for card in PACK if is_number(card)])
PULL: Final = tuple([sum([LIES_ON[card][top] for card in NUMBERS]) / len(PACK) for top in (*PACK, NOTHING)])
"""By the top of a trigger: about the chance that a card is drawn that can be laid on it (G8)."""
CROSSED: Final = tuple([tuple([slot for slot in range(12) if cell in LINES[slot][:2]]) for cell in range(9)])
"""By cell: the slots that it attacks."""
MOST: Final = 11
"""More than any card hits for."""


def _fits(royal: Card, top: Card) -> tuple[float, ...]:
    """Return, by what is wanted, about the chance of a card that can be laid on *top* and hits *royal* for as much."""
    hits = [HITS[royal][card] for card in NUMBERS if LIES_ON[card][top]]
    return tuple([sum([hit >= wanted for hit in hits]) / len(PACK) for wanted in range(MOST + 1)])


FITS: Final = {royal: tuple([_fits(royal, top) for top in (*PACK, NOTHING)]) for royal in PACK if is_royal(royal)}
"""``FITS[royal][top][wanted]``."""


def danger(royal: Card, near: Card, far: Card, pull: float, needed: int, *, own: bool) -> float:
    """Return about the chance that *royal* is killed soon: what the adept calls its risk, from tables alone."""
    hits = HITS[royal]
    by_near, by_far = hits[near], hits[far]
    attack = by_near + by_far
    if attack >= needed:
        return WEIGHTS.exposed * pull + WEIGHTS.lingering * (1 - pull) if own else WEIGHTS.aimed * pull
    fits = FITS[royal]
    build = fits[near][min(needed - by_far, MOST)] + fits[far][min(needed - by_near, MOST)]
    return WEIGHTS.building * build * pull + WEIGHTS.pressure * attack / needed


class Quick(Guide[GridcannonPosition]):
    """Plays fast and tolerably; sees what is public only."""

    depth: ClassVar[int] = 1
    horizon: ClassVar[int] = 16

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return what to do, None to let others act."""
        if not position.ploys and position.arsenals[seat] and position.phase != SETUP:
            declaration = self._pounce(position, seat)
            if declaration is not None:
                return declaration
        return self._duty(position, seat, rng) if position.must_act() == seat else None

    def weigh(self, position: GridcannonPosition, seat: int, signals: Mapping[int, str]) -> Weighed:
        """Return what the seat may do, the adept's choice far ahead."""
        actions: list[Action | None] = [*position.legal(seat)]
        if position.must_act() != seat:
            actions.append(None)
        favourite = ADEPT.choose(position, seat, Random(0), signals)
        return [(action, 3.0 if action == favourite else 0.0) for action in actions]

    def value(self, position: GridcannonPosition, seat: int) -> float:
        """Return 1 for a win, a half for a draw; before the end what the adept makes of the board."""
        outcome = position.outcome
        if outcome is not None:
            return 0.5 if outcome["winner"] is None else float(outcome["winner"] == seat)
        return 0.02 + 0.96 / (1 + exp(-0.6 * Outlook(position, seat).worth(position)))

    def next(self, position: GridcannonPosition, rng: Random) -> tuple[int, Action]:
        """Return who acts: somebody with a ploy that kills, else whoever must."""
        if not position.ploys and position.phase != SETUP:
            for seat, arsenal in enumerate(position.arsenals):
                if arsenal:
                    declaration = self._pounce(position, seat)
                    if declaration is not None:
                        return seat, declaration
        seat = position.must_act()
        return seat, self._duty(position, seat, rng)

    def _duty(self, position: GridcannonPosition, seat: int, rng: Random) -> Action:
        """Return what the seat that must act does."""
        if position.ploys:
            return self._resolve(position, seat, rng)
        if position.phase == DRAWING:
            return DRAW
        tops = position.tops()
        if position.phase == PLACING:
            return self._place(position, seat, tops)
        royal = position.waiting_royal()
        slots = position.slots_for(royal)
        return ROYALS[min(slots, key=lambda slot: self._exposed(slot, royal, tops))]

    def _exposed(self, slot: int, royal: Card, tops: list[Card]) -> float:
        near, far, trigger = LINES[slot]
        return danger(royal, tops[near], tops[far], PULL[tops[trigger]], HEALTH[royal], own=True)

    def _place(self, position: GridcannonPosition, seat: int, tops: list[Card]) -> Action:
        """Return the best way to be rid of the drawn number (G8, G12)."""
        card = position.drawn
        lies_on = LIES_ON[card]
        best, top = -1, -1e9
        for cell in range(9):
            if lies_on[tops[cell]]:
                gain = self._gain(position, seat, cell, card, tops)
                if gain > top:
                    best, top = cell, gain
        if best >= 0:
            return PLACES[best]
        slots = position.armour_slots(seat, card)
        return ARMOURS[min(slots, key=position.armour_points)] if slots else RETURN

    def _gain(self, position: GridcannonPosition, seat: int, cell: int, card: Card, tops: list[Card]) -> float:
        """Return what *card* on *cell* changes: royals killed, lines loaded, triggers eased or blocked (G9)."""
        old, alive, royals, owners = tops[cell], position.alive, position.royals, position.owners
        total = 0.0
        for slot in AIMS[cell]:
            if alive[slot]:
                near, far = tops[LINES[slot][0]], tops[LINES[slot][1]]
                royal = royals[slot]
                needed, owner = position.needed(slot), owners[royal & 3]
                own = owner == seat
                before = danger(royal, near, far, PULL[old], needed, own=own)
                if HITS[royal][near] + HITS[royal][far] >= needed:
                    change = (1.0 if position.lives[owner] > 1 else LAST) - before
                else:
                    change = danger(royal, near, far, PULL[card], needed, own=own) - before
                total += -change if own else change
        for slot in CROSSED[cell]:
            if alive[slot]:
                near_cell, far_cell, trigger = LINES[slot]
                royal = royals[slot]
                near, far, pull = tops[near_cell], tops[far_cell], PULL[tops[trigger]]
                needed, own = position.needed(slot), owners[royal & 3] == seat
                change = -danger(royal, near, far, pull, needed, own=own)
                if cell == near_cell:
                    change += danger(royal, card, far, pull, needed, own=own)
                else:
                    change += danger(royal, near, card, pull, needed, own=own)
                total += -change if own else change
        return total

    def _targets(self, position: GridcannonPosition, seat: int) -> set[int]:
        """Return the triggers that kill a rival's royal, and none of the seat's own, if pulled now."""
        good, bad = set[int](), set[int]()
        for slot in range(12):
            if position.alive[slot] and position.attack(slot) >= position.needed(slot):
                own = position.owners[position.royals[slot] & 3] == seat
                (bad if own else good).add(LINES[slot][2])
        return good - bad

    def _pounce(self, position: GridcannonPosition, seat: int) -> Action | None:
        """Return the declaration of a ploy that kills."""
        targets = self._targets(position, seat)
        if targets:
            for card in position.arsenals[seat]:
                if card in position.recalled:
                    continue
                if rank_of(card) != ACE:
                    if any(position.grid[cell] for cell in targets):
                        return Declare(card, FORCED_ATTACK)
                elif self._moves(position, targets):
                    return Declare(card, REASSIGNMENT)
        return None

    def _moves(self, position: GridcannonPosition, targets: set[int]) -> list[tuple[int, int]]:
        """Return the reassignments that pull one of *targets* by a card that isn't of a line to it."""
        tops = position.tops()
        return [
            (source, target)
            for target in sorted(targets)
            for source in range(9)
            if source != target
            and tops[source] != NOTHING
            and LIES_ON[tops[source]][tops[target]]
            and not any(source in LINES[slot][:2] for slot in AIMS[target])
        ]

    def _resolve(self, position: GridcannonPosition, seat: int, rng: Random) -> Action:
        """Use the head of the queue to kill, or as an adept would."""
        ploy = position.ploys[0][2]
        targets = self._targets(position, seat)
        if ploy == FORCED_ATTACK:
            cells = [cell for cell in sorted(targets) if position.grid[cell]]
            if cells:
                return FORCES[cells[0]]
        moves = self._moves(position, targets) if ploy == REASSIGNMENT else []
        if moves:
            return REASSIGNS[moves[0][0]][moves[0][1]]
        return ADEPT.choose(position, seat, rng, {}) or Recall(position.ploys[0][1])
