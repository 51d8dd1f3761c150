"""Setup of a game: options, families, the deal (G1-G5)."""

from typing import Final

from engines.core.cards import NAMES, PACK, Card
from engines.core.dealer import Dealer
from engines.core.errors import BadOptions
from engines.core.phrase import Phrase, listed
from engines.core.strict_reading import MAX_OPTION_NUMBER, read_options
from engines.core.types import Json
from engines.gridcannon.board import CELLS, FAMILIES_BY_PLAYERS, OPENING_CELLS, REMOVED_PLOY_CARDS, is_number, is_royal
from engines.gridcannon.events import Laid, PloyGained, RoyalSetOut
from engines.gridcannon.state import State
from engines.ruleset import Event

TURN_LIMIT: Final = 1000
OPTIONS_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {
        "families": {
            "type": "array",
            "items": {"enum": ["red", "black", "C", "D", "H", "S", None]},
            "description": "A family or null per seat: red or black with 2 players, a suit with 4 (G1).",
        },
        "reduced_ploys": {
            "type": "boolean",
            "default": False,
            "description": "With 2 players: leave out AC, AD and X2 (G2).",
        },
        "turn_limit": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_OPTION_NUMBER,
            "default": TURN_LIMIT,
            "description": "The game is a draw when one more turn would begin; 0 for no limit (G20).",
        },
    },
    "additionalProperties": False,
}


def resolve_options(players: int, options: object) -> Json:
    """Return *options* with defaults filled in. Raises ``BadOptions``."""
    reader = read_options(options, tuple(OPTIONS_SCHEMA["properties"]))
    written: Json = {"families": [None] * players, "reduced_ploys": False, "turn_limit": TURN_LIMIT}
    if reader.holds("families"):
        written["families"] = reader.sequence("families", players)[:]
        read_families(players, written["families"])
    if reader.holds("reduced_ploys"):
        written["reduced_ploys"] = reader.boolean("reduced_ploys")
    if reader.holds("turn_limit"):
        written["turn_limit"] = reader.integer("turn_limit", 0, MAX_OPTION_NUMBER)
    if written["reduced_ploys"] and players != 2:
        raise BadOptions(Phrase("'reduced_ploys' is for 2 players: leave it out, or make it false (G2)."))
    return written


def read_families(players: int, requested: list[object]) -> tuple[int, ...]:
    """Return the family of each seat; seats without a choice get the rest in order (G1). Raises ``BadOptions``."""
    known = FAMILIES_BY_PLAYERS[players]
    for family in requested:
        if family is not None and family not in known:
            raise BadOptions(
                Phrase(
                    "There is no family {family!r}: with {players} players there are {known}.",
                    family=family,
                    players=players,
                    known=listed(known),
                )
            )
        if family is not None and requested.count(family) > 1:
            raise BadOptions(
                Phrase("Two seats can't have one family: {family!r} is asked for twice (G1).", family=family)
            )
    left = [family for family in known if family not in requested]
    return tuple([known.index(left.pop(0) if family is None else str(family)) for family in requested])


def deal(position: State, options: Json, dealer: Dealer, events: list[Event] | None) -> None:
    """Deal a new game: choose the opening royals, lay the grid, and keep the rest as draw pile (G3, G4, G23)."""
    position.turn_limit = options["turn_limit"]
    royals = [card for card in PACK if is_royal(card)]
    cards = [
        card for card in PACK if not is_royal(card) and not (options["reduced_ploys"] and card in REMOVED_PLOY_CARDS)
    ]
    dealer.shuffle(royals)
    _set_out(position, royals, events)
    dealer.shuffle(cards)
    _lay_grid(position, cards, events)
    position.turn = position.owner(position.opening[0])


def _set_out(position: State, royals: list[Card], events: list[Event] | None) -> None:
    """Choose each family's first royal for the opening, and put the others aside (G3)."""
    first: dict[int, Card] = {}
    for royal in royals:
        first.setdefault(position.owner(royal), royal)
        position.lives[position.owner(royal)] += 1
    position.opening = [first[seat] for seat in range(position.players)]
    position.aside = [royal for royal in royals if royal not in position.opening]
    if events is not None:
        events.extend(RoyalSetOut(seat, NAMES[royal]) for seat, royal in enumerate(position.opening))


def _lay_grid(position: State, cards: list[Card], events: list[Event] | None) -> None:
    """Let the seats draw in turn until eight cells have a number; aces and jokers go to arsenals (G4)."""
    laid = drawn = 0
    while laid < len(OPENING_CELLS):
        card, seat = cards[drawn], drawn % position.players
        drawn += 1
        if is_number(card):
            cell = OPENING_CELLS[laid]
            laid += 1
            position.grid[cell] = (card,)
            if events is not None:
                events.append(Laid(seat, NAMES[card], CELLS[cell]))
        else:
            position.arsenals[seat] += (card,)
            if events is not None:
                events.append(PloyGained(seat, NAMES[card]))
    position.draw_pile = cards[drawn:]
