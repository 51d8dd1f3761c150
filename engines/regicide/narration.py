"""Texts of Regicide: events, actions, and a view drawn as text."""

from collections.abc import Sequence
from typing import Final

from engines.core.cards import card_label, card_labels, names
from engines.core.phrase import YOU, Naming, Phrase, numbered
from engines.core.types import Json
from engines.regicide.actions import Choose, Discard, FlipJester, Play
from engines.ruleset import Action

CLAUSES: Final = {
    "dealt": Phrase("{who} is dealt {cards}"),
    "turn_began": Phrase("it is the turn of {who}"),
    "table_cleared": Phrase("the cards on the table go to the discard pile: {cards}"),
    "enemy_revealed": Phrase("{enemy} is revealed: attack {attack}, health {health}"),
    "played": Phrase("{who} plays {cards} for {attack}"),
    "yielded": Phrase("{who} yields"),
    "immunity_cancelled": Phrase("the Jester laughs: the enemy's immunity is gone"),
    "healed": Phrase("{number} cards return to the bottom of the Tavern deck"),
    "drawn": Phrase("{who} draws {cards}"),
    "shielded": Phrase("spades block {amount} more: the enemy's attack is now {attack}"),
    "enemy_hit": Phrase("the enemy takes {damage}: {left} left"),
    "enemy_defeated": Phrase("{enemy} falls"),
    "attacked": Phrase("the enemy attacks {who} for {attack}"),
    "discarded": Phrase("{who} discards {cards}"),
    "jester_flipped": Phrase("{who} flips a Jester: {left} left"),
    "chosen": Phrase("{who} chooses {next} to go next"),
    "ended": Phrase("{ending}, {defeated} of 12 enemies defeated"),
}
"""Clauses by type of event."""
TO_YOU: Final = {
    "dealt": Phrase("you are dealt {cards}"),
    "turn_began": Phrase("it is your turn"),
    "played": Phrase("you play {cards} for {attack}"),
    "yielded": Phrase("you yield"),
    "drawn": Phrase("you draw {cards}"),
    "attacked": Phrase("the enemy attacks you for {attack}"),
    "discarded": Phrase("you discard {cards}"),
    "jester_flipped": Phrase("you flip a Jester: {left} left"),
    "chosen": Phrase("you choose {next} to go next"),
}
"""Clauses about the reader's own seat, where they differ from ``CLAUSES``."""

A_CARD: Final = Phrase("a card")
"""Stands for a card that the reader may not know."""
NO_CARDS_PHRASE: Final = Phrase("nothing")
"""Stands for an empty list of cards."""

JESTER_PLAYED: Final = Phrase("{who} plays {cards}")
YOU_PLAY_A_JESTER: Final = Phrase("you play {cards}")
CHOSEN: Final = Phrase("{who} chooses you to go next")
CHOSEN_YOURSELF: Final = Phrase("you choose to go next yourself")
SHIELDS_SUSPENDED: Final = Phrase(
    "shields hold {amount} more, but the enemy is immune: they wait for a Jester, and its attack is {attack}"
)
HEALED_ONE: Final = Phrase("a card is healed under the Tavern")
EXACT_KILL_PHRASE: Final = Phrase("{enemy} falls, exactly, and joins the Tavern")
MEDAL_ENDING_PHRASE: Final = Phrase("{ending}, {defeated} of 12 enemies defeated: a {medal} victory")
CLAUSE_BY_TRUE_FIELD: Final = {"exact": EXACT_KILL_PHRASE, "suspended": SHIELDS_SUSPENDED, "medal": MEDAL_ENDING_PHRASE}
"""By field: the clause that replaces that of ``CLAUSES`` for events in which this field has a true value."""
MEDALS: Final = {"gold": Phrase("gold"), "silver": Phrase("silver"), "bronze": Phrase("bronze")}
ENDINGS: Final = {
    "castle_fell": Phrase("the castle has fallen: victory"),
    "could_not_suffer": Phrase("the hand can't cover the attack: defeat"),
    "could_not_act": Phrase("no card can be played: defeat"),
}


