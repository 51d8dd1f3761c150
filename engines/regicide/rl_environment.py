"""Regicide as numbers: 345 actions, the same for all player counts, and a seat's knowledge as bits (docs/rl.md).

A discard is a sequence of choices (R13), one card each, until the attack is covered. Meanwhile the position stays
unchanged, the acting seat sees the cards that it has set aside, and it can't flip. A seat whose hand can't cover the
attack can only flip (R14).
"""

from collections.abc import Mapping
from typing import Final, cast

from engines.core.cards import NAMES, Card
from engines.core.dealer import Dealer
from engines.core.one_hot import FLAG_FRAGMENTS, NO_CARDS_FRAGMENT, ONE_CARD_FRAGMENTS, PACK_SIZE, add_cards, one_hot
from engines.regicide.actions import CHOOSE_ACTIONS_BY_PLAYERS, FLIP, YIELD, Discard, Play
from engines.regicide.plays_of_hand import COMPANION_PLAYS, SETS, SINGLES
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import CHOOSE, ENEMIES, FIRST_JESTER, FIRST_ROYAL, HEALTH, NO_ENEMY, PLAY, SUFFER, VALUE
from engines.ruleset import GAME_OVER, Action, Environment, Episode, Position

PLAYS: Final[tuple[Play, ...]] = (
    *SINGLES,
    *[COMPANION_PLAYS[ace][other] for ace in range(4) for other in range(ace + 1, FIRST_JESTER)],
    *[play for rank in range(1, 5) for play in SETS[rank][15]],
)
"""All plays (R3): single cards by card; pairs by companion and the greater card; sets by rank."""
PLAY_INDEX: Final = {play.mask: index for index, play in enumerate(PLAYS)}
YIELD_INDEX: Final = len(PLAYS)
FLIP_INDEX: Final = YIELD_INDEX + 1
CHOOSE_INDEX: Final = FLIP_INDEX + 1
"""Index of the choice of seat 0 (R10)."""
DISCARD_INDEX: Final = CHOOSE_INDEX + 4
"""Index of the discard of the first card of the pack (R13)."""
ACTIONS_COUNT: Final = DISCARD_INDEX + PACK_SIZE
ACTIONS: Final[tuple[Action, ...]] = (*PLAYS, YIELD, FLIP, *CHOOSE_ACTIONS_BY_PLAYERS[4])
"""The actions by index, without the discards."""

PAIR_INDEX: Final[tuple[int, ...]] = tuple(
    [PLAY_INDEX[1 << ace | 1 << other] for ace in range(4) for other in range(FIRST_JESTER)]
)
"""The index of a pair, by 52 * companion + other card. If both are the same card, it is that of the companion alone."""
SET_INDICES: Final[tuple[tuple[int, ...], ...]] = tuple(
    [tuple([PLAY_INDEX[play.mask] for play in SETS[rank][suits]]) for rank in range(1, 5) for suits in range(16)]
)
"""The indices of the sets, by 16 * rank (from 0 for a 2) + the bits of the suits held."""

BITS_BY_OBSERVATION_FIELD: Final[Mapping[str, int]] = {
    "hand": PACK_SIZE,
    "set_aside": PACK_SIZE,
    "table": PACK_SIZE,
    "discard": PACK_SIZE,
    "enemy": ENEMIES,
    "health": 41,
    "immune": 1,
    "phase": 3,
    "shield": 21,
    "attack": 21,
    "uncovered": 21,
    "castle": ENEMIES,
    "tavern": PACK_SIZE + 1,
    "solo_yield": 1,
    "jesters_left": 3,
    "flips": 3,
    "packets": PACK_SIZE,
    "next_card": PACK_SIZE,
}
"""Fields of an observation, without those of seats, with their numbers of bits (docs/rl.md)."""
HEALTH_ONE_HOT: Final = one_hot(41)
ATTACK_ONE_HOT: Final = one_hot(21)
SHIELD_ONE_HOT: Final = ATTACK_ONE_HOT
PHASE_ONE_HOT: Final = one_hot(3)
ENEMY_ONE_HOT: Final = one_hot(ENEMIES)
CASTLE_SIZE_ONE_HOT: Final = ENEMY_ONE_HOT
TAVERN_SIZE_ONE_HOT: Final = one_hot(PACK_SIZE + 1)
SMALL_COUNT_ONE_HOT: Final = one_hot(3)
HAND_SIZE_ONE_HOT: Final = one_hot(9)
HIGHEST_ATTACK: Final = 20


