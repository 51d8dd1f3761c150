"""Purposes of an action beyond its immediate effects: a line of fire made stronger, a royal saved (G9, G10)."""

from typing import Final

from engines.core.cards import NAMES, card_label
from engines.core.phrase import Naming, Phrase
from engines.gridcannon.actions import Declare, Draw
from engines.gridcannon.policy import resulting_position
from engines.gridcannon.rules import GridcannonPosition
from engines.ruleset import Action

LINE_READY_PHRASE: Final = Phrase("the line at {who}'s {card} becomes ready to fire: {attack} of the {needed} needed")
LINE_NEARER_PHRASE: Final = Phrase("the line at {who}'s {card} comes to {attack} of the {needed} needed")
LINE_SAVED_PHRASE: Final = Phrase("the line at your {card} is no longer ready to fire")


def purposes(position: GridcannonPosition, seat: int, action: Action, name: Naming) -> list[Phrase]:
    """Return clauses on a rival's royal that *action* threatens and on an own royal that it saves from a line of fire.

    If the action strengthens several lines of fire, only the line that is nearest to killing is named.
    Royals that the action itself kills or moves are left out.
    """
    if isinstance(action, Draw | Declare):
        return []
    after = resulting_position(position, seat, action)
    found, top = list[Phrase](), 0.0
    saved = list[Phrase]()
    for slot in range(12):
        royal = after.royals[slot]
        if not (position.alive[slot] and after.alive[slot] and position.royals[slot] == royal):
            continue
        attack, needed, before = after.attack(slot), after.needed(slot), position.attack(slot)
        card, owner = card_label(NAMES[royal]), after.owner(royal)
        if owner == seat:
            if before >= position.needed(slot) and attack < needed:
                saved.append(LINE_SAVED_PHRASE.bind({"card": card}))
        elif attack > before and attack / needed > top:
            values = {"who": name(owner), "card": card, "attack": attack, "needed": needed}
            top, found = attack / needed, [(LINE_READY_PHRASE if attack >= needed else LINE_NEARER_PHRASE).bind(values)]
    return found + saved[:1]
