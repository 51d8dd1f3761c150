"""What Gridcannon writes, field by field, as JSON Schema: actions, events, views, positions, outcomes."""

from typing import Final

from engines.cards import PACK
from engines.gridcannon.board import CELLS, FAMILIES, PLOY_CARDS, PLOYS, SLOTS, is_number, is_royal
from engines.gridcannon.notation import RESULTS
from engines.gridcannon.state import PHASES, SETUP
from engines.schemas import (
    NOBODY,
    cards,
    constant,
    having,
    many,
    maybe,
    one_of,
    ref,
    several,
    shape,
    union,
    whole,
)
from engines.types import Json

PLAYERS: Final = (2, 4)
CARD: Final = ref("Card")
NUMBER: Final = ref("Number")
ROYAL: Final = ref("Royal")
PLOY_CARD: Final = ref("PloyCard")
CELL: Final = ref("Cell")
SLOT: Final = ref("Slot")
SEAT: Final = ref("Seat")
PLOY: Final = ref("Ploy")

ACTIONS: Final = {
    "draw": shape({}, description="Draw the top card (G6)."),
    "place": shape({"cell": CELL}, description="Lay the drawn number on a cell (G8)."),
    "place_royal": shape({"slot": SLOT}, description="Place a royal in a slot (G5, G7)."),
    "armour": shape({"slot": SLOT}, description="Lay the drawn number on a royal of your own (G12)."),
    "return": shape({}, description="Mix the drawn number back into the draw pile (G12)."),
    "declare": shape({"card": PLOY_CARD, "ploy": PLOY}, description="Announce a ploy; it joins the queue (G14)."),
    "reassign": shape({"source": CELL, "target": CELL}, description="Move the top card of a cell to another (G13)."),
    "switch": shape({"slots": several(SLOT, 2, 2)}, description="Exchange the royals of two slots (G13)."),
    "force": shape({"cell": CELL}, description="Pull a trigger without laying a card (G13)."),
    "recall": shape({"card": PLOY_CARD}, description="Take a declared ploy back (G14)."),
}

OUTCOME: Final = {
    "result": one_of(sorted(set(RESULTS.values()))),
    "reason": one_of(tuple(RESULTS), description="G18, G19, G20"),
}
LAYERS: Final = several(NUMBER, description="in the order laid")
PILE: Final = whole(0, description="so many cards are in the draw pile now")

EVENTS: Final = {
    "royal_set_out": shape({"seat": SEAT, "card": ROYAL}, description="The royal with which a family opens (G3)."),
    "laid": shape({"seat": SEAT, "card": NUMBER, "cell": CELL}, description="A number is laid on a cell (G4, G8)."),
    "ploy_gained": shape(
        {"seat": SEAT, "card": PLOY_CARD}, description="An ace or a joker goes to the arsenal of who drew it (G4, G6)."
    ),
    "pile_shuffled": shape(
        {"seat": NOBODY, "count": PILE}, description="After the opening the draw pile is made of what is left (G5)."
    ),
    "turn_began": shape(
        {"seat": SEAT, "turns": whole(1, description="the number of the turn")}, description="A turn begins (G6)."
    ),
    "drawn": shape(
        {"seat": SEAT, "card": {"oneOf": [NUMBER, ROYAL]}}, description="A number or a royal is drawn (G6)."
    ),
    "passed_over": shape(
        {"seat": SEAT, "card": CARD}, description="A card goes under the draw pile: a royal is looked for (G16)."
    ),
    "royal_placed": shape({"seat": SEAT, "card": ROYAL, "slot": SLOT}, description="A royal takes its slot (G7)."),
    "fired": shape(
        {
            "seat": SEAT,
            "cell": CELL,
            "slot": SLOT,
            "card": ROYAL,
            "attack": whole(0),
            "needed": whole(1, description="the attack that kills"),
        },
        description="A line fires at the royal in the slot (G9); `seat` owns it.",
    ),
    "killed": shape(
        {"seat": SEAT, "card": ROYAL, "slot": SLOT}, description="A royal of the seat is turned face down (G10)."
    ),
    "armour_stripped": shape(
        {"seat": SEAT, "slot": SLOT, "cards": several(NUMBER, 1)},
        description="A royal of the seat loses layers, the last laid first (G10, G11).",
    ),
    "armour_laid": shape(
        {"seat": SEAT, "card": NUMBER, "slot": SLOT}, description="The drawn number is laid on a royal (G12)."
    ),
    "returned": shape({"seat": SEAT, "card": NUMBER}, description="The drawn number can't be used (G12)."),
    "declared": shape({"seat": SEAT, "card": PLOY_CARD, "ploy": PLOY}, description="A ploy joins the queue (G14)."),
    "recalled": shape({"seat": SEAT, "card": PLOY_CARD}, description="A ploy goes back to its arsenal (G14)."),
    "reassigned": shape(
        {"seat": SEAT, "ploy": PLOY_CARD, "card": NUMBER, "source": CELL, "target": CELL},
        description="`ploy` is used: the top card of a cell moves to another (G13).",
    ),
    "switched": shape(
        {"seat": SEAT, "ploy": PLOY_CARD, "slots": several(SLOT, 2, 2)},
        description="`ploy` is used: two royals change places, armour and all (G13).",
    ),
    "forced": shape(
        {"seat": SEAT, "ploy": PLOY_CARD, "cell": CELL}, description="`ploy` is used: a trigger is pulled (G13)."
    ),
    "seat_out": shape({"seat": SEAT}, description="The seat's last royal has fallen (G17)."),
    "mixed_in": shape(
        {"seat": NOBODY, "cards": several(CARD, 1), "count": PILE},
        description="Cards are put into the draw pile, and it is shuffled (G21).",
    ),
    "taken_up": shape(
        {"seat": NOBODY, "cell": CELL, "cards": several(NUMBER, 1)},
        description="All but the top two cards of a cell are taken up, listed from the bottom (G19).",
    ),
    "refreshed": shape(
        {"seat": NOBODY, "count": PILE}, description="The draw pile is shuffled with what was taken up (G19)."
    ),
    "ended": shape(
        {"seat": maybe(SEAT, description="the winner"), **OUTCOME}, description="The game is over (G18-G20)."
    ),
}

