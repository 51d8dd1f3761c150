"""The state of a game of Gridcannon, and queries about it; ``rules`` changes it."""

from typing import Final, Self

from engines.core.cards import Card
from engines.core.types import Json
from engines.gridcannon.board import (
    ADJACENT_SLOTS,
    ATTACK_ON_ROYAL,
    CAN_LIE_ON,
    FORCED_ATTACK,
    HEALTH,
    LINES,
    NO_CARD,
    REASSIGNMENT,
    SUIT_FAMILIES_BY_PLAYERS,
    VALUE,
    is_red,
)
from engines.ruleset import Position

SETUP: Final = 0
DRAWING: Final = 1
PLACING: Final = 2
PLACING_ROYAL: Final = 3
OVER: Final = 4
PHASES: Final = ("setup", "draw", "place", "place_royal", "over")

Stack = tuple[Card, ...]
Ploy = tuple[int, Card, int]
"""A queued ploy: its seat, its card, and the kind of ploy that it was declared as."""


class State(Position):
    """The state of one game of Gridcannon, hidden cards included.

    Cells and slots are numbered as in ``board``. Stacks (``grid``, ``armour``, ``arsenals``) are tuples with the oldest
    card first; copies of a state share them. In the draw pile the top card is first. ``lives`` counts each seat's
    living royals, on the board, in the draw pile and waiting; a seat without any is out (G17).

    ``known_bottom`` is the number of cards at the bottom of the draw pile that all seats know (G22). ``recalled`` has
    the ploys that can't be declared until the board changes (G15). ``aside`` has the royals that wait during the
    opening to be shuffled into the draw pile (G5).
    """

    __slots__ = (
        "_outcome",
        "alive",
        "armour",
        "arsenals",
        "aside",
        "draw_pile",
        "drawn",
        "families",
        "grid",
        "known_bottom",
        "lives",
        "opening",
        "owners",
        "phase",
        "players",
        "ploys",
        "recalled",
        "royals",
        "turn",
        "turn_limit",
        "turns",
    )

    def set_up(self, players: int, families: tuple[int, ...]) -> Self:
        """Set all fields to their values before the deal. ``__init__`` doesn't do this, so that ``copy`` is fast."""
        self.players = players
        self.families = families
        self.owners = tuple(families.index(family) for family in SUIT_FAMILIES_BY_PLAYERS[players])
        self.phase = SETUP
        self.turn = 0
        self.turns = 0
        self.grid: list[Stack] = [()] * 9
        self.royals: list[Card] = [NO_CARD] * 12
        self.alive = [False] * 12
        self.armour: list[Stack] = [()] * 12
        self.draw_pile: list[Card] = []
        self.known_bottom = 0
        self.drawn = NO_CARD
        self.opening: list[Card] = []
        self.aside: list[Card] = []
        self.arsenals: list[Stack] = [()] * players
        self.ploys: list[Ploy] = []
        self.recalled: list[Card] = []
        self.lives = [0] * players
        self.turn_limit = 0
        self._outcome: Json | None = None
        return self

    @property
    def outcome(self) -> Json | None:
        """The outcome of the game, or None while it runs (G18, G19, G20)."""
        return self._outcome

    def end_as(self, outcome: Json) -> None:
        """End the game with this outcome."""
        self.phase = OVER
        self._outcome = outcome

    @property
    def is_over(self) -> bool:
        return self.phase == OVER

    def copy(self) -> Self:
        twin = self.__class__()
        twin.players = self.players
        twin.families = self.families
        twin.owners = self.owners
        twin.phase = self.phase
        twin.turn = self.turn
        twin.turns = self.turns
        twin.grid = self.grid[:]
        twin.royals = self.royals[:]
        twin.alive = self.alive[:]
        twin.armour = self.armour[:]
        twin.draw_pile = self.draw_pile[:]
        twin.known_bottom = self.known_bottom
        twin.drawn = self.drawn
        twin.opening = self.opening[:]
        twin.aside = self.aside[:]
        twin.arsenals = self.arsenals[:]
        twin.ploys = self.ploys[:]
        twin.recalled = self.recalled[:]
        twin.lives = self.lives[:]
        twin.turn_limit = self.turn_limit
        twin._outcome = self._outcome
        return twin

    # Seats

    def owner(self, card: Card) -> int:
        """Return the seat to whose family *card* belongs (G1)."""
        return self.owners[card & 3]

    def matches(self, royal: Card, card: Card) -> bool:
        """Return whether *card* is of *royal*'s family: of its colour with two players, its suit with four (G12)."""
        return is_red(royal) == is_red(card) if self.players == 2 else royal & 3 == card & 3

    def next_living(self, seat: int) -> int:
        """Return the next seat after *seat* that isn't out; *seat* itself if all others are (G17)."""
        for step in range(1, self.players + 1):
            after = (seat + step) % self.players
            if self.lives[after]:
                return after
        return seat

    def living(self) -> list[int]:
        """Return the seats that aren't out (G17)."""
        return [seat for seat in range(self.players) if self.lives[seat]]

    def waiting_royal(self) -> Card:
        """Return the royal that must be placed now, or ``NO_CARD`` (G5, G7)."""
        if self.phase == SETUP:
            return self.opening[0]
        return self.drawn if self.phase == PLACING_ROYAL else NO_CARD

    def seat_to_act(self) -> int:
        """Return the seat that must act.

        It is the seat whose ploy is first in the queue (G14), else the owner of the royal that must be placed (G7),
        else the seat on turn (G6).
        """
        if self.ploys:
            return self.ploys[0][0]
        royal = self.waiting_royal()
        return self.turn if royal == NO_CARD else self.owner(royal)

    def to_act(self) -> list[int]:
        return [] if self.phase == OVER else [self.seat_to_act()]

    # Board

    def top(self, cell: int) -> Card:
        """Return the top card of a cell, or ``NO_CARD``."""
        stack = self.grid[cell]
        return stack[-1] if stack else NO_CARD

    def tops(self) -> list[Card]:
        """Return the top cards of all cells."""
        return [stack[-1] if stack else NO_CARD for stack in self.grid]

    def attack(self, slot: int) -> int:
        """Return the attack on the royal in *slot* if its line of fire fires now (G9)."""
        near, far, _ = LINES[slot]
        hits = ATTACK_ON_ROYAL[self.royals[slot]]
        return hits[self.top(near)] + hits[self.top(far)]

    def needed(self, slot: int) -> int:
        """Return the attack that kills the royal in *slot*: its health plus its armour (G10)."""
        health = HEALTH[self.royals[slot]]
        return health + self.armour_points(slot) if self.armour[slot] else health

    def armour_points(self, slot: int) -> int:
        """Return the points of armour of the royal in *slot* (G12)."""
        points = 0
        for card in self.armour[slot]:
            points += VALUE[card]
        return points

    def stands_on_board(self, seat: int) -> bool:
        """Return whether the seat has a living royal in a slot (G16)."""
        return any(self.alive[slot] and self.owners[self.royals[slot] & 3] == seat for slot in range(12))

    def exchange(self, one: int, other: int) -> None:
        """Exchange the contents of two slots."""
        self.royals[one], self.royals[other] = self.royals[other], self.royals[one]
        self.alive[one], self.alive[other] = self.alive[other], self.alive[one]
        self.armour[one], self.armour[other] = self.armour[other], self.armour[one]

    # Possible targets, whichever seat acts

    def cells_for(self, card: Card) -> list[int]:
        """Return the cells on which the number *card* can be laid (G8)."""
        lies_on = CAN_LIE_ON[card]
        return [cell for cell, top in enumerate(self.tops()) if lies_on[top]]

    def slots_for(self, royal: Card) -> list[int]:
        """Return the slots that *royal* can take, in the order of ``SLOTS`` (G7)."""
        tops, royals = self.tops(), self.royals
        best, slots = -1, list[int]()
        for cell, top in enumerate(tops):
            if top == NO_CARD:
                continue
            free = [slot for slot in ADJACENT_SLOTS[cell] if royals[slot] == NO_CARD]
            likeness = VALUE[top] + 20 * (is_red(top) == is_red(royal)) + 20 * (top & 3 == royal & 3)
            if free and likeness >= best:
                slots = slots + free if likeness == best else free
                best = likeness
        return sorted(slots) or [slot for slot in range(12) if royals[slot] == NO_CARD]

    def armour_slots(self, seat: int, card: Card) -> list[int]:
        """Return the slots whose royals *seat* can armour with *card* (G12)."""
        return [
            slot
            for slot in range(12)
            if self.alive[slot] and self.owner(self.royals[slot]) == seat and self.matches(self.royals[slot], card)
        ]

    def reassignments(self) -> list[tuple[int, int]]:
        """Return the possible reassignments, as pairs of source cell and target cell (G13)."""
        tops, moves = self.tops(), list[tuple[int, int]]()
        for source, card in enumerate(tops):
            lies_on = CAN_LIE_ON[card]  # all False if the cell is empty
            for target, top in enumerate(tops):
                if lies_on[top] and target != source:
                    moves.append((source, target))
        return moves

    def taken_slots(self) -> list[int]:
        """Return the slots with a royal, living or dead."""
        return [slot for slot in range(12) if self.royals[slot] != NO_CARD]

    def triggers(self) -> list[int]:
        """Return the non-empty cells that are the trigger of a living royal (G13)."""
        aimed = 0
        for slot in range(12):
            if self.alive[slot]:
                aimed |= 1 << LINES[slot][2]
        return [cell for cell in range(9) if aimed >> cell & 1 and self.grid[cell]]

    def has_use(self, ploy: int) -> bool:
        """Return whether a ploy of this kind can be carried out now (G14)."""
        if ploy == REASSIGNMENT:
            return self._can_reassign()
        if ploy == FORCED_ATTACK:
            return bool(self.triggers())
        return self.royals.count(NO_CARD) <= len(self.royals) - 2

    def _can_reassign(self) -> bool:
        """Return whether ``reassignments`` isn't empty (G13)."""
        tops = self.tops()
        for source, card in enumerate(tops):
            lies_on = CAN_LIE_ON[card]
            for target, top in enumerate(tops):
                if lies_on[top] and target != source:
                    return True
        return False
