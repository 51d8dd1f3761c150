"""Lessons of Regicide: nine positions, each of which shows one rule."""

from typing import Any, Final

from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.ruleset import Lesson


def _position(enemy: str, damage: int, hand: str, **more: Any) -> Json:
    """Return a position of one player, or of as many as *hands* has, with a few cards in each pile."""
    hands = more.pop("hands", [hand.split()])
    return {
        "ruleset": "regicide",
        "players": len(hands),
        "phase": "play",
        "turn": 0,
        "castle": ["QD", "KC"],
        "enemy": enemy,
        "damage": damage,
        "shield": 0,
        "immune": True,
        "table": [],
        "tavern": ["TH", "9H", "8H", "6C", "4C", "2D"],
        "discard": [],
        "hands": hands,
        "packets": {},
        "yielded": [False] * len(hands),
        "solo_yield": False,
        "jesters_left": 2 if len(hands) == 1 else 0,
        "flips": 0,
        "outcome": None,
        **more,
    }


LESSONS: Final[tuple[Lesson, ...]] = (
    Lesson(
        "clubs",
        Phrase("Clubs deal double damage"),
        Phrase(
            "The Jack of Hearts has 9 health left. A card does its value in damage, and clubs do it twice: find one."
        ),
        Phrase("The 5 of clubs did 10 damage: the Jack has fallen, and the next enemy is turned up."),
        _position("JH", 11, "5C 7S 3D", table=["9D", "2H"]),
        ("play 5C",),
    ),
    Lesson(
        "exact-kill",
        Phrase("An exact kill"),
        Phrase("The Jack of Diamonds has 8 health left. Do exactly that much, and he changes sides."),
        Phrase("He lies on top of the Tavern now: who draws him has a card worth 10."),
        _position("JD", 12, "8S 9C 5S", table=["7H", "5H"]),
        ("play 8S",),
    ),
    Lesson(
        "diamonds",
        Phrase("Diamonds draw cards"),
        Phrase("Your hand is nearly empty. Diamonds draw as many cards from the Tavern as they are worth."),
        Phrase("You drew four cards: enough to survive the enemy's attack that comes now."),
        _position("JC", 0, "4D 2S"),
        ("play 4D",),
    ),
    Lesson(
        "spades",
        Phrase("Spades shield"),
        Phrase("The Jack of Hearts attacks for 10 after your turn. Spades lower his attack by their value, for good."),
        Phrase("The shield holds all of it: as long as he lives he can't hurt anybody."),
        _position("JH", 0, "TS 3C 2C"),
        ("play TS",),
    ),
    Lesson(
        "hearts",
        Phrase("Hearts heal"),
        Phrase("The Tavern runs dry. Hearts put as many cards of the discard pile under it as they are worth."),
        Phrase("Six cards are back under the Tavern, to be drawn again."),
        _position("JS", 0, "6H TC", tavern=["2D"], discard=["3C", "3S", "4S", "5S", "7C", "8C", "9C"]),
        ("play 6H",),
    ),
    Lesson(
        "immunity",
        Phrase("Enemies are immune to their own suit"),
        Phrase("The Jack of Clubs has 8 health left. Clubs don't deal him double damage: which card fells him?"),
        Phrase("The 8 of spades did exactly 8. The 5 of clubs would have done no more than 5."),
        _position("JC", 12, "5C 8S 4D", table=["7D", "5D"]),
        ("play 8S",),
    ),
    Lesson(
        "companion",
        Phrase("An ace goes along with another card"),
        Phrase(
            "The Queen of Hearts has 22 health left. An ace may be played with another card; both suits act on the sum."
        ),
        Phrase("Ace and ten are 11, and clubs deal double damage: 22, exactly. The diamonds drew cards as well."),
        _position("QH", 8, "AC TD 9S", castle=["KC"], table=["8D"]),
        ("play AC TD",),
    ),
    Lesson(
        "suffer",
        Phrase("Surviving an attack"),
        Phrase(
            "The enemy attacks for 10. Discard cards worth at least that; the fewer and the less useful, the better."
        ),
        Phrase("The ten covered it alone. A player who can't cover an attack has lost the game for everybody."),
        _position("JH", 10, "TH 7D 5S 4C", phase="suffer", table=["5C"], tavern=["9H", "8H", "6C", "2D"]),
        ("discard TH",),
    ),
    Lesson(
        "jester",
        Phrase("A Jester takes the immunity away"),
        Phrase(
            "Your spades can't shield you from the King of Spades. "
            "Play the Jester alone: nobody takes damage this turn."
        ),
        Phrase(
            "The immunity is gone until he falls. Whoever plays a Jester names who goes next, and nobody takes damage."
        ),
        _position("KS", 0, "", hands=[["X1", "9S", "TD"], ["5C", "7H"]], castle=["KC"]),
        ("play X1", "choose 0"),
    ),
)
