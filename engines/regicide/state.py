"""The state of a game of Regicide, and queries about it; ``rules`` changes it."""

from typing import Final, Self

from engines.core.cards import SPADES, Card, suit_of
from engines.core.types import Json
from engines.regicide.tables import ATTACK, ENEMIES, NO_ENEMY, OVER, PLAY, VALUE
from engines.ruleset import Position

ALL_SUITS: Final = 0b1111


class State(Position):
    """The state of one game of Regicide, hidden cards included.

    The top card of ``castle`` and ``tavern`` is last, because lists are fast at the end. In hands, table and discard
    pile the oldest card is first. ``packets`` maps cards in hands and in the Tavern to the numbers of their packets;
    cards of packet 0 (the deal) are left out.
    """

    __slots__ = (
        "_outcome",
        "castle",
        "crowded",
        "damage",
        "discard",
        "enemy",
        "flips",
        "hands",
        "immune",
        "jesters_left",
        "packets",
        "phase",
        "players",
        "shield",
        "solo_yield",
        "table",
        "tavern",
        "turn",
        "yielded",
    )

    def set_up(self, players: int) -> Self:
        """Set all fields to their values before the deal. ``__init__`` doesn't do this, so that ``copy`` is fast."""
        self.players = players
        self.phase = PLAY
        self.turn = 0
        self.castle: list[Card] = []
        self.enemy = NO_ENEMY
        self.damage = 0
        self.shield = 0
        self.immune = True
        self.table: list[Card] = []
        self.tavern: list[Card] = []
        self.discard: list[Card] = []
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self.packets: dict[Card, int] = {}
        self.yielded = [False] * players
        self.solo_yield = False
        self.jesters_left = 0
        self.flips = 0
        self.crowded = False
        """True if the shield or a packet number may exceed ``MAX_NUMBER``, as in some games from a given position."""
        self._outcome: Json | None = None
        return self

    def copy(self) -> Self:
        twin = self.__class__()
        twin.players = self.players
        twin.phase = self.phase
        twin.turn = self.turn
        twin.castle = self.castle[:]
        twin.enemy = self.enemy
        twin.damage = self.damage
        twin.shield = self.shield
        twin.immune = self.immune
        twin.table = self.table[:]
        twin.tavern = self.tavern[:]
        twin.discard = self.discard[:]
        twin.hands = [hand[:] for hand in self.hands]
        twin.packets = self.packets.copy()
        twin.yielded = self.yielded[:]
        twin.solo_yield = self.solo_yield
        twin.jesters_left = self.jesters_left
        twin.flips = self.flips
        twin.crowded = self.crowded
        twin._outcome = self._outcome
        return twin

    # Queries

    @property
    def outcome(self) -> Json | None:
        return None if self._outcome is None else dict(self._outcome)

    def end_as(self, outcome: Json) -> None:
        """End the game with this outcome."""
        self.phase = OVER
        self._outcome = outcome

    @property
    def is_over(self) -> bool:
        return self.phase == OVER

    @property
    def attack(self) -> int:
        """The enemy's attack minus the shield (R8). A spades enemy ignores the shield while immune (R9, R10)."""
        if self.enemy == NO_ENEMY:
            return 0
        attack = ATTACK[self.enemy]
        return attack if self.immune and suit_of(self.enemy) == SPADES else max(0, attack - self.shield)

    @property
    def defeated(self) -> int:
        """Number of enemies that have been defeated, of twelve."""
        return ENEMIES - len(self.castle) - (self.enemy != NO_ENEMY)

    @property
    def powers(self) -> int:
        """The suits whose power works against this enemy, as bits (R9, R10)."""
        return ALL_SUITS & ~(1 << (self.enemy & 3)) if self.immune else ALL_SUITS

    def may_yield(self, seat: int) -> bool:
        """Return whether *seat* may yield (R15).

        The last turn of at least one other seat must not have been a yield. A solo player needs the option
        ``solo_yield``, and may not yield twice in a row.
        """
        if self.players == 1:
            return self.solo_yield and not self.yielded[0]
        return any(not yielded and other != seat for other, yielded in enumerate(self.yielded))

    def can_cover(self, seat: int) -> bool:
        """Return whether the whole hand of *seat* covers the attack (R14)."""
        value = 0
        for card in self.hands[seat]:
            value += VALUE[card]
        return value >= self.attack

    def can_act(self, seat: int) -> bool:
        """Return whether *seat* has an action at the beginning of its turn (R16)."""
        return bool(self.hands[seat]) or self.jesters_left > 0 or self.may_yield(seat)

    def to_act(self) -> list[int]:
        return [] if self.phase == OVER else [self.turn]
