"""What is written of a game of Regicide: all of it, or what a seat may know of it (R20, R21)."""

from typing import TYPE_CHECKING

from engines.cards import NAMES, names, sorted_names
from engines.regicide.tables import NOBODY, PHASES
from engines.types import Json

if TYPE_CHECKING:
    from engines.regicide.rules import RegicidePosition


def written(position: "RegicidePosition") -> Json:
    """Return the whole position (rulings, "Position"). ``load`` is the inverse."""
    return {
        "ruleset": "regicide",
        "players": position.players,
        "phase": PHASES[position.phase],
        "turn": position.turn,
        "castle": names(reversed(position.castle)),
        "enemy": None if position.enemy == NOBODY else NAMES[position.enemy],
        "damage": position.damage,
        "shield": position.shield,
        "immune": position.immune,
        "table": names(position.table),
        "tavern": names(reversed(position.tavern)),
        "discard": names(position.discard),
        "hands": [names(hand) for hand in position.hands],
        "packets": {NAMES[card]: packet for card, packet in position.packets.items()},
        "yielded": position.yielded[:],
        "solo_yield": position.solo_yield,
        "jesters_left": position.jesters_left,
        "flips": position.flips,
        "outcome": position.outcome,
    }


def seen_by(position: "RegicidePosition", seat: int | None) -> Json:
    """Return the view of *seat*, or of a spectator: hidden zones are counts and public packet numbers."""
    packets = position.packets
    view = written(position)
    view["castle"] = {"count": len(position.castle)}
    view["tavern"] = {
        "count": len(position.tavern),
        "packets": [packets.get(card, 0) for card in reversed(position.tavern)],
    }
    view["discard"] = sorted_names(position.discard)
    view["hands"] = [
        sorted_names(hand)
        if holder == seat
        else {"count": len(hand), "packets": sorted([packets.get(card, 0) for card in hand])}
        for holder, hand in enumerate(position.hands)
    ]
    view["packets"] = _public_packets(position)
    view["attack"] = position.attack
    return view


def _public_packets(position: "RegicidePosition") -> dict[str, list[str]]:
    """Return, per packet but the deal, the cards of it that are in some hand or in the Tavern."""
    public: dict[str, list[str]] = {}
    for packet in sorted(set(position.packets.values())):
        public[str(packet)] = sorted([NAMES[card] for card, number in position.packets.items() if number == packet])
    return public
