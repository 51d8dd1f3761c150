"""What a seat may know of a game of Regicide (R20, R21): the only way out for a position."""

from typing import TYPE_CHECKING

from engines.cards import NAMES, sorted_names
from engines.ruleset import Json

if TYPE_CHECKING:
    from engines.regicide.rules import RegicidePosition


def seen_by(position: "RegicidePosition", seat: int | None) -> Json:
    """Return the view of *seat*, or of a spectator: hidden zones are counts and public packet numbers."""
    packets = position.packets
    view = position.dump()
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
