"""Refusals of Gridcannon: sentence and ruling for each action that isn't allowed now.

The right of the seat to act is checked first, the legality of the action second (docs/referee.md). The conditions are
methods of the state, which ``legal`` uses, too.
"""

from collections.abc import Callable
from typing import Final

from engines.core.cards import NAMES, Card, names
from engines.core.errors import BadAction, IllegalAction, NotYourTurn
from engines.core.phrase import Phrase, join_or, numbered
from engines.core.strict_reading import check_seat
from engines.gridcannon.actions import Armour, Declare, Draw, Force, Place, PlaceRoyal, Reassign, Recall, Return, Switch
from engines.gridcannon.board import CELLS, FORCED_ATTACK, NO_CARD, PLOYS, REASSIGNMENT, SLOTS, SWITCHEROO, ploys_of
from engines.gridcannon.state import DRAWING, PLACING, SETUP, State
from engines.ruleset import Action

AWAITED_PHRASE_BY_PHASE: Final = (
    Phrase("a royal is placed"),
    Phrase("the seat on turn draws a card"),
    Phrase("the seat on turn places the card it drew"),
    Phrase("a royal is placed"),
)
"""By phase, the event that the game waits for if no ploy is queued."""


def check(state: State, seat: int, action: object) -> None:
    """Raise ``BadAction``, ``NotYourTurn`` or ``IllegalAction`` if *action* isn't allowed."""
    check_seat(seat, state.players)
    if state.phase == SETUP and seat != state.seat_to_act():
        raise NotYourTurn(Phrase("{who} places an opening royal now.", who=numbered(state.seat_to_act())))
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
            raise BadAction(Phrase("{action} is no action of this game.", action=repr(action)))


def _check_halt(state: State, seat: int) -> None:
    """Refuse drawing and placing while a ploy is queued (G14)."""
    if state.ploys:
        player, card, _ = state.ploys[0]
        words = Phrase(
            "The turn is halted: {who} must use or recall {card} first.", who=numbered(player), card=NAMES[card]
        )
        own = Phrase("The turn is halted: use or recall your {card} first.", card=NAMES[card])
        raise IllegalAction(own if player == seat else words, "G14")


# Actions of the seat on turn


def _check_turn(state: State, seat: int, action: Draw | Place | Armour | Return) -> None:
    if state.phase == SETUP:
        raise IllegalAction(Phrase("The opening royals are placed first: place yours."), "G5")
    if seat != state.turn:
        raise NotYourTurn(Phrase("It is the turn of {who}.", who=numbered(state.turn)))
    _check_halt(state, seat)
    wanted = DRAWING if isinstance(action, Draw) else PLACING
    if state.phase != wanted:
        rule = "G7" if state.waiting_royal() != NO_CARD else "G6"
        raise IllegalAction(
            Phrase("That can't be done now: {awaited}.", awaited=AWAITED_PHRASE_BY_PHASE[state.phase]), rule
        )
    match action:
        case Place():
            _check_place(state, action.cell)
        case Armour():
            _check_armour(state, seat, action.slot)
        case Return():
            _check_return(state, seat)
        case Draw():
            pass  # the top card can always be drawn


def _check_place(state: State, cell: int) -> None:
    cells = state.cells_for(state.drawn)
    if cell in cells:
        return
    where = Phrase("no cell, so it is armour, or returned")
    if cells:
        where = join_or(CELLS[other] for other in cells)
    raise IllegalAction(
        Phrase(
            "{card} can't be laid on {top}: a card goes on an empty cell, on the same or a lower value, or a 2 on a"
            " 10. It can be laid on {where}.",
            card=NAMES[state.drawn],
            top=NAMES[state.top(cell)],
            where=where,
        ),
        "G8",
    )


def _check_unplaceable(state: State) -> None:
    cells = state.cells_for(state.drawn)
    if cells:
        where = join_or(CELLS[cell] for cell in cells)
        raise IllegalAction(
            Phrase("{card} can be laid on the grid, so it must be: on {where}.", card=NAMES[state.drawn], where=where),
            "G12",
        )


def _check_armour(state: State, seat: int, slot: int) -> None:
    _check_unplaceable(state)
    slots = state.armour_slots(seat, state.drawn)
    if slot not in slots:
        where = Phrase("there is none: return it")
        if slots:
            where = Phrase("those are at {slots}", slots=join_or(SLOTS[other] for other in slots))
        raise IllegalAction(
            Phrase(
                "{card} is armour for living royals of your own whose family it matches: {where}.",
                card=NAMES[state.drawn],
                where=where,
            ),
            "G12",
        )


def _check_return(state: State, seat: int) -> None:
    _check_unplaceable(state)
    slots = state.armour_slots(seat, state.drawn)
    if slots:
        where = join_or(SLOTS[slot] for slot in slots)
        raise IllegalAction(
            Phrase(
                "{card} can be laid as armour, so it can't be returned: at {where}.",
                card=NAMES[state.drawn],
                where=where,
            ),
            "G12",
        )


def _check_place_royal(state: State, seat: int, slot: int) -> None:
    royal = state.waiting_royal()
    if royal == NO_CARD:
        raise IllegalAction(Phrase("No royal waits to be placed."), "G7")
    if seat != state.owner(royal):
        raise NotYourTurn(
            Phrase(
                "{royal} is placed by {who}, whose family it is of.",
                royal=NAMES[royal],
                who=numbered(state.owner(royal)),
            )
        )
    _check_halt(state, seat)
    if slot not in state.slots_for(royal):
        raise IllegalAction(_why_not_there(state, royal, slot), "G7")