STANDING: Final = shape({"card": ROYAL, "armour": LAYERS, "alive": {"type": "boolean"}})

POSITION: Final[dict[str, Json]] = {
    "ruleset": constant("gridcannon"),
    "players": {"type": "integer", "enum": list(PLAYERS)},
    "phase": one_of(PHASES),
    "turn": whole(0, PLAYERS[1] - 1, description="whose turn it is"),
    "turns": whole(0, description="turns begun since the opening"),
    "families": several(
        one_of([family for players in PLAYERS for family in FAMILIES[players]]), *PLAYERS, description="by seat"
    ),
    "grid": shape(
        dict.fromkeys(CELLS, several(NUMBER)), description="cell -> its stack, bottom to top; columns b-d, rows 2-4"
    ),
    "royals": shape(dict.fromkeys(SLOTS, STANDING), optional=SLOTS, description="occupied slot -> who stands there"),
    "draw_pile": several(CARD, description="top first"),
    "known_bottom": whole(0, description="so many cards at the bottom of the draw pile are known to all (G22)"),
    "drawn": {"oneOf": [NUMBER, ROYAL, {"type": "null"}], "description": "the card in hand"},
    "opening": many(
        shape({"seat": SEAT, "card": ROYAL}), 0, PLAYERS[1], description="in setup: the royals still to place"
    ),
    "aside": several(ROYAL, description="in setup alone: the royals that wait to be shuffled in"),
    "arsenals": many(several(PLOY_CARD), *PLAYERS, description="by seat"),
    "ploys": many(
        shape({"seat": SEAT, "card": PLOY_CARD, "ploy": PLOY}),
        description="the queue of declared ploys: the first is to be used now",
    ),
    "recalled": several(PLOY_CARD, description="barred until the board changes (G15)"),
    "turn_limit": whole(0, description="0: none (G20)"),
    "outcome": maybe(ref("Outcome")),
}

VIEW: Final[dict[str, Json]] = {
    **POSITION,
    "draw_pile": shape(
        {"count": whole(0), "bottom": several(CARD, description="the cards at the bottom that all know")}
    ),
    "aside": shape({"count": whole(0)}, description="in setup alone: royals that wait to be shuffled in"),
}

ASIDE_IN_SETUP: Final[Json] = {
    "if": {"properties": {"phase": {"const": PHASES[SETUP]}}},
    "then": having("aside"),
    "else": {"not": having("aside")},
}

SCHEMAS: Final[dict[str, Json]] = {
    "Card": cards(PACK, description="rank and suit; X1 and X2 are the jokers"),
    "Number": cards([card for card in PACK if is_number(card)], description="2 to 10"),
    "Royal": cards([card for card in PACK if is_royal(card)], description="Jack, Queen or King"),
    "PloyCard": cards(sorted(PLOY_CARDS), description="an ace or a joker"),
    "Cell": one_of(CELLS),
    "Slot": one_of(SLOTS),
    "Ploy": one_of(PLOYS, description="what a ploy is used for (G13)"),
    "Seat": whole(0, PLAYERS[1] - 1),
    **union("Action", ACTIONS),
    **union("Event", EVENTS),
    "View": {
        **shape(VIEW, optional=("aside",), description="the game as everybody may know it (G22)"),
        **ASIDE_IN_SETUP,
    },
    "Position": {
        **shape(POSITION, optional=("aside",), description="the whole state of a game, the draw pile's order included"),
        **ASIDE_IN_SETUP,
    },
    "Outcome": shape(
        {**OUTCOME, "winner": maybe(SEAT, description="null in a draw")}, description="how the game ended"
    ),
}
