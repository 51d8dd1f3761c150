"""The legal actions of Gridcannon: required actions and declarations."""

from engines.gridcannon.actions import (
    ARMOUR_ACTIONS,
    DRAW,
    FORCE_ACTIONS,
    PLACE_ACTIONS,
    PLACE_ROYAL_ACTIONS,
    REASSIGN_ACTIONS,
    RETURN,
    SWITCH_ACTIONS,
    Declare,
)
from engines.gridcannon.board import FORCED_ATTACK, REASSIGNMENT, ploys_of
from engines.gridcannon.state import DRAWING, PLACING, SETUP, State
from engines.ruleset import Action


class Choices(State):
    """The state of a game, with methods that list required actions and declarations."""

    __slots__ = ()

    def required_actions(self) -> list[Action]:
        """Return the actions of the seat that must act, without declarations and recalls."""
        if self.ploys:
            return self._uses(self.ploys[0][2])
        if self.phase == DRAWING:
            return [DRAW]
        if self.phase != PLACING:
            return [PLACE_ROYAL_ACTIONS[slot] for slot in self.slots_for(self.waiting_royal())]
        places: list[Action] = [PLACE_ACTIONS[cell] for cell in self.cells_for(self.drawn)]
        return places or [ARMOUR_ACTIONS[slot] for slot in self.armour_slots(self.turn, self.drawn)] or [RETURN]

    def _uses(self, ploy: int) -> list[Action]:
        """Return the ways to carry out a ploy (G13)."""
        if ploy == REASSIGNMENT:
            return [REASSIGN_ACTIONS[source][target] for source, target in self.reassignments()]
        if ploy == FORCED_ATTACK:
            return [FORCE_ACTIONS[cell] for cell in self.triggers()]
        taken = self.taken_slots()
        return [SWITCH_ACTIONS[one][other] for place, one in enumerate(taken) for other in taken[place + 1 :]]

    def declarations(self, seat: int) -> list[Declare]:
        """Return the declarations that *seat* may make (G14, G15), sorted because an arsenal has no order in a view."""
        if self.phase == SETUP:
            return []
        return [
            Declare(card, ploy)
            for card in sorted(self.arsenals[seat])
            if card not in self.recalled
            for ploy in ploys_of(card)
            if self.has_use(ploy)
        ]
