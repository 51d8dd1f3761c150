"""The input of Gridcannon's value networks: the indices of the features that are present in a position.

Families are counted from the seat on turn. A royal is described only by its line of fire, not by its place on the
board, so that one network serves all seats. The features show which cards are in the draw pile, but not their order
(G22).
"""

from math import exp, log
from typing import Final

from engines.core.cards import ACE, JACK, JOKER, PACK, Card, rank_of
from engines.gridcannon.board import ATTACK_ON_ROYAL, CAN_LIE_ON, LINES, NO_CARD, VALUE, is_royal
from engines.gridcannon.evaluation import (
    ATTACKERS_BY_ROYAL_AND_POINTS,
    LAYABLE_CARDS_BY_TOP,
    UNREACHABLE_ATTACK,
    OddsEvaluation,
    falling_armour,
)
from engines.gridcannon.state import PLACING, State

ROYAL_RANKS: Final = 3
ROYAL_IN_PILE: Final = 0
ROYAL_WAITING: Final = 1
ROYAL_DEAD: Final = 2
ROYAL_STANDING: Final = 3

# Offsets of the features of a royal.
ATTACK_DEFICIT_OFFSET: Final = 4
ARMOUR_OFFSET: Final = ATTACK_DEFICIT_OFFSET + 16
DEADLY_PULL_OFFSET: Final = ARMOUR_OFFSET + 8
PULL_CHANCE_OFFSET: Final = DEADLY_PULL_OFFSET + 10
BUILD_CHANCE_OFFSET: Final = PULL_CHANCE_OFFSET + 10
ATTACKER_HITS_OFFSET: Final = BUILD_CHANCE_OFFSET + 2 * 10
COVER_CHANCE_OFFSET: Final = ATTACKER_HITS_OFFSET + 2 * 11
THREATS_OFFSET: Final = COVER_CHANCE_OFFSET + 2 * 10
FEATURES_PER_ROYAL: Final = THREATS_OFFSET + 6

# Offsets of the features of a seat.
ACES_OFFSET: Final = 7
JOKERS_OFFSET: Final = ACES_OFFSET + 5
QUEUED_PLOY_OFFSET: Final = JOKERS_OFFSET + 3
NO_STANDING_ROYAL_OFFSET: Final = QUEUED_PLOY_OFFSET + 3
WIN_ODDS_OFFSET: Final = NO_STANDING_ROYAL_OFFSET + 1
FEATURES_PER_SEAT: Final = WIN_ODDS_OFFSET + 8

# Offsets of the features that belong to no seat.
PHASE_OFFSET: Final = 0
HAND_OFFSET: Final = PHASE_OFFSET + 5
PILE_SIZE_OFFSET: Final = HAND_OFFSET + 11
PILE_VALUES_OFFSET: Final = PILE_SIZE_OFFSET + 14
TOP_CARDS_OFFSET: Final = PILE_VALUES_OFFSET + 9 * 5
PILE_PLOYS_OFFSET: Final = TOP_CARDS_OFFSET + 10 * 10
GAME_AGE_OFFSET: Final = PILE_PLOYS_OFFSET + 5 + 3
TABLE_FEATURES: Final = GAME_AGE_OFFSET + 6

CARD_VALUES: Final = (0, 2, 3, 4, 5, 6, 7, 8, 9, 10)
PROBABILITY_STEPS: Final = 24
BUCKET_BY_PROBABILITY: Final = (1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8, *[9] * 10)
"""Bucket of a probability, by the probability in 24ths; bucket 0 means 0."""
BUCKET_BY_ARMOUR_POINTS: Final = (0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6)
"""Bucket by points of armour; more points are in bucket 7."""
ODDS_BUCKETS_PER_E: Final = 20
"""Number of buckets per unit of log odds."""
MIN_PROBABILITY: Final = 1e-9
TURN_THRESHOLDS: Final = (30, 60, 100, 160, 240)

CARDS_OF_EACH_VALUE: Final = tuple(
    [sum([1 << card for card in PACK if VALUE[card] == value]) for value in CARD_VALUES[1:]]
)
"""The cards of each value, as bits, in the order of ``CARD_VALUES`` without its first."""
ALL_ACES: Final = sum([1 << card for card in PACK if rank_of(card) == ACE])
ALL_JOKERS: Final = sum([1 << card for card in PACK if rank_of(card) == JOKER])
INDEX_BY_VALUE: Final = (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)


def count(players: int) -> int:
    """Return the number of features for this number of players."""
    return players * (ROYAL_RANKS * FEATURES_PER_ROYAL + FEATURES_PER_SEAT) + TABLE_FEATURES


