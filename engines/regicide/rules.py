"""The rules of Regicide: legal actions and their effects. Numbers such as R13 are rulings."""

from typing import cast

from engines.core.cards import CLUBS, DIAMONDS, HEARTS, NAMES, SPADES, Card, mask_of, names, sorted_names
from engines.core.dealer import Dealer
from engines.core.strict_reading import MAX_NUMBER
from engines.core.types import Json
from engines.regicide.actions import CHOOSE_ACTIONS_BY_PLAYERS, FLIP, YIELD, Choose, Discard, FlipJester, Play, Yield
from engines.regicide.events import (
    Attacked,
    Chosen,
    Dealt,
    Discarded,
    Drawn,
    Ended,
    EnemyDefeated,
    EnemyHit,
    EnemyRevealed,
    Healed,
    ImmunityCancelled,
    JesterFlipped,
    Played,
    Shielded,
    TableCleared,
    TurnBegan,
    Yielded,
)
from engines.regicide.notation import dump
from engines.regicide.plays_of_hand import covers, plays
from engines.regicide.refusals import check
from engines.regicide.state import State
from engines.regicide.tables import ATTACK, CHOOSE, HAND_LIMIT, HEALTH, MEDALS, NO_ENEMY, OVER, PLAY, SIGNALS, SUFFER
from engines.regicide.view import view
from engines.ruleset import Action, Event, overflow


