"""JSON Schemas of Gridcannon's notation; ``actions`` and ``events`` define their own."""

from typing import Final

from engines.core.cards import PACK
from engines.core.schemas import cards, constant, having, many, maybe, one_of, ref, several, shape, whole
from engines.core.types import Json
from engines.gridcannon.board import CELLS, FAMILIES_BY_PLAYERS, PLOY_CARDS, PLOYS, SLOTS, is_number, is_royal
from engines.gridcannon.notation import RESULT_BY_REASON
from engines.gridcannon.state import PHASES, SETUP

PLAYER_COUNTS: Final = (2, 4)
CARD: Final = ref("Card")
NUMBER: Final = ref("Number")
ROYAL: Final = ref("Royal")
PLOY_CARD: Final = ref("PloyCard")
SEAT: Final = ref("Seat")
PLOY: Final = ref("Ploy")

RESULT: Final = ref("Result")
REASON: Final = ref("Reason")
LAYERS: Final = several(NUMBER, description="in the order laid")

STANDING_ROYAL: Final = shape({"card": ROYAL, "armour": LAYERS, "alive": {"type": "boolean"}})

POSITION: Final[dict[str, Json]] = {
    "ruleset": constant("gridcannon"),
    "players": {"type": "integer", "enum": list(PLAYER_COUNTS)},
    "phase": ref("Phase"),
    "turn": whole(0, PLAYER_COUNTS[1] - 1, description="whose turn it is"),
    "turns": whole(0, description="turns begun since the opening"),
    "families": several(ref("Family"), *PLAYER_COUNTS, description="by seat"),
    "grid": shape(
        dict.fromkeys(CELLS, several(NUMBER)),
        description="cell -> its stack, bottom to top; columns b-d, rows 2-4",
    ),
    "royals": shape(
        dict.fromkeys(SLOTS, STANDING_ROYAL), optional=SLOTS, description="occupied slot -> who stands there"
    ),
    "draw_pile": several(CARD, description="top first"),
    "known_bottom": whole(0, description="so many cards at the bottom of the draw pile are known to all (G22)"),
    "drawn": {"oneOf": [NUMBER, ROYAL, {"type": "null"}], "description": "the card in hand"},
    "opening": many(
        shape({"seat": SEAT, "card": ROYAL}), 0, PLAYER_COUNTS[1], description="in setup: the royals still to place"
    ),
    "aside": several(ROYAL, description="in setup alone: the royals that wait to be shuffled in"),
    "arsenals": many(several(PLOY_CARD), *PLAYER_COUNTS, description="by seat"),
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

DEFINITIONS: Final[dict[str, Json]] = {
    "Card": cards(PACK, description="rank and suit; X1 and X2 are the jokers"),
    "Number": cards([card for card in PACK if is_number(card)], description="2 to 10"),
    "Royal": cards([card for card in PACK if is_royal(card)], description="Jack, Queen or King"),
    "PloyCard": cards(sorted(PLOY_CARDS), description="an ace or a joker"),
    "Cell": one_of(CELLS),
    "Slot": one_of(SLOTS),
    "Ploy": one_of(PLOYS, description="what a ploy is used for (G13)"),
    "Seat": whole(0, PLAYER_COUNTS[1] - 1),
    "Family": one_of(
        [family for players in PLAYER_COUNTS for family in FAMILIES_BY_PLAYERS[players]],
        description="of two, or of four",
    ),
    "Phase": one_of(PHASES, description="what is to be done"),
    "Result": one_of(sorted(set(RESULT_BY_REASON.values()))),
    "Reason": one_of(tuple(RESULT_BY_REASON), description="G18, G19, G20"),
    "View": {
        **shape(VIEW, optional=("aside",), description="the game as everybody may know it (G22)"),
        **ASIDE_IN_SETUP,
    },
    "Position": {
        **shape(POSITION, optional=("aside",), description="the whole state of a game, the draw pile's order included"),
        **ASIDE_IN_SETUP,
    },
    "Outcome": shape(
        {"result": RESULT, "reason": REASON, "winner": maybe(SEAT, description="null in a draw")},
        description="how the game ended",
    ),
}