def features(position: State) -> list[int]:
    """Return the indices of the features of a game that isn't over.

    An index that two royals share is listed twice.
    """
    active = list[int]()
    pile = 0
    for card in position.draw_pile:
        pile |= 1 << card
    for card in position.aside:
        pile |= 1 << card
    _royals(position, pile, active)
    _seats(position, position.players * ROYAL_RANKS * FEATURES_PER_ROYAL, active)
    _table(position, pile, position.players * (ROYAL_RANKS * FEATURES_PER_ROYAL + FEATURES_PER_SEAT), active)
    return active


def _first(position: State, royal: Card) -> int:
    """Return the first feature of royals with this rank and owner; owners are counted from the seat on turn."""
    owner = (position.owners[royal & 3] - position.turn) % position.players
    return FEATURES_PER_ROYAL * (ROYAL_RANKS * owner + rank_of(royal) - JACK)


def _royals(position: State, pile: int, active: list[int]) -> None:
    """Append to *active* the features of each royal: its place, and the state of its line of fire.

    *pile* has the cards of the draw pile, and those set aside for it, as bits.
    """
    pile_size = max(1, len(position.draw_pile) + len(position.aside))
    tops = position.tops()
    hidden, waiting = position.draw_pile + position.aside, [*position.opening, position.drawn]
    active += [_first(position, card) + ROYAL_IN_PILE for card in hidden if is_royal(card)]
    active += [_first(position, card) + ROYAL_WAITING for card in waiting if is_royal(card)]
    for slot in range(12):
        royal = position.royals[slot]
        if royal == NO_CARD:
            continue
        first = _first(position, royal)
        if position.alive[slot]:
            _line(position, slot, tops, pile, pile_size, first, active)
        else:
            active.append(first + ROYAL_DEAD)


def _line(
    position: State, slot: int, tops: list[Card], pile: int, pile_size: int, first: int, active: list[int]
) -> None:
    """Append to *active* the features of a royal on the board and of its line of fire (G9, G10, G11).

    *pile* has the cards that may be drawn, as bits; *pile_size* is their number. *first* is the royal's first feature.
    """
    royal = position.royals[slot]
    line = LINES[slot]
    near, far, trigger = tops[line[0]], tops[line[1]], tops[line[2]]
    hits, needed = ATTACK_ON_ROYAL[royal], position.needed(slot)
    by_near, by_far = hits[near], hits[far]
    attack_deficit = needed - by_near - by_far
    pull = _chance(pile & LAYABLE_CARDS_BY_TOP[trigger], pile_size)
    active.append(first + ROYAL_STANDING)
    active.append(first + ATTACK_DEFICIT_OFFSET + max(0, min(15, attack_deficit)))
    points = position.armour_points(slot)
    active.append(
        first + ARMOUR_OFFSET + (BUCKET_BY_ARMOUR_POINTS[points] if points < len(BUCKET_BY_ARMOUR_POINTS) else 7)
    )
    active.append(first + ATTACKER_HITS_OFFSET + by_near)
    active.append(first + ATTACKER_HITS_OFFSET + 11 + by_far)
    active.append(first + COVER_CHANCE_OFFSET + _chance(pile & LAYABLE_CARDS_BY_TOP[near], pile_size))
    active.append(first + COVER_CHANCE_OFFSET + 10 + _chance(pile & LAYABLE_CARDS_BY_TOP[far], pile_size))
    if attack_deficit <= 0:
        active.append(first + DEADLY_PULL_OFFSET + pull)
    else:
        active.append(first + PULL_CHANCE_OFFSET + pull)
        fit = (
            pile
            & ATTACKERS_BY_ROYAL_AND_POINTS[royal][min(UNREACHABLE_ATTACK, needed - by_far)]
            & LAYABLE_CARDS_BY_TOP[near]
        )
        active.append(first + BUILD_CHANCE_OFFSET + _chance(fit, pile_size))
        fit = (
            pile
            & ATTACKERS_BY_ROYAL_AND_POINTS[royal][min(UNREACHABLE_ATTACK, needed - by_near)]
            & LAYABLE_CARDS_BY_TOP[far]
        )
        active.append(first + BUILD_CHANCE_OFFSET + 10 + _chance(fit, pile_size))
    _threats(position, slot, tops, attack_deficit, first + THREATS_OFFSET, active)


def _threats(position: State, slot: int, tops: list[Card], attack_deficit: int, first: int, active: list[int]) -> None:
    """Append to *active* the threats of the card in hand and of rivals' ploys to a royal on the board (G13).

    *attack_deficit* is what the attack lacks to kill the royal; at 0 or less it kills. *first* is the first feature of
    the royal's threats.
    """
    royal = position.royals[slot]
    line = LINES[slot]
    near, far, trigger = tops[line[0]], tops[line[1]], tops[line[2]]
    hits = ATTACK_ON_ROYAL[royal]
    if position.phase == PLACING:
        drawn = position.drawn
        lays, gain = CAN_LIE_ON[drawn], hits[drawn]
        if lays[trigger]:
            active.append(first + (0 if attack_deficit <= 0 else 1))
        if attack_deficit > 0 and (
            (lays[near] and gain - hits[near] >= attack_deficit) or (lays[far] and gain - hits[far] >= attack_deficit)
        ):
            active.append(first + 2)
    if attack_deficit <= 0:
        aces, jokers = _ambushes(position, position.owners[royal & 3], line[2], tops)
        if aces:
            active.append(first + 3)
        if jokers:
            active.append(first + 4)
    elif falling_armour(position.armour[slot], hits[near] + hits[far]):
        active.append(first + 5)