class RegicidePosition(State):
    """A position of Regicide: state, legal actions and their effects."""

    __slots__ = ()

    def dump(self) -> Json:
        return dump(self)

    def view(self, seat: int | None) -> Json:
        return view(self, seat)

    # Legal actions

    def may_act(self) -> list[int]:
        """Return an empty list, because no seat may act out of turn in Regicide."""
        return []

    def signals(self, seat: int) -> tuple[str, ...]:
        """Return the signals that *seat* may give: none, except while another seat chooses after a Jester (R22)."""
        return SIGNALS if self.phase == CHOOSE and seat != self.turn else ()

    def legal(self, seat: int) -> list[Action]:
        """Return the legal actions of *seat*: plays, discards or choices, then the flip, then the yield."""
        actions = self._possible(seat)
        return [action for action in actions if overflow(self, seat, action) is None] if self.crowded else actions

    def excess(self) -> str | None:
        """Return the ruling on a number that is above ``MAX_NUMBER``; None if there is no such number.

        The ruling is R8 for the shield, and R21 for the numbers of packets.
        """
        if self.shield > MAX_NUMBER:
            return "R8"
        return "R21" if max(self.packets.values(), default=0) > MAX_NUMBER else None

    def _possible(self, seat: int) -> list[Action]:
        if seat != self.turn or self.phase == OVER:
            return []
        if self.phase == CHOOSE:
            return [*CHOOSE_ACTIONS_BY_PLAYERS[self.players]]
        hand = sorted(self.hands[seat])
        actions = cast("list[Action]", plays(hand)) if self.phase == PLAY else covers(hand, self.attack)
        if self.jesters_left:
            actions.append(FLIP)
        if self.phase == PLAY and self.may_yield(seat):
            actions.append(YIELD)
        return actions

    def check(self, seat: int, action: object) -> None:
        check(self, seat, action, self._possible(seat))
        refusal = overflow(self, seat, cast("Action", action)) if self.crowded else None
        if refusal is not None:
            raise refusal

    # Effects

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        if isinstance(action, Play):
            self._play(seat, action, dealer, events)
        elif isinstance(action, Discard):
            self._give_up(seat, action.mask, events)
            self._begin_turn((seat + 1) % self.players, events)
        elif isinstance(action, Yield):
            self.yielded[seat] = True
            if events is not None:
                events.append(Yielded(seat))
            self._strike(seat, events)
        elif isinstance(action, Choose):
            if events is not None:
                events.append(Chosen(seat, action.seat))
            self._begin_turn(action.seat, events)
        elif isinstance(action, FlipJester):
            self._flip(seat, events)

    def deal(self, events: list[Event] | None) -> None:
        """Deal cards to each seat up to its hand limit, one card at a time from seat 0 (R1)."""
        for _ in range(HAND_LIMIT[self.players]):
            for seat in range(self.players):
                card = self.tavern.pop()
                self.hands[seat].append(card)
                if events is not None:
                    events.append(Dealt(seat, NAMES[card], 0))

    def begin(self, seat: int, events: list[Event] | None) -> None:
        """Reveal the first enemy and begin the turn of *seat* (R1)."""
        self._reveal(events)
        self._begin_turn(seat, events)

    def _play(self, seat: int, play: Play, dealer: Dealer, events: list[Event] | None) -> None:
        """Play cards and apply their powers, hearts before diamonds (R2-R4)."""
        attack, suits, powers = play.attack, play.suits, self.powers
        for card in play.cards:
            self._take_from_hand(seat, card)
        self.table += play.cards
        self.yielded[seat] = False
        if events is not None:
            events.append(Played(seat, tuple(names(play.cards)), attack))
        if not suits:
            self._cancel_immunity(seat, events)
            return
        if suits & powers & 1 << HEARTS:
            self._heal(seat, attack, dealer, events)
        if suits & powers & 1 << DIAMONDS:
            self._draw_round(seat, attack, events)
        if suits & 1 << SPADES:
            self._shield(seat, attack, events)
        self._hit(seat, 2 * attack if suits & powers & 1 << CLUBS else attack, events)

    def _take_from_hand(self, seat: int, card: Card) -> None:
        self.hands[seat].remove(card)
        if card in self.packets:
            del self.packets[card]

    def _cancel_immunity(self, seat: int, events: list[Event] | None) -> None:
        """Apply a Jester: no damage, no attack; its player chooses the next seat (R10)."""
        self.immune = False
        self.phase = CHOOSE
        if events is not None:
            events.append(ImmunityCancelled(seat))

    def _heal(self, seat: int, count: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Shuffle the discard pile and put *count* cards of it under the Tavern as one packet (R5, R21)."""
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
            events.append(Healed(seat, tuple(sorted_names(healed)), packet))

    def _new_packet(self) -> int:
        latest = 0
        for packet in self.packets.values():
            latest = max(latest, packet)
        return latest + 1

    def _draw_round(self, seat: int, count: int, events: list[Event] | None) -> None:
        """Draw up to *count* cards, one per seat, clockwise from *seat*; full hands are skipped (R6)."""
        limit, room = HAND_LIMIT[self.players], 0
        for hand in self.hands:
            room += limit - len(hand)
        for _ in range(min(count, min(room, len(self.tavern)))):  # noqa: PLW3301  mypyc compiles min of two arguments well
            while len(self.hands[seat]) >= limit:
                seat = (seat + 1) % self.players
            self._draw(seat, events)
            seat = (seat + 1) % self.players

    def _draw(self, seat: int, events: list[Event] | None) -> None:
        card = self.tavern.pop()
        self.hands[seat].append(card)
        if events is not None:
            events.append(Drawn(seat, NAMES[card], self.packets.get(card, 0)))

    def _shield(self, seat: int, amount: int, events: list[Event] | None) -> None:
        """Add to the shield, which lasts until the enemy's defeat and grows even if the enemy is immune (R8, R10)."""
        self.shield += amount
        if events is not None:
            events.append(Shielded(seat, amount, self.attack, not self.powers & 1 << SPADES))

    def _hit(self, seat: int, damage: int, events: list[Event] | None) -> None:
        """Deal *damage* to the enemy. After that, the enemy is defeated or attacks (R11)."""
        self.damage += damage
        left = HEALTH[self.enemy] - self.damage
        if events is not None:
            events.append(EnemyHit(seat, damage, max(0, left)))
        if left > 0:
            self._strike(seat, events)
        else:
            self._defeat(seat, events, exact=left == 0)

    def _defeat(self, seat: int, events: list[Event] | None, *, exact: bool) -> None:
        """Put the enemy on the Tavern if *exact*, else on the discard pile; reveal the next or end the game (R12)."""
        if exact:
            self.packets[self.enemy] = self._new_packet()
            self.tavern.append(self.enemy)
        else:
            self.discard.append(self.enemy)
        if events is not None:
            events.append(EnemyDefeated(seat, NAMES[self.enemy], exact))
            events.append(TableCleared(seat, tuple(names(self.table))))
        self.discard += self.table
        self.table = []
        self.damage = self.shield = 0
        self.immune = True
        if self.castle:
            self._reveal(events)
            self._begin_turn(seat, events)
        else:
            self.enemy = NO_ENEMY
            self._end("won", "castle_fell", events)

    def _reveal(self, events: list[Event] | None) -> None:
        self.enemy = self.castle.pop()
        if events is not None:
            events.append(EnemyRevealed(None, NAMES[self.enemy], ATTACK[self.enemy], HEALTH[self.enemy]))

    def _strike(self, seat: int, events: list[Event] | None) -> None:
        """Let the enemy attack *seat*; if the attack is 0, the next seat's turn begins instead (R13, R14)."""
        attack = self.attack
        if attack == 0:
            self._begin_turn((seat + 1) % self.players, events)
            return
        self.phase = SUFFER
        if events is not None:
            events.append(Attacked(seat, attack))
        self._check_death(seat, events)

    def _check_death(self, seat: int, events: list[Event] | None) -> None:
        """End the game if the whole hand doesn't cover the attack and no Jester can be flipped (R14)."""
        if not self.jesters_left and not self.can_cover(seat):
            self._end("lost", "could_not_suffer", events)

    def _give_up(self, seat: int, mask: int, events: list[Event] | None) -> None:
        """Discard the cards whose bits are set in *mask*, in pack order (R13, R23)."""
        cards = [card for card in self.hands[seat] if mask >> card & 1]
        cards.sort()
        for card in cards:
            self._take_from_hand(seat, card)
        self.discard += cards
        if events is not None:
            events.append(Discarded(seat, tuple(names(cards))))

    def _flip(self, seat: int, events: list[Event] | None) -> None:
        """Flip a Jester: discard the hand and draw up to the hand limit (R17)."""
        self.jesters_left -= 1
        self.flips += 1
        if events is not None:
            events.append(JesterFlipped(seat, self.jesters_left))
        self._give_up(seat, mask_of(self.hands[seat]), events)
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
            events.append(TurnBegan(seat))
        self._check_stuck(seat, events)

    def _check_stuck(self, seat: int, events: list[Event] | None) -> None:
        """End the game if *seat* has no legal action (R16)."""
        if not self.can_act(seat):
            self._end("lost", "could_not_act", events)

    def _end(self, result: str, reason: str, events: list[Event] | None) -> None:
        """End the game; a solo win earns a medal (R18)."""
        medal = MEDALS[self.flips] if result == "won" and self.players == 1 else None
        self.end_as({"result": result, "reason": reason, "medal": medal, "defeated": self.defeated})
        if events is not None:
            events.append(Ended(None, result, reason, medal, self.defeated))
