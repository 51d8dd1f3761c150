"""Gridcannon as numbers (docs/rl.md): 196 actions and the pass; all public information as bits, seen from a seat."""

from collections.abc import Mapping
from typing import Final, cast

from engines.core.cards import ACE, JACK, JOKER, PACK, rank_of
from engines.core.dealer import Dealer
from engines.core.one_hot import CHUNKS, FLAG, ONE_CARD, WIDTH, add_cards, one_hot
from engines.core.strict_reading import LARGEST
from engines.gridcannon.actions import (
    ARMOURS,
    DRAW,
    FORCES,
    PLACES,
    REASSIGNS,
    RETURN,
    ROYALS,
    SWITCHES,
    Declare,
    Recall,
)
from engines.gridcannon.board import (
    CELLS,
    FORCED_ATTACK,
    HEALTH,
    LINES,
    NO_CARD,
    PLOYS,
    REASSIGNMENT,
    SLOTS,
    VALUE,
    ploys_of,
)
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING, OVER, PLACING, SETUP, Stack
from engines.ruleset import PASS, Action, Environment, Episode, Position

PLOY_CARDS: Final = tuple([card for card in PACK if rank_of(card) in (ACE, JOKER)])
DECLARATIONS: Final = tuple([Declare(card, ploy) for card in PLOY_CARDS for ploy in ploys_of(card)])
REASSIGNMENTS: Final = tuple([(source, target) for source in range(9) for target in range(9) if source != target])
EXCHANGES: Final = tuple([(one, other) for one in range(12) for other in range(one + 1, 12)])
ACTIONS: Final[tuple[Action, ...]] = (
    DRAW,
    *PLACES,
    *ROYALS,
    *ARMOURS,
    RETURN,
    *DECLARATIONS,
    *[REASSIGNS[source][target] for source, target in REASSIGNMENTS],
    *[SWITCHES[one][other] for one, other in EXCHANGES],
    *FORCES,
    *[Recall(card) for card in PLOY_CARDS],
)
"""The actions by index, without the pass, whose index is the last."""
DRAW_INDEX: Final = 0
PLACE_INDEX: Final = 1
ROYAL_INDEX: Final = PLACE_INDEX + 9
ARMOUR_INDEX: Final = ROYAL_INDEX + 12
RETURN_INDEX: Final = ARMOUR_INDEX + 12
DECLARE_INDEX: Final = RETURN_INDEX + 1
REASSIGN_INDEX: Final = DECLARE_INDEX + 8
SWITCH_INDEX: Final = REASSIGN_INDEX + 72
FORCE_INDEX: Final = SWITCH_INDEX + 66
RECALL_INDEX: Final = FORCE_INDEX + 9
PASS_INDEX: Final = len(ACTIONS)

PLOY_PLACE: Final[tuple[int, ...]] = tuple([PLOY_CARDS.index(card) if card in PLOY_CARDS else -1 for card in PACK])
"""By card: its index in ``PLOY_CARDS``; -1 for other cards."""
REASSIGN_AT: Final[tuple[int, ...]] = tuple(
    [
        REASSIGN_INDEX + REASSIGNMENTS.index((source, target)) if source != target else -1
        for source in range(9)
        for target in range(9)
    ]
)
"""The index of a reassignment, by 9 * source + target; -1 if both are the same cell."""
SWITCH_AT: Final[tuple[int, ...]] = tuple(
    [SWITCH_INDEX + EXCHANGES.index((one, other)) if one < other else -1 for one in range(12) for other in range(12)]
)
"""The index of a switch, by 12 * slot + later slot; -1 if the second slot isn't later."""

