"""The actions of a seat in Gridcannon, as JSON and as one line of text. G5 and the like are rulings (rules.en.md)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from engines.core.cards import NAMES, Card, parse_card
from engines.core.dataclass_schemas import type_of
from engines.core.errors import BadAction
from engines.core.phrase import Phrase, listed
from engines.core.schemas import ref, several
from engines.core.strict_reading import type_of_action, words_of
from engines.core.types import Json
from engines.gridcannon.board import CELL_BY_NAME, CELLS, PLOY_BY_NAME, PLOYS, SLOT_BY_NAME, SLOTS
from engines.ruleset import Action

CellNumber = Annotated[int, ref("Cell")]
SlotNumber = Annotated[int, ref("Slot")]
PloyCard = Annotated[Card, ref("PloyCard")]
PloyNumber = Annotated[int, ref("Ploy")]


class SpelledAction(Action):
    """An action whose fields are numbers but are written as names of cells, slots, cards and ploys."""

    def __str__(self) -> str:
        written = self.as_json()
        words = [written[field] for field in FIELDS[written["type"]]]
        names = [name for word in words for name in (word if isinstance(word, list) else [word])]
        return " ".join([FIRST_WORD_BY_ACTION_TYPE[written["type"]], *names])

    def as_json(self) -> Json:
        written: Json = {"type": type_of(type(self))}
        for field in FIELDS[written["type"]]:
            value, names = getattr(self, field), NAMES_BY_FIELD[field]
            written[field] = [names[slot] for slot in value] if isinstance(value, tuple) else names[value]
        return written


@dataclass(frozen=True)
class Draw(SpelledAction):
    """Draw the top card (G6)."""


@dataclass(frozen=True)
class Place(SpelledAction):
    """Lay the drawn number on a cell (G8)."""

    cell: CellNumber


@dataclass(frozen=True)
class PlaceRoyal(SpelledAction):
    """Place a royal in a slot (G5, G7)."""

    slot: SlotNumber


@dataclass(frozen=True)
class Armour(SpelledAction):
    """Lay the drawn number on a royal of your own (G12)."""

    slot: SlotNumber


@dataclass(frozen=True)
class Return(SpelledAction):
    """Mix the drawn number back into the draw pile (G12)."""


@dataclass(frozen=True)
class Declare(SpelledAction):
    """Announce a ploy; it joins the queue (G14)."""

    card: PloyCard
    ploy: PloyNumber


@dataclass(frozen=True)
class Reassign(SpelledAction):
    """Move the top card of a cell to another cell (G13)."""

    source: CellNumber
    target: CellNumber


@dataclass(frozen=True)
class Switch(SpelledAction):
    """Exchange the royals of two slots (G13).

    The slots are in the order of ``SLOTS``.
    """

    slots: Annotated[tuple[int, int], several(ref("Slot"), 2, 2)]


@dataclass(frozen=True)
class Force(SpelledAction):
    """Pull a trigger without laying a card (G13)."""

    cell: CellNumber


@dataclass(frozen=True)
class Recall(SpelledAction):
    """Take a declared ploy back (G14)."""

    card: PloyCard


# All actions except declarations and recalls are created only once, because a search lists them thousands of times.
DRAW: Final = Draw()
RETURN: Final = Return()
PLACE_ACTIONS: Final = tuple(Place(cell) for cell in range(9))
PLACE_ROYAL_ACTIONS: Final = tuple(PlaceRoyal(slot) for slot in range(12))
ARMOUR_ACTIONS: Final = tuple(Armour(slot) for slot in range(12))
FORCE_ACTIONS: Final = tuple(Force(cell) for cell in range(9))
REASSIGN_ACTIONS: Final = tuple(tuple(Reassign(source, target) for target in range(9)) for source in range(9))
SWITCH_ACTIONS: Final = tuple(tuple(Switch((one, other)) for other in range(12)) for one in range(12))

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "draw": (),
    "place": ("cell",),
    "place_royal": ("slot",),
    "armour": ("slot",),
    "return": (),
    "declare": ("card", "ploy"),
    "reassign": ("source", "target"),
    "switch": ("slots",),
    "force": ("cell",),
    "recall": ("card",),
}
"""The fields of each type of action, in the order of its text."""
ACTIONS: Final[tuple[type[Action], ...]] = (
    *(Draw, Place, PlaceRoyal, Armour, Return, Declare, Reassign, Switch, Force, Recall),
)
FIRST_WORD_BY_ACTION_TYPE: Final = {kind: "royal" if kind == "place_royal" else kind for kind in FIELDS}
"""The first word of the text of each type of action."""
ACTION_TYPE_BY_FIRST_WORD: Final = {word: kind for kind, word in FIRST_WORD_BY_ACTION_TYPE.items()}
NAMES_BY_FIELD: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("cell", "source", "target"), CELLS),
    **dict.fromkeys(("slot", "slots"), SLOTS),
    "card": NAMES,
    "ploy": PLOYS,
}
"""By field: the sequence of names in which the field's value is an index."""


