"""The input of Regicide's value networks: the indices of the features that are present in a position.

The features don't depend on hidden order. They show which cards Tavern and Castle hold and, from the public packets
(R21), how likely each card is to be drawn soon. Seats are counted from the seat on turn.
"""

from typing import Final

from engines.core.cards import CLUBS, Card, suit_of
from engines.regicide.plays_of_hand import plays
from engines.regicide.state import State
from engines.regicide.tables import FIRST_JESTER, HEALTH, VALUE

TOP_CARDS_DRAWN_SOON: Final = 8
"""Number of the Tavern's top cards that count as drawn soon."""

PACK_SIZE: Final = 54
TAVERN_BUCKETS: Final = 5
"""Number of buckets for the probability of being drawn soon: never, seldom, perhaps, mostly, surely."""
PLACES_BESIDES_HANDS: Final = TAVERN_BUCKETS + 4
"""Number of places of a card other than hands: those of the Tavern, discard pile, table, Castle, the enemy itself."""

# Offsets of the groups of features that follow those of the cards' places.
HEALTH_LEFT_OFFSET: Final = 0
ATTACK_OFFSET: Final = HEALTH_LEFT_OFFSET + 41
SHIELD_OFFSET: Final = ATTACK_OFFSET + 21
CASTLE_SIZE_OFFSET: Final = SHIELD_OFFSET + 21
TAVERN_SIZE_OFFSET: Final = CASTLE_SIZE_OFFSET + 12
PHASE_OFFSET: Final = TAVERN_SIZE_OFFSET + 55
IMMUNITY_OFFSET: Final = PHASE_OFFSET + 3
DAMAGE_OFFSET: Final = IMMUNITY_OFFSET + 2
KILL_OFFSET: Final = DAMAGE_OFFSET + 31
KILL_PRICE_OFFSET: Final = KILL_OFFSET + 3
VALUE_COUNTS_OFFSET: Final = KILL_PRICE_OFFSET + 32
HAND_SUITS_OFFSET: Final = VALUE_COUNTS_OFFSET + 21 * 5
ALL_HANDS_SUITS_OFFSET: Final = HAND_SUITS_OFFSET + 4 * 9
JESTERS_OFFSET: Final = ALL_HANDS_SUITS_OFFSET + 4 * 9
FLIPS_OFFSET: Final = JESTERS_OFFSET + 3
SEATS_OFFSET: Final = FLIPS_OFFSET + 3
FEATURES_PER_SEAT: Final = 9 + 27 + 2

BUCKET_BY_SUIT_VALUE: Final[tuple[int, ...]] = tuple(
    [0] + [1] * 3 + [2] * 3 + [3] * 4 + [4] * 5 + [5] * 5 + [6] * 10 + [7] * 200
)
"""By total value of the cards of one suit in hand: the bucket of that value."""


def count(players: int) -> int:
    """Return the number of features for this number of players."""
    return PACK_SIZE * (players + PLACES_BESIDES_HANDS) + SEATS_OFFSET + players * FEATURES_PER_SEAT


def features(position: State) -> list[int]:
    """Return the indices of the features of a game that isn't over, without duplicates."""
    players, turn = position.players, position.turn
    places = players + PLACES_BESIDES_HANDS
    active = list[int]()
    for after in range(players):
        for card in position.hands[(turn + after) % players]:
            active.append(card * places + after)
    _tavern(position, players, places, active)
    place = players + TAVERN_BUCKETS
    for card in position.discard:
        active.append(card * places + place)
    for card in position.table:
        active.append(card * places + place + 1)
    for card in position.castle:
        active.append(card * places + place + 2)
    active.append(position.enemy * places + place + 3)
    _numbers(position, PACK_SIZE * places, active)
    _hand(position, PACK_SIZE * places, active)
    _seats(position, PACK_SIZE * places + SEATS_OFFSET, active)
    return active