ALL_CARDS: Final = (1 << WIDTH) - 1
SUITS: Final = one_hot(4)
NUMBERS: Final = one_hot(9)
NUMBER_CARD: Final[tuple[bytes, ...]] = tuple(
    [NUMBERS[VALUE[card] - 2] + SUITS[card & 3] if VALUE[card] else bytes(13) for card in range(WIDTH + 1)]
)
"""By card: the bits of its value and suit if it is a number, else zeros, also for an empty cell (``NO_CARD``)."""
HEIGHTS: Final = one_hot(4)
RANKS: Final = one_hot(3)
ROYAL_CARD: Final[tuple[bytes, ...]] = tuple(
    [RANKS[(card >> 2) - JACK] + SUITS[card & 3] if HEALTH[card] else bytes(7) for card in range(WIDTH + 1)]
)
"""By card: the bits of its rank and suit if it is a royal, else zeros, also for a free slot (``NO_CARD``)."""
MOST_POINTS: Final = 31
POINTS: Final = one_hot(MOST_POINTS + 1)
NO_POINTS: Final = bytes(MOST_POINTS + 1)
PHASES: Final = one_hot(4)
PILES: Final = one_hot(WIDTH + 1)
TURNS_LEFT: Final = one_hot(12)
PLOY_KINDS: Final = one_hot(len(PLOYS))
PLOY_CARD: Final = one_hot(len(PLOY_CARDS))
ROYAL_COUNTS: Final = one_hot(7)
SEATS: Final[tuple[tuple[bytes, ...], ...]] = tuple([one_hot(players) for players in range(5)])
"""By number of players, then by seat, counted clockwise from the viewer: the bits that stand for the seat."""
EMPTY_QUEUE_PLACE: Final[tuple[bytes, ...]] = tuple(
    [bytes(len(PLOY_CARDS) + len(PLOYS) + players) for players in range(5)]
)
"""By number of players: the bits of an empty place in the queue of ploys."""


class GridcannonEpisode(Episode):
    """A game of Gridcannon, played by the indices of actions."""

    def __init__(self, position: GridcannonPosition, dealer: Dealer) -> None:
        super().__init__(position, dealer, PASS_INDEX + 1)
        self._state = position

    def action(self, index: int) -> Action | None:
        return None if index == PASS_INDEX else ACTIONS[index]

    def first_asked(self) -> int:
        """Return the seat on turn, even if another seat must act (G14)."""
        return self._state.turn

    def interrupters(self) -> list[int]:
        state = self._state
        if state.phase in (SETUP, OVER):
            return []
        busy, found = state.seat_to_act(), list[int]()
        for seat in range(state.players):
            if seat != busy and (state.arsenals[seat] or state.ploys) and state.legal(seat):
                found.append(seat)
        return found

    def mark_legal(self, mask: bytearray) -> None:
        state, seat = self._state, self.seat
        if seat == state.seat_to_act():
            self._mark_required(mask)
        else:
            mask[PASS_INDEX] = 1
        if state.phase != SETUP and state.arsenals[seat]:
            for declaration in state.declarations(seat):
                mask[DECLARE_INDEX + _place_of(declaration)] = 1
        for player, card, _ in state.ploys:
            if player == seat:
                mask[RECALL_INDEX + PLOY_PLACE[card]] = 1
        if state.turns == LARGEST:
            self._keep_listed(mask)

    def _mark_required(self, mask: bytearray) -> None:
        """Mark the required actions of the seat that must act, without declarations and recalls."""
        state = self._state
        if state.ploys:
            self._mark_uses(mask, state.ploys[0][2])
        elif state.phase == DRAWING:
            mask[DRAW_INDEX] = 1
        elif state.phase != PLACING:
            for slot in state.slots_for(state.waiting_royal()):
                mask[ROYAL_INDEX + slot] = 1
        else:
            self._mark_number(mask)

    def _mark_number(self, mask: bytearray) -> None:
        """Mark the places where the drawn number may go (G8, G12)."""
        state = self._state
        cells = state.cells_for(state.drawn)
        if cells:
            for cell in cells:
                mask[PLACE_INDEX + cell] = 1
            return
        slots = state.armour_slots(state.turn, state.drawn)
        for slot in slots:
            mask[ARMOUR_INDEX + slot] = 1
        if not slots:
            mask[RETURN_INDEX] = 1

    def _mark_uses(self, mask: bytearray, ploy: int) -> None:
        """Mark the ways to carry out a ploy (G13)."""
        state = self._state
        if ploy == REASSIGNMENT:
            for source, target in state.reassignments():
                mask[REASSIGN_AT[9 * source + target]] = 1
        elif ploy == FORCED_ATTACK:
            for cell in state.triggers():
                mask[FORCE_INDEX + cell] = 1
        else:
            taken = state.taken_slots()
            for place, one in enumerate(taken):
                for other in taken[place + 1 :]:
                    mask[SWITCH_AT[12 * one + other]] = 1

    def _keep_listed(self, mask: bytearray) -> None:
        """Unmark the actions that ``legal`` leaves out, because the number of turns would exceed ``LARGEST``."""
        listed = self._state.legal(self.seat)
        for index, action in enumerate(ACTIONS):
            if mask[index] and action not in listed:
                mask[index] = 0

    def observation(self, seat: int) -> bytes:
        state = self._state
        fragments = list[bytes]()
        add_grid(state, fragments)
        add_royals(state, seat, fragments)
        add_cards_apart(state, fragments)
        add_queue(state, seat, fragments)
        add_seats(state, seat, fragments)
        return b"".join(fragments)


