"""Lessons of Regicide: a whole turn, then positions that each show one rule. All of them can occur in a game."""

from typing import Any, Final

from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.ruleset import Lesson

RANKS: Final = "JQK"
SUITS: Final = "CDHS"
NUMBERS: Final = tuple(rank + suit for rank in "23456789TA" for suit in SUITS)
UNPLACED_CARDS_PER_DISCARD: Final = 3
"""Of the cards that a lesson doesn't place, one in this many is discarded, if the lesson has defeated royals."""


def _position(enemy: str, damage: int, hand: str, **more: Any) -> Json:
    """Return a position of the whole deck with one player, who holds *hand*, or with several.

    The royals of lower ranks are defeated. A solo player has flipped both Jesters, so that no lesson before the one on
    flips offers a flip (R17). Entries of *more* are fields of the position, except three: ``hands`` has the hands of
    several players, ``tavern`` the topmost cards of the Tavern, and ``discard`` the first cards of the discard pile.
    """
    hands = more.pop("hands", [hand.split()])
    top = more.pop("tavern", ["TH", "9H", "8H", "6C", "4C", "2D"])
    table, discard = more.get("table", []), more.pop("discard", [])
    jesters = {3: ["X1"], 4: ["X1", "X2"]}.get(len(hands), [])
    used = {*table, *discard, *(card for held in hands for card in held)}
    top = [card for card in top if card not in used]
    used |= {*top}
    rest = [card for card in (*NUMBERS, *jesters) if card not in used]
    fallen = [rank + suit for rank in RANKS[: RANKS.index(enemy[0])] for suit in SUITS]
    others = [rank + suit for rank in RANKS[RANKS.index(enemy[0]) :] for suit in SUITS if rank + suit != enemy]
    discarded = rest[::UNPLACED_CARDS_PER_DISCARD] if fallen else []
    return {
        "ruleset": "regicide",
        "players": len(hands),
        "phase": "play",
        "turn": 0,
        "castle": others,
        "enemy": enemy,
        "damage": damage,
        "shield": 0,
        "immune": True,
        "table": [],
        "tavern": [*top, *(card for card in rest if card not in discarded)],
        "discard": [*discard, *discarded, *fallen],
        "hands": hands,
        "packets": {},
        "yielded": [False] * len(hands),
        "solo_yield": False,
        "jesters_left": 0,
        "flips": 2 if len(hands) == 1 else 0,
        "outcome": None,
        **more,
    }


_ALL_BUT_HEARTS: Final = [card for card in NUMBERS if card not in {"6H", "TD", "2D"}]
"""The discard pile of the lesson on hearts: all number cards but three."""

