"""Lessons of Gridcannon: a whole turn, then positions that each show one rule. All of them can occur in a game."""

from typing import Any, Final

from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.gridcannon.board import CELLS
from engines.ruleset import Lesson

DECK: Final = (*(rank + suit for rank in "23456789TJQKA" for suit in "CDHS"), "X1", "X2")
DEFAULT_TOP_CARDS: Final = ("2H", "3H", "2C", "4H")
"""The topmost cards of the draw pile in lessons that don't name any."""


def _position(cells: str, royals: str, drawn: str | None = None, **more: Any) -> Json:
    """Return a position of red (the learner) and black: *cells* as ``b2:7C,5D``, *royals* as ``c1:JC``.

    The rest of the deck is the draw pile; ``top`` in *more* has its topmost cards. Other entries of *more* are fields
    of the position.
    """
    stacks = dict(part.split(":") for part in cells.split())
    standing = dict(part.split(":") for part in royals.split())
    grid = {cell: stacks[cell].split(",") if cell in stacks else [] for cell in CELLS}
    arsenals = more.pop("arsenals", [[], []])
    used = {*standing.values(), drawn}.union(*grid.values(), *arsenals)
    top = [card for card in more.pop("top", DEFAULT_TOP_CARDS) if card not in used]
    return {
        "ruleset": "gridcannon",
        "players": 2,
        "phase": "draw" if drawn is None else "place",
        "turn": 0,
        "turns": 9,
        "families": ["red", "black"],
        "grid": grid,
        "royals": {slot: {"card": card, "armour": [], "alive": True} for slot, card in standing.items()},
        "draw_pile": [*top, *(card for card in DECK if card not in used and card not in top)],
        "known_bottom": 0,
        "drawn": drawn,
        "opening": [],
        "arsenals": arsenals,
        "ploys": [],
        "recalled": [],
        "turn_limit": 1000,
        "outcome": None,
        **more,
    }