def _place_of(declaration: Declare) -> int:
    """Return the index of a declaration in ``DECLARATIONS``: one for each ace, then two for each joker."""
    place = PLOY_PLACE[declaration.card]
    return place if place < 4 else 2 * place - 4 + (declaration.ploy == FORCED_ATTACK)


def add_grid(state: GridcannonPosition, fragments: list[bytes]) -> None:
    """Append each cell: its top card, the one below, and its height."""
    for stack in state.grid:
        height = len(stack)
        fragments.append(NUMBER_CARD[stack[height - 1] if height else NO_CARD])
        fragments.append(NUMBER_CARD[stack[height - 2] if height > 1 else NO_CARD])
        fragments.append(HEIGHTS[min(height, 4) - 1 if height else 4])


def add_royals(state: GridcannonPosition, seat: int, fragments: list[bytes]) -> None:
    """Append each slot's royal, owner and strength, then the triggers that would now kill a royal (G10).

    The triggers are two sets of cells: those that kill a royal of *seat*, and those that kill another seat's royal.
    """
    players = state.players
    seats = SEATS[players]
    own, others = 0, 0
    for slot in range(12):
        royal = state.royals[slot]
        owner = players if royal == NO_CARD else (state.owner(royal) - seat) % players
        fragments.append(ROYAL_CARD[royal])
        fragments.append(FLAG[state.alive[slot]])
        fragments.append(seats[owner])
        if add_strength(state, slot, fragments):
            if owner:
                others |= 1 << LINES[slot][2]
            else:
                own |= 1 << LINES[slot][2]
    fragments.append(CHUNKS[own])
    fragments.append(CHUNKS[others])


def add_strength(state: GridcannonPosition, slot: int, fragments: list[bytes]) -> bool:
    """Append the armour of a living royal and the points that a shot lacks to kill it. Return whether a shot kills."""
    if not state.alive[slot]:
        fragments.append(NO_POINTS)
        fragments.append(NO_POINTS)
        return False
    lacking = state.needed(slot) - state.attack(slot)
    fragments.append(POINTS[min(MOST_POINTS, state.armour_points(slot))])
    fragments.append(POINTS[max(0, min(MOST_POINTS, lacking))])
    return lacking <= 0


def add_cards_apart(state: GridcannonPosition, fragments: list[bytes]) -> None:
    """Append the drawn card, the opening royals to be placed, unseen cards, known bottom and size of the pile."""
    opening, bottom = 0, 0
    for card in state.opening:
        opening |= 1 << card
    pile = state.draw_pile
    for card in pile[len(pile) - state.known_bottom :]:
        bottom |= 1 << card
    fragments.append(ONE_CARD[state.drawn])
    add_cards(opening, fragments)
    add_cards(ALL_CARDS & ~(_face_up(state) | opening | bottom), fragments)
    add_cards(bottom, fragments)
    fragments.append(PILES[len(pile)])


def _face_up(state: GridcannonPosition) -> int:
    """Return the cards on the board, in arsenals, in the queue and in hand, as bits."""
    seen = 0 if state.drawn == NO_CARD else 1 << state.drawn
    for stack in state.grid:
        seen |= _bits(stack)
    for slot in range(12):
        royal = state.royals[slot]
        if royal != NO_CARD:
            seen |= 1 << royal | _bits(state.armour[slot])
    for arsenal in state.arsenals:
        seen |= _bits(arsenal)
    for _, card, _ in state.ploys:
        seen |= 1 << card
    return seen


def _bits(stack: Stack) -> int:
    bits = 0
    for card in stack:
        bits |= 1 << card
    return bits