def _why_not_there(state: State, royal: Card, slot: int) -> Phrase:
    where = join_or(SLOTS[other] for other in state.slots_for(royal))
    if state.royals[slot] == NO_CARD:
        return Phrase(
            "{slot} isn't most similar: {royal} goes beside the card most similar to it, at {where}.",
            slot=SLOTS[slot],
            royal=NAMES[royal],
            where=where,
        )
    return Phrase(
        "{slot} is taken by {other}: {royal} goes beside the card most similar to it, at {where}.",
        slot=SLOTS[slot],
        other=NAMES[state.royals[slot]],
        royal=NAMES[royal],
        where=where,
    )


# Ploys


def _check_declare(state: State, seat: int, action: Declare) -> None:
    card, ploy = NAMES[action.card], PLOYS[action.ploy]
    if state.phase == SETUP:
        raise IllegalAction(Phrase("No ploys yet: the opening royals are placed first."), "G5")
    if action.card not in state.arsenals[seat]:
        held = join_or(names(sorted(state.arsenals[seat]))) if state.arsenals[seat] else Phrase("nothing")
        raise IllegalAction(Phrase("{card} isn't in your arsenal, which holds {held}.", card=card, held=held), "G14")
    if action.ploy not in ploys_of(action.card):
        kinds = join_or(PLOYS[kind] for kind in ploys_of(action.card))
        raise IllegalAction(
            Phrase("{card} can't be a {ploy}: it is a {kinds}.", card=card, ploy=ploy, kinds=kinds), "G13"
        )
    if action.card in state.recalled:
        raise IllegalAction(
            Phrase("{card} was recalled: it can be declared again when the board has changed.", card=card), "G15"
        )
    if not state.has_use(action.ploy):
        raise IllegalAction(
            Phrase("A {ploy} has no legal use now: {need}.", ploy=ploy, need=NEED_PHRASE_BY_PLOY[action.ploy]), "G14"
        )


NEED_PHRASE_BY_PLOY: Final = {
    REASSIGNMENT: Phrase("it needs a card that could be laid on another cell"),
    SWITCHEROO: Phrase("it needs two royals on the board"),
    FORCED_ATTACK: Phrase("it needs a card on a cell that is the trigger of a living royal"),
}


def _check_recall(state: State, seat: int, card: Card) -> None:
    own = [queued for player, queued, _ in state.ploys if player == seat]
    if card not in own:
        held = Phrase("you have declared nothing")
        if own:
            held = Phrase("you can recall {cards}", cards=join_or(names(own)))
        raise IllegalAction(
            Phrase("{card} isn't a ploy that you have in the queue: {held}.", card=NAMES[card], held=held), "G14"
        )


def _check_use(state: State, seat: int, action: Reassign | Switch | Force) -> None:
    if not state.ploys:
        raise IllegalAction(Phrase("No ploy is declared: declare one of your arsenal first."), "G14")
    player, card, ploy = state.ploys[0]
    if seat != player:
        raise NotYourTurn(
            Phrase("{card} of {who} is at the head of the queue.", who=numbered(player), card=NAMES[card])
        )
    if ploy != PLOY_BY_ACTION[type(action)]:
        raise IllegalAction(
            Phrase("{card} was declared as a {ploy}: use it so, or recall it.", card=NAMES[card], ploy=PLOYS[ploy]),
            "G14",
        )
    match action:
        case Reassign():
            _check_reassign(state, action.source, action.target)
        case Switch():
            _check_switch(state, action.slots)
        case Force():
            _check_force(state, action.cell)


PLOY_BY_ACTION: Final[dict[Callable[..., Action], int]] = {
    Reassign: REASSIGNMENT,
    Switch: SWITCHEROO,
    Force: FORCED_ATTACK,
}


def _check_reassign(state: State, source: int, target: int) -> None:
    if source == target:
        raise IllegalAction(Phrase("The card of {cell} must move to another cell.", cell=CELLS[source]), "G13")
    card, top = state.top(source), state.top(target)
    if card == NO_CARD:
        raise IllegalAction(Phrase("{cell} is empty: there is nothing to move.", cell=CELLS[source]), "G13")
    if (source, target) not in state.reassignments():
        raise IllegalAction(
            Phrase("{card} can't be laid on {top}: its value is lower.", card=NAMES[card], top=NAMES[top]), "G8"
        )


def _check_switch(state: State, slots: tuple[int, int]) -> None:
    taken = state.taken_slots()
    for slot in slots:
        if slot not in taken:
            where = join_or(SLOTS[other] for other in taken) if taken else Phrase("nowhere")
            raise IllegalAction(
                Phrase("No royal stands at {slot}: royals stand at {where}.", slot=SLOTS[slot], where=where), "G13"
            )


def _check_force(state: State, cell: int) -> None:
    cells = state.triggers()
    if cell not in cells:
        where = Phrase("there is none: recall it")
        if cells:
            where = Phrase("those are {cells}", cells=join_or(CELLS[other] for other in cells))
        raise IllegalAction(
            Phrase(
                "{cell} isn't a cell with a card that is the trigger of a living royal: {where}.",
                cell=CELLS[cell],
                where=where,
            ),
            "G13",
        )
