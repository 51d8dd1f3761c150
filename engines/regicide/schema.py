"""JSON Schemas of Regicide's notation; ``actions`` and ``events`` define their own."""

from typing import Final

from engines.core.cards import PACK
from engines.core.schemas import BOOLEAN, COUNT, cards, constant, many, maybe, one_of, ref, several, shape, whole
from engines.core.types import Json
from engines.regicide.tables import ENEMIES, FIRST_JESTER, FIRST_ROYAL, HAND_LIMIT, HEALTH, MEDALS, PHASES, SOLO_JESTERS

MIN_AND_MAX_PLAYERS: Final = (1, 4)
PACKET: Final = whole(1, description="the number of a packet (R21)")
PACKETS: Final = many(whole(0), description="packet numbers (R21); 0 is the deal")
CARD: Final = ref("Card")
CARDS: Final = several(CARD, 1)

PACKET_OR_DEAL: Final = whole(0, description="the packet that the card is of (R21); 0 is the deal")

RESULT: Final = ref("Result")
REASON: Final = ref("Reason")
MEDAL: Final = maybe(ref("Medal"), description="of a solo win (R18)")
DEFEATED: Final = whole(0, ENEMIES, description="so many enemies were defeated")
OUTCOME: Final = {"result": RESULT, "reason": REASON, "medal": MEDAL, "defeated": DEFEATED}

POSITION: Final[dict[str, Json]] = {
    "ruleset": constant("regicide"),
    "players": whole(*MIN_AND_MAX_PLAYERS),
    "phase": ref("Phase"),
    "turn": {**whole(0, MIN_AND_MAX_PLAYERS[1] - 1), "description": "whose turn it is"},
    "castle": several(ref("Royal"), 0, ENEMIES, description="top first, without the enemy"),
    "enemy": maybe(ref("Royal"), description="null once the last King has fallen"),
    "damage": whole(0, max(HEALTH) - 1, description="what the enemy has taken"),
    "shield": whole(0, description="the spades played against this enemy, counted even while immunity suspends them"),
    "immune": {"type": "boolean", "description": "the enemy's immunity stands (R9, R10)"},
    "table": several(CARD, description="the cards played against this enemy, oldest first"),
    "tavern": several(CARD, description="the draw pile, top first"),
    "discard": several(CARD, description="oldest first"),
    "hands": many(several(CARD, 0, max(HAND_LIMIT)), *MIN_AND_MAX_PLAYERS, description="by seat"),
    "packets": {
        "type": "object",
        "description": "card -> its packet (R21), for cards in a hand or in the Tavern that aren't of packet 0",
        "propertyNames": CARD,
        "additionalProperties": PACKET,
    },
    "yielded": many(BOOLEAN, *MIN_AND_MAX_PLAYERS, description="by seat: its last turn was a yield (R15)"),
    "solo_yield": {"type": "boolean", "description": "the option (R15)"},
    "jesters_left": whole(0, SOLO_JESTERS, description="solo: Jesters that can still be flipped (R17)"),
    "flips": whole(0, SOLO_JESTERS, description="solo: Jesters flipped so far (R18)"),
    "outcome": maybe(ref("Outcome")),
}

HAND_SCHEMA: Final = {
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
    "hands": many(HAND_SCHEMA, *MIN_AND_MAX_PLAYERS, description="by seat: cards where they are the viewer's own"),
    "packets": {
        "type": "object",
        "description": "packet -> its cards that are in some hand or in the Tavern (R21)",
        "patternProperties": {"^[1-9][0-9]*$": CARDS},
        "additionalProperties": False,
    },
    "attack": whole(0, 20, description="the enemy's attack after shields; 0 when there is none"),
}

DEFINITIONS: Final[dict[str, Json]] = {
    "Card": cards(PACK, description="rank and suit; X1 and X2 are the Jesters"),
    "Royal": cards(PACK[FIRST_ROYAL:FIRST_JESTER], description="an enemy of the castle"),
    "Seat": whole(0, MIN_AND_MAX_PLAYERS[1] - 1),
    "Phase": one_of(PHASES, description="what is to be done"),
    "Result": one_of(("won", "lost")),
    "Reason": one_of(("castle_fell", "could_not_suffer", "could_not_act"), description="R12, R14, R16"),
    "Medal": one_of(MEDALS, description="R18"),
    "View": shape(VIEW, description="the game as one seat, or a spectator, may know it (R20, R21)"),
    "Position": shape(POSITION, description="the whole state of a game, hidden cards included"),
    "Outcome": shape(OUTCOME, description="how the game ended"),
}