LESSONS: Final[tuple[Lesson, ...]] = (
    Lesson(
        "turn",
        Phrase("A whole turn"),
        Phrase(
            "A turn has two halves: you play a card, then the enemy attacks. Play the 7 of spades: 7 damage, and a "
            "shield of 7. Then cover what is left of the attack, with the lowest card that does."
        ),
        Phrase("The attack of 10 was down to 3, and the 5 covered it. So it goes on until the twelfth royal falls."),
        _position("JC", 0, "7S 6H 5D 9D"),
        ("play 7S", "discard 5D"),
        Phrase("Play the 7 of spades. Then 3 of the attack are left: the 5 is the smallest card that covers them."),
    ),
    Lesson(
        "clubs",
        Phrase("Clubs deal double damage"),
        Phrase(
            "The Jack of hearts has 9 health left. A card does its value in damage, and clubs do it twice: find one."
        ),
        Phrase(
            "The 5 of clubs did 10 damage: the Jack has fallen, and attacks no more. You go on, against the next enemy."
        ),
        _position("JH", 11, "5C 7S 3D", table=["9D", "2H"]),
        ("play 5C",),
        Phrase("The 7 of spades does 7 damage and the 3 of diamonds 3. Clubs count twice."),
    ),
    Lesson(
        "exact-kill",
        Phrase("An exact kill"),
        Phrase("The Jack of diamonds has 8 health left. Do exactly that much, and he changes sides."),
        Phrase(
            "He lies on top of the Tavern, the draw pile: whoever draws him has a card worth 10. A Queen is worth 15, "
            "a King 20."
        ),
        _position("JD", 12, "8S 9C 5S", table=["7H", "5H"]),
        ("play 8S",),
        Phrase("The 9 of clubs does 18, and he is discarded; the 5 of spades does 5. He changes sides at exactly 8."),
    ),
    Lesson(
        "diamonds",
        Phrase("Diamonds draw cards"),
        Phrase("Your hand is nearly empty. Diamonds draw as many cards from the Tavern as they are worth."),
        Phrase(
            "You drew four cards: enough to survive the attack that comes now. With others you draw in turn, and a "
            "full hand draws no more: 8 cards alone, 7, 6 and 5 with two to four players."
        ),
        _position("JC", 0, "4D 2S"),
        ("play 4D",),
        Phrase(
            "The 2 of spades leaves an attack of 8, with one card to cover it. Diamonds draw first; then the attack "
            "comes."
        ),
    ),
    Lesson(
        "spades",
        Phrase("Spades shield"),
        Phrase(
            "The Jack of hearts attacks for 10 after your turn. Spades lower his attack by their value, until he falls."
        ),
        Phrase("The shield holds all of it: as long as he lives he can't hurt anybody."),
        _position("JH", 0, "TS 3C 2C"),
        ("play TS",),
        Phrase("Clubs do more damage, but his attack stays at 10. Only spades lower it."),
    ),
    Lesson(
        "hearts",
        Phrase("Hearts heal"),
        Phrase(
            "The Tavern runs dry. Hearts shuffle the discard pile, and put as many of its cards under the Tavern as "
            "they are worth: play the 6."
        ),
        Phrase("Six cards are back under the Tavern, to be drawn again."),
        _position("JS", 0, "6H TD", tavern=["2D"], discard=_ALL_BUT_HEARTS),
        ("play 6H",),
        Phrase("The ten draws the one card that is left in the Tavern. Hearts fill it up again."),
    ),
    Lesson(
        "immunity",
        Phrase("Enemies are immune to their own suit"),
        Phrase("The Jack of clubs has 8 health left. Clubs don't deal him double damage: which card fells him?"),
        Phrase("The 8 of spades did exactly 8. The 5 of clubs would have done no more than 5."),
        _position("JC", 12, "5C 8S 4D", table=["7D", "5D"]),
        ("play 8S",),
        Phrase("He is of clubs, so that the 5 of clubs does 5 instead of 10. Which card is worth exactly 8?"),
    ),
    Lesson(
        "companion",
        Phrase("An ace goes along with another card"),
        Phrase(
            "The Queen of hearts has 22 health left. An ace is worth 1 and may be played with another card; both suits "
            "act on the sum."
        ),
        Phrase("Ace and ten are 11, and clubs deal double damage: 22, exactly. The diamonds drew cards as well."),
        _position("QH", 8, "AC TD 9S", table=["8D"]),
        ("play AC TD",),
        Phrase("The ten alone does 10, ace and nine do 20. Which card makes 22 with the ace?"),
    ),
    Lesson(
        "suffer",
        Phrase("Surviving an attack"),
        Phrase(
            "The enemy attacks for 10. Discard cards worth at least that; the fewer and the less useful, the better."
        ),
        Phrase("The ten covered it alone. A player who can't cover an attack has lost the game for everybody."),
        _position("JH", 12, "TH 7D 5S 4C", phase="suffer", table=["6C"], tavern=["9H", "8H", "3C", "2D"]),
        ("discard TH",),
        Phrase(
            "That covers the attack too, with more cards or a higher value than it takes. One card is worth exactly 10."
        ),
    ),
    Lesson(
        "jester",
        Phrase("A Jester takes the immunity away"),
        Phrase(
            "Your spades can't shield you from the King of spades. "
            "Play the Jester alone: nobody takes damage this turn. Then go next yourself."
        ),
        Phrase(
            "The immunity is gone until he falls. Whoever plays a Jester names who goes next, and nobody takes damage."
        ),
        _position("KS", 0, "", hands=[["X1", "9S", "TD"], ["5C", "7H"], ["3D", "8C"]]),
        ("play X1", "choose 0"),
        Phrase(
            "As long as the King is immune, your spades don't shield you. Play the Jester alone, then choose yourself."
        ),
    ),
    Lesson(
        "yield",
        Phrase("Yielding"),
        Phrase(
            "Who yields plays nothing, and is attacked. Your shields hold the whole attack of the Jack, and you would "
            "rather keep your cards: yield."
        ),
        Phrase(
            "You played nothing, and his attack of 0 cost you no card. Yielding isn't allowed if all the others have "
            "just yielded."
        ),
        _position("JH", 10, "", hands=[["2C", "AD"], ["9C", "5H", "4D"]], table=["TS"], shield=10),
        ("yield",),
        Phrase("Your shields hold the whole attack: you needn't play a card that you may need against the next enemy."),
    ),
    Lesson(
        "combo",
        Phrase("Cards of one number go together"),
        Phrase(
            "The Jack of diamonds has 12 health left. Cards of the same number may be played together if they come to "
            "10 at most; all their suits act on the sum."
        ),
        Phrase("3 and 3 are 6, and the clubs deal double damage: 12, exactly. The hearts healed 6 cards as well."),
        _position("JD", 8, "3C 3H 9S 7H", table=["8H"], discard=["2C", "4D", "5S", "6C", "7D", "8C"]),
        ("play 3C 3H",),
        Phrase("No card does 12 alone. Two of yours have the same number, and one of them is of clubs."),
    ),
    Lesson(
        "flip",
        Phrase("Alone: flipping a Jester"),
        Phrase(
            "Alone you have two Jesters beside the table. Your cards can't cover the attack: flip one, to discard "
            "your hand and draw a new one."
        ),
        Phrase(
            "You hold eight new cards. The medal for a victory is gold with both Jesters left, else silver, bronze."
        ),
        _position("JS", 0, "2C 2S", jesters_left=2, flips=0),
        ("flip",),
        Phrase("Your cards can't cover an attack of 10, and the game would be lost. Flip a Jester first."),
    ),
)
