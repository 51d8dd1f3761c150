"""Regicide for people: events in words, a view as a few lines of text."""

from typing import Final

from engines.cards import spoken
from engines.phrase import Phrase
from engines.types import Json

CLAUSES: Final = {
    "enemy_revealed": Phrase("{enemy} rises: attack {attack}, health {health}"),
    "played": Phrase("{who} plays {cards} for {attack}"),
    "yielded": Phrase("{who} yields"),
    "immunity_cancelled": Phrase("the Jester laughs: the enemy's immunity is gone"),
    "healed": Phrase("{number} cards are healed under the Tavern"),
    "drawn": Phrase("{who} draws {cards}"),
    "shielded": Phrase("shields hold {amount} more: the enemy's attack is {attack}"),
    "enemy_hit": Phrase("the enemy takes {damage}: {left} left"),
    "enemy_defeated": Phrase("{enemy} falls"),
    "attacked": Phrase("the enemy strikes {who} for {attack}"),
    "discarded": Phrase("{who} discards {cards}"),
    "jester_flipped": Phrase("{who} flips a Jester: {left} left"),
    "chosen": Phrase("{who} lets seat {next} go next"),
    "ended": Phrase("{ending}, {defeated} of 12 enemies defeated"),
}
"""By type of event; others go without saying."""

EXACTLY: Final = Phrase("{enemy} falls, exactly, and joins the Tavern")
WITH_MEDAL: Final = Phrase("{ending}, {defeated} of 12 enemies defeated: a {medal} victory")
MEDALS: Final = {"gold": Phrase("gold"), "silver": Phrase("silver"), "bronze": Phrase("bronze")}
ENDINGS: Final = {
    "castle_fell": Phrase("the castle has fallen: victory"),
    "could_not_suffer": Phrase("the hand can't cover the blow: all is lost"),
    "could_not_act": Phrase("there is nothing left to play: all is lost"),
}


def clause(event: Json, who: str | Phrase) -> Phrase | None:
    """Return *event* in words, as its viewer knows it; *who* is the name of its seat. None: it isn't worth a word."""
    template = EXACTLY if event.get("exact") else WITH_MEDAL if event.get("medal") else CLAUSES.get(event["type"])
    if template is None:
        return None
    cards = event.get("cards", [event["card"]] if "card" in event else [])
    unseen = Phrase("a card") if "count" in event else Phrase("nothing")
    values = {
        **event,
        "who": who,
        "number": len(cards),
        "cards": " ".join([spoken(name) for name in cards]) or unseen,
        "enemy": spoken(event.get("enemy", "X1")),
        "ending": ENDINGS.get(event.get("reason", "")),
        "medal": MEDALS.get(event.get("medal") or ""),
    }
    return template.filled(values)


def picture(view: Json) -> str:
    """Draw a view: the enemy, the piles, the hands."""
    enemy = view["enemy"]
    if enemy is None:
        first = "The castle is empty."
    else:
        immune = "immune" if view["immune"] else "not immune"
        first = f"{spoken(enemy)} ({immune})  attack {view['attack']}  damage {view['damage']}  shield {view['shield']}"
    piles = f"castle {view['castle']['count']}  tavern {view['tavern']['count']}  discard {len(view['discard'])}"
    return "\n".join([f"{first}  |  {piles}", *_hands(view)])


def _hands(view: Json) -> list[str]:
    return [
        f"{'>' if seat == view['turn'] else ' '} seat {seat}: "
        + (" ".join([spoken(name) for name in hand]) if isinstance(hand, list) else "▯ " * hand["count"]).rstrip()
        for seat, hand in enumerate(view["hands"])
    ]
