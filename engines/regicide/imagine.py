"""Sampling whole positions from a view of Regicide, by packets (R21).

Every hidden card has a packet and every hidden place has one, both public. The worlds are the ways to lay each packet's
hidden cards into its hidden places, and the castle's royals each rank in any order, such that the position is valid.
"""

from random import Random
from typing import Final

from engines.cards import BY_NAME, PACK, Card
from engines.dealer import QuickDealer
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import (
    FIRST_JESTER,
    FIRST_ROYAL,
    JACKS,
    KINGS,
    NOBODY,
    PHASES,
    QUEENS,
    SUFFER,
    tavern_cards,
)
from engines.ruleset import Json

TRIES: Final = 1000
"""After so many worlds without a valid one the position is no deal of the usual cards, but a puzzle."""


def imagine(view: Json, rng: Random) -> RegicidePosition:
    """Sample a position that looks like *view*, each as likely as it is.

    In step 4 the hand that must suffer is known to cover the attack: worlds where it doesn't are dreamt again.
    """
    dealer, tries = QuickDealer(rng), 0
    while True:
        position = _visible(view)
        _lay_castle(position, view["castle"]["count"], dealer, puzzle=tries >= TRIES)
        _lay_packets(position, view, dealer, puzzle=tries >= TRIES)
        if position.phase != SUFFER or position.jesters_left or position.can_cover(position.turn):
            return position
        tries += 1


def _cards(names: list[str]) -> list[Card]:
    return [BY_NAME[name] for name in names]


def _visible(view: Json) -> RegicidePosition:
    """Return the position as far as all its cards are seen."""
    position = RegicidePosition().set_up(view["players"])
    position.phase = PHASES.index(view["phase"])
    position.turn = view["turn"]
    position.enemy = NOBODY if view["enemy"] is None else BY_NAME[view["enemy"]]
    position.damage = view["damage"]
    position.shield = view["shield"]
    position.immune = view["immune"]
    position.table = _cards(view["table"])
    position.discard = _cards(view["discard"])
    position.hands = [_cards(hand) if isinstance(hand, list) else [] for hand in view["hands"]]
    position.packets = {card: int(packet) for packet, names in view["packets"].items() for card in _cards(names)}
    position.yielded = list(view["yielded"])
    position.solo_yield = view["solo_yield"]
    position.jesters_left = view["jesters_left"]
    position.flips = view["flips"]
    position.end_as(view["outcome"])
    return position


def _unseen(position: RegicidePosition) -> list[Card]:
    """Return the cards that are nowhere to be seen, nor known to be of a public packet, as the fresh pack lies."""
    seen = {position.enemy, *position.table, *position.discard, *position.packets, *position.castle}
    seen.update(*position.hands)
    return [card for card in PACK if card not in seen]


def _lay_castle(position: RegicidePosition, count: int, dealer: QuickDealer, *, puzzle: bool) -> None:
    """Lay *count* unseen royals: Jacks on Queens on Kings; in a puzzle any."""
    unseen = set(_unseen(position))
    ranks = (range(FIRST_ROYAL, FIRST_JESTER),) if puzzle else (KINGS, QUEENS, JACKS)
    for rank in ranks:
        royals = [Card(card) for card in rank if card in unseen]
        dealer.shuffle(royals)
        position.castle += royals[: count - len(position.castle)]


def _lay_packets(position: RegicidePosition, view: Json, dealer: QuickDealer, *, puzzle: bool) -> None:
    """Shuffle each packet's hidden cards, sorted before, into its hidden places: hand by hand, then the Tavern."""
    held = {card for hand in position.hands for card in hand}
    hidden: dict[int, list[Card]] = {}
    for card in sorted(position.packets):
        if card not in held:
            hidden.setdefault(position.packets[card], []).append(card)
    hidden[0] = _of_the_deal(position, view, puzzle=puzzle)
    for packet in sorted(hidden):
        dealer.shuffle(hidden[packet])
    for seat, hand in enumerate(view["hands"]):
        if not isinstance(hand, list):
            position.hands[seat] = [hidden[packet].pop() for packet in hand["packets"]]
    position.tavern = [hidden[packet].pop() for packet in view["tavern"]["packets"]][::-1]


def _of_the_deal(position: RegicidePosition, view: Json, *, puzzle: bool) -> list[Card]:
    """Return the cards that may lie in hidden places of packet 0; a puzzle may leave some out, or hold odd ones."""
    unseen = _unseen(position)
    usual = set(tavern_cards(position.players))
    pool = [card for card in unseen if card in usual]
    hands = [hand["packets"] for hand in view["hands"] if not isinstance(hand, list)]
    places = sum([packets.count(0) for packets in [*hands, view["tavern"]["packets"]]])
    return unseen if puzzle or places > len(pool) else pool
