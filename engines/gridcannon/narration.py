"""Gridcannon for people: events in words, a view as the board drawn in text."""

from typing import Final

from engines.cards import spoken
from engines.gridcannon.board import CELLS, SLOTS
from engines.phrase import Phrase, both
from engines.types import Json

CLAUSES: Final = {
    "royal_set_out": Phrase("{who} opens with {card}"),
    "laid": Phrase("{who} lays {card} on {cell}"),
    "ploy_gained": Phrase("{who} gains {card} for the arsenal"),
    "drawn": Phrase("{who} draws {card}"),
    "passed_over": Phrase("{card} goes to the bottom of the draw pile"),
    "royal_placed": Phrase("{who} places {card} at {slot}"),
    "fired": Phrase("the trigger {cell} fires at {card} of {who}: {attack}, and {needed} would kill"),
    "killed": Phrase("{card} of {who} falls"),
    "armour_stripped": Phrase("the royal of {who} at {slot} loses its armour: {cards}"),
    "armour_laid": Phrase("{who} armours {slot} with {card}"),
    "returned": Phrase("{who} can't use {card}"),
    "declared": Phrase("{who} declares {card}: {ploy}"),
    "recalled": Phrase("{who} recalls {card}"),
    "reassigned": Phrase("{who} moves {card} from {source} to {target}"),
    "switched": Phrase("{who} switches the royals of {slots}"),
    "forced": Phrase("{who} pulls the trigger {cell}"),
    "seat_out": Phrase("{who} is out: the last royal has fallen"),
    "mixed_in": Phrase("mixed into the draw pile: {cards}"),
    "refreshed": Phrase("the draw pile is refreshed: {count} cards"),
}
"""By type of event; others go without saying."""

ENDINGS: Final = {
    "last_family": Phrase("{who} has won: no other family lives"),
    "all_fell": Phrase("the last families fell together: a draw"),
    "exhausted": Phrase("no card is left to draw: a draw"),
    "turn_limit": Phrase("the turn limit is reached: a draw"),
}
PLOYS: Final = {
    "reassignment": Phrase("reassignment"),
    "switcheroo": Phrase("switcheroo"),
    "forced_attack": Phrase("forced attack"),
}
COLUMNS: Final = "abcde"
ROWS: Final = "12345"
WIDTH: Final = 6


def clause(event: Json, who: str | Phrase) -> Phrase | None:
    """Return *event* in words; *who* is the name of its seat. None: it isn't worth a word."""
    template = ENDINGS.get(event["reason"]) if event["type"] == "ended" else CLAUSES.get(event["type"])
    if template is None:
        return None
    values = {
        **event,
        "who": who,
        "card": spoken(event.get("card", "X1")),
        "cards": " ".join(map(spoken, event.get("cards", []))),
        "ploy": PLOYS.get(event.get("ploy", "")),
        "slots": both(event.get("slots", [""])),
    }
    return template.filled(values)


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
