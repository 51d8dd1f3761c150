"""The board as small integers: nine cells, twelve slots around them, and the lines of fire.

Columns a-e from the left, rows 1-5 from the top. The numbers in brackets are cells, the other numbers are slots::

         a     b     c     d     e
    1         b1    c1    d1                 slot  0  1  2
    2   a2  [ b2  | c2  | d2  ]  e2     9   [ 0 | 1 | 2 ]   3
    3   a3  [ b3  | c3  | d3  ]  e3    10   [ 3 | 4 | 5 ]   4
    4   a4  [ b4  | c4  | d4  ]  e4    11   [ 6 | 7 | 8 ]   5
    5         b5    c5    d5                       6  7  8

A royal's line of fire runs straight from its slot across the grid: the two nearest cells hold the attackers, the third
is the trigger. For example, c2 and c3 fire at c1 when a card is laid on c4.
"""

from typing import Final

from engines.core.cards import ACE, DIAMONDS, HEARTS, JACK, JOKER, KING, NAMES, PACK, QUEEN, Card, rank_of, suit_of

CELLS: Final = ("b2", "c2", "d2", "b3", "c3", "d3", "b4", "c4", "d4")
SLOTS: Final = ("b1", "c1", "d1", "e2", "e3", "e4", "b5", "c5", "d5", "a2", "a3", "a4")
CELL_BY_NAME: Final = {name: cell for cell, name in enumerate(CELLS)}
SLOT_BY_NAME: Final = {name: slot for slot, name in enumerate(SLOTS)}
CENTRE: Final = CELL_BY_NAME["c3"]
OPENING_CELLS: Final = tuple(cell for cell in range(9) if cell != CENTRE)
"""Cells on which the opening cards are laid, in this order (G4)."""


def _line_of_fire(slot: str) -> tuple[int, int, int]:
    """Return the line of fire at *slot*: cell of the near attacker, cell of the far attacker, trigger."""
    column, row = slot[0], slot[1]
    match column, row:
        case _, "1":
            names = [column + other for other in "234"]
        case _, "5":
            names = [column + other for other in "432"]
        case "a", _:
            names = [other + row for other in "bcd"]
        case _:
            names = [other + row for other in "dcb"]
    near, far, trigger = (CELL_BY_NAME[name] for name in names)
    return near, far, trigger


LINES: Final = tuple(_line_of_fire(slot) for slot in SLOTS)
"""The line of fire of each slot: near attacker, far attacker, trigger (G9)."""
SLOTS_BY_TRIGGER: Final = tuple(tuple(slot for slot in range(12) if LINES[slot][2] == cell) for cell in range(9))
"""By cell: the slots that have this cell as trigger; none for the centre (G9)."""
ADJACENT_SLOTS: Final = tuple(tuple(slot for slot in range(12) if LINES[slot][0] == cell) for cell in range(9))
"""By cell: the adjacent slots; two of a corner, one of an edge, none of the centre (G7)."""

NO_CARD: Final = Card(len(PACK))
"""Stands for no card: the top of an empty cell, the royal of a free slot, an empty hand."""
VALUE: Final = tuple(rank_of(card) + 1 if ACE < rank_of(card) < JACK else 0 for card in (*PACK, NO_CARD))
"""Value of a number card; 0 for any other card and for ``NO_CARD``."""
HEALTH: Final = tuple(rank_of(card) + 1 if JACK <= rank_of(card) <= KING else 0 for card in (*PACK, NO_CARD))
"""Health of a royal: Jack 11, Queen 12, King 13 (G10); 0 for any other card."""
PLOY_CARDS: Final = frozenset(card for card in PACK if rank_of(card) in (ACE, JOKER))
REMOVED_PLOY_CARDS: Final = tuple(card for card in PACK if NAMES[card] in ("AC", "AD", "X2"))
"""The cards that the option ``reduced_ploys`` removes (G2)."""
TWO: Final = 2
TEN: Final = 10


def is_number(card: Card) -> bool:
    """Return whether *card* is a 2 to 10."""
    return VALUE[card] > 0


def is_royal(card: Card) -> bool:
    """Return whether *card* is a Jack, Queen or King."""
    return HEALTH[card] > 0


def is_red(card: Card) -> bool:
    """Return whether *card* is of hearts or diamonds."""
    return suit_of(card) in (DIAMONDS, HEARTS)


def _counts(royal: Card, card: Card) -> bool:
    """Return whether *card* hits *royal*: a Jack by any card, a Queen by her colour, a King by his suit (G9)."""
    if rank_of(royal) == QUEEN:
        return is_red(royal) == is_red(card)
    return rank_of(royal) == JACK or suit_of(royal) == suit_of(card)


ATTACK_ON_ROYAL: Final = tuple(
    tuple(VALUE[card] if is_royal(royal) and VALUE[card] and _counts(royal, card) else 0 for card in (*PACK, NO_CARD))
    for royal in (*PACK, NO_CARD)
)
"""``ATTACK_ON_ROYAL[royal][card]``: attack of *card*, as an attacker, on *royal* (G9)."""
CAN_LIE_ON: Final = tuple(
    tuple(
        VALUE[card] > 0 and (VALUE[card] >= VALUE[top] or (VALUE[card] == TWO and VALUE[top] == TEN))
        for top in (*PACK, NO_CARD)
    )
    for card in (*PACK, NO_CARD)
)
"""``CAN_LIE_ON[card][top]``: True if *card* may be laid on a cell with this top card (G8)."""

FAMILIES_BY_PLAYERS: Final = {2: ("red", "black"), 4: ("C", "D", "H", "S")}
"""Families by number of players, in the order in which seats without a choice get them (G1)."""
SUIT_FAMILIES_BY_PLAYERS: Final = {2: (1, 0, 0, 1), 4: (0, 1, 2, 3)}
"""By number of players, then by suit: the index of the suit's family in ``FAMILIES_BY_PLAYERS``."""

REASSIGNMENT: Final = 0
SWITCHEROO: Final = 1
FORCED_ATTACK: Final = 2
PLOYS: Final = ("reassignment", "switcheroo", "forced_attack")
PLOY_BY_NAME: Final = {name: ploy for ploy, name in enumerate(PLOYS)}


def ploys_of(card: Card) -> tuple[int, ...]:
    """Return the ploys that *card* can be declared as (G13)."""
    if rank_of(card) == ACE:
        return (REASSIGNMENT,)
    return (SWITCHEROO, FORCED_ATTACK) if rank_of(card) == JOKER else ()