def add_queue(state: GridcannonPosition, seat: int, fragments: list[bytes]) -> None:
    """Append the phase, the turns left, the recalled cards, and the declared ploys in order (G14, G15, G20)."""
    players = state.players
    fragments.append(PHASES[min(4, state.phase)])
    if state.turn_limit:
        left = max(0, min(2047, state.turn_limit - state.turns))
        fragments.append(TURNS_LEFT[left.bit_length()])
    else:
        fragments.append(TURNS_LEFT[12])
    recalled = [0] * len(PLOY_CARDS)
    for card in state.recalled:
        recalled[PLOY_PLACE[card]] = 1
    fragments.append(bytes(recalled))
    for owner, card, ploy in state.ploys:
        fragments.append(PLOY_CARD[PLOY_PLACE[card]])
        fragments.append(PLOY_KINDS[ploy])
        fragments.append(SEATS[players][(owner - seat) % players])
    fragments.append(EMPTY_QUEUE_PLACE[players] * (len(PLOY_CARDS) - len(state.ploys)))


def add_seats(state: GridcannonPosition, seat: int, fragments: list[bytes]) -> None:
    """Append the seats, clockwise from *seat*: family, arsenal, turn, duty to act, living and dead royals."""
    players = state.players
    standing, fallen = [0] * players, [0] * players
    for slot in range(12):
        royal = state.royals[slot]
        if royal != NO_CARD:
            counts = standing if state.alive[slot] else fallen
            counts[state.owner(royal)] += 1
    busy = -1 if state.phase == OVER else state.seat_to_act()
    for after in range(players):
        other = (seat + after) % players
        fragments.append(bytes([owner == other for owner in state.owners]))
        arsenal = [0] * len(PLOY_CARDS)
        for card in state.arsenals[other]:
            arsenal[PLOY_PLACE[card]] = 1
        fragments.append(bytes(arsenal))
        fragments.append(FLAG[state.turn == other])
        fragments.append(FLAG[busy == other])
        fragments.append(ROYAL_COUNTS[min(6, standing[other])])
        fragments.append(ROYAL_COUNTS[min(6, fallen[other])])


class GridcannonEnvironment(Environment):
    """The actions and observations of Gridcannon as numbers."""

    def __init__(self) -> None:
        self.actions = (*[str(action) for action in ACTIONS], PASS)

    def fields(self, players: int) -> Mapping[str, int]:
        fields: dict[str, int] = {}
        for cell in CELLS:
            fields |= {f"top_{cell}": 13, f"below_{cell}": 13, f"height_{cell}": 4}
        for slot in SLOTS:
            fields |= {f"royal_{slot}": 7, f"alive_{slot}": 1, f"owner_{slot}": players}
            fields |= {f"armour_{slot}": MOST_POINTS + 1, f"lacking_{slot}": MOST_POINTS + 1}
        fields |= {"kills_own": len(CELLS), "kills_others": len(CELLS)}
        fields |= {"drawn": WIDTH, "opening": WIDTH, "unseen": WIDTH, "bottom": WIDTH, "draw_pile": WIDTH + 1}
        fields |= {"phase": 4, "turns_left": 12, "recalled": 6}
        for place in range(len(PLOY_CARDS)):
            fields |= {f"ploy_{place}": 6, f"as_{place}": 3, f"by_{place}": players}
        for after in range(players):
            fields |= {f"family_{after}": 4, f"arsenal_{after}": 6, f"turn_{after}": 1, f"acts_{after}": 1}
            fields |= {f"standing_{after}": 7, f"fallen_{after}": 7}
        return fields

    def begin(self, position: Position, dealer: Dealer) -> Episode:
        return GridcannonEpisode(cast("GridcannonPosition", position), dealer)

    def progress(self, position: Position) -> list[float]:
        """Return (1 + fallen share of rivals' royals - fallen share of own royals) / 2 for each seat."""
        state = cast("GridcannonPosition", position)
        fallen = [0] * state.players
        for slot in range(12):
            if state.royals[slot] != NO_CARD and not state.alive[slot]:
                fallen[state.owner(state.royals[slot])] += 1
        each = 12 // state.players
        others = 12 - each
        return [(1 + (sum(fallen) - own) / others - own / each) / 2 for own in fallen]
