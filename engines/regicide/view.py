"""Views of Regicide: a seat's own hand, and public information (R20, R21)."""

from engines.core.cards import NAMES, sorted_names
from engines.core.types import Json
from engines.regicide.notation import dump
from engines.regicide.state import State


def view(state: State, seat: int | None) -> Json:
    """Return the view of *seat*, or of a spectator (None); hidden cards are shown as counts and packet numbers."""
    packets = state.packets
    shown = dump(state)
    shown["castle"] = {"count": len(state.castle)}
    shown["tavern"] = {
        "count": len(state.tavern),
        "packets": [packets.get(card, 0) for card in reversed(state.tavern)],
    }
    shown["discard"] = sorted_names(state.discard)
    shown["hands"] = [
        sorted_names(hand)
        if holder == seat
        else {"count": len(hand), "packets": sorted([packets.get(card, 0) for card in hand])}
        for holder, hand in enumerate(state.hands)
    ]
    shown["packets"] = _public_packets(state)
    shown["attack"] = state.attack
    return shown


def _public_packets(state: State) -> dict[str, list[str]]:
    """Return the cards of each packet in hands and in the Tavern, by packet number; packet 0 (the deal) is omitted."""
    public: dict[str, list[str]] = {}
    for packet in sorted(set(state.packets.values())):
        public[str(packet)] = sorted([NAMES[card] for card, number in state.packets.items() if number == packet])
    return public
