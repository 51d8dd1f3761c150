"""The rules of Regicide: who may do what, and what comes of it. Numbers such as R13 are the rulings'."""

from typing import Final, Self

from engines.cards import CLUBS, DIAMONDS, HEARTS, NAMES, SPADES, Card, names, sorted_names, suit_of
from engines.dealer import Dealer
from engines.events import Event
from engines.regicide import events as told
from engines.regicide.actions import FLIP, YIELD, Choose, Discard, FlipJester, Play, Yield
from engines.regicide.refusals import check
from engines.regicide.tables import (
    ATTACK,
    CHOOSE,
    ENEMIES,
    FIRST_JESTER,
    HAND_LIMIT,
    HEALTH,
    MEDALS,
    NOBODY,
    OVER,
    PLAY,
    SIGNALS,
    SUFFER,
    THROWS,
    VALUE,
    covers,
    plays,
)
from engines.regicide.view import seen_by, written
from engines.ruleset import Action, Position
from engines.types import Json

ALL_SUITS: Final = 0b1111


class RegicidePosition(Position):
    """One game of Regicide, hidden cards included.

    ``castle`` and ``tavern`` lie with their top at the end, where lists are cheap; hands, table and discard pile have
    their oldest card first. ``packets`` has the packet of each card in a hand or in the Tavern that isn't of the deal.
    """

    __slots__ = (
        "_outcome",
        "castle",
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
        """Make it a game that isn't dealt yet. Apart from ``__init__``, so that ``copy`` needn't run it."""
        self.players = players
        self.phase = PLAY
        self.turn = 0
        self.castle: list[Card] = []
        self.enemy = NOBODY
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
        self._outcome: Json | None = None
        return self

    def copy(self) -> Self:
        """Return an independent equal."""
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
        twin._outcome = self._outcome
        return twin

    def dump(self) -> Json:
        """Write the position (rulings, "Position")."""
        return written(self)

    def view(self, seat: int | None) -> Json:
        """Return what *seat* may know, or a spectator (R20, R21)."""
        return seen_by(self, seat)

    # Claims

    @property
    def outcome(self) -> Json | None:
        """How the game ended, or None while it runs."""
        return None if self._outcome is None else dict(self._outcome)

    @property
    def is_over(self) -> bool:
        """The game has ended."""
        return self.phase == OVER

    @property
    def attack(self) -> int:
        """The enemy's attack after shields (R8), which count once a spades enemy has lost its immunity (R9, R10)."""
        if self.enemy == NOBODY:
            return 0
        attack = ATTACK[self.enemy]
        return attack if self.immune and suit_of(self.enemy) == SPADES else max(0, attack - self.shield)

    @property
    def defeated(self) -> int:
        """How many of the twelve enemies have fallen."""
        return ENEMIES - len(self.castle) - (self.enemy != NOBODY)

    @property
    def powers(self) -> int:
        """A bit for each suit whose power acts against this enemy (R9, R10)."""
        return ALL_SUITS & ~(1 << (self.enemy & 3)) if self.immune else ALL_SUITS

    def may_yield(self, seat: int) -> bool:
        """*seat* may yield, were it its turn (R15)."""
        if self.players == 1:
            return self.solo_yield and not self.yielded[0]
        return self.yielded.count(True) - self.yielded[seat] < self.players - 1

    def can_cover(self, seat: int) -> bool:
        """The whole hand of *seat* is worth the attack (R14)."""
        value = 0
        for card in self.hands[seat]:
            value += VALUE[card]
        return value >= self.attack

    def can_act(self, seat: int) -> bool:
        """*seat*, beginning its turn, has something to do (R16)."""
        return bool(self.hands[seat]) or self.jesters_left > 0 or self.may_yield(seat)

    def to_act(self) -> list[int]:
        """Return the seat whose turn it is."""
        return [] if self.phase == OVER else [self.turn]

    def may_act(self) -> list[int]:
        """Return nobody: nothing in Regicide interrupts."""
        return []

    def signals(self, seat: int) -> tuple[str, ...]:
        """Return what the others may say between a Jester's play and its player's choice (R22)."""
        return SIGNALS if self.phase == CHOOSE and seat != self.turn else ()

    def legal(self, seat: int) -> list[Action]:
        """Return what *seat* may do: plays, discards or choices, then the flip, then the yield."""
        if seat != self.turn or self.phase == OVER:
            return []
        if self.phase == CHOOSE:
            return [Choose(other) for other in range(self.players)]
        hand = sorted(self.hands[seat])
        actions: list[Action] = plays(hand) if self.phase == PLAY else covers(hand, self.attack)
        if self.jesters_left:
            actions.append(FLIP)
        if self.phase == PLAY and self.may_yield(seat):
            actions.append(YIELD)
        return actions

    def check(self, seat: int, action: Action) -> None:
        """Refuse what isn't allowed, saying which rule forbids it."""
        check(self, seat, action)

    def end_as(self, outcome: Json | None) -> None:
        """Take over how a game that is read rather than played has ended; *outcome* is trusted."""
        self._outcome = None if outcome is None else dict(outcome)

    # Verbs

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        """Carry out an action that is trusted to be legal."""
        if isinstance(action, Play):
            self._play(seat, action.cards, dealer, events)
        elif isinstance(action, Discard):
            self._give_up(seat, action.cards, events)
            self._begin_turn((seat + 1) % self.players, events)
        elif isinstance(action, Yield):
            self.yielded[seat] = True
            if events is not None:
                events.append(told.Yielded(seat))
            self._strike(seat, events)
        elif isinstance(action, Choose):
            if events is not None:
                events.append(told.Chosen(seat, action.seat))
            self._begin_turn(action.seat, events)
        elif isinstance(action, FlipJester):
            self._flip(seat, events)

    def deal(self, events: list[Event] | None) -> None:
        """Deal each seat to its limit, one card at a time from seat 0 (R1)."""
        for _ in range(HAND_LIMIT[self.players]):
            for seat in range(self.players):
                card = self.tavern.pop()
                self.hands[seat].append(card)
                if events is not None:
                    events.append(told.Dealt(seat, NAMES[card], 0))

    def begin(self, seat: int, events: list[Event] | None) -> None:
        """Turn up the first enemy and let *seat* begin (R1)."""
        self._reveal(events)
        self._begin_turn(seat, events)

    def _play(self, seat: int, cards: tuple[Card, ...], dealer: Dealer, events: list[Event] | None) -> None:
        """Throw cards at the enemy and let their powers act, hearts before diamonds (R2-R4)."""
        throw = THROWS[cards]
        attack, suits, powers = throw.attack, throw.suits, self.powers
        self._take_from_hand(seat, cards)
        self.table += cards
        self.yielded[seat] = False
        if events is not None:
            events.append(told.Played(seat, tuple(names(cards)), attack))
        if cards[0] >= FIRST_JESTER:
            self._cancel_immunity(seat, events)
            return
        if suits & powers & 1 << HEARTS:
            self._heal(seat, attack, dealer, events)
        if suits & powers & 1 << DIAMONDS:
            self._draw_round(seat, attack, events)
        if suits & 1 << SPADES:
            self._shield(seat, attack, events)
        self._hit(seat, 2 * attack if suits & powers & 1 << CLUBS else attack, events)

    def _take_from_hand(self, seat: int, cards: tuple[Card, ...]) -> None:
        hand, packets = self.hands[seat], self.packets
        for card in cards:
            hand.remove(card)
            if card in packets:
                del packets[card]

    def _cancel_immunity(self, seat: int, events: list[Event] | None) -> None:
        """A Jester: no damage, no attack; its player names who goes next (R10)."""
        self.immune = False
        self.phase = CHOOSE
        if events is not None:
            events.append(told.ImmunityCancelled(seat))

    def _heal(self, seat: int, count: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Shuffle the discard pile and put *count* of it under the Tavern as one packet (R5, R21)."""
        dealer.shuffle(self.discard)
        healed = self.discard[:count]
        if not healed:
            return
        del self.discard[:count]
        packet = self._new_packet()
        for card in healed:
            self.packets[card] = packet
        healed.reverse()
        self.tavern = healed + self.tavern
        if events is not None:
            events.append(told.Healed(seat, tuple(sorted_names(healed)), packet))

    def _new_packet(self) -> int:
        latest = 0
        for packet in self.packets.values():
            latest = max(latest, packet)
        return latest + 1

    def _draw_round(self, seat: int, count: int, events: list[Event] | None) -> None:
        """Draw *count* cards, one each, round and round, past full hands (R6)."""
        limit, room = HAND_LIMIT[self.players], 0
        for hand in self.hands:
            room += limit - len(hand)
        for _ in range(min(count, min(room, len(self.tavern)))):  # noqa: PLW3301  two at a time are compiled well
            while len(self.hands[seat]) >= limit:
                seat = (seat + 1) % self.players
            self._draw(seat, events)
            seat = (seat + 1) % self.players

    def _draw(self, seat: int, events: list[Event] | None) -> None:
        card = self.tavern.pop()
        self.hands[seat].append(card)
        if events is not None:
            events.append(told.Drawn(seat, NAMES[card], self.packets.get(card, 0)))

    def _shield(self, seat: int, amount: int, events: list[Event] | None) -> None:
        """Spades add up for the rest of this enemy's life, also while immunity suspends them (R8, R10)."""
        self.shield += amount
        if events is not None:
            events.append(told.Shielded(seat, amount, self.attack))

    def _hit(self, seat: int, damage: int, events: list[Event] | None) -> None:
        """Add *damage* to what the enemy has taken; then it falls, or strikes (R11)."""
        self.damage += damage
        left = HEALTH[self.enemy] - self.damage
        if events is not None:
            events.append(told.EnemyHit(seat, damage, max(0, left)))
        if left > 0:
            self._strike(seat, events)
        else:
            self._defeat(seat, events, exact=left == 0)

    def _defeat(self, seat: int, events: list[Event] | None, *, exact: bool) -> None:
        """Put the enemy where it belongs and turn up the next; the same seat goes on (R12)."""
        if exact:
            self.packets[self.enemy] = self._new_packet()
            self.tavern.append(self.enemy)
        else:
            self.discard.append(self.enemy)
        if events is not None:
            events.append(told.EnemyDefeated(seat, NAMES[self.enemy], exact))
            events.append(told.TableCleared(seat, tuple(names(self.table))))
        self.discard += self.table
        self.table = []
        self.damage = self.shield = 0
        self.immune = True
        if self.castle:
            self._reveal(events)
            self._begin_turn(seat, events)
        else:
            self.enemy = NOBODY
            self._end("won", "castle_fell", events)

    def _reveal(self, events: list[Event] | None) -> None:
        self.enemy = self.castle.pop()
        if events is not None:
            events.append(told.EnemyRevealed(None, NAMES[self.enemy], ATTACK[self.enemy], HEALTH[self.enemy]))

    def _strike(self, seat: int, events: list[Event] | None) -> None:
        """Let the enemy attack *seat*, if anything is left of its attack (R13, R14)."""
        attack = self.attack
        if attack == 0:
            self._begin_turn((seat + 1) % self.players, events)
            return
        self.phase = SUFFER
        if events is not None:
            events.append(told.Attacked(seat, attack))
        self._check_death(seat, events)

    def _check_death(self, seat: int, events: list[Event] | None) -> None:
        """All lose if the whole hand isn't worth the attack and no Jester can help (R14)."""
        if not self.jesters_left and not self.can_cover(seat):
            self._end("lost", "could_not_suffer", events)

    def _give_up(self, seat: int, cards: tuple[Card, ...], events: list[Event] | None) -> None:
        """Discard *cards*, in the order of the fresh pack (R13, R23)."""
        self._take_from_hand(seat, cards)
        self.discard += cards
        if events is not None:
            events.append(told.Discarded(seat, tuple(names(cards))))

    def _flip(self, seat: int, events: list[Event] | None) -> None:
        """Trade the whole hand for a full one (R17)."""
        self.jesters_left -= 1
        self.flips += 1
        if events is not None:
            events.append(told.JesterFlipped(seat, self.jesters_left))
        self._give_up(seat, tuple(sorted(self.hands[seat])), events)
        for _ in range(min(HAND_LIMIT[self.players], len(self.tavern))):
            self._draw(seat, events)
        if self.phase == SUFFER:
            self._check_death(seat, events)
        else:
            self._check_stuck(seat, events)

    def _begin_turn(self, seat: int, events: list[Event] | None) -> None:
        self.phase = PLAY
        self.turn = seat
        if events is not None:
            events.append(told.TurnBegan(seat))
        self._check_stuck(seat, events)

    def _check_stuck(self, seat: int, events: list[Event] | None) -> None:
        """All lose if *seat* has nothing to do (R16)."""
        if not self.can_act(seat):
            self._end("lost", "could_not_act", events)

    def _end(self, result: str, reason: str, events: list[Event] | None) -> None:
        """End the game; a solo win earns a medal (R18)."""
        self.phase = OVER
        medal = MEDALS[self.flips] if result == "won" and self.players == 1 else None
        self._outcome = {"result": result, "reason": reason, "medal": medal, "defeated": self.defeated}
        if events is not None:
            events.append(told.Ended(None, result, reason, medal, self.defeated))