def _tavern(position: State, players: int, places: int, active: list[int]) -> None:
    """Append to *active* for each card of the Tavern how likely it is to be drawn soon, by its packet.

    *places* is the number of features of each card.
    """
    tavern, packets = position.tavern, position.packets
    size = len(tavern)
    if size <= TOP_CARDS_DRAWN_SOON:
        for card in tavern:
            active.append(card * places + players + TAVERN_BUCKETS - 1)  # noqa: PERF401
        return
    numbers = [packets.get(card, 0) for card in tavern]
    packet_sizes, soon_in_packet = dict[int, int](), dict[int, int]()
    for place in range(size):
        packet = numbers[place]
        packet_sizes[packet] = packet_sizes.get(packet, 0) + 1
        if place >= size - TOP_CARDS_DRAWN_SOON:
            soon_in_packet[packet] = soon_in_packet.get(packet, 0) + 1
    likelihood = dict[int, int]()
    for packet, size_of_packet in packet_sizes.items():
        soon_count = soon_in_packet.get(packet, 0)
        if soon_count == 0:
            likelihood[packet] = 0
        elif soon_count == size_of_packet:
            likelihood[packet] = 4
        else:
            likelihood[packet] = 1 + min(2, 3 * soon_count // size_of_packet)
    for place in range(size):
        active.append(tavern[place] * places + players + likelihood[numbers[place]])  # noqa: PERF401


def _numbers(position: State, base: int, active: list[int]) -> None:
    """Append to *active* the public numbers: enemy, piles, phase. Indices are counted from *base*."""
    left = HEALTH[position.enemy] - position.damage
    active.append(base + HEALTH_LEFT_OFFSET + max(0, min(40, left)))
    active.append(base + ATTACK_OFFSET + position.attack)
    active.append(base + SHIELD_OFFSET + min(20, position.shield))
    active.append(base + CASTLE_SIZE_OFFSET + min(11, len(position.castle)))
    active.append(base + TAVERN_SIZE_OFFSET + len(position.tavern))
    active.append(base + PHASE_OFFSET + position.phase)
    active.append(base + IMMUNITY_OFFSET + position.immune)
    active.append(base + JESTERS_OFFSET + min(2, position.jesters_left))
    active.append(base + FLIPS_OFFSET + min(2, position.flips))


def _hand(position: State, base: int, active: list[int]) -> None:
    """Append to *active* what the hand of the seat on turn can do; indices are counted from *base*.

    The features are its maximum damage, the cost of a kill, and its cards by value and suit; with several players also
    the cards of all hands by suit.
    """
    hand = sorted(position.hands[position.turn])
    powers = position.powers
    left = HEALTH[position.enemy] - position.damage
    most, kill, price = 0, 0, 31
    for play in plays(hand):
        damage = 2 * play.attack if play.suits & powers & 1 << CLUBS else play.attack
        most = max(most, damage)
        if damage >= left:
            kill = 2 if damage == left else max(kill, 1)
            price = min(price, play.attack)
    active.append(base + DAMAGE_OFFSET + (max(0, min(60, most - left + 40)) >> 1))
    active.append(base + KILL_OFFSET + kill)
    active.append(base + KILL_PRICE_OFFSET + price)
    counts = [0] * 21
    for card in hand:
        counts[VALUE[card]] += 1
    for value in range(21):
        if counts[value]:
            active.append(base + VALUE_COUNTS_OFFSET + 5 * value + min(4, counts[value]))  # noqa: PERF401
    _suits(hand, powers, base + HAND_SUITS_OFFSET, active)
    if position.players > 1:
        all_cards = [card for held in position.hands for card in held]
        _suits(all_cards, powers, base + ALL_HANDS_SUITS_OFFSET, active)


def _suits(hand: list[Card], powers: int, base: int, active: list[int]) -> None:
    values = [0, 0, 0, 0]
    for card in hand:
        if card < FIRST_JESTER:
            values[suit_of(card)] += VALUE[card]
    for suit in range(4):
        active.append(base + 9 * suit + (BUCKET_BY_SUIT_VALUE[values[suit]] if powers >> suit & 1 else 8))  # noqa: PERF401


def _seats(position: State, base: int, active: list[int]) -> None:
    """Append to *active* the features of each seat; indices are counted from *base*.

    They are its number of cards, their value beyond the enemy's attack, and whether the seat yielded.
    """
    players, attack = position.players, position.attack
    for after in range(players):
        seat = (position.turn + after) % players
        hand, value = position.hands[seat], 0
        for card in hand:
            value += VALUE[card]
        active.append(base + min(8, len(hand)))
        active.append(base + 9 + max(0, min(26, (value - attack + 20) // 3)))
        active.append(base + 36 + position.yielded[seat])
        base += FEATURES_PER_SEAT
