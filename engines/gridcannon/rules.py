"""The rules of Gridcannon: legal actions and their effects. Numbers such as G9 are rulings."""

from typing import cast

from engines.core.cards import NAMES, Card, names, sorted_names
from engines.core.dealer import Dealer
from engines.core.strict_reading import MAX_NUMBER
from engines.core.types import Json
from engines.gridcannon.actions import Armour, Declare, Draw, Force, Place, PlaceRoyal, Reassign, Recall, Return, Switch
from engines.gridcannon.board import CELLS, NO_CARD, PLOYS, SLOTS, SLOTS_BY_TRIGGER, VALUE, is_number, is_royal
from engines.gridcannon.events import (
    ArmourLaid,
    ArmourStripped,
    Declared,
    Drawn,
    Ended,
    Fired,
    Forced,
    Killed,
    Laid,
    MixedIn,
    PassedOver,
    PileShuffled,
    PloyGained,
    Reassigned,
    Recalled,
    Refreshed,
    Returned,
    RoyalPlaced,
    SeatOut,
    Switched,
    TakenUp,
    TurnBegan,
)
from engines.gridcannon.legal_actions import Choices
from engines.gridcannon.notation import dump
from engines.gridcannon.refusals import check
from engines.gridcannon.state import DRAWING, OVER, PLACING, PLACING_ROYAL
from engines.gridcannon.view import view
from engines.ruleset import Action, Event, overflow


