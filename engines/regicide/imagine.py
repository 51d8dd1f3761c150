"""Sampling worlds from a view of Regicide, by packets (R21).

Every hidden card and every hidden place belongs to a packet, whose number is public. The worlds are all valid
assignments of each packet's hidden cards to its hidden places, with the castle's royals of each rank in any order.
"""

from random import Random
from typing import Final

from engines.core.cards import BY_NAME, PACK, Card
from engines.core.dealer import SimulationDealer
from engines.core.types import Json
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import JACKS, KINGS, NO_ENEMY, PHASES, QUEENS, SUFFER, TAVERN_CARDS
from engines.ruleset import Worlds

REJECTED_SAMPLES_BEFORE_PUZZLE: Final = 1000
"""Number of rejected samples after which the game is taken for one that began as a puzzle.

In a puzzle any unseen card may be at any hidden place of packet 0, and any unseen royal in the Castle.
"""


class RegicideWorlds(Worlds[RegicidePosition]):
    """The positions consistent with one view. The view is read once; hidden cards are dealt for each sample."""

    def __init__(self, view: Json) -> None:
        self._seen = _visible(view)
        self._unseen = _unseen(self._seen)
        self._castle: int = view["castle"]["count"]
        self._royals = [[card for card in self._unseen if card in rank] for rank in (KINGS, QUEENS, JACKS)]
        self._hidden = _hidden(self._seen)
        self._hands = [(seat, _packets(hand)) for seat, hand in enumerate(view["hands"]) if not isinstance(hand, list)]
        self._tavern = _packets(view["tavern"])
        usual = set(TAVERN_CARDS[self._seen.players])
        self._pool = [card for card in self._unseen if card in usual]
        """Candidates for the hidden places of packet 0, in a game that was dealt."""
        self._is_short = len(self._pool) < sum([packets.count(0) for _, packets in self._hands], self._tavern.count(0))

    def sample(self, rng: Random) -> RegicidePosition:
        """Return one of the positions, distributed like the hidden information.

        In step 4 the hand that must discard is known to cover the attack. Other worlds are rejected.
        """
        dealer, tries = SimulationDealer(rng), 0
        while True:
            position = self._seen.copy()
            self._lay_castle(position, dealer, puzzle=tries >= REJECTED_SAMPLES_BEFORE_PUZZLE)
            self._lay_packets(position, dealer, puzzle=tries >= REJECTED_SAMPLES_BEFORE_PUZZLE)
            if position.phase != SUFFER or position.jesters_left or position.can_cover(position.turn):
                return position
            tries += 1

    def _lay_castle(self, position: RegicidePosition, dealer: SimulationDealer, *, puzzle: bool) -> None:
        """Fill the Castle with unseen royals: Jacks on Queens on Kings, each rank shuffled.

        With *puzzle* all ranks are shuffled together.
        """
        kings, queens, jacks = self._royals
        for rank in [jacks + queens + kings] if puzzle else self._royals:
            royals = rank[:]
            dealer.shuffle(royals)
            position.castle += royals[: self._castle - len(position.castle)]

    def _lay_packets(self, position: RegicidePosition, dealer: SimulationDealer, *, puzzle: bool) -> None:
        """Shuffle each packet's hidden cards into its hidden places: hand by hand, then the Tavern."""
        hidden = {packet: cards[:] for packet, cards in self._hidden.items()}
        hidden[0] = self._of_the_deal(position, puzzle=puzzle)
        for packet in sorted(hidden):
            dealer.shuffle(hidden[packet])
        for seat, packets in self._hands:
            position.hands[seat] = [hidden[packet].pop() for packet in packets]
        position.tavern = [hidden[packet].pop() for packet in self._tavern][::-1]

    def _of_the_deal(self, position: RegicidePosition, *, puzzle: bool) -> list[Card]:
        """Return the candidates for hidden places of packet 0; in a puzzle, all unseen cards outside the Castle."""
        if puzzle or self._is_short:
            return [card for card in self._unseen if card not in position.castle]
        return self._pool[:]


def _cards(names: list[str]) -> list[Card]:
    return [BY_NAME[name] for name in names]


def _visible(view: Json) -> RegicidePosition:
    """Return the position without its hidden cards."""
    position = RegicidePosition().set_up(view["players"])
    position.phase = PHASES.index(view["phase"])
    position.turn = view["turn"]
    position.enemy = NO_ENEMY if view["enemy"] is None else BY_NAME[view["enemy"]]
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
    if view["outcome"] is not None:
        position.end_as(dict(view["outcome"]))
    return position


def _packets(place: Json) -> list[int]:
    """Return the packet numbers of the cards in a hidden hand, or in the Tavern."""
    return [int(packet) for packet in place["packets"]]


def _unseen(position: RegicidePosition) -> list[Card]:
    """Return the cards that are neither visible nor in a public packet, in pack order."""
    seen = {position.enemy, *position.table, *position.discard, *position.packets}
    seen.update(*position.hands)
    return [card for card in PACK if card not in seen]


def _hidden(position: RegicidePosition) -> dict[int, list[Card]]:
    """Return the hidden cards of each public packet, sorted."""
    held = {card for hand in position.hands for card in hand}
    hidden: dict[int, list[Card]] = {}
    for card in sorted(position.packets):
        if card not in held:
            hidden.setdefault(position.packets[card], []).append(card)
    return hidden
