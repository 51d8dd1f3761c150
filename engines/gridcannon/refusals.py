"""Why an action isn't allowed now: whose turn it is goes before what is legal (formats.md, "Errors").

What is allowed is asked of the state, where ``legal`` asks too; here are the sentences and the rulings' numbers.
"""

from collections.abc import Callable, Iterable
from typing import Final, NoReturn

from engines.cards import NAMES, Card, names
from engines.errors import BadAction, IllegalAction, NotYourTurn
from engines.gridcannon.actions import (
    Armour,
    Declare,
    Draw,
    Force,
    Place,
    PlaceRoyal,
    Reassign,
    Recall,
    Return,
    Switch,
)
from engines.gridcannon.board import CELLS, FORCED_ATTACK, NOTHING, PLOYS, REASSIGNMENT, SLOTS, SWITCHEROO, ploys_of
from engines.gridcannon.state import DRAWING, PLACING, SETUP, State
from engines.ruleset import Action

WAITS_FOR: Final = (
    "a royal is placed",
    "the seat on turn draws a card",
    "the seat on turn places the card it drew",
    "a royal is placed",
)
"""What happens next in each phase, the queue apart."""


def check(state: State, seat: int, action: Action) -> None:
    """Refuse what isn't allowed. Raises ``BadAction``, ``NotYourTurn`` or ``IllegalAction``."""
    if not 0 <= seat < state.players:
        raise BadAction(f"The game has seats 0 to {state.players - 1}, not {seat}.")
    if state.phase == SETUP and seat != state.must_act():
        raise NotYourTurn(f"Seat {state.must_act()} places its opening royal now.")
    match action:
        case Draw() | Place() | Armour() | Return():
            _check_turn(state, seat, action)
        case PlaceRoyal():
            _check_place_royal(state, seat, action.slot)
        case Declare():
            _check_declare(state, seat, action)
        case Recall():
            _check_recall(state, seat, action.card)
        case Reassign() | Switch() | Force():
            _check_use(state, seat, action)
        case _:
            raise BadAction(f"{action} is no action of this game.")


def _refuse(rule: str, detail: str) -> NoReturn:
    raise IllegalAction(detail, rule)


def _listed(things: Iterable[str]) -> str:
    """Say what there is: ``b2, c3 or d4``."""
    *most, last = things
    return f"{', '.join(most)} or {last}" if most else last


def _check_halt(state: State) -> None:
    """While a ploy is queued nobody can draw or place (G14)."""
    if state.ploys:
        player, card, _ = state.ploys[0]
        _refuse("G14", f"The turn is halted: seat {player} must use or recall {NAMES[card]} first.")


# What the seat on turn does


def _check_turn(state: State, seat: int, action: Draw | Place | Armour | Return) -> None:
    if state.phase == SETUP:
        _refuse("G5", "The opening royals are placed first: place yours.")
    if seat != state.turn:
        raise NotYourTurn(f"It is seat {state.turn}'s turn.")
    _check_halt(state)
    wanted = DRAWING if isinstance(action, Draw) else PLACING
    if state.phase != wanted:
        rule = "G7" if state.waiting_royal() != NOTHING else "G6"
        _refuse(rule, f"That can't be done now: {WAITS_FOR[state.phase]}.")
    match action:
        case Place():
            _check_place(state, action.cell)
        case Armour():
            _check_armour(state, seat, action.slot)
        case Return():
            _check_return(state, seat)
        case Draw():
            pass  # the top card is always there


def _check_place(state: State, cell: int) -> None:
    cells = state.cells_for(state.drawn)
    if cell in cells:
        return
    where = _listed(CELLS[other] for other in cells) if cells else "no cell, so it is armour, or returned"
    _refuse(
        "G8",
        f"{NAMES[state.drawn]} can't be laid on {NAMES[state.top(cell)]}: a card goes on an empty cell, on the same"
        f" or a lower value, or a 2 on a 10. It can be laid on {where}.",
    )


def _check_unplaceable(state: State) -> None:
    cells = state.cells_for(state.drawn)
    if cells:
        where = _listed(CELLS[cell] for cell in cells)
        _refuse("G12", f"{NAMES[state.drawn]} can be laid on the grid, so it must be: on {where}.")


def _check_armour(state: State, seat: int, slot: int) -> None:
    _check_unplaceable(state)
    slots = state.armour_slots(seat, state.drawn)
    if slot not in slots:
        where = f"those are at {_listed(SLOTS[other] for other in slots)}" if slots else "there is none: return it"
        _refuse(
            "G12", f"{NAMES[state.drawn]} is armour for living royals of your own whose family it matches: {where}."
        )