A_JESTER: Final = Phrase("a Jester")
SIGNAL_WORDS: Final = {"eager": Phrase("eager to go next"), "reluctant": Phrase("would rather not go next")}


def name_cards(cards: Sequence[str]) -> str | Phrase:
    """Return the names of cards for people, in which jokers are called Jesters."""
    return card_labels(cards, A_JESTER)


def clause(event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
    """Return the clause of *event*; *who* is the name of its seat, *name* names other seats."""
    cards = event.get("cards", [event["card"]] if "card" in event else [])
    goes_next = name(event["next"]) if "next" in event else None
    shown = name_cards(cards) or (A_CARD if "count" in event else NO_CARDS_PHRASE)
    number = event.get("count", len(cards))
    values = {**event, "who": who, "next": goes_next, "number": number, "cards": shown}
    if "enemy" in event:
        values["enemy"] = card_label(event["enemy"])
    if "reason" in event:
        values.update(ending=ENDINGS.get(event["reason"]), medal=MEDALS.get(event.get("medal") or ""))
    return _template(event, is_yours=who is YOU, next_is_yours=goes_next is YOU, number=number).bind(values)


def _template(event: Json, *, is_yours: bool, next_is_yours: bool, number: int) -> Phrase:
    kind = event["type"]
    for field, phrase in CLAUSE_BY_TRUE_FIELD.items():
        if event.get(field):
            return phrase
    if kind == "healed" and number == 1:
        return HEALED_ONE
    if kind == "played" and not event["attack"]:
        return YOU_PLAY_A_JESTER if is_yours else JESTER_PLAYED
    if next_is_yours:
        return CHOSEN_YOURSELF if is_yours else CHOSEN
    return TO_YOU[kind] if is_yours and kind in TO_YOU else CLAUSES[kind]


def label(action: Action, name: Naming = numbered) -> Phrase:
    """Return the button text of *action*."""
    if isinstance(action, Play):
        return Phrase("Play {cards}", cards=name_cards(names(action.cards)))
    if isinstance(action, Discard):
        return Phrase("Discard {cards}", cards=name_cards(names(action.cards)))
    if isinstance(action, Choose):
        chosen = name(action.seat)
        return Phrase("Go next yourself") if chosen is YOU else Phrase("Let {next} go next", next=chosen)
    return Phrase("Flip a Jester") if isinstance(action, FlipJester) else Phrase("Yield")


def picture(view: Json, name: Naming) -> list[Phrase]:
    """Return a view as lines of text: the enemy, the piles, the hands; *name* names the seats."""
    piles = Phrase(
        "castle {castle}  tavern {tavern}  discard {discard}",
        castle=view["castle"]["count"],
        tavern=view["tavern"]["count"],
        discard=len(view["discard"]),
    )
    return [Phrase("{enemy}  |  {piles}", enemy=_enemy(view), piles=piles), *_hands(view, name)]


def _enemy(view: Json) -> Phrase:
    if view["enemy"] is None:
        return Phrase("The castle is empty.")
    facts = {"enemy": card_label(view["enemy"]), **{name: view[name] for name in ("attack", "damage", "shield")}}
    if view["immune"]:
        return Phrase("{enemy} (immune)  attack {attack}  damage {damage}  shield {shield}").bind(facts)
    return Phrase("{enemy} (not immune)  attack {attack}  damage {damage}  shield {shield}").bind(facts)


def _hands(view: Json, name: Naming) -> list[Phrase]:
    hands = [name_cards(hand) if isinstance(hand, list) else " ".join("▯" * hand["count"]) for hand in view["hands"]]
    return [
        Phrase("{mark} {who}: {cards}", mark=">" if seat == view["turn"] else " ", who=name(seat), cards=cards)
        for seat, cards in enumerate(hands)
    ]