LESSONS: Final[tuple[Lesson, ...]] = (
    Lesson(
        "turn",
        Phrase("A whole turn"),
        Phrase(
            "A turn: draw a card, then lay it on a cell where it fits. Draw, and lay the 4 on c4: the two cards above "
            "it, 6 and 5, fire at the Jack of clubs beyond them, and 11 fells a Jack."
        ),
        Phrase(
            "The Jack of clubs has fallen. Whoever has no royal left, standing or still to come, is out; the last "
            "family wins."
        ),
        _position("b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:TC c4:3S d4:9H", "c1:JC a3:JD", top=("4D", "2H")),
        ("draw", "place c4"),
    ),
    Lesson(
        "place",
        Phrase("Laying a number"),
        Phrase(
            "You have drawn the 7 of diamonds. It goes on an empty cell, or on a card of the same or a lower value; a "
            "2 goes on a 10 as well."
        ),
        Phrase("c2 showed a 4. All the other cells show more than 7."),
        _position("b2:9C c2:4C d2:8C b3:9D c3:TC d3:TD b4:9S c4:TS d4:9H", "a3:JD e3:JC", "7D"),
        ("place c2",),
    ),
    Lesson(
        "line-of-fire",
        Phrase("A line of fire"),
        Phrase(
            "The Jack of clubs on c1 is black's. A number laid on c4, the trigger, fires the two cards between them, "
            "c2 and c3: 6 and 5 make 11, which is enough for a Jack."
        ),
        Phrase("c2 and c3 fired at c1: 11, and the Jack is turned face down. A shot of less would have left no mark."),
        _position("b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:4C c4:3S d4:9H", "c1:JC e3:JS a3:JD", "4D"),
        ("place c4",),
        Phrase("b4 fires at no royal. c4, c3, c2 and c1 lie in one line."),
    ),
    Lesson(
        "queens",
        Phrase("Against a Queen her colour counts"),
        Phrase(
            "Lay the 3 on d2 to fire at a2, or on b3 to fire at e3. Against a Queen only cards of her colour count, "
            "and it takes 12."
        ),
        Phrase(
            "7 and 6 are black, as she is: 13. On the other line a red 9 wouldn't have counted. Against a King only "
            "cards of his suit count, and it takes 13."
        ),
        _position(
            "b2:7C c2:6S d2:2H b3:2D c3:8C d3:9H b4:9S c4:TS d4:9D",
            "a2:QS e3:QC c5:JD",
            "3D",
        ),
        ("place d2",),
        Phrase(
            "On that line lie a black 8 and a red 9: red doesn't count against a black Queen, and 8 is less than 12."
        ),
    ),
    Lesson(
        "own-family",
        Phrase("A line hits whoever stands there"),
        Phrase("Your own Jack of hearts stands on c1, and c2 and c3 make 11. Lay the 4 where it doesn't fire at him."),
        Phrase("b4 fires at nobody. A line doesn't ask whose royal it hits."),
        _position("b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:3C c4:3S d4:9H", "c1:JH e3:JS", "4D"),
        ("place b4",),
        Phrase("c4 fires c2 and c3 at your own Jack: 11, and he falls."),
    ),
    Lesson(
        "armour",
        Phrase("Armour"),
        Phrase(
            "The 3 can't be laid anywhere. It is red, as your family is: so it becomes armour of one of your royals, "
            "and adds to its health. A black card would go back into the draw pile."
        ),
        Phrase(
            "b3 and c3 make 13, which would have felled your Jack. Now it takes 14; but a shot of 13 takes the 3 off "
            "again."
        ),
        _position("b2:9C c2:6H d2:8C b3:9D c3:4D d3:TD b4:9S c4:TS d4:9H", "a3:JD e3:JC", "3D"),
        ("armour a3",),
    ),
    Lesson(
        "royal",
        Phrase("Placing a royal"),
        Phrase(
            "You have drawn a royal of yours. It stands beside the number most similar to it: the highest of its suit, "
            "else of its colour."
        ),
        Phrase(
            "The highest heart is the 8 on c4, and beside it lies c5. A royal of another family is placed by its "
            "player, whoever draws it."
        ),
        _position(
            "b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:9S c4:8H d4:7H",
            "a3:JD e3:JC",
            "QH",
            phase="place_royal",
        ),
        ("royal c5",),
    ),
    Lesson(
        "reassignment",
        Phrase("A ploy: reassignment"),
        Phrase(
            "An ace or a Joker that you draw goes to your arsenal, and your turn ends. An ace moves the top card of "
            "one cell to another, at any time, and it fires as if laid. Declare it, and move the 4 from b4 to c4."
        ),
        Phrase("The 4 pulled the trigger on c4: c2 and c3 felled the Jack. The ace is shuffled into the draw pile."),
        _position("b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:4S c4:3S d4:9H", "c1:JC e3:JS a3:JD", arsenals=[["AH"], []]),
        ("declare AH reassignment", "reassign b4 c4"),
        Phrase("First the ace in your arsenal, then the 4 on b4, then the cell c4."),
    ),
    Lesson(
        "forced-attack",
        Phrase("A ploy: forced attack"),
        Phrase("A Joker fires a line without laying a card. Declare a forced attack, and choose the trigger c4."),
        Phrase("c4 fired as if a card had just been laid there. A Joker may also exchange two royals."),
        _position("b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:9S c4:TS d4:9H", "c1:JC e3:JS a3:JD", arsenals=[["X1"], []]),
        ("declare X1 forced_attack", "force c4"),
        Phrase(
            "First the Joker in your arsenal, then the forced attack, then c4: between it and the Jack lie 6 and 5."
        ),
    ),
    Lesson(
        "switcheroo",
        Phrase("A ploy in another player's turn: switcheroo"),
        Phrase(
            "Black has drawn the 4, and will lay it on c4: c2 and c3 make 11 and fell your Jack of hearts. You may "
            "play a ploy before that: a Joker also exchanges two royals, of any family. Declare a switcheroo, and "
            "exchange c1 and e3."
        ),
        Phrase("Now c4 fires at the Jack of clubs, and yours is out of the line."),
        _position(
            "b2:9C c2:6H d2:8C b3:9D c3:5D d3:TD b4:9S c4:2S d4:9H",
            "c1:JH e3:JC a3:JD",
            "4S",
            turn=1,
            arsenals=[["X1"], []],
        ),
        ("declare X1 switcheroo", "switch c1 e3"),
        Phrase("First the Joker in your arsenal, then the switcheroo, then c1 and e3."),
    ),
)