def _ambushes(position: State, owner: int, trigger: int, tops: list[Card]) -> tuple[bool, bool]:
    """Return whether rivals of *owner* can pull the trigger by an ace, and whether they can by a joker (G13)."""
    aces = jokers = False
    for seat, arsenal in enumerate(position.arsenals):
        if seat != owner:
            for card in arsenal:
                if rank_of(card) == ACE:
                    aces = True
                else:
                    jokers = True
    if aces:
        aces = any(CAN_LIE_ON[top][tops[trigger]] for cell, top in enumerate(tops) if cell != trigger)
    return aces, jokers and tops[trigger] != NO_CARD


def _chance(cards: int, pile_size: int) -> int:
    """Return the bucket of the probability of drawing one of *cards*."""
    return (
        BUCKET_BY_PROBABILITY[min(PROBABILITY_STEPS, PROBABILITY_STEPS * cards.bit_count() // pile_size)]
        if cards
        else 0
    )


def _seats(position: State, base: int, active: list[int]) -> None:
    """Append to *active* the features of each seat, counted from the seat on turn; the first one has the index *base*.

    They are the odds to win, lives, ploys, and the lack of a royal on the board.
    """
    players = position.players
    standing = 0
    for slot in range(12):
        if position.alive[slot]:
            standing |= 1 << position.owners[position.royals[slot] & 3]
    odds = [_odds(share) for share in shares(position)]
    for after in range(players):
        seat = (position.turn + after) % players
        for bit in range(8):
            if odds[seat] >> bit & 1:
                active.append(base + WIN_ODDS_OFFSET + bit)  # noqa: PERF401
        active.append(base + min(6, position.lives[seat]))
        aces = jokers = 0
        for card in position.arsenals[seat]:
            if rank_of(card) == ACE:
                aces += 1
            else:
                jokers += 1
        active.append(base + ACES_OFFSET + aces)
        active.append(base + JOKERS_OFFSET + jokers)
        if not standing >> seat & 1 and position.lives[seat]:
            active.append(base + NO_STANDING_ROYAL_OFFSET)
        base += FEATURES_PER_SEAT
    if position.ploys:
        head, _, ploy = position.ploys[0]
        after = (head - position.turn) % players
        active.append(base - (players - after) * FEATURES_PER_SEAT + QUEUED_PLOY_OFFSET + ploy)


def shares(position: State) -> list[float]:
    """Return the probability of each seat to win, by ``OddsEvaluation``. The probabilities sum to 1."""
    strengths = OddsEvaluation(position, position.turn).strengths(position, position.tops())
    powers, pile_size = list[float](), 0.0
    for seat, strength in enumerate(strengths):
        powers.append(exp(strength) if position.lives[seat] else 0.0)
        pile_size += powers[-1]
    return [power / pile_size for power in powers]


def _odds(share: float) -> int:
    """Return the log odds of a probability as eight bits; 128 stands for even odds."""
    odds = log(max(share, MIN_PROBABILITY) / max(1 - share, MIN_PROBABILITY))
    return max(0, min(255, 128 + round(ODDS_BUCKETS_PER_E * odds)))


def _table(position: State, pile: int, base: int, active: list[int]) -> None:
    """Append to *active* the features that belong to no seat; the first one has the index *base*.

    They are the phase, the card in hand, the draw pile, the top cards, and the age of the game.
    """
    active.append(base + PHASE_OFFSET + position.phase)
    active.append(base + HAND_OFFSET + (VALUE[position.drawn] if position.phase == PLACING else 0))
    active.append(base + PILE_SIZE_OFFSET + min(13, len(position.draw_pile) >> 2))
    for index, cards in enumerate(CARDS_OF_EACH_VALUE):
        active.append(base + PILE_VALUES_OFFSET + 5 * index + (pile & cards).bit_count())
    active.append(base + PILE_PLOYS_OFFSET + (pile & ALL_ACES).bit_count())
    active.append(base + PILE_PLOYS_OFFSET + 5 + (pile & ALL_JOKERS).bit_count())
    held = [0] * 10
    for stack in position.grid:
        held[INDEX_BY_VALUE[VALUE[stack[-1]]] if stack else 0] += 1
    for index, times in enumerate(held):
        if times:
            active.append(base + TOP_CARDS_OFFSET + 10 * index + times)
    active.append(base + GAME_AGE_OFFSET + sum([position.turns > turns for turns in TURN_THRESHOLDS]))
