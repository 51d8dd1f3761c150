"""What Regicide writes, field by field, as JSON Schema: actions, events, views, positions, outcomes."""

from typing import Final

from engines.cards import PACK
from engines.regicide.tables import ENEMIES, FIRST_JESTER, FIRST_ROYAL, HAND_LIMIT, HEALTH, MEDALS, PHASES, SOLO_JESTERS
from engines.schemas import (
    BOOLEAN,
    COUNT,
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

PLAYERS: Final = (1, 4)
PACKET: Final = whole(1, description="the number of a packet (R21)")
PACKETS: Final = many(whole(0), description="packet numbers (R21); 0 is the deal")
CARD: Final = ref("Card")
CARDS: Final = several(CARD, 1)
SEAT: Final = ref("Seat")

ACTIONS: Final = {
    "play": shape({"cards": CARDS}, description="Throw cards at the enemy together (R3)."),
    "yield": shape({}, description="Play nothing; the enemy strikes (R15)."),
    "flip_jester": shape({}, description="Solo: discard the hand and draw a fresh one (R17)."),
    "discard": shape({"cards": CARDS}, description="Give cards up to cover the enemy's attack (R13)."),
    "choose": shape({"seat": SEAT}, description="After a Jester: name the seat that goes next (R10)."),
}

HIDDEN_CARD: Final = {
    "seat": SEAT,
    "card": CARD,
    "count": {"const": 1, "type": "integer"},
    "packet": whole(0, description="the packet that the card is of (R21); 0 is the deal"),
}


def _hidden(promise: str) -> Json:
    """Return the schema of a card on its way to a hand: its seat is told which, the others that it is one (R21)."""
    words = f"{promise} Its seat is told `card`, everybody else `count`."
    return {
        **shape(HIDDEN_CARD, optional=("card", "count"), description=words),
        "oneOf": [having("card"), having("count")],
    }


OUTCOME: Final = {
    "result": one_of(("won", "lost")),
    "reason": one_of(("castle_fell", "could_not_suffer", "could_not_act"), description="R12, R14, R16"),
    "medal": maybe(one_of(MEDALS), description="of a solo win (R18)"),
    "defeated": whole(0, ENEMIES, description="so many enemies were defeated"),
}

EVENTS: Final = {
    "dealt": _hidden("A card is dealt (R1)."),
    "drawn": _hidden("A card is drawn for diamonds (R6) or into a fresh hand (R17)."),
    "enemy_revealed": shape(
        {"seat": NOBODY, "enemy": ref("Royal"), "attack": whole(10, 20), "health": whole(20, 40)},
        description="The next castle card is turned up (R1, R12).",
    ),
    "turn_began": shape({"seat": SEAT}, description="The seat begins a turn."),
    "played": shape(
        {"seat": SEAT, "cards": CARDS, "attack": COUNT}, description="Cards are thrown at the enemy together (R3)."
    ),
    "yielded": shape({"seat": SEAT}, description="The seat plays nothing (R15)."),
    "immunity_cancelled": shape({"seat": SEAT}, description="A Jester takes the enemy's immunity (R10)."),
    "healed": shape(
        {"seat": SEAT, "cards": CARDS, "packet": PACKET},
        description="Cards go from the discard pile under the Tavern as one packet (R5, R21).",
    ),
    "shielded": shape(
        {"seat": SEAT, "amount": whole(1), "attack": whole(0, description="what is left of the enemy's attack")},
        description="Spades lower the enemy's attack (R8).",
    ),
    "enemy_hit": shape(
        {"seat": SEAT, "damage": whole(1), "left": whole(0, description="the enemy's health after it")},
        description="The enemy takes damage (R11).",
    ),
    "enemy_defeated": shape(
        {
            "seat": SEAT,
            "enemy": ref("Royal"),
            "exact": {"type": "boolean", "description": "it goes on top of the Tavern, else to the discard pile"},
        },
        description="The enemy falls (R12).",
    ),
    "table_cleared": shape(
        {"seat": SEAT, "cards": several(CARD)}, description="The cards on the table go to the discard pile (R12)."
    ),
    "attacked": shape({"seat": SEAT, "attack": whole(1)}, description="The enemy strikes: the seat discards (R13)."),
    "discarded": shape({"seat": SEAT, "cards": several(CARD)}, description="Cards are given up (R13, R17)."),
    "jester_flipped": shape(
        {"seat": SEAT, "left": whole(0, SOLO_JESTERS - 1, description="so many can still be flipped")},
        description="A solo Jester is turned over (R17).",
    ),
    "chosen": shape({"seat": SEAT, "next": SEAT}, description="The Jester's player names who goes next (R10)."),
    "ended": shape({"seat": NOBODY, **OUTCOME}, description="The game is over (R12, R14, R16)."),
}

POSITION: Final[dict[str, Json]] = {
    "ruleset": constant("regicide"),
    "players": whole(*PLAYERS),
    "phase": one_of(PHASES),
    "turn": {**whole(0, PLAYERS[1] - 1), "description": "whose turn it is"},
    "castle": several(ref("Royal"), 0, ENEMIES, description="top first, without the enemy"),
    "enemy": maybe(ref("Royal"), description="null once the last King has fallen"),
    "damage": whole(0, max(HEALTH) - 1, description="what the enemy has taken"),
    "shield": whole(0, description="the spades played against this enemy, counted even while immunity suspends them"),
    "immune": {"type": "boolean", "description": "the enemy's immunity stands (R9, R10)"},
    "table": several(CARD, description="the cards played against this enemy, oldest first"),
    "tavern": several(CARD, description="the draw pile, top first"),
    "discard": several(CARD, description="oldest first"),
    "hands": many(several(CARD, 0, max(HAND_LIMIT)), *PLAYERS, description="by seat"),
    "packets": {
        "type": "object",
        "description": "card -> its packet (R21), for cards in a hand or in the Tavern that aren't of packet 0",
        "propertyNames": CARD,
        "additionalProperties": PACKET,
    },
    "yielded": many(BOOLEAN, *PLAYERS, description="by seat: its last turn was a yield (R15)"),
    "solo_yield": {"type": "boolean", "description": "the option (R15)"},
    "jesters_left": whole(0, SOLO_JESTERS, description="solo: Jesters that can still be flipped (R17)"),
    "flips": whole(0, SOLO_JESTERS, description="solo: Jesters flipped so far (R18)"),
    "outcome": maybe(ref("Outcome")),
}

HELD: Final = {
    "oneOf": [
        several(CARD, 0, max(HAND_LIMIT), description="your own hand, sorted"),
        shape({"count": whole(0, max(HAND_LIMIT)), "packets": PACKETS}, description="another's hand"),
    ]
}

VIEW: Final[dict[str, Json]] = {
    **POSITION,
    "castle": shape({"count": whole(0, ENEMIES)}, description="enemies still to come"),
    "tavern": shape({"count": COUNT, "packets": PACKETS}, description="the draw pile; packets top first"),
    "discard": several(CARD, description="sorted"),
    "hands": many(HELD, *PLAYERS, description="by seat: cards where they are the viewer's own"),
    "packets": {
        "type": "object",
        "description": "packet -> its cards that are in some hand or in the Tavern (R21)",
        "patternProperties": {"^[1-9][0-9]*$": CARDS},
        "additionalProperties": False,
    },
    "attack": whole(0, 20, description="the enemy's attack after shields; 0 when there is none"),
}

SCHEMAS: Final[dict[str, Json]] = {
    "Card": cards(PACK, description="rank and suit; X1 and X2 are the Jesters"),
    "Royal": cards(PACK[FIRST_ROYAL:FIRST_JESTER], description="an enemy of the castle"),
    "Seat": whole(0, PLAYERS[1] - 1),
    **union("Action", ACTIONS),
    **union("Event", EVENTS),
    "View": shape(VIEW, description="the game as one seat, or a spectator, may know it (R20, R21)"),
    "Position": shape(POSITION, description="the whole state of a game, hidden cards included"),
    "Outcome": shape(OUTCOME, description="how the game ended"),
}
