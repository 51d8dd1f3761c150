"""Foresight: what follows for sure from an action, whatever lies hidden from the seat that takes it.

It is found in a world that is imagined from the seat's view, so it is the same in all positions that the seat can't
tell apart. What it may say of that world, the ruleset's ``foreseen`` and ``determined`` decide.
"""

from dataclasses import dataclass
from random import Random

from engines.contract.base import Ruleset
from engines.contract.events import Event
from engines.contract.position import Action
from engines.core.dealer import SimulationDealer
from engines.core.types import Json


@dataclass(frozen=True)
class Foreseen:
    """An event that follows for sure, and whether all of it is known before it happens."""

    event: Event
    known: bool

    def seen_by(self, viewer: int | None) -> Json:
        """Tell what *viewer* may know of it now."""
        return self.event.seen_by(viewer) if self.known else self.event.foretold()


@dataclass(frozen=True)
class Preview:
    """The events that follow for sure, and whether that is all of them, each with all of its fields."""

    events: tuple[Foreseen, ...]
    certain: bool


def preview(ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str = "") -> Preview:
    """Return what *action* does for sure, by what *view* shows: the same in any *dream* of it.

    Until something hidden turns up that is everything; from then on it is what happens however that turned out.
    """
    sure, turned_up, certain = list[Foreseen](), False, True
    for event in imagined(ruleset, view, seat, action, dream):
        known = not ruleset.left_to_luck(event, view)
        if event.type in ruleset.foreseen or (not turned_up and event.type in ruleset.determined):
            sure.append(Foreseen(event, known))
            turned_up |= event.decisive and not known
            certain &= known
        elif event.type not in ruleset.determined:
            turned_up = True
    return Preview(tuple(sure), certain and not turned_up)


def imagined(ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str) -> list[Event]:
    """Return what happens when *seat* does *action* in a *dream* of what *view* shows."""
    rng, events = Random(dream), list[Event]()
    ruleset.imagine(view, rng).apply(seat, action, SimulationDealer(rng), events)
    return events
