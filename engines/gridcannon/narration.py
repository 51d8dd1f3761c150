"""Texts of Gridcannon: events, actions, and a view drawn as text."""

from typing import Final

from engines.core.cards import card_label, card_labels
from engines.core.phrase import YOU, Naming, Phrase, join_and
from engines.core.types import Json
from engines.gridcannon.board import CELLS, SLOTS
from engines.ruleset import Action

CLAUSES: Final = {
    "pile_shuffled": Phrase("the draw pile is shuffled: {count} cards"),
    "turn_began": Phrase("it is the turn of {who}"),
    "taken_up": Phrase("taken up from {cell}: {cards}"),
    "royal_set_out": Phrase("{who} opens with {card}"),
    "laid": Phrase("{who} lays {card} on {cell}"),
    "ploy_gained": Phrase("{who} gains {card} for the arsenal"),
    "drawn": Phrase("{who} draws {card}"),
    "passed_over": Phrase("{card} goes to the bottom of the draw pile"),
    "royal_placed": Phrase("{who} places {card} at {slot}"),
    "fired": Phrase("the trigger {cell} fires at {who}'s {card}: {attack} of the {needed} needed"),
    "killed": Phrase("{card} of {who} falls"),
    "armour_stripped": Phrase("the royal of {who} at {slot} loses its armour: {cards}"),
    "armour_laid": Phrase("{who} armours the royal at {slot} with {card}"),
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
"""Clauses by type of event."""
TO_YOU: Final = {
    "turn_began": Phrase("it is your turn"),
    "royal_set_out": Phrase("you open with {card}"),
    "laid": Phrase("you lay {card} on {cell}"),
    "ploy_gained": Phrase("you gain {card} for your arsenal"),
    "drawn": Phrase("you draw {card}"),
    "royal_placed": Phrase("you place {card} at {slot}"),
    "fired": Phrase("the trigger {cell} fires at your {card}: {attack} of the {needed} needed"),
    "killed": Phrase("your {card} falls"),
    "armour_stripped": Phrase("your royal at {slot} loses its armour: {cards}"),
    "armour_laid": Phrase("you armour the royal at {slot} with {card}"),
    "returned": Phrase("you can't use {card}"),
    "declared": Phrase("you declare {card}: {ploy}"),
    "recalled": Phrase("you recall {card}"),
    "reassigned": Phrase("you move {card} from {source} to {target}"),
    "switched": Phrase("you switch the royals of {slots}"),
    "forced": Phrase("you pull the trigger {cell}"),
    "seat_out": Phrase("you are out: your last royal has fallen"),
    "ended": Phrase("you have won: no other family is left"),
}
"""Clauses about the reader's own seat, where they differ from ``CLAUSES``."""

ENDINGS: Final = {
    "last_family": Phrase("{who} has won: no other family is left"),
    "all_fell": Phrase("the last families fell together: a draw"),
    "exhausted": Phrase("no card is left to draw: a draw"),
    "turn_limit": Phrase("the turn limit is reached: a draw"),
}
PLOY_PHRASES: Final = {
    "reassignment": Phrase("reassignment"),
    "switcheroo": Phrase("switcheroo"),
    "forced_attack": Phrase("forced attack"),
}
FAMILY_PHRASES: Final = {
    "red": Phrase("red"),
    "black": Phrase("black"),
    "C": Phrase("clubs"),
    "D": Phrase("diamonds"),
    "H": Phrase("hearts"),
    "S": Phrase("spades"),
}
COLUMNS: Final = "abcde"
ROWS: Final = "12345"
CELL_WIDTH: Final = 6


A_CARD: Final = Phrase("a card")
"""Stands for an unknown card."""
LABEL_BY_ACTION_TYPE: Final = {
    "draw": Phrase("Draw a card"),
    "place": Phrase("Lay it on {cell}"),
    "place_royal": Phrase("Place the royal at {slot}"),
    "armour": Phrase("Armour the royal at {slot}"),
    "return": Phrase("Put it back"),
    "declare": Phrase("Declare {card}: {ploy}"),
    "reassign": Phrase("Move {source} to {target}"),
    "switch": Phrase("Switch the royals of {slots}"),
    "force": Phrase("Pull the trigger {cell}"),
    "recall": Phrase("Recall {card}"),
}
"""Button texts by type of action."""


def clause(event: Json, who: str | Phrase) -> Phrase:
    """Return the clause of *event*; *who* is the name of its seat."""
    kind = event["type"]
    if who is YOU and kind in TO_YOU:
        return _fill_template(TO_YOU[kind], event, who)
    return _fill_template(ENDINGS[event["reason"]] if kind == "ended" else CLAUSES[kind], event, who)


def label(action: Action) -> Phrase:
    """Return the button text of *action*."""
    written = action.as_json()
    return _fill_template(LABEL_BY_ACTION_TYPE[written["type"]], written, "")


def _fill_template(template: Phrase, written: Json, who: str | Phrase) -> Phrase:
    """Fill a template with the fields of an event or an action, written for people."""
    values = {
        **written,
        "who": who,
        "card": card_label(written["card"]) if "card" in written else A_CARD,
        "cards": card_labels(written.get("cards", [])),
        "ploy": PLOY_PHRASES.get(written.get("ploy", "")),
        "slots": join_and(written.get("slots", [""])),
    }
    return template.bind(values)


def picture(view: Json, name: Naming) -> list[Phrase]:
    """Return a view as lines: the board, the draw pile, the card in hand, the queue, the seats by *name*."""
    heading = " ".join(["  ", *(column.center(CELL_WIDTH) for column in COLUMNS)])
    board = [" ".join([f" {row} ", *(_draw_square(view, column + row) for column in COLUMNS)]) for row in ROWS]
    return [
        *[Phrase("{line}", line=line.rstrip()) for line in (heading, *board)],
        _pile(view),
        *_queue_and_seats(view, name),
    ]


def _pile(view: Json) -> Phrase:
    count, turn = view["draw_pile"]["count"], view["turns"]
    if view["drawn"] is None:
        return Phrase("draw pile {count}  turn {turn}", count=count, turn=turn)
    card = card_label(view["drawn"])
    return Phrase("draw pile {count}  turn {turn}  in hand {card}", count=count, turn=turn, card=card)


def _queue_and_seats(view: Json, name: Naming) -> list[Phrase]:
    queue = [
        Phrase(
            "  declared: {who} {card} {ploy}",
            who=name(ploy["seat"]),
            card=card_label(ploy["card"]),
            ploy=PLOY_PHRASES[ploy["ploy"]],
        )
        for ploy in view["ploys"]
    ]
    seats = [
        Phrase(
            "{mark} {who} ({family}): {cards}",
            mark=">" if seat == view["turn"] else " ",
            who=name(seat),
            family=FAMILY_PHRASES[family],
            cards=card_labels(arsenal) or "-",
        )
        for seat, (family, arsenal) in enumerate(zip(view["families"], view["arsenals"], strict=True))
    ]
    return [*queue, *seats]


def _draw_square(view: Json, name: str) -> str:
    """Return a cell as ``[7♥]``, or a slot: a living royal with its armour after ``+``, a dead royal with †."""
    if name in CELLS:
        stack = view["grid"][name]
        return f"[{card_label(stack[-1]) if stack else ' ·'}]".center(CELL_WIDTH)
    royal = view["royals"].get(name)
    if royal is None:
        return ("." if name in SLOTS else "").center(CELL_WIDTH)
    worth = sum([10 if card.startswith("T") else int(card[0]) for card in royal["armour"]])
    mark = (f"+{worth}" if worth else "") if royal["alive"] else "†"
    return f"{card_label(royal['card'])}{mark}".center(CELL_WIDTH)