class GridcannonPosition(Choices):
    """A position of Gridcannon: state, legal actions and their effects."""

    __slots__ = ()

    def dump(self) -> Json:
        return dump(self)

    def view(self, seat: int | None) -> Json:
        return view(self, seat)

    def legal(self, seat: int) -> list[Action]:
        """Return the legal actions of *seat*: required ones, then declarations, then recalls."""
        if self.phase == OVER or not 0 <= seat < self.players:
            return []
        actions: list[Action] = self.required_actions() if seat == self.seat_to_act() else []
        actions += self.declarations(seat)
        actions += [Recall(card) for player, card, _ in self.ploys if player == seat]
        if self.turns == MAX_NUMBER:
            return [action for action in actions if overflow(self, seat, action) is None]
        return actions

    def excess(self) -> str | None:
        """Return the ruling on turns if their number is above ``MAX_NUMBER``, else None."""
        return "G6" if self.turns > MAX_NUMBER else None

    def check(self, seat: int, action: object) -> None:
        check(self, seat, action)
        refusal = overflow(self, seat, cast("Action", action)) if self.turns == MAX_NUMBER else None
        if refusal is not None:
            raise refusal

    # Effects

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        # Types are compared, because that is much faster than pattern matching, which calls isinstance.
        if type(action) is Draw:
            self._draw(seat, dealer, events)
        elif type(action) is Place:
            self._place(seat, action.cell, dealer, events)
        elif type(action) is PlaceRoyal:
            self._place_royal(seat, action.slot, dealer, events)
        elif type(action) is Armour:
            self._lay_armour(seat, action.slot, dealer, events)
        elif type(action) is Return:
            self._return(seat, dealer, events)
        elif type(action) is Declare:
            self._declare(seat, action, events)
        elif type(action) is Recall:
            self._recall(seat, action.card, events)
        else:
            self._use(seat, action, dealer, events)

    def _draw(self, seat: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Draw the top card (G6), or the next royal if the seat has none on the board (G16)."""
        if not self.stands_on_board(seat):
            self._pass_over(seat, events)
        card = self.draw_pile.pop(0)
        self.known_bottom = min(self.known_bottom, len(self.draw_pile))
        if events is not None:
            events.append(Drawn(seat, NAMES[card]))
        if is_number(card) or is_royal(card):
            self.drawn = card
            self.phase = PLACING if is_number(card) else PLACING_ROYAL
            return
        self.arsenals[seat] += (card,)
        if events is not None:
            events.append(PloyGained(seat, NAMES[card]))
        self._pass_turn(dealer, events)

    def _pass_over(self, seat: int, events: list[Event] | None) -> None:
        """Move the cards above the next royal to the pile's bottom in order; all seats know them now (G16, G22)."""
        pile = self.draw_pile
        depth = next(depth for depth, card in enumerate(pile) if is_royal(card))
        passed = pile[:depth]
        self.known_bottom = min(self.known_bottom, len(pile) - depth) + depth
        self.draw_pile = pile[depth:] + passed
        if events is not None:
            events.extend(PassedOver(seat, name) for name in names(passed))

    def _place(self, seat: int, cell: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Lay the drawn number on a cell and fire the lines that it triggers (G8, G9)."""
        card, self.drawn = self.drawn, NO_CARD
        self.grid[cell] += (card,)
        self.recalled.clear()
        if events is not None:
            events.append(Laid(seat, NAMES[card], CELLS[cell]))
        mixed = list[Card]()
        fallen = self._fire(cell, mixed, events)
        self._settle(fallen, mixed, dealer, events, turn_ends=True)

    def _place_royal(self, seat: int, slot: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Put the waiting royal into its slot (G7); the last royal of the opening starts the game (G5)."""
        royal = self.waiting_royal()
        self.royals[slot], self.alive[slot] = royal, True
        self.recalled.clear()
        if events is not None:
            events.append(RoyalPlaced(seat, NAMES[royal], SLOTS[slot]))
        if self.phase == PLACING_ROYAL:
            self.drawn = NO_CARD
            self._pass_turn(dealer, events)
            return
        del self.opening[0]
        if self.opening:
            self.turn = self.owner(self.opening[0])
        else:
            self._start(dealer, events)

    def _start(self, dealer: Dealer, events: list[Event] | None) -> None:
        """Shuffle the royals that were set aside into the draw pile (G5, G23), and begin seat 0's turn."""
        self.draw_pile += self.aside
        self.aside.clear()
        dealer.shuffle(self.draw_pile)
        if events is not None:
            events.append(PileShuffled(None, len(self.draw_pile)))
        self.turn = self.next_living(self.players - 1)
        self._begin_turn(dealer, events)

    def _lay_armour(self, seat: int, slot: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Lay the drawn number on a royal as armour (G12)."""
        card, self.drawn = self.drawn, NO_CARD
        self.armour[slot] += (card,)
        self.recalled.clear()
        if events is not None:
            events.append(ArmourLaid(seat, NAMES[card], SLOTS[slot]))
        self._pass_turn(dealer, events)

    def _return(self, seat: int, dealer: Dealer, events: list[Event] | None) -> None:
        """Mix the drawn number into the draw pile (G12)."""
        card, self.drawn = self.drawn, NO_CARD
        self.recalled.clear()
        if events is not None:
            events.append(Returned(seat, NAMES[card]))
        self._mix([card], dealer, events)
        self._pass_turn(dealer, events)

    # Ploys

    def _declare(self, seat: int, action: Declare, events: list[Event] | None) -> None:
        """Move a ploy from the arsenal of *seat* to the end of the queue (G14)."""
        self.arsenals[seat] = tuple([card for card in self.arsenals[seat] if card != action.card])
        self.ploys.append((seat, action.card, action.ploy))
        if events is not None:
            events.append(Declared(seat, NAMES[action.card], PLOYS[action.ploy]))

    def _recall(self, seat: int, card: Card, events: list[Event] | None) -> None:
        """Move a ploy from the queue to the arsenal of *seat*; it is barred until the board changes (G14, G15)."""
        self.ploys = [ploy for ploy in self.ploys if ploy[1] != card]
        self.arsenals[seat] += (card,)
        self.recalled.append(card)
        if events is not None:
            events.append(Recalled(seat, NAMES[card]))

    def _use(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None) -> None:
        """Carry out the first ploy of the queue and mix its card into the draw pile (G13)."""
        _, ploy, _ = self.ploys.pop(0)
        self.recalled.clear()
        mixed, fallen = list[Card](), list[int]()
        if type(action) is Reassign:
            self._reassign(seat, ploy, action, events)
            fallen = self._fire(action.target, mixed, events)
        elif type(action) is Switch:
            self._switch(seat, ploy, action.slots, events)
        elif type(action) is Force:
            if events is not None:
                events.append(Forced(seat, NAMES[ploy], CELLS[action.cell]))
            fallen = self._fire(action.cell, mixed, events)
        mixed.append(ploy)
        self._settle(fallen, mixed, dealer, events, turn_ends=False)

    def _reassign(self, seat: int, ploy: Card, action: Reassign, events: list[Event] | None) -> None:
        """Move a top card to another cell (G13)."""
        *below, card = self.grid[action.source]
        self.grid[action.source] = tuple(below)
        self.grid[action.target] += (card,)
        if events is not None:
            where = CELLS[action.source], CELLS[action.target]
            events.append(Reassigned(seat, NAMES[ploy], NAMES[card], *where))

    def _switch(self, seat: int, ploy: Card, slots: tuple[int, int], events: list[Event] | None) -> None:
        """Exchange the royals of two slots with their armour (G13)."""
        one, other = slots
        self.exchange(one, other)
        if events is not None:
            events.append(Switched(seat, NAMES[ploy], (SLOTS[one], SLOTS[other])))

    # Fire

    def _fire(self, cell: int, mixed: list[Card], events: list[Event] | None) -> list[int]:
        """Fire every line whose trigger is *cell* (G9); return the seats that lost their last royal, sorted.

        The cards of removed armour are added to *mixed*.
        """
        hit = list[int]()
        for slot in SLOTS_BY_TRIGGER[cell]:
            if not self.alive[slot]:
                continue
            attack, needed, owner = self.attack(slot), self.needed(slot), self.owner(self.royals[slot])
            if events is not None:
                events.append(Fired(owner, CELLS[cell], SLOTS[slot], NAMES[self.royals[slot]], attack, needed))
            if attack >= needed:
                self._kill(slot, owner, mixed, events)
                hit.append(owner)
            else:
                self._strip(slot, attack, mixed, events)
        return sorted({owner for owner in hit if not self.lives[owner]}) if hit else hit

    def _kill(self, slot: int, owner: int, mixed: list[Card], events: list[Event] | None) -> None:
        """Turn a royal face down, and move its armour to *mixed* (G10)."""
        self.alive[slot] = False
        self.lives[owner] -= 1
        if events is not None:
            events.append(Killed(owner, NAMES[self.royals[slot]], SLOTS[slot]))
        self._take_layers(slot, len(self.armour[slot]), mixed, events)

    def _strip(self, slot: int, attack: int, mixed: list[Card], events: list[Event] | None) -> None:
        """Move the layers of armour that *attack* covers to *mixed*, the last laid first (G11)."""
        layers, cost = 0, 0
        for card in reversed(self.armour[slot]):
            cost += VALUE[card]
            if attack < cost:
                break
            layers += 1
        self._take_layers(slot, layers, mixed, events)

    def _take_layers(self, slot: int, layers: int, mixed: list[Card], events: list[Event] | None) -> None:
        """Remove the *layers* of a royal's armour that were laid last, and add them to *mixed* (G23)."""
        if not layers:
            return
        armour = self.armour[slot]
        taken = armour[: -layers - 1 : -1]
        self.armour[slot] = armour[:-layers]
        mixed += taken
        if events is not None:
            events.append(ArmourStripped(self.owner(self.royals[slot]), SLOTS[slot], tuple(names(taken))))

    # The turn

    def _settle(
        self, fallen: list[int], mixed: list[Card], dealer: Dealer, events: list[Event] | None, *, turn_ends: bool
    ) -> None:
        """Finish an action (G17, G18).

        The seats of *fallen* leave the game, the cards of *mixed* and of these seats go into the draw pile, and
        the game or the turn ends if due.
        """
        for seat in fallen:
            self._bury(seat, mixed, events)
        self._mix(mixed, dealer, events)
        living = self.living()
        if not living:
            self._end(None, "all_fell", events)
        elif len(living) == 1:
            self._end(living[0], "last_family", events)
        elif turn_ends or (self.turn in fallen and self.phase != PLACING_ROYAL):
            self._pass_turn(dealer, events)

    def _bury(self, seat: int, mixed: list[Card], events: list[Event] | None) -> None:
        """Move the cards of a seat that is out to *mixed*: drawn number, queued ploys, arsenal (G17, G23)."""
        if seat == self.turn and is_number(self.drawn):
            mixed.append(self.drawn)
            self.drawn = NO_CARD
        mixed += [card for player, card, _ in self.ploys if player == seat]
        mixed += self.arsenals[seat]
        self.ploys = [ploy for ploy in self.ploys if ploy[0] != seat]
        self.arsenals[seat] = ()
        if events is not None:
            events.append(SeatOut(seat))

    def _mix(self, cards: list[Card], dealer: Dealer, events: list[Event] | None) -> None:
        """Put cards at the bottom of the draw pile and shuffle the pile (G21, G23)."""
        if not cards:
            return
        self.draw_pile += cards
        dealer.shuffle(self.draw_pile)
        self.known_bottom = 0
        if events is not None:
            events.append(MixedIn(None, tuple(sorted_names(cards)), len(self.draw_pile)))

    def _pass_turn(self, dealer: Dealer, events: list[Event] | None) -> None:
        """Begin the next living seat's turn, unless the turn limit is reached (G6, G20)."""
        if 0 < self.turn_limit <= self.turns:
            self._end(None, "turn_limit", events)
            return
        self.turn = self.next_living(self.turn)
        self._begin_turn(dealer, events)

    def _begin_turn(self, dealer: Dealer, events: list[Event] | None) -> None:
        """Begin the turn of seat ``turn``; refresh a small draw pile, and end the game if it stays empty (G19)."""
        self.turns += 1
        self.phase = DRAWING
        if events is not None:
            events.append(TurnBegan(self.turn, self.turns))
        if len(self.draw_pile) <= 10:
            self._refresh(dealer, events)
            if not self.draw_pile:
                self._end(None, "exhausted", events)

    def _refresh(self, dealer: Dealer, events: list[Event] | None) -> None:
        """Shuffle all but the top two cards of every cell into the draw pile (G19, G23)."""
        for cell, stack in enumerate(self.grid):
            if len(stack) > 2:
                self.draw_pile += stack[:-2]
                self.grid[cell] = stack[-2:]
                self.recalled.clear()
                if events is not None:
                    events.append(TakenUp(None, CELLS[cell], tuple(names(stack[:-2]))))
        dealer.shuffle(self.draw_pile)
        self.known_bottom = 0
        if events is not None:
            events.append(Refreshed(None, len(self.draw_pile)))

    def _end(self, winner: int | None, reason: str, events: list[Event] | None) -> None:
        """End the game (G18, G19, G20)."""
        result = "draw" if winner is None else "won"
        self.end_as({"result": result, "winner": winner, "reason": reason})
        if events is not None:
            events.append(Ended(winner, result, reason))
