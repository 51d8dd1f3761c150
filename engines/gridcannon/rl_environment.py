"""Gridcannon as numbers (docs/rl.md): 196 actions and the pass; all public information as bits, seen from a seat."""

from collections.abc import Mapping
from typing import Final, cast

from engines.core.cards import ACE, JACK, JOKER, PACK, rank_of
from engines.core.dealer import Dealer
from engines.core.one_hot import CHUNK_FRAGMENTS, FLAG_FRAGMENTS, ONE_CARD_FRAGMENTS, PACK_SIZE, add_cards, one_hot
from engines.core.strict_reading import MAX_NUMBER
from engines.gridcannon.actions import (
    ARMOUR_ACTIONS,
    DRAW,
    FORCE_ACTIONS,
    PLACE_ACTIONS,
    PLACE_ROYAL_ACTIONS,
    REASSIGN_ACTIONS,
    RETURN,
    SWITCH_ACTIONS,
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
CELL_PAIRS: Final = tuple([(source, target) for source in range(9) for target in range(9) if source != target])
SLOT_PAIRS: Final = tuple([(one, other) for one in range(12) for other in range(one + 1, 12)])
ACTIONS: Final[tuple[Action, ...]] = (
    DRAW,
    *PLACE_ACTIONS,
    *PLACE_ROYAL_ACTIONS,
    *ARMOUR_ACTIONS,
    RETURN,
    *DECLARATIONS,
    *[REASSIGN_ACTIONS[source][target] for source, target in CELL_PAIRS],
    *[SWITCH_ACTIONS[one][other] for one, other in SLOT_PAIRS],
    *FORCE_ACTIONS,
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

PLOY_CARD_INDEX_BY_CARD: Final[tuple[int, ...]] = tuple(
    [PLOY_CARDS.index(card) if card in PLOY_CARDS else -1 for card in PACK]
)
"""By card: its index in ``PLOY_CARDS``; -1 for other cards."""
REASSIGN_INDEX_BY_CELLS: Final[tuple[int, ...]] = tuple(
    [
        REASSIGN_INDEX + CELL_PAIRS.index((source, target)) if source != target else -1
        for source in range(9)
        for target in range(9)
    ]
)
"""The index of a reassignment, by 9 * source + target; -1 if both are the same cell."""
SWITCH_INDEX_BY_SLOTS: Final[tuple[int, ...]] = tuple(
    [SWITCH_INDEX + SLOT_PAIRS.index((one, other)) if one < other else -1 for one in range(12) for other in range(12)]
)
"""The index of a switch, by 12 * slot + later slot; -1 if the second slot isn't later."""

ALL_CARDS: Final = (1 << PACK_SIZE) - 1
SUIT_ONE_HOT: Final = one_hot(4)
NUMBER_ONE_HOT: Final = one_hot(9)
NUMBER_CARD_FRAGMENTS: Final[tuple[bytes, ...]] = tuple(
    [
        NUMBER_ONE_HOT[VALUE[card] - 2] + SUIT_ONE_HOT[card & 3] if VALUE[card] else bytes(13)
        for card in range(PACK_SIZE + 1)
    ]
)
"""By card: the bits of its value and suit if it is a number, else zeros, also for an empty cell (``NO_CARD``)."""
HEIGHT_ONE_HOT: Final = one_hot(4)
RANK_ONE_HOT: Final = one_hot(3)
ROYAL_CARD_FRAGMENTS: Final[tuple[bytes, ...]] = tuple(
    [
        RANK_ONE_HOT[(card >> 2) - JACK] + SUIT_ONE_HOT[card & 3] if HEALTH[card] else bytes(7)
        for card in range(PACK_SIZE + 1)
    ]
)
"""By card: the bits of its rank and suit if it is a royal, else zeros, also for a free slot (``NO_CARD``)."""
MAX_ARMOUR_POINTS: Final = 31
ARMOUR_POINTS_ONE_HOT: Final = one_hot(MAX_ARMOUR_POINTS + 1)
NO_ARMOUR_POINTS_FRAGMENT: Final = bytes(MAX_ARMOUR_POINTS + 1)
PHASE_ONE_HOT: Final = one_hot(4)
PILE_SIZE_ONE_HOT: Final = one_hot(PACK_SIZE + 1)
TURNS_LEFT_ONE_HOT: Final = one_hot(12)
PLOY_ONE_HOT: Final = one_hot(len(PLOYS))
PLOY_CARD_ONE_HOT: Final = one_hot(len(PLOY_CARDS))
ROYAL_COUNT_ONE_HOT: Final = one_hot(7)
SEAT_ONE_HOT_BY_PLAYERS: Final[tuple[tuple[bytes, ...], ...]] = tuple([one_hot(players) for players in range(5)])
"""By number of players, then by seat, counted clockwise from the viewer: the bits that stand for the seat."""
EMPTY_QUEUE_PLACE_BY_PLAYERS: Final[tuple[bytes, ...]] = tuple(
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
                mask[RECALL_INDEX + PLOY_CARD_INDEX_BY_CARD[card]] = 1
        if state.turns == MAX_NUMBER:
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
                mask[REASSIGN_INDEX_BY_CELLS[9 * source + target]] = 1
        elif ploy == FORCED_ATTACK:
            for cell in state.triggers():
                mask[FORCE_INDEX + cell] = 1
        else:
            taken = state.taken_slots()
            for place, one in enumerate(taken):
                for other in taken[place + 1 :]:
                    mask[SWITCH_INDEX_BY_SLOTS[12 * one + other]] = 1

    def _keep_listed(self, mask: bytearray) -> None:
        """Unmark the actions that ``legal`` leaves out, because the number of turns would exceed ``MAX_NUMBER``."""
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
    place = PLOY_CARD_INDEX_BY_CARD[declaration.card]
    return place if place < 4 else 2 * place - 4 + (declaration.ploy == FORCED_ATTACK)


def add_grid(state: GridcannonPosition, fragments: list[bytes]) -> None:
    """Append each cell: its top card, the one below, and its height."""
    for stack in state.grid:
        height = len(stack)
        fragments.append(NUMBER_CARD_FRAGMENTS[stack[height - 1] if height else NO_CARD])
        fragments.append(NUMBER_CARD_FRAGMENTS[stack[height - 2] if height > 1 else NO_CARD])
        fragments.append(HEIGHT_ONE_HOT[min(height, 4) - 1 if height else 4])


def add_royals(state: GridcannonPosition, seat: int, fragments: list[bytes]) -> None:
    """Append each slot's royal, owner and strength, then the triggers that would now kill a royal (G10).

    The triggers are two sets of cells: those that kill a royal of *seat*, and those that kill another seat's royal.
    """
    players = state.players
    seats = SEAT_ONE_HOT_BY_PLAYERS[players]
    own, others = 0, 0
    for slot in range(12):
        royal = state.royals[slot]
        owner = players if royal == NO_CARD else (state.owner(royal) - seat) % players
        fragments.append(ROYAL_CARD_FRAGMENTS[royal])
        fragments.append(FLAG_FRAGMENTS[state.alive[slot]])
        fragments.append(seats[owner])
        if add_strength(state, slot, fragments):
            if owner:
                others |= 1 << LINES[slot][2]
            else:
                own |= 1 << LINES[slot][2]
    fragments.append(CHUNK_FRAGMENTS[own])
    fragments.append(CHUNK_FRAGMENTS[others])


def add_strength(state: GridcannonPosition, slot: int, fragments: list[bytes]) -> bool:
    """Append the armour of a living royal and the points that a shot lacks to kill it. Return whether a shot kills."""
    if not state.alive[slot]:
        fragments.append(NO_ARMOUR_POINTS_FRAGMENT)
        fragments.append(NO_ARMOUR_POINTS_FRAGMENT)
        return False
    lacking = state.needed(slot) - state.attack(slot)
    fragments.append(ARMOUR_POINTS_ONE_HOT[min(MAX_ARMOUR_POINTS, state.armour_points(slot))])
    fragments.append(ARMOUR_POINTS_ONE_HOT[max(0, min(MAX_ARMOUR_POINTS, lacking))])
    return lacking <= 0


def add_cards_apart(state: GridcannonPosition, fragments: list[bytes]) -> None:
    """Append the drawn card, the opening royals to be placed, unseen cards, known bottom and size of the pile."""
    opening, bottom = 0, 0
    for card in state.opening:
        opening |= 1 << card
    pile = state.draw_pile
    for card in pile[len(pile) - state.known_bottom :]:
        bottom |= 1 << card
    fragments.append(ONE_CARD_FRAGMENTS[state.drawn])
    add_cards(opening, fragments)
    add_cards(ALL_CARDS & ~(_face_up(state) | opening | bottom), fragments)
    add_cards(bottom, fragments)
    fragments.append(PILE_SIZE_ONE_HOT[len(pile)])


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
    fragments.append(PHASE_ONE_HOT[min(4, state.phase)])
    if state.turn_limit:
        left = max(0, min(2047, state.turn_limit - state.turns))
        fragments.append(TURNS_LEFT_ONE_HOT[left.bit_length()])
    else:
        fragments.append(TURNS_LEFT_ONE_HOT[12])
    recalled = [0] * len(PLOY_CARDS)
    for card in state.recalled:
        recalled[PLOY_CARD_INDEX_BY_CARD[card]] = 1
    fragments.append(bytes(recalled))
    for owner, card, ploy in state.ploys:
        fragments.append(PLOY_CARD_ONE_HOT[PLOY_CARD_INDEX_BY_CARD[card]])
        fragments.append(PLOY_ONE_HOT[ploy])
        fragments.append(SEAT_ONE_HOT_BY_PLAYERS[players][(owner - seat) % players])
    fragments.append(EMPTY_QUEUE_PLACE_BY_PLAYERS[players] * (len(PLOY_CARDS) - len(state.ploys)))


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
            arsenal[PLOY_CARD_INDEX_BY_CARD[card]] = 1
        fragments.append(bytes(arsenal))
        fragments.append(FLAG_FRAGMENTS[state.turn == other])
        fragments.append(FLAG_FRAGMENTS[busy == other])
        fragments.append(ROYAL_COUNT_ONE_HOT[min(6, standing[other])])
        fragments.append(ROYAL_COUNT_ONE_HOT[min(6, fallen[other])])


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
            fields |= {f"armour_{slot}": MAX_ARMOUR_POINTS + 1, f"lacking_{slot}": MAX_ARMOUR_POINTS + 1}
        fields |= {"kills_own": len(CELLS), "kills_others": len(CELLS)}
        fields |= {
            "drawn": PACK_SIZE,
            "opening": PACK_SIZE,
            "unseen": PACK_SIZE,
            "bottom": PACK_SIZE,
            "draw_pile": PACK_SIZE + 1,
        }
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
