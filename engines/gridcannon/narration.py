"""Gridcannon told to a person: events as sentences, a view as the board drawn in text."""

from typing import Final

from engines.cards import spoken
from engines.gridcannon.board import CELLS, SLOTS
from engines.ruleset import Json

SENTENCES: Final = {
    "royal_set_out": "{who} opens with {card}.",
    "laid": "{who} lays {card} on {cell}.",
    "ploy_gained": "{who} gains {card} for the arsenal.",
    "drawn": "{who} draws {card}.",
    "passed_over": "{card} goes to the bottom of the draw pile.",
    "royal_placed": "{who} places {card} at {slot}.",
    "fired": "{cell} fires at {card} of {who}: {attack}, and {needed} would kill.",
    "killed": "{card} of {who} falls!",
    "armour_stripped": "The royal of {who} at {slot} loses its armour: {cards}.",
    "armour_laid": "{who} armours {slot} with {card}.",
    "returned": "{who} can't use {card}.",
    "declared": "{who} declares {card}: {ploy}.",
    "recalled": "{who} recalls {card}.",
    "reassigned": "{who} moves {card} from {source} to {target}.",
    "switched": "{who} switches the royals of {slots}.",
    "forced": "{who} pulls the trigger {cell}.",
    "seat_out": "{who} is out: the last royal has fallen.",
    "mixed_in": "Mixed into the draw pile: {cards}.",
    "refreshed": "The draw pile is refreshed: {count} cards.",
    "ended": "{ending}",
}
"""By type of event; others go without saying."""

ENDINGS: Final = {
    "last_family": "{who} has won: no other family lives.",
    "all_fell": "The last families fell together: a draw.",
    "exhausted": "No card is left to draw: a draw.",
    "turn_limit": "The turn limit is reached: a draw.",
}
COLUMNS: Final = "abcde"
ROWS: Final = "12345"
WIDTH: Final = 6


def sentence(event: Json, who: str) -> str:
    """Tell *event* to a person; *who* is the name of its seat. Empty for what goes without saying."""
    told = {
        **event,
        "who": who,
        "card": spoken(event.get("card", "X1")),
        "cards": " ".join(map(spoken, event.get("cards", []))),
        "ploy": str(event.get("ploy", "")).replace("_", " "),
        "slots": " and ".join(event.get("slots", [])),
        "ending": ENDINGS.get(event.get("reason", ""), "").format(who=who),
    }
    return SENTENCES.get(event["type"], "").format_map(told)


def picture(view: Json) -> str:
    """Draw a view: the board, then the draw pile, the card in hand, the queue and the seats."""
    heading = " ".join(["  ", *(column.center(WIDTH) for column in COLUMNS)])
    board = [" ".join([f" {row} ", *(_place(view, column + row) for column in COLUMNS)]) for row in ROWS]
    drawn = f"  in hand {spoken(view['drawn'])}" if view["drawn"] else ""
    pile = f"draw pile {view['draw_pile']['count']}  turn {view['turns']}{drawn}"
    queue = [f"  queued: seat {ploy['seat']} {spoken(ploy['card'])} {ploy['ploy']}" for ploy in view["ploys"]]
    seats = [
        f"{'>' if seat == view['turn'] else ' '} seat {seat} ({family}): " + (" ".join(map(spoken, arsenal)) or "-")
        for seat, (family, arsenal) in enumerate(zip(view["families"], view["arsenals"], strict=True))
    ]
    return "\n".join([line.rstrip() for line in [heading, *board, pile, *queue, *seats]])


def _place(view: Json, name: str) -> str:
    """Draw one cell as ``[7♥]`` or one slot: a living royal with ``+`` and its armour's worth, a dead one crossed."""
    if name in CELLS:
        stack = view["grid"][name]
        return f"[{spoken(stack[-1]) if stack else ' ·'}]".center(WIDTH)
    royal = view["royals"].get(name)
    if royal is None:
        return ("." if name in SLOTS else "").center(WIDTH)
    worth = sum([10 if card.startswith("T") else int(card[0]) for card in royal["armour"]])
    mark = (f"+{worth}" if worth else "") if royal["alive"] else "†"
    return f"{spoken(royal['card'])}{mark}".center(WIDTH)