class RegicideEpisode(Episode):
    """A game of Regicide, with the cards that the acting seat has set aside for a discard."""

    def __init__(self, position: RegicidePosition, dealer: Dealer) -> None:
        super().__init__(position, dealer, ACTIONS_COUNT)
        self._state = position
        self.set_aside = 0
        """The cards of an incomplete discard, as bits (R13)."""
        self._uncovered = 0
        """The part of the attack that the cards of ``set_aside`` don't cover yet."""

    def step(self, index: int) -> None:
        if index < DISCARD_INDEX:
            self.act(self.seat, ACTIONS[index])
            return
        card = index - DISCARD_INDEX
        self.set_aside |= 1 << card
        self._uncovered -= VALUE[card]
        if self._uncovered <= 0:
            self.act(self.seat, Discard(self.set_aside))
        else:
            self.mask[index] = self.mask[FLIP_INDEX] = 0

    def act(self, seat: int, action: Action) -> None:
        self._state.apply(seat, action, self.dealer)
        self.changes += 1
        self.ask_next()

    def ask_next(self) -> None:
        state = self._state
        self.set_aside = 0
        self.seat = GAME_OVER if state.is_over else state.turn
        self.mask = bytearray(ACTIONS_COUNT)
        if self.seat != GAME_OVER:
            self._uncovered = state.attack if state.phase == SUFFER else 0
            self.mark_legal(self.mask)

    def resume(self, other: Episode) -> None:
        super().resume(other)
        aside = cast("RegicideEpisode", other).set_aside
        is_known = self.seat != GAME_OVER and aside & ~_bits(self._state.hands[self.seat]) == 0
        self.set_aside = aside if is_known else 0  # another seat's imagined hand may lack these cards
        self._uncovered = self._state.attack if self._state.phase == SUFFER else 0
        for card in range(PACK_SIZE):
            if self.set_aside >> card & 1:
                self._uncovered -= VALUE[card]
                self.mask[DISCARD_INDEX + card] = self.mask[FLIP_INDEX] = 0

    def action(self, index: int) -> Action:
        """Return an action by its index. The index of a discard gives the discard of a single card."""
        return Discard(1 << index - DISCARD_INDEX) if index >= DISCARD_INDEX else ACTIONS[index]

    def mark_legal(self, mask: bytearray) -> None:
        state, seat = self._state, self.seat
        if state.crowded:
            self._mark_listed(mask)
            return
        if state.phase == PLAY:
            mark_plays(state.hands[seat], mask)
            if state.may_yield(seat):
                mask[YIELD_INDEX] = 1
        elif state.phase == SUFFER:
            self._mark_discards(mask)
        elif state.phase == CHOOSE:
            for other in range(state.players):
                mask[CHOOSE_INDEX + other] = 1
            return
        if state.jesters_left:
            mask[FLIP_INDEX] = 1

    def _mark_discards(self, mask: bytearray) -> None:
        """Mark each card in hand, if the hand covers the attack (R13, R14)."""
        state = self._state
        if state.can_cover(self.seat):
            for card in state.hands[self.seat]:
                mask[DISCARD_INDEX + card] = 1

    def _mark_listed(self, mask: bytearray) -> None:
        """Mark the actions that ``legal`` lists, which leaves out those after which a number exceeds ``MAX_NUMBER``."""
        listed = self._state.legal(self.seat)
        for index, action in enumerate(ACTIONS):
            if action in listed:
                mask[index] = 1
        if self._state.phase == SUFFER:
            self._mark_discards(mask)

    def observation(self, seat: int) -> bytes:
        state = self._state
        fragments = list[bytes]()
        add_cards(_bits(state.hands[seat]), fragments)
        aside = self.set_aside if seat == self.seat else 0
        add_cards(aside, fragments)
        add_cards(_bits(state.table), fragments)
        add_cards(_bits(state.discard), fragments)
        add_enemy(state, fragments)
        uncovered = self._uncovered if aside else state.attack if state.phase == SUFFER else 0
        fragments.append(ATTACK_ONE_HOT[min(HIGHEST_ATTACK, uncovered)])
        add_piles(state, fragments)
        add_hidden(state, seat, fragments)
        return b"".join(fragments)


def mark_plays(hand: list[Card], mask: bytearray) -> None:
    """Mark the plays of a hand in *mask* (R3)."""
    held = 0
    for card in hand:
        mask[card] = 1
        held |= 1 << card
    for ace in range(4):
        if held >> ace & 1:
            first = ace * FIRST_JESTER
            for card in hand:
                if card < FIRST_JESTER:
                    mask[PAIR_INDEX[first + card]] = 1
    for rank in range(4):
        for index in SET_INDICES[16 * rank + (held >> 4 * rank + 4 & 15)]:
            mask[index] = 1


