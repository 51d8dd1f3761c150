"""Regicide told to a person: events as sentences, a view as a few lines of text."""

from typing import Final

from engines.cards import spoken
from engines.ruleset import Json

SENTENCES: Final = {
    "enemy_revealed": "{enemy} rises: attack {attack}, health {health}.",
    "played": "{who} plays {cards} for {attack}.",
    "yielded": "{who} yields.",
    "immunity_cancelled": "The Jester laughs: the enemy's immunity is gone.",
    "healed": "{number} cards are healed under the Tavern.",
    "drawn": "{who} draws {cards}.",
    "shielded": "Shields hold {amount} more: the enemy's attack is {attack}.",
    "enemy_hit": "The enemy takes {damage}: {left} left.",
    "enemy_defeated": "{enemy} falls{exactly}!",
    "attacked": "The enemy strikes {who} for {attack}.",
    "discarded": "{who} discards {cards}.",
    "jester_flipped": "{who} flips a Jester; {left} left.",
    "chosen": "{who} lets seat {next} go next.",
    "ended": "{ending} {defeated} of 12 enemies defeated.{earned}",
}
"""By type of event; others go without saying."""

ENDINGS: Final = {
    "castle_fell": "The castle has fallen: victory!",
    "could_not_suffer": "The hand can't cover the blow: all is lost.",
    "could_not_act": "There is nothing left to play: all is lost.",
}


def sentence(event: Json, who: str) -> str:
    """Tell *event*, as somebody was told it; *who* is the name of its seat. Empty for what goes without saying."""
    cards = event.get("cards", [event["card"]] if "card" in event else [])
    told = {
        **event,
        "who": who,
        "number": len(cards),
        "cards": " ".join([spoken(name) for name in cards]) or ("a card" if "count" in event else "nothing"),
        "enemy": spoken(event.get("enemy", "X1")),
        "exactly": ", exactly, and joins the Tavern" if event.get("exact") else "",
        "ending": ENDINGS.get(event.get("reason", ""), ""),
        "earned": f" A {event['medal']} victory." if event.get("medal") else "",
    }
    return SENTENCES.get(event["type"], "").format_map(told)


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