def _check_return(state: State, seat: int) -> None:
    _check_unplaceable(state)
    slots = state.armour_slots(seat, state.drawn)
    if slots:
        where = _listed(SLOTS[slot] for slot in slots)
        _refuse("G12", f"{NAMES[state.drawn]} can be laid as armour, so it can't be returned: at {where}.")


def _check_place_royal(state: State, seat: int, slot: int) -> None:
    royal = state.waiting_royal()
    if royal == NOTHING:
        _refuse("G7", "No royal waits to be placed.")
    if seat != state.owner(royal):
        raise NotYourTurn(f"{NAMES[royal]} is placed by seat {state.owner(royal)}, whose family it is of.")
    _check_halt(state)
    slots = state.slots_for(royal)
    if slot not in slots:
        taken = f"is taken by {NAMES[state.royals[slot]]}" if state.royals[slot] != NOTHING else "isn't most similar"
        where = _listed(SLOTS[other] for other in slots)
        _refuse("G7", f"{SLOTS[slot]} {taken}: {NAMES[royal]} goes beside the card most similar to it, at {where}.")


# Ploys


def _check_declare(state: State, seat: int, action: Declare) -> None:
    card, ploy = NAMES[action.card], PLOYS[action.ploy]
    if state.phase == SETUP:
        _refuse("G5", "No ploys yet: the opening royals are placed first.")
    if action.card not in state.arsenals[seat]:
        held = _listed(names(sorted(state.arsenals[seat]))) if state.arsenals[seat] else "nothing"
        _refuse("G14", f"{card} isn't in your arsenal, which holds {held}.")
    if action.ploy not in ploys_of(action.card):
        kinds = _listed(PLOYS[kind] for kind in ploys_of(action.card))
        _refuse("G13", f"{card} can't be a {ploy}: it is a {kinds}.")
    if action.card in state.recalled:
        _refuse("G15", f"{card} was recalled: it can be declared again when the board has changed.")
    if not state.has_use(action.ploy):
        _refuse("G14", f"A {ploy} has no legal use now: {NEEDS[action.ploy]}.")


NEEDS: Final = {
    REASSIGNMENT: "it needs a card that could be laid on another cell",
    SWITCHEROO: "it needs two royals on the board",
    FORCED_ATTACK: "it needs a card on a cell that is the trigger of a living royal",
}


def _check_recall(state: State, seat: int, card: Card) -> None:
    own = [queued for player, queued, _ in state.ploys if player == seat]
    if card not in own:
        held = f"you can recall {_listed(names(own))}" if own else "you have declared nothing"
        _refuse("G14", f"{NAMES[card]} isn't a ploy that you have in the queue: {held}.")


def _check_use(state: State, seat: int, action: Reassign | Switch | Force) -> None:
    if not state.ploys:
        _refuse("G14", "No ploy is declared: declare one of your arsenal first.")
    player, card, ploy = state.ploys[0]
    if seat != player:
        raise NotYourTurn(f"Seat {player}'s {NAMES[card]} is at the head of the queue.")
    if ploy != KIND[type(action)]:
        _refuse("G14", f"{NAMES[card]} was declared as a {PLOYS[ploy]}: use it so, or recall it.")
    match action:
        case Reassign():
            _check_reassign(state, action.source, action.target)
        case Switch():
            _check_switch(state, action.slots)
        case Force():
            _check_force(state, action.cell)


KIND: Final[dict[Callable[..., Action], int]] = {Reassign: REASSIGNMENT, Switch: SWITCHEROO, Force: FORCED_ATTACK}


def _check_reassign(state: State, source: int, target: int) -> None:
    if source == target:
        _refuse("G13", f"The card of {CELLS[source]} must move to another cell.")
    card, top = state.top(source), state.top(target)
    if card == NOTHING:
        _refuse("G13", f"{CELLS[source]} is empty: there is nothing to move.")
    if (source, target) not in state.reassignments():
        _refuse("G8", f"{NAMES[card]} can't be laid on {NAMES[top]}: its value is lower.")


def _check_switch(state: State, slots: tuple[int, int]) -> None:
    taken = state.taken_slots()
    for slot in slots:
        if slot not in taken:
            where = _listed(SLOTS[other] for other in taken) if taken else "nowhere"
            _refuse("G13", f"No royal stands at {SLOTS[slot]}: royals stand at {where}.")


def _check_force(state: State, cell: int) -> None:
    cells = state.triggers()
    if cell not in cells:
        where = f"those are {_listed(CELLS[other] for other in cells)}" if cells else "there is none: recall it"
        _refuse("G13", f"{CELLS[cell]} isn't a cell with a card that is the trigger of a living royal: {where}.")