def _bits(cards: list[Card]) -> int:
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def add_enemy(state: RegicidePosition, fragments: list[bytes]) -> None:
    """Append the public information about the enemy, and the phase (R20)."""
    enemy = state.enemy
    if enemy == NO_ENEMY:
        fragments.append(ENEMY_ONE_HOT[ENEMIES])
        fragments.append(HEALTH_ONE_HOT[41])
    else:
        fragments.append(ENEMY_ONE_HOT[enemy - FIRST_ROYAL])
        fragments.append(HEALTH_ONE_HOT[HEALTH[enemy] - state.damage])
    fragments.append(FLAG_FRAGMENTS[state.immune])
    fragments.append(PHASE_ONE_HOT[min(3, state.phase)])
    fragments.append(SHIELD_ONE_HOT[min(HIGHEST_ATTACK, state.shield)])
    fragments.append(ATTACK_ONE_HOT[state.attack])


def add_piles(state: RegicidePosition, fragments: list[bytes]) -> None:
    """Append the sizes of Castle and Tavern, the option ``solo_yield``, and a solo player's Jesters (R15, R17)."""
    fragments.append(CASTLE_SIZE_ONE_HOT[min(ENEMIES - 1, len(state.castle))])
    fragments.append(TAVERN_SIZE_ONE_HOT[len(state.tavern)])
    fragments.append(FLAG_FRAGMENTS[state.solo_yield])
    fragments.append(SMALL_COUNT_ONE_HOT[min(2, state.jesters_left)])
    fragments.append(SMALL_COUNT_ONE_HOT[min(2, state.flips)])


def add_hidden(state: RegicidePosition, seat: int, fragments: list[bytes]) -> None:
    """Append what *seat* knows of hidden cards (R21), then the seats, clockwise from *seat*."""
    players, packets = state.players, state.packets
    own, elsewhere = _bits(state.hands[seat]), 0
    if packets:
        for card in packets:
            elsewhere |= 1 << card
        elsewhere &= ~own
    add_cards(elsewhere, fragments)
    fragments.append(NO_CARDS_FRAGMENT if elsewhere == 0 else ONE_CARD_FRAGMENTS[_top(state, elsewhere)])
    for after in range(players):
        other = (seat + after) % players
        hand = state.hands[other]
        fragments.append(HAND_SIZE_ONE_HOT[len(hand)])
        fragments.append(FLAG_FRAGMENTS[state.turn == other])
        fragments.append(FLAG_FRAGMENTS[state.yielded[other]])
        if after:
            add_cards(_known_hand_bits(state, other, elsewhere) if elsewhere else 0, fragments)


def _top(state: RegicidePosition, elsewhere: int) -> int:
    """Return the Tavern's top card if it is known, else ``PACK_SIZE`` (R21).

    It is known if it is the only hidden card of its packet. *elsewhere* has the cards of packets that aren't in the
    seat's own hand, as bits.
    """
    if not state.tavern:
        return PACK_SIZE
    top = state.tavern[len(state.tavern) - 1]
    packet = state.packets.get(top, 0)
    alike = 0
    for card, number in state.packets.items():
        if number == packet and elsewhere >> card & 1:
            alike += 1
    return top if packet and alike == 1 else PACK_SIZE


def _known_hand_bits(state: RegicidePosition, other: int, elsewhere: int) -> int:
    """Return, as bits, the cards that are known to be in the hand of seat *other* (R21).

    These are the cards of packets whose hidden cards are all in that hand. *elsewhere* has the cards of packets that
    aren't in the viewing seat's own hand, as bits.
    """
    packets = state.packets
    held = 0
    numbers = list[int]()
    for card in state.hands[other]:
        packet = packets.get(card, 0)
        if packet:
            held |= 1 << card
            numbers.append(packet)
    if not held:
        return 0
    for card, packet in packets.items():
        bit = 1 << card
        if elsewhere & bit and not held & bit and packet in numbers:
            for own in state.hands[other]:
                if packets.get(own, 0) == packet:
                    held &= ~(1 << own)
    return held


class RegicideEnvironment(Environment):
    """The actions and observations of Regicide as numbers."""

    def __init__(self) -> None:
        self.actions = (*[str(action) for action in ACTIONS], *[f"discard {name}" for name in NAMES])

    def fields(self, players: int) -> Mapping[str, int]:
        fields = dict(BITS_BY_OBSERVATION_FIELD)
        for after in range(players):
            fields |= {f"cards_{after}": 9, f"turn_{after}": 1, f"yielded_{after}": 1}
            if after:
                fields[f"known_{after}"] = PACK_SIZE
        return fields

    def begin(self, position: Position, dealer: Dealer) -> Episode:
        return RegicideEpisode(cast("RegicidePosition", position), dealer)

    def progress(self, position: Position) -> list[float]:
        """Return the share of the enemies that are defeated."""
        return [cast("RegicidePosition", position).defeated / ENEMIES] * position.players