def parse(written: object) -> Action:
    """Parse an action from a text or an object; the inverse of ``str`` and ``as_json``. Only the syntax is checked."""
    if isinstance(written, str):
        return _parse_text(written)
    if isinstance(written, dict):
        return _parse_object(written)
    raise BadAction(Phrase('An action is an object such as {"type": "draw"}, or a text such as "place b4".'))


def _parse_text(text: str) -> Action:
    words = words_of(text)
    kind = ACTION_TYPE_BY_FIRST_WORD.get(words[0]) if words else None
    if kind is None:
        raise BadAction(
            Phrase(
                "No action is written {text!r}: it begins with {verbs}, as in place b4.",
                text=text,
                verbs=listed(ACTION_TYPE_BY_FIRST_WORD),
            )
        )
    if kind == "switch":
        return _action(kind, {"slots": words[1:]})
    if len(words) - 1 != len(FIELDS[kind]):
        raise BadAction(
            Phrase("{text!r} can't be read: write {form}.", text=text, form=" ".join([words[0], *FIELDS[kind]]))
        )
    return _action(kind, dict(zip(FIELDS[kind], words[1:], strict=True)))


def _parse_object(written: Json) -> Action:
    return _action(type_of_action(written, FIELDS), written)


def _action(kind: str, written: Json) -> Action:
    return ACTION_PARSERS[kind](*[written[field] for field in FIELDS[kind]])


def _switch(written: object) -> Switch:
    if not isinstance(written, list) or len(written) != 2:
        raise BadAction(Phrase("A switch names two slots, as in switch c1 b5."))
    one, other = sorted(map(_slot, written))
    if one == other:
        raise BadAction(Phrase("The slot {one} is named twice: a switch is between two.", one=SLOTS[one]))
    return SWITCH_ACTIONS[one][other]


def _cell(written: object) -> int:
    cell = CELL_BY_NAME.get(written) if isinstance(written, str) else None
    if cell is None:
        raise BadAction(Phrase("There is no cell {written!r}: the grid has b2 to d4.", written=written))
    return cell


def _slot(written: object) -> int:
    slot = SLOT_BY_NAME.get(written) if isinstance(written, str) else None
    if slot is None:
        raise BadAction(
            Phrase("There is no slot {written!r}: there are {slots}.", written=written, slots=listed(SLOTS))
        )
    return slot


def _ploy(written: object) -> int:
    ploy = PLOY_BY_NAME.get(written) if isinstance(written, str) else None
    if ploy is None:
        raise BadAction(
            Phrase("There is no ploy {written!r}: there are {ploys}.", written=written, ploys=listed(PLOYS))
        )
    return ploy


def _card(written: object) -> Card:
    if not isinstance(written, str):
        raise BadAction(Phrase("A card is written as a text such as AH, not {written!r}.", written=written))
    return parse_card(written)


ACTION_PARSERS: Final[Mapping[str, Callable[..., Action]]] = {
    "draw": lambda: DRAW,
    "place": lambda cell: PLACE_ACTIONS[_cell(cell)],
    "place_royal": lambda slot: PLACE_ROYAL_ACTIONS[_slot(slot)],
    "armour": lambda slot: ARMOUR_ACTIONS[_slot(slot)],
    "return": lambda: RETURN,
    "declare": lambda card, ploy: Declare(_card(card), _ploy(ploy)),
    "reassign": lambda source, target: REASSIGN_ACTIONS[_cell(source)][_cell(target)],
    "switch": _switch,
    "force": lambda cell: FORCE_ACTIONS[_cell(cell)],
    "recall": lambda card: Recall(_card(card)),
}
"""By type of action: its constructor, with the written fields as arguments, in the order of ``FIELDS``."""
